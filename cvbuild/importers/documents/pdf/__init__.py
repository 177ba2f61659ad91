"""CVs that exist only as PDFs, read by their layout: no OCR, no learned model.

``pdfium`` finds the characters, ``glyphs`` cleans them, ``lines`` and ``columns`` find the order in
which a page is read, ``name`` and ``titles`` what stands out, ``paragraphs`` writes the blocks that
Word and Markdown become, too. Sizes are parts of the size of type (em), thresholds of CVs of many
makers; docs/internals/importing.md tells the way.
"""
