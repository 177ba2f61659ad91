"""The error for a font file that can't be used."""

from __future__ import annotations


class FontError(Exception):
    """A font file can't be used; the text says why."""
