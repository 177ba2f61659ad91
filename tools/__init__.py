"""Tools for working on the project, which users don't have: ``make ats``, ``bench``, ``docs``."""
