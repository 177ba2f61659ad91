"""What one page shows: how much each part counts, what fits, and why the rest is left out."""
