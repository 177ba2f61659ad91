"""The pages of a PDF as pictures."""
