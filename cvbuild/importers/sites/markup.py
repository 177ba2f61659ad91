"""The Markdown of pages as paragraphs and points, without templates and shortcodes."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Any

from cvbuild.importers.words import markdown_blocks
from cvbuild.importers.words.html_texts import Block, Blocks
from cvbuild.inputs.references import texts

#: Characters of a page that are read.
_LONGEST = 1 << 16
#: {% for … %}, {{ site.x }}, {{< figure >}}, {: .button}, <!-- … -->
_CODE = re.compile(r"\{%[^{}]*%\}|\{\{[^{}]*\}\}|\{:[^{}]*\}|\{[\w-]+=[^{}]*\}|<!--[^<>]*-->")
_IMAGES = (
    re.compile(r"!\[([^\[\]\n]{0,500})\]\(([^()\s]{0,2000})[^()\n]{0,500}\)"),
    re.compile(
        r"<img()\b[^<>]{0,500}?\bsrc=[\"']?([^\"'<>\s]{0,2000})[^<>]{0,500}>", re.IGNORECASE
    ),
)
#: The address of a link that is one of the site's own.
_INNER = re.compile(r"(?<=\]\()(?![A-Za-z][A-Za-z0-9+.-]*:|//|#)([^()\s]+)(?=\))")


def clean(text: str) -> str:
    """Return a text without templates, shortcodes and comments."""
    return _CODE.sub("", text).strip()


def blocks(text: str, absolute: Callable[[str], str]) -> Blocks:
    """Return paragraphs and points, headings as paragraphs; pictures are lost.

    ``absolute`` makes whole addresses of those of the site. What follows in a text that is longer
    than a page of a CV can be is lost, too.
    """
    text = clean(text)
    found = Blocks()
    if len(text) > _LONGEST:
        found.lost.append(f"{len(text) - _LONGEST:,} characters at the end")
        text = text[:_LONGEST]
    # A comment without an end would be looked for again and again.
    text = text.replace("<!", "&lt;!")
    for image in _IMAGES:
        found.lost += [" ".join(filter(None, ("picture", *one))) for one in image.findall(text)]
        text = image.sub("", text)
    text = text.replace("![", r"!\[")
    text = _INNER.sub(lambda one: absolute(one[1]), text)
    for block in markdown_blocks.blocks(text):
        if block.kind == "lost":
            found.lost.append(block.plain)
        elif words := texts.line(block.text.replace("\t", " ")):
            found.blocks.append(Block(words, block.level if block.kind == "point" else None))
    return found


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
