"""A document as plain text."""
