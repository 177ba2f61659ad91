"""A view as LaTeX, typeset by TeX, and the PDF read again to prove that nothing was lost.

When a document is built, and what is remembered of it, is decided in ``building``.
"""
