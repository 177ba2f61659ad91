"""A page that shows one person's CV in every style: pictures of first pages, how to choose one.

It is no format of a document, but made from finished PDFs and from the manifests of their styles.
"""
