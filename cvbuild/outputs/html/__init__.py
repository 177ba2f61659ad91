"""A document as a web page: one file that loads nothing."""
