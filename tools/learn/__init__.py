"""The labeller of documents' cells: what it learns from, and how.

A document is the features of its cells and their labels (`docs/internals/importing.md`).
"""
