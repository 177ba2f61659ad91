"""Scripts and directions: a text in runs of one script, and their order (UAX #9)."""
