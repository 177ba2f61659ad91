"""What was sent: a read-only copy with everything that it was made from, and its check."""
