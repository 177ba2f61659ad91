"""Which sections, items and details a document shows, and why the rest is left out.

What one page has room for is decided in ``fit``, by the heights that TeX measured.
"""
