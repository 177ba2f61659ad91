"""A document as JSON Resume."""
