"""Importers of CVs written as documents: LaTeX, Word, Markdown, PDF.

Each reads its format into the blocks of an ``outline``; ``cells`` cuts their lines, ``features``
and ``labels`` say what each cell is, ``entries`` makes headings and entries, ``rough`` the head and
the sections, ``parts`` what is in them; ``sections`` and ``items`` put it under keys.
"""
