"""Importers of CVs written as documents: LaTeX, Word, Markdown, PDF.

Each reads its format into the blocks of an ``outline``. ``rough`` finds the sections among them,
``parts`` (with ``guesses``: heads) the entries, ``order`` their names, ``sections`` and ``items``
put them under the keys of their kinds. What nothing but its position tells is a guess.
"""
