"""Formats whose keys say what values mean: CVs of other programs, records of a person, BibTeX."""
