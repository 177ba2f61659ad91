"""Compare the terms of a job's advertisement with a document.

``terms`` knows the words of a language and finds the terms of lines, ``compare`` reads an
advertisement and looks for its terms in a document. Only ``match`` and ``serve`` use it.
"""
