"""Compare the terms of a job's advertisement with a document.

``advert`` reads the file line by line, ``lexicon`` knows the words of a language, ``terms`` finds
the terms of the lines, ``compare`` looks for them in a document. Only ``match`` and ``serve`` use
it.
"""
