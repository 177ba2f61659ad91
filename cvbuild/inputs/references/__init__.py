"""Works of other people's lists: BibTeX, names of authors, texts in LaTeX."""
