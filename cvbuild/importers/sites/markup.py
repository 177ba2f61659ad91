"""The Markdown of pages as paragraphs and points, without templates and shortcodes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from cvbuild.importers.words import liquid, markdown_blocks
from cvbuild.importers.words.html_texts import Block, Blocks
from cvbuild.inputs.references import texts

#: Characters of a page that are read.
_LONGEST = 1 << 16
#: {{< figure >}}, {target=_blank}, <!-- … -->
_CODE = re.compile(r"\{\{[^{}]*\}\}|\{[\w-]+=[^{}]*\}|<!--[^<>]*-->")
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
    text, _ = liquid.without_loops(text)
    return _CODE.sub("", liquid.without_code(text)).strip()


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


def left(rest: str, item: dict[str, Any]) -> str:
    """Return what a citation says besides the title, the venue and the year of an item."""
    for key in ("title", "venue"):
        told = re.sub(r"\\(?=\W)|[*]", "", str(item.get(key) or ""))
        if told and (at := re.search(rf"(?i)(?<!\w){re.escape(told)}(?!\w)", rest)):
            rest = rest[: at.start()] + rest[at.end() :]
    rest = rest.strip(" \t.,;:\"“”'‘’")
    return rest if re.search(r"\w", rest.removeprefix("In ").removeprefix("in ")) else ""
