"""What an advertisement of a job speaks of, and which of it a document has.

``advert`` reads the file line by line, ``lexicon`` knows the words of a language, ``terms`` finds
the terms of the lines, ``matching`` looks for them in documents. Only ``commands/match`` uses it.
"""
