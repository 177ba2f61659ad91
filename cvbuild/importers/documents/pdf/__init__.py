"""CVs that exist only as PDFs, read by their layout: no OCR.

``pdfium`` finds the characters, ``lines`` the words and rows, ``importer`` the name and the order
of columns, and ``blocks`` writes the blocks that Word and Markdown become, too. Sizes are parts of
the size of type (em), thresholds of CVs of many makers.
"""
