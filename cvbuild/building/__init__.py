"""One document, many documents, and what is up to date.

How a format is made is the concern of ``outputs``.
"""
