"""Texts: clean lines, paragraphs and lists, inline Markdown, addresses, characters to warn of."""
