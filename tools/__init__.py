"""What the project is worked on with and users don't have: ``make ats``, ``bench``, ``docs``."""
