"""What was sent: a read-only copy with all that it was made from, and its check."""
