"""What is remembered of finished documents, and whether it still holds."""
