"""Texts of the view in RenderCV's Markdown, and dates in its form."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from cvbuild.model.dates import Date, Point
from cvbuild.model.text import rich_text
from cvbuild.view import lines
from cvbuild.view.types import Content

#: What RenderCV's Markdown reads as markup. An underscore inside a word is one.
_MARKUP = re.compile(r"[\\*>\[\]]|(?<![^\W_])_|_(?![^\W_])")
#: Where RenderCV, or Typst, which sets its pages, would read markup that no backslash prevents:
#: commands, entities, formulas, dashes; at the beginning, lists, headings, notes and HTML.
_BETWEEN = re.compile(
    r"(?<=#)(?=[A-Za-z])|(?<=&)(?=#)|(?<=\$)(?=\$)|(?<=-)(?=[-?])"
    r"|\A(?=(?:[-+]|=+|\d+\.)(?:\s|\Z)|!!!|</?[A-Za-z])"
)
_JOINER = "\u2060"
#: What Typst reads as a beginning of code wherever it is, and a sign that looks the same.
_GRAVE, LIKE_GRAVE = "`", "\u02cb"
#: What code can't have there: it would end it, or be printed in another way.
_NOT_CODE = re.compile(r"[`<>&]| - ")


def of(content: Content | None) -> str:
    """Return a text: bold, italic, code and links stay; sub- and superscripts are plain."""
    return _nodes(content.nodes) if content else ""


def joined(words: lines.Words) -> str:
    """Return the words of a line."""
    return "".join(escaped(one) if isinstance(one, str) else of(one.content) for one in words)


def linked(text: str, url: str) -> str:
    """Return a link; brackets in its address are encoded."""
    address = url.replace("(", "%28").replace(")", "%29")
    return f"[{text}]({address})"


def escaped(text: str) -> str:
    """Return plain characters so that none of them means anything."""
    text = _MARKUP.sub(r"\\\g<0>", _BETWEEN.sub(_JOINER, text))
    return text.replace(_GRAVE, LIKE_GRAVE)


def is_literal(text: str) -> bool:
    """Return whether RenderCV prints the characters of a value that nothing can be escaped in."""
    return escaped(text) == text


def is_web(url: str) -> bool:
    """Return whether RenderCV takes a value as a web address, and prints its characters."""
    return url.startswith(("http://", "https://")) and is_literal(url)


def date(value: Date | None, shown: str) -> dict[str, Any]:
    """Return the keys of a date; one that is more than a date or a range is as it is shown."""
    if value is None:
        return {}
    points = [point for point in (value.start, value.end) if point]
    is_odd = value.expected or value.several or any(point.season for point in points)
    # RenderCV takes a year for its first day.
    if value.start and value.end:
        is_odd = is_odd or str(value.start) > str(value.end)
    if is_odd or not value.start:
        return {"date": shown}
    if not value.end and not value.present:
        return {"date": _point(value.start)}
    end = "present" if value.present or not value.end else _point(value.end)
    return {"start_date": _point(value.start), "end_date": end}


def _point(point: Point) -> int | str:
    return point.year if point == Point(point.year) else str(point)


def _nodes(nodes: Iterable[rich_text.Node]) -> str:
    # Any other bracket has a backslash: this one would begin an image.
    return "".join(map(_node, nodes)).replace("![", r"\![")


def _node(node: rich_text.Node) -> str:
    match node:
        case rich_text.Text(text):
            return escaped(text)
        case rich_text.Code(text):
            return escaped(text) if _NOT_CODE.search(text) else f"`{text}`"
        case rich_text.Break():
            return " "
        case rich_text.Link(url, children):
            return linked(_nodes(children), url)
        case rich_text.Span(style, children):
            mark = {"strong": "**", "emph": "*"}.get(style, "")
            return f"{mark}{_nodes(children)}{mark}"
