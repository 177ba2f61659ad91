"""Measure what software that reads CVs gets out of the PDFs: ``make ats``.

``corpus/`` has CVs of invented people. ``facts`` are what a document must show, ``readers`` take
the text out of a PDF, ``figures`` compare both, and ``required`` has the figures to reach.
"""
