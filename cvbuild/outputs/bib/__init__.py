"""BibTeX: the publications and patents of a document."""
