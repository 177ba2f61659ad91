"""The Markdown of pages as paragraphs and points, without templates and shortcodes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from cvbuild.importers.words import html_texts, liquid, markdown_blocks
from cvbuild.importers.words.blocks import Block
from cvbuild.importers.words.html_texts import Blocks
from cvbuild.importers.words.runs import Run
from cvbuild.inputs.references import texts

#: Characters of a page that are read.
_LONGEST = 1 << 16
#: {{< figure >}}, {target=_blank}, <!-- … -->
_CODE = re.compile(r"\{\{[^{}]*\}\}|\{[\w-]+=[^{}]*\}|<!--[^<>]*-->")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,500}>")
_IMAGES = (
    re.compile(r"!\[([^\[\]\n]{0,500})\]\(([^()\s]{0,2000})[^()\n]{0,500}\)"),
    re.compile(
        r"<img()\b[^<>]{0,500}?\bsrc=[\"']?([^\"'<>\s]{0,2000})[^<>]{0,500}>", re.IGNORECASE
    ),
)
#: The address of a link that is one of the site's own.
_INNER = re.compile(r"(?<=\]\()(?![A-Za-z][A-Za-z0-9+.-]*:|//|#)([^()\s]+)(?=\))")


def read(text: str, absolute: Callable[[str], str]) -> list[Block]:
    """Return the blocks of a page without templates, shortcodes and comments; pictures are lost.

    ``absolute`` makes whole addresses of those of the site. What follows in a text that is longer
    than a page of a CV can be is lost, too, and texts inside of loops.
    """
    text, loops = liquid.without_loops(text)
    lost = [
        Block("lost", [[Run(" ".join(words.split()))]], 0, line, line)
        for code, line in loops
        if re.search(r"\w", words := _TAG.sub("", liquid.without_code(code)))
    ]
    text = _CODE.sub("", liquid.without_code(text))
    if len(text) > _LONGEST:
        lost.append(_lost(f"{len(text) - _LONGEST:,} characters at the end"))
        text = text[:_LONGEST]
    # A comment without an end would be looked for again and again.
    text = text.replace("<!", "&lt;!")
    for image in _IMAGES:
        lost += [_lost(" ".join(filter(None, ("picture", *one)))) for one in image.findall(text)]
        text = image.sub("", text)
    text = text.replace("![", r"!\[")
    text = _INNER.sub(lambda one: absolute(one[1]), text)
    return [*lost, *markdown_blocks.blocks(text)]


def _lost(text: str) -> Block:
    return Block("lost", [[Run(text)]])


def blocks(text: str, absolute: Callable[[str], str]) -> Blocks:
    """Return the same as paragraphs and points, headings as paragraphs."""
    found = Blocks()
    for block in read(text.strip(), absolute):
        if block.kind == "lost":
            found.lost.append(block.plain)
        elif words := texts.line(block.text.replace("\t", " ")):
            level = block.level if block.kind == "point" else None
            found.blocks.append(html_texts.Block(words, level))
    return found


def left(rest: str, item: dict[str, Any]) -> str:
    """Return what a citation says besides the title, the venue and the year of an item."""
    for key in ("title", "venue"):
        told = re.sub(r"\\(?=\W)|[*]", "", str(item.get(key) or ""))
        if told and (at := re.search(rf"(?i)(?<!\w){re.escape(told)}(?!\w)", rest)):
            rest = rest[: at.start()] + rest[at.end() :]
    rest = rest.strip(" \t.,;:\"“”'‘’")
    return rest if re.search(r"\w", rest.removeprefix("In ").removeprefix("in ")) else ""
