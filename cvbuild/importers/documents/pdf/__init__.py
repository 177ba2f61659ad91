"""CVs that exist only as PDFs, read by their layout: no OCR, no learned model.

``pdfium`` finds the characters, ``pieces`` and ``lines`` the words and rows, ``columns`` the order
in which a page is read, ``titles`` what stands out, ``paragraphs`` and ``blocks`` write the blocks
that Word and Markdown become, too. Sizes are parts of the size of type (em), thresholds of CVs of
many makers; docs/internals/importing.md tells the way.
"""
