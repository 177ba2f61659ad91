"""A person's file, from its text to a profile in one language."""
