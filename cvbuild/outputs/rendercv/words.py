"""Texts of the view in RenderCV's Markdown, and dates in its form."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from cvbuild.model import rich_text
from cvbuild.model.dates import Date, Point
from cvbuild.view import lines
from cvbuild.view.types import Content

#: What may mean something together with the text beside it.
_ALWAYS = re.compile(r"([\\`*])")
_MARKUP = re.compile(r"([\\`*_\[\]])")


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
    if not any(mark in text for mark in "\\`*_[]"):
        return text
    try:
        known = rich_text.parse(text)
    except ValueError:
        known = ()
    is_plain = all(isinstance(node, rich_text.Text) for node in known)
    needed = _ALWAYS if is_plain and rich_text.plain(known) == text else _MARKUP
    return needed.sub(r"\\\1", text)


def date(value: Date | None, shown: str) -> dict[str, Any]:
    """Return the keys of a date; one that is more than a date or a range is as it is shown."""
    if value is None:
        return {}
    points = [point for point in (value.start, value.end) if point]
    is_odd = value.expected or value.several or any(point.season for point in points)
    if is_odd or not value.start:
        return {"date": shown}
    if not value.end and not value.present:
        return {"date": _point(value.start)}
    end = "present" if value.present or not value.end else _point(value.end)
    return {"start_date": _point(value.start), "end_date": end}


def _point(point: Point) -> int | str:
    return point.year if point == Point(point.year) else str(point)


def _nodes(nodes: Iterable[rich_text.Node]) -> str:
    return "".join(map(_node, nodes))


def _node(node: rich_text.Node) -> str:
    match node:
        case rich_text.Text(text):
            return escaped(text)
        case rich_text.Code(text):
            fence = "``" if "`" in text else "`"
            space = " " if "`" in text else ""
            return f"{fence}{space}{text}{space}{fence}"
        case rich_text.Break():
            return " "
        case rich_text.Link(url, children):
            return linked(_nodes(children), url)
        case rich_text.Span(style, children):
            mark = {"strong": "**", "emph": "*"}.get(style, "")
            return f"{mark}{_nodes(children)}{mark}"
