"""The public profile as JSON Resume."""
