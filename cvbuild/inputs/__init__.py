"""Files that people write, read into a validated ``Profile`` with or without private values."""
