"""A document as Markdown: one file, or the folders of a site generator."""
