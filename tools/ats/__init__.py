"""What software that reads CVs gets out of the PDFs: ``make ats`` measures it.

``corpus/`` holds CVs of nobody. ``facts`` are what a document must show, ``readers`` take the text
out of a PDF, ``figures`` compare both, and ``required`` says what they have to come to.
"""
