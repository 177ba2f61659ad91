"""``--format md``: a document as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from html import unescape
from typing import TYPE_CHECKING

from cvbuild.outputs.checks import view_texts
from cvbuild.outputs.markdown import export
from cvbuild.outputs.types import Made, Shown

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


class Format:
    """CommonMark in UTF-8."""

    name = "md"
    suffix = ".md"

    def make(self, shown: Shown) -> Made:
        """Return the view as Markdown; raise DocumentError if a reader would miss a text."""
        text = export.text(shown.view)
        expected = tuple(view_texts.contents(shown.view))
        figures = view_texts.require(as_read(text), expected, shown.task.source)
        return Made(text.encode(), figures)

    def text_of(self, content: bytes | Mapping[str, bytes]) -> str:
        """Return the text that a reader sees, with the addresses of links."""
        files = content.values() if isinstance(content, Mapping) else (content,)
        return "\n".join(as_read(file.decode()) for file in files)


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")


def as_read(markdown: str) -> str:
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
