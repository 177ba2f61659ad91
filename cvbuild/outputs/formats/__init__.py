"""The formats but PDF: none of them knows of another."""
