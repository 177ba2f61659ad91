"""Files of other programs, read with the place of every value and within limits."""
