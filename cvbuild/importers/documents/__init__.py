"""Importers of CVs written as documents: LaTeX, Word, Markdown, PDF.

Each reads its format into an ``outline``: sections of entries, points and texts. ``sections`` puts
that into the kinds of a person's file.
"""
