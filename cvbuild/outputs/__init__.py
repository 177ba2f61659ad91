"""The formats of documents, each made from what a document shows, and styles.

Nothing here reads what people write, or decides what is up to date.
"""
