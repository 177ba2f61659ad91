"""Authors out of a citation such as "Example, A., Sample, G. (2020). Title. <i>Journal</i>."."""

from __future__ import annotations

import html
import re
from typing import Any

_BEFORE_YEAR = re.compile(r"\s*([^()]{3,2000}?),?\s*\(((?:19|20)\d\d)[a-z]?[^()]{0,30}\)[.,:]?\s*")
_INITIALS = re.compile(r"(?:[^\W\d_]\.?[ -]?){1,4}")
_AND = re.compile(r",?\s+(?:and|&|und|et)\s+|\s*;\s*")
_TAG = re.compile(r"<[^<>]{0,200}>")


def authors(citation: str) -> tuple[list[str], str]:
    """Return the authors, given names first, and the rest; none if they can't be told for sure."""
    text = " ".join(html.unescape(_TAG.sub("", citation)).split())
    found = _BEFORE_YEAR.match(text)
    if not found:
        return [], text
    listed: list[str] = []
    for part in _AND.split(found[1]):
        words = [one.strip() for one in part.split(",") if one.strip()]
        pairs = list(zip(words[::2], words[1::2], strict=False))
        inverted = len(words) % 2 == 0 and (
            len(words) == 2 or all(_INITIALS.fullmatch(given) for _, given in pairs)
        )
        if inverted and not all(" " in one for one in words):
            listed += [f"{_name(given)} {family}" for family, given in pairs]
        elif all(" " in one for one in words):
            listed += [_name(one) for one in words]
        else:
            return [], text
    return listed, text[found.end() :]


def _name(text: str) -> str:
    """Return a name without the full stop after it; that of an initial is its own."""
    return text if re.search(r"\b[^\W\d_]\.$", text) else text.rstrip(".")


def left(rest: str, item: dict[str, Any]) -> str:
    """Return what a citation says besides the title, the venue and the year of an item."""
    for key in ("title", "venue"):
        told = re.sub(r"\\(?=\W)|[*]", "", str(item.get(key) or ""))
        at = rest.lower().find(told.lower()) if told else -1
        if at >= 0:
            rest = rest[:at] + rest[at + len(told) :]
    rest = rest.strip(" \t.,;:\"“”'‘’")
    return rest if re.search(r"\w", rest.removeprefix("In ").removeprefix("in ")) else ""
