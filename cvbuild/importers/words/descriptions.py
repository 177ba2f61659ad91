"""Descriptions that editors of web forms write: HTML, plain text with bullets, Markdown.

They become paragraphs and points, under the keys that a kind of item has for them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel

from cvbuild.importers.words.markdown_blocks import html_blocks
from cvbuild.importers.words.outline import markdown
from cvbuild.inputs.references import texts
from cvbuild.inputs.validation import slots
from cvbuild.model import kinds
from cvbuild.model.kinds.work import Role

_SENTENCE = (".", "!", "?", ";", "…", "。", "”")


#: Characters of a text that is read: many pages.
_LONGEST = 1 << 17
_IS_HTML = re.compile(
    r"</?(?:p|br|div|ul|ol|li|b|strong|i|em|u|a|span|h[1-6]|sup|sub|code|font|table|td|tr)\b[^<>]*>"
    r"|&(?:[a-z]{2,8}|#\d{1,6}|#x[0-9a-f]{1,5});",
    re.IGNORECASE,
)
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
    """Return paragraphs and points as bullets; deeper ones, and those after a colon, are inner."""
    points: list[Any] = []
    is_under = False
    for index, block in enumerate(blocks):
        if block.level is None:
            is_before = any(one.level is not None for one in blocks[index + 1 : index + 2])
            is_under = is_before and block.text.endswith(":")
        elif points and (block.level > 0 or is_under):
            if not isinstance(points[-1], dict):
                points[-1] = {"text": points[-1], "bullets": []}
            points[-1]["bullets"].append(block.text)
            continue
        points.append(block.text)
    return points


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
    def paragraphs(self) -> list[str]:
        """All of it as paragraphs."""
        return [block.text for block in self.blocks]


def read(text: str) -> Blocks:
    """Return the paragraphs and points of a text: HTML if it has tags or entities, else plain.

    What is longer than a CV can be is lost.
    """
    rest, text = text[_LONGEST:], text[:_LONGEST]
    found = _of_html(text) if _IS_HTML.search(text) else _of_lines(text)
    if rest:
        found.lost.append(f"{len(rest):,} characters at the end")
    return found


def inline(text: str) -> str:
    """Return a text of one line, such as a title: HTML if it has tags or entities."""
    if not _IS_HTML.search(text):
        return texts.plain(text)
    found = read(text)
    addresses = f" ({texts.plain(', '.join(found.lost))})" if found.lost else ""
    return " ".join(found.paragraphs) + addresses


def _of_html(text: str) -> Blocks:
    made = Blocks()
    for one in html_blocks(text):
        is_bare = one.kind == "paragraph" and not any(run.styles or run.url for run in one.runs)
        if one.kind == "lost":
            made.lost.append(one.plain.partition(": ")[2])
        elif is_bare and ITEM.match(one.plain):
            made.blocks += _of_lines(one.plain).blocks
        else:
            level = one.level if one.kind == "point" else None
            made.blocks += [Block(markdown(line, is_all=True), level) for line in one.lines]
    return made


def _of_lines(text: str, inline: Callable[[str], str] = texts.plain) -> Blocks:
    """Return the blocks of a text: a line with a bullet is a point, another a paragraph."""
    rows: list[tuple[list[str], int | None]] = []
    is_open = False
    lines = text.splitlines()
    numbers = [int(found[1]) for line in lines if (found := _NUMBER.match(line))]
    # "10. May was warm" is no list.
    is_list = numbers[:2] == [1, 2]
    for line in lines:
        found = ITEM.match(line)
        if found and (is_list or not _NUMBER.match(line)):
            is_inner = len(found[1].expandtabs(4)) >= 2 or found.group().strip()[:1] in _INNER
            is_inner &= is_open and rows[-1][1] is not None
            rows.append(([line[found.end() :].strip()], int(is_inner)))
        elif line.strip() and is_open and _goes_on(rows[-1][0][-1], line, rows[-1][1]):
            rows[-1][0].append(line.strip())
        elif line.strip():
            rows.append(([line.strip()], None))
        is_open = bool(line.strip())
    return Blocks([Block(inline(" ".join(parts)), level) for parts, level in rows])


def _goes_on(before: str, line: str, level: int | None) -> bool:
    """Return whether a line continues the one before: the text was wrapped, or it is indented."""
    begins_small = line.strip()[:1].islower()
    if level is not None:
        return line[:1].isspace() or begins_small
    return begins_small and not before.endswith(_ENDS)


# -- Markdown: texts of programs that say that theirs are ------------------------------------------

_TAG = re.compile(r"</?[a-z][a-z0-9]*(?:\s[^<>]*)?/?>|&(?:[a-z]+|#\d+);", re.IGNORECASE)
_HEADING = re.compile(r"(?m)^#{1,6}\s+")
#: An asterisk inside of a word: 2*3*4.
_PRODUCT = re.compile(r"(?<=[^\W_])\*(?=[^\W_])")
_SINGLE = re.compile(r"(?<!\\)([\^~])")


def inline_markdown(text: str) -> str:
    """Return a text of one line; ``^`` and ``~``, which mean nothing there, stay characters."""
    if _TAG.search(text):
        return inline(text)
    text = texts.line(text)
    if max(map(text.count, "^~")) > 1:
        text = _SINGLE.sub(r"\\\1", text)
    return texts.markdown(_PRODUCT.sub(r"\*", text))


def read_markdown(text: str) -> Blocks:
    """Return the paragraphs and points of a text of several lines."""
    return read(text) if _TAG.search(text) else _of_lines(_HEADING.sub("", text), inline_markdown)
