"""Works and names as others write them: BibTeX, names of authors, texts in LaTeX."""
