"""What the finished PDF holds, compared with what it was to show."""
