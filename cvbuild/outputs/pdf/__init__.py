"""Turn a view into LaTeX, typeset it with TeX, and read the PDF to check that nothing was lost.

``building`` decides when a document is built and what is remembered of it.
"""
