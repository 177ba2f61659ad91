"""Rows of a file: a text, and what is made of it, or said of it.

--- the text ends at the next mark
text
= what is made of it, which may have several lines
! a message
"""

from __future__ import annotations

import re
from pathlib import Path

_TESTS = Path(__file__).parents[1]


def rows(name: str) -> list[list[str]]:
    """Return the rows of a file of tests: of each its text, and the parts that a mark begins."""
    text = (_TESTS / name).read_text("utf-8")
    _, *blocks = re.split("^---.*\n", text, flags=re.MULTILINE)
    return [re.split("^[=+!] ", block, flags=re.MULTILINE) for block in blocks]


def messages(name: str) -> list[tuple[str, list[str]]]:
    return [(text, [one.rstrip("\n") for one in said]) for text, *said in rows(name)]


def same(said: list[str], told: list[str]) -> bool:
    return len(said) == len(told) and all(
        one.startswith(other[:-1]) if other.endswith("…") else one == other
        for one, other in zip(said, told, strict=True)
    )
