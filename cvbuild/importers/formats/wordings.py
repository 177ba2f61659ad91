"""Texts of these programs, which are CommonMark or HTML, as our Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cvbuild.importers.words import descriptions
from cvbuild.importers.words.descriptions import Block, Blocks
from cvbuild.inputs.references import texts
from cvbuild.model.text import rich_text

_HTML = re.compile(r"</?[a-z][a-z0-9]*(?:\s[^<>]*)?/?>|&(?:[a-z]+|#\d+);", re.IGNORECASE)
_BULLET = re.compile(r"(\s*)(?:[-*+•‣◦–]|\d{1,2}[.)])\s+(?=\S)")
_HEADING = re.compile(r"#{1,6}\s+")
#: An asterisk inside of a word: 2*3*4.
_PRODUCT = re.compile(r"(?<=[^\W_])\*(?=[^\W_])")
_SINGLE = re.compile(r"(?<!\\)([\^~])")


def inline(text: str) -> str:
    """Return a text of one line; ``^`` and ``~``, which mean nothing there, stay characters."""
    if _HTML.search(text):
        return descriptions.inline(text)
    text = texts.line(text)
    if re.search(r"[\^~]", text) and ((nodes := texts.nodes(text)) is None or _scripted(nodes)):
        text = _SINGLE.sub(r"\\\1", text)
    return texts.markdown(_PRODUCT.sub(r"\*", text))


def blocks(text: str) -> Blocks:
    """Return the paragraphs and points of a text of several lines."""
    if _HTML.search(text):
        return descriptions.read(text)
    made: list[tuple[str, int | None]] = []
    is_open = False
    for row in texts.decoded(text.encode("utf-8", "replace")).split("\n"):
        found = _BULLET.match(row)
        if found:
            has_points = bool(made) and made[-1][1] is not None
            level = int(has_points and len(found[1].expandtabs(4)) >= 2)
            made.append((row[found.end() :], level))
        elif row.strip() and is_open:
            made[-1] = (f"{made[-1][0]} {row.strip()}", made[-1][1])
        elif row.strip():
            made.append((_HEADING.sub("", row.strip()), None))
        is_open = bool(row.strip())
    return Blocks([Block(one, level) for words, level in made if (one := inline(words))])


def addresses(text: str) -> set[str]:
    """Return where the links in a text of ours lead."""
    return {link.url for link in rich_text.links(texts.nodes(text) or ())}


def _scripted(nodes: Iterable[rich_text.Node]) -> bool:
    return any(
        isinstance(node, rich_text.Span)
        and (node.style in ("sup", "sub") or _scripted(node.children))
        for node in nodes
    )
