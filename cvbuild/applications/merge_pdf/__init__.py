"""Merge several PDFs into one, with one structure tree and nothing that acts."""
