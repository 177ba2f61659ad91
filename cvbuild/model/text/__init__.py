"""Texts: lines, paragraphs, inline Markdown, and in which language they are."""
