"""Read Markdown as its readers do: the text that it shows, to compare it with the view."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from html import unescape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")


def shown(markdown: str) -> str:
    """Return the text that a page shows: a line for each block, addresses after their links.

    HTML stays as it is, except the tags that ``inline`` writes.
    """
    tokens = _parser().parse(markdown)
    return "\n".join(text for token in tokens if (text := _text(token)))


def _text(token: Token) -> str:
    """Return what a block begins with, or the text in it: the number of an item, a paragraph."""
    return token.info if token.type == "list_item_open" else "".join(_inline(token.children or []))


def _inline(tokens: list[Token]) -> Iterator[str]:
    targets: list[str] = []
    for token in tokens:
        match token.type:
            case "link_open":
                targets.append(str(token.attrs.get("href", "")))
            case "link_close":
                yield f" {unescape(targets.pop())} "
            case "softbreak" | "hardbreak":
                yield " "
            case "html_inline" if token.content.strip("</>") in _TAGS:
                continue
            case _:
                yield token.content


_TAGS = ("strong", "em", "sup", "sub", "code")
