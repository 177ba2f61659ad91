"""Tables of text, as wide as the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from cvbuild.common.diagnostics import cells as cells  # noqa: PLC0414 - for the callers


def width() -> int | None:
    """Return how many columns the terminal has; None where standard output is none."""
    if not sys.stdout.isatty():
        return None
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or None
    except (OSError, ValueError):
        return None


def lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return lines with aligned columns, without empty columns."""
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell + " " * (size - cells(cell))
            for cell, size in zip(row, widths, strict=True)
            if size
        ).rstrip()
        for row in rows
    ]


def cut(text: str, columns: int) -> str:
    """Return the beginning of a text that fits into so many columns."""
    taken = 0
    for at, character in enumerate(text):
        taken += cells(character)
        if taken > columns:
            return text[:at]
    return text


def size_in_words(count: int) -> str:
    """Return a number of bytes for people: 41 kB, 1.2 MB."""
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{max(1, round(count / 1000))} kB"
