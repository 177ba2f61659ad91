"""A document for Word: its paragraphs, their styles, and the file that holds them."""
