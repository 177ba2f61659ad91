"""Lists of publications: BibTeX, and what others share with it."""
