"""Several PDFs as one, with one structure tree; nothing in it acts."""
