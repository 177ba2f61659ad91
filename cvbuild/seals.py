"""A text that knows whether it is whole: its hash in a line before it.

For what is kept between runs and is not looked at value by value when it is read.
"""

from __future__ import annotations

import hashlib


def seal(text: str) -> str:
    """The text with its hash."""
    return f"{_sum(text)}\n{text}"


def opened(sealed: str) -> str:
    """The text without it; raises ValueError if it isn't what was sealed."""
    total, _, text = sealed.partition("\n")
    if total != _sum(text):
        raise ValueError("not whole")
    return text


def _sum(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
