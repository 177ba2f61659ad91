"""Compare what the finished PDF holds with what it should show."""
