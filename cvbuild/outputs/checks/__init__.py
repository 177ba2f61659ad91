"""Checks that every output can use: which texts must be in a file, and which must not.

What only a PDF has (fonts, links, pages) is checked in ``outputs.pdf.verify``.
"""
