"""A document as Markdown."""
