"""A package or a module per format, each made from what a document shows.

Nothing here reads what people write, or decides what is up to date.
"""
