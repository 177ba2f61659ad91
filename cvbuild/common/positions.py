"""Positions in a text, and parts of it as messages show them."""

from __future__ import annotations

#: line, column, end line, end column; all count from 1, the end is exclusive.
Place = tuple[int, int, int, int]


def shown(text: str) -> str:
    """Return ``text`` with everything escaped that doesn't print (control, direction)."""
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text
    )


def quoted(text: str, limit: int = 60) -> str:
    """Return ``text`` for a message: in double quotes, printable, at most ``limit`` characters."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return f'"{shown(cut)}"'


def place_of(text: str, start: int, end: int) -> Place:
    """Return the place of ``text[start:end]``, which must be on one line."""
    breaks = text.count("\n", 0, start) + text.count("\r", 0, start)
    line = 1 + breaks - text.count("\r\n", 0, start)
    begin = 1 + max(text.rfind("\n", 0, start), text.rfind("\r", 0, start))
    return line, start - begin + 1, line, end - begin + 1
