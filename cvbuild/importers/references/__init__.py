"""Lists of publications: BibTeX, RIS, CSL-JSON with Crossref's works."""
