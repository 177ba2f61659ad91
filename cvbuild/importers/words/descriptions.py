"""Descriptions of several paragraphs and points, put where a kind of item has them."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel

from cvbuild.inputs.references import texts
from cvbuild.inputs.validation import slots
from cvbuild.model import kinds
from cvbuild.model.kinds.work import Role
from cvbuild.model.text import rich_text

_SENTENCE = (".", "!", "?", ";", "…", "。", "”")


#: Characters of a text that is read: many pages.
_LONGEST = 1 << 17
#: Points inside each other that are told apart.
_DEEPEST = 20
_TAG = re.compile(r"<!--[^<>]*-->|</?([A-Za-z][A-Za-z0-9]{0,20})((?:\s[^<>]*)?)/?>")
_IS_HTML = re.compile(
    r"</?(?:p|br|div|ul|ol|li|b|strong|i|em|u|a|span|h[1-6]|sup|sub|code|font|table|td|tr)\b[^<>]*>"
    r"|&(?:[a-z]{2,8}|#\d{1,6}|#x[0-9a-f]{1,5});",
    re.IGNORECASE,
)
_HREF = re.compile(r"""\b(?:href|src)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_STYLES = {"b": "**", "strong": "**", "i": "*", "em": "*", "sup": "^", "sub": "~", "code": "`"}
_BREAKS = frozenset(
    ("p", "div", "br", "ul", "ol", "li", "tr", "table", "blockquote", "section", "article", "dl",
     "dt", "dd", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "pre")
)  # fmt: skip
#: Signs that are bullets wherever they stand.
_ALWAYS = "•●▪■◦○‣⁃➢➤►✓✔∙·"
#: Those that need a blank after them.
_DASHES = "–—*-"
#: A bullet at the start of a line.
SIGN = re.compile(rf"\s*(?:[{_ALWAYS}]\s*|[{_DASHES}]\s+)(?=\S)")
#: A bullet, or a number with its dot or bracket.
ITEM = re.compile(rf"(\s*)(?:[{_ALWAYS}{_DASHES}]\s+|[{_ALWAYS}]|\(?\d{{1,2}}[.)]\s+)(?=\S)")
_NUMBER = re.compile(r"\s*\(?(\d{1,2})[.)]\s")
_INNER = "◦○"
_ENDS = (".", "!", "?", ";", ":", "…", "。", "”", '"', ")")


def describe(item: dict[str, Any], kind: str, text: str) -> list[str]:
    """Put a text with paragraphs and bullets into an item, under the keys that its kind has.

    ``kind`` is that of the section, or ``role`` for a position at an employer. Returns what has no
    place there, such as the address of a link that no document may have.
    """
    return put(item, kind, read(text))


def put(item: dict[str, Any], kind: str, blocks: Blocks) -> list[str]:
    """Put blocks into an item, after what it has already; see ``describe``."""
    keys = keys_of(kind)
    if "bullets" not in keys:
        key = "summary" if "summary" in keys else "quote" if "quote" in keys else ""
        if not key:
            return [*blocks.lost, *blocks.paragraphs]
        item[key] = joined([item.get(key, ""), *blocks.paragraphs])
        return blocks.lost
    opening = _opening(blocks.blocks) if "summary" in keys and "bullets" not in item else []
    if opening:
        item["summary"] = joined([item.get("summary", ""), *(block.text for block in opening)])
    points = nested(blocks.blocks[len(opening) :])
    if points:
        item["bullets"] = [*item.get("bullets", ()), *points]
    return blocks.lost


def joined(parts: list[str]) -> str:
    """Return texts as one; a full stop stands where one has no end of a sentence."""
    made = ""
    for part in filter(None, parts):
        between = "" if not made else " " if made.endswith((*_SENTENCE, ":", ",")) else ". "
        made += between + part
    return made


def nested(blocks: list[Block]) -> list[Any]:
    """Return paragraphs and points as bullets; deeper ones, and those after a colon, are inner.

    A bullet with points at a third level is one text with a list in it.
    """
    points: list[Any] = []
    is_under = False
    for index, block in enumerate(blocks):
        if block.level is None:
            following = blocks[index + 1] if index + 1 < len(blocks) else None
            is_under = bool(block.text.endswith(":") and following and following.level is not None)
        elif points and (block.level > 0 or is_under):
            if not isinstance(points[-1], dict):
                points[-1] = {"text": points[-1], "bullets": []}
            depth = max(0, (block.level or 0) - 1) if points[-1]["bullets"] else 0
            points[-1]["bullets"].append((depth, block.text))
            continue
        points.append(block.text)
    return [_bullet(point) if isinstance(point, dict) else point for point in points]


def _bullet(point: dict[str, Any]) -> Any:
    """Return a point with those under it, each with how much deeper it is than the second level."""
    inner = point["bullets"]
    if not any(depth for depth, _ in inner):
        return {**point, "bullets": [text for _, text in inner]}
    return "\n".join([point["text"], *(f"{'  ' * depth}- {text}" for depth, text in inner)])


def _opening(blocks: list[Block]) -> list[Block]:
    """Return the paragraphs that are prose: all before the points, or the first line of several."""
    first = next((at for at, block in enumerate(blocks) if block.level is not None), len(blocks))
    before = blocks[:first]
    if all(block.text.rstrip("*`").endswith(_SENTENCE) for block in before[:-1]):
        return before
    return before[:1]


@cache
def keys_of(kind: str) -> frozenset[str]:
    """Return the keys that items of a kind have."""
    return frozenset(slots.keys(item_model(kind)))


def item_model(kind: str) -> type[BaseModel]:
    """Return the model of a kind's items; ``role`` is that of a position at an employer."""
    if kind == "role":
        return Role
    annotation = kinds.of(kind).section.model_fields["items"].annotation  # type: ignore[union-attr]
    (model,) = (one for one in leaves(annotation) if hasattr(one, "model_fields"))
    found: type[BaseModel] = model
    return found


def leaves(annotation: Any) -> list[Any]:
    """Return the types that an annotation is made of."""
    inner = get_args(annotation)
    return [leaf for one in inner for leaf in leaves(one)] if inner else [annotation]


@dataclass(slots=True)
class Block:
    """A paragraph, or a point at a level that counts from 0; ``text`` is our inline Markdown."""

    text: str
    level: int | None = None


@dataclass(slots=True)
class Blocks:
    """What a text says in its order; ``lost`` are addresses that no document may link to."""

    blocks: list[Block] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    @property
    def inline(self) -> str:
        """All of it on one line."""
        return " ".join(block.text for block in self.blocks)

    @property
    def paragraphs(self) -> list[str]:
        """All of it as paragraphs."""
        return [block.text for block in self.blocks]


def read(text: str) -> Blocks:
    """Return the paragraphs and points of a text: HTML if it has tags or entities, else plain.

    What is longer than a CV can be is lost.
    """
    rest, text = text[_LONGEST:], text[:_LONGEST]
    found = _Html(text).blocks if _IS_HTML.search(text) else _plain(text)
    if rest:
        found.lost.append(f"{len(rest):,} characters at the end")
    return found


def inline(text: str) -> str:
    """Return a text of one line, such as a title: HTML if it has tags or entities."""
    if not _IS_HTML.search(text):
        return texts.plain(text)
    found = read(text)
    addresses = f" ({texts.plain(', '.join(found.lost))})" if found.lost else ""
    return found.inline + addresses


def _plain(text: str) -> Blocks:
    """Return the blocks of a plain text: a line with a bullet is a point, another a paragraph."""
    made = Blocks()
    block: list[str] = []
    level: int | None = None

    def close() -> None:
        if block:
            made.blocks.append(Block(texts.plain(" ".join(block)), level))
            block.clear()

    lines = text.splitlines()
    numbers = [int(found[1]) for line in lines if (found := _NUMBER.match(line))]
    # "10. May was warm" is no list.
    is_list = numbers[:2] == [1, 2]
    for row in lines:
        line, found = row, ITEM.match(row)
        if found and (is_list or not _NUMBER.match(row)):
            close()
            inner = len(found[1].expandtabs(4)) >= 2 or found.group().strip()[:1] in _INNER
            after = level is not None
            level, line = int(inner and after), row[found.end() :]
        elif not line.strip() or not (block and _goes_on(block[-1], line, level)):
            close()
            level = None
        if line.strip():
            block.append(line.strip())
    close()
    return made


def _goes_on(before: str, line: str, level: int | None) -> bool:
    """Return whether a line continues the one before: the text was wrapped, or it is indented."""
    begins_small = line.strip()[:1].islower()
    if level is not None:
        return line[:1].isspace() or begins_small
    return begins_small and not before.endswith(_ENDS)


class _Html:
    """Reads a fragment of HTML into blocks."""

    def __init__(self, text: str) -> None:
        self.blocks = Blocks()
        self.pieces: list[tuple[str, str]] = []
        self.depth = 0
        self.level: int | None = None
        self.skipping = ""
        self.address = ""
        at = 0
        for found in _TAG.finditer(text):
            self.text(text[at : found.start()])
            if found[1]:
                self.tag(found[1].lower(), found[2], is_end=found.group().startswith("</"))
            at = found.end()
        self.text(text[at:])
        self.close()

    def text(self, text: str) -> None:
        if text and not self.skipping:
            self.pieces.append(("text", html.unescape(text)))

    def tag(self, name: str, attributes: str, *, is_end: bool) -> None:
        if self.skipping or name in ("script", "style"):
            self.skipping = "" if is_end and name == self.skipping else self.skipping or name
        elif name in _BREAKS:
            self.breaks(name, attributes, is_end=is_end)
        elif name in _STYLES:
            self.pieces.append(("close" if is_end else "open", _STYLES[name]))
        elif name == "a":
            self.link(attributes, is_end=is_end)
        elif name in ("img", "iframe", "video") and not is_end:
            self.blocks.lost += [_address(attributes)]
        elif name in ("td", "th"):
            self.pieces.append(("text", " "))

    def breaks(self, name: str, attributes: str, *, is_end: bool) -> None:
        """End a block, and enter or leave a list."""
        if name == "p" and self.level is not None:
            # A paragraph in a point: the point goes on.
            self.pieces.append(("text", " "))
            return
        self.close()
        if name in ("ul", "ol"):
            self.depth = max(0, min(_DEEPEST, self.depth + (-1 if is_end else 1)))
            self.level = None
        elif name == "li":
            indent = re.search(r"ql-indent-(\d)", attributes)
            inner = int(indent[1]) if indent else 0
            self.level = None if is_end else max(0, self.depth - 1) + inner

    def link(self, attributes: str, *, is_end: bool) -> None:
        if is_end:
            self.pieces.append(("link", self.address))
            self.address = ""
            return
        address = html.unescape(_address(attributes)).strip()
        self.address = texts.address(address)
        if not self.address:
            self.blocks.lost += [address]
        self.pieces.append(("open", "["))

    def close(self) -> None:
        """End a block; one of text with bullets becomes several."""
        pieces, self.pieces = self.pieces, []
        if not any(kind == "text" and text.strip() for kind, text in pieces):
            return
        if all(kind == "text" for kind, _ in pieces):
            words = "".join(text for _, text in pieces)
            if self.level is None and ITEM.match(words):
                self.blocks.blocks += _plain(" ".join(words.split())).blocks
            else:
                self.blocks.blocks.append(Block(texts.plain(words), self.level))
        else:
            self.blocks.blocks.append(Block(_styled(pieces), self.level))


def _address(attributes: str) -> str:
    found = _HREF.search(attributes)
    return next((part for part in found.groups() if part is not None), "") if found else ""


def _styled(pieces: list[tuple[str, str]]) -> str:
    """Return texts and styles as Markdown; as plain text where Markdown has no way to say it."""
    words = texts.line("".join(text for kind, text in pieces if kind == "text"))
    careful = _joined(pieces, texts.escaped)
    nodes = texts.nodes(careful) or ()
    if rich_text.plain(nodes) != words:
        return texts.plain(words)
    # Without backslashes it reads better, if it means the same.
    easy = _joined(pieces, str)
    return easy if (texts.nodes(easy) or ()) == nodes else careful


def _joined(pieces: list[tuple[str, str]], written: Callable[[str], str]) -> str:
    """Return texts and styles as Markdown; ``written`` makes Markdown of a text."""
    levels: list[tuple[str, list[str]]] = [("", [])]
    for kind, value in pieces:
        if kind == "text":
            levels[-1][1].append(written(value))
        elif kind == "open":
            levels.append((value, []))
        elif kind == "link" and levels[-1][0] == "[":
            inner = "".join(levels.pop()[1])
            levels[-1][1].append(_linked(inner, value))
        elif kind == "close" and len(levels) > 1 and levels[-1][0] == value:
            _, inside = levels.pop()
            levels[-1][1].append(_marked(value, "".join(inside)))
    return texts.line("".join(part for _, parts in levels for part in parts))


def _linked(words: str, url: str) -> str:
    if not url or not words.strip():
        return words
    # Brackets and spaces of an address would end it.
    safe = url.replace("(", "%28").replace(")", "%29")
    before, inner, after = _trimmed(words)
    return f"{before}[{inner}]({safe}){after}"


def _marked(mark: str, words: str) -> str:
    before, inner, after = _trimmed(words)
    if mark == "`" and inner:
        # Between backticks every character is itself.
        inner = re.sub(r"\\([\\`*_\[\]<>^~])", r"\1", inner)
        return words if "`" in inner else f"{before}`{inner}`{after}"
    return f"{before}{mark}{inner}{mark}{after}" if inner else words


def _trimmed(words: str) -> Iterator[str]:
    """Return a text without the spaces around it, and these: a style may not begin with one."""
    inner = words.strip()
    start = words.find(inner) if inner else len(words)
    return iter((words[:start], inner, words[start + len(inner) :]))
