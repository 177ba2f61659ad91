"""Paragraphs for a reader: inline Markdown, perhaps with a list, in one language or several."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any

from msgspec import Struct, field
from msgspec.structs import replace
from pydantic_core import CoreSchema

from cvbuild.common.diagnostics import quoted, refused
from cvbuild.model.text import language_tags, rich_text
from cvbuild.model.text.lines import InLanguages, UrlError, by_language, clean, filled, scalar

#: A picture in Markdown, unless it is an exclamation before a link. What follows a bracket has none
#: of its kind: a text of many is read once.
_PICTURE = re.compile(r"(?<![\w\\])!\[[^][]*]\([^()]*\)?")
#: The end of a line, with the blank lines after it. Why not with the spaces before it: a pattern
#: that begins with a run of them tries each space of a long run, and reads on from it to the end.
_LINE_END = re.compile(r"\r?\n\s*")
_BLANKS = " \t"


class Point(Struct, frozen=True):
    """An item of a list in a text, the points under it, and its number in a numbered list."""

    text: Prose
    below: tuple[Prose, ...] = ()
    number: int | None = None


_LINK_HINT = "write [words](https://example.org/page); a \\ before [ or < makes it plain text"


class Prose(Struct, frozen=True):
    """One paragraph of inline Markdown: its source and its tree.

    ``points`` are the list below it; where there are some, the paragraph may be empty.
    ``translations`` and ``language`` are those of Wording.
    """

    source: str
    nodes: tuple[rich_text.Node, ...]
    translations: tuple[tuple[str, Prose], ...] = ()
    language: str | None = None
    points: tuple[Point, ...] = ()

    def __str__(self) -> str:
        return self._lines(lambda one: rich_text.plain(one.nodes))

    @property
    def markdown(self) -> str:
        """The whole text in Markdown, with its list."""
        return self._lines(lambda one: one.source)

    def _lines(self, as_text: Callable[[Prose], str]) -> str:
        lines = [as_text(self)] if self.nodes else []
        for point in self.points:
            mark = "-" if point.number is None else f"{point.number}."
            lines.append(f"{mark} {as_text(point.text)}")
            lines += (f"  - {as_text(below)}" for below in point.below)
        return "\n".join(lines)

    @property
    def every(self) -> Iterator[Prose]:
        """The paragraph and those of its list."""
        yield self
        for point in self.points:
            yield point.text
            yield from point.below

    @classmethod
    def of(cls, value: str, *, pictures: bool = False) -> Prose:
        """Parse the text; raise PydanticCustomError. ``pictures``: the caller tells of these."""
        # Its lines as one, where a backslash at a line's end stays a line break.
        *lines, last = _LINE_END.split(clean(value))
        joined = (
            f"{line[:-1].rstrip(_BLANKS)}\\\n" if line[-1:] == "\\" else f"{line.rstrip(_BLANKS)} "
            for line in lines
        )
        text = ("".join(joined) + last).strip()
        if not pictures and (picture := _PICTURE.search(text)):
            fact = "a text has no pictures: {shown}"
            hint = "leave it out; photo: is a picture of the person, signature: one of a letter"
            raise refused("text_picture", fact, hint, shown=quoted(picture[0]))
        try:
            nodes = rich_text.parse(text)
        except UrlError as error:
            context = {"why": str(error), "markdown": True}
            raise refused("url", "{why}", _LINK_HINT, **context) from None
        except rich_text.TitleError as error:
            fact = "a link's title isn't shown: {title}"
            hint = "put it into the text, as words or in brackets after the link"
            raise refused("link_title", fact, hint, title=quoted(str(error))) from None
        filled(rich_text.plain(nodes))
        return cls(text, nodes)

    @classmethod
    def with_list(cls, value: str) -> Prose:
        """Parse a text that may be a list, or end in one; raise PydanticCustomError."""
        halves = split_list(clean(value))
        if halves is None:
            return cls.of(value)
        before, points = halves
        prose = cls.of(before) if before else cls("", ())
        listed = (
            Point(cls.of(one.text), tuple(map(cls.of, one.below)), one.number) for one in points
        )
        return replace(prose, points=tuple(listed))

    @classmethod
    def among(cls, texts: Mapping[str, Prose]) -> Prose:
        """Return the paragraphs by language, as one value: the first, with all."""
        return replace(next(iter(texts.values())), translations=tuple(texts.items()))

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> CoreSchema:
        return InLanguages(cls.of, cls.among).__get_pydantic_core_schema__(source, handler)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> dict[str, Any]:
        return {"description": "Text in inline Markdown.", "anyOf": [scalar(), by_language()]}


#: A paragraph, a list, or a list below a paragraph.
Passage = Annotated[
    Prose, InLanguages(Prose.with_list, Prose.among, {"description": "Text in inline Markdown."})
]


def split(text: str) -> list[str]:
    """Split a block of text at its empty lines, but not those between the items of a list."""
    parts = re.split(r"\n[ \t]*(?:\r?\n[ \t]*)*\r?\n(?=[ \t]*\S)", text.strip())
    blocks: list[str] = []
    for part in filter(None, parts):
        whole = f"{blocks[-1]}\n\n{part}" if blocks else ""
        is_item = LIST_MARK.match(part) or part[:1] in " \t"
        # Items with empty lines between them are one list.
        if blocks and LIST_MARK.match(blocks[-1]) and is_item and split_list(whole):
            blocks[-1] = whole
        else:
            blocks.append(part)
    return blocks


def paragraphs(value: object) -> object:
    """Return a block of text, or blocks by language, as a list of paragraphs."""
    if isinstance(value, str) and value.strip():
        return split(value)
    if not (isinstance(value, dict) and any(language_tags.is_key(key) for key in value)):
        return value
    blocks = {tag: split(text) for tag, text in value.items() if isinstance(text, str)}
    if len(blocks) < len(value) or not all(blocks.values()):
        return [value]
    if len({len(parts) for parts in blocks.values()}) > 1:
        counts = ", ".join(f"{len(parts)} in {tag}" for tag, parts in blocks.items())
        fact = "the languages differ in their paragraphs: {counts}"
        hint = "write as many in each, with an empty line between them"
        raise refused("paragraphs", fact, hint, counts=counts)
    return [dict(zip(blocks, parts, strict=True)) for parts in zip(*blocks.values(), strict=True)]


# -- lists: lines that begin with a sign or a number -----------------------------------------------
#
# Two or more items are a list; a single line that begins with a dash stays a part of the text.

#: The mark of a list's item at the beginning of a line: a sign or a number.
LIST_MARK = re.compile(r"[ \t]*(?P<mark>(?P<sign>[-*+•‣◦▪])|(?P<number>\d{1,2})[.)])[ \t]+(?=\S)")


class Listed(Struct):
    """An item of a list: its lines, those of the points under it, and its number."""

    text: str
    number: int | None = None
    below: list[str] = field(default_factory=list)


def is_list(items: Iterable[re.Match[str]]) -> bool:
    """Return whether several marks are the same sign, or numbers in their order."""
    listed = [*items]
    signs = [item["sign"] for item in listed if item["sign"]]
    numbers = [int(item["number"]) for item in listed if item["number"]]
    return any(signs.count(sign) > 1 for sign in signs) or (
        len(numbers) > 1 and numbers == [*range(numbers[0], numbers[0] + len(numbers))]
    )


def split_list(text: str) -> tuple[str, tuple[Listed, ...]] | None:
    """Return what comes before a text's list, and its points.

    None for a text without a list, and for a list that has no form here: with another paragraph
    after it, three levels, several sorts of marks.
    """
    lines = text.strip("\r\n").splitlines()
    first = next((at for at, line in enumerate(lines) if LIST_MARK.match(line)), len(lines))
    points = _points(lines[first:])
    return ("\n".join(lines[:first]).strip(), tuple(points)) if points else None


def _points(lines: Sequence[str]) -> list[Listed]:
    """Return the points of lines that begin with one; none if they aren't a list alone."""
    points: list[Listed] = []
    tops: list[re.Match[str]] = []
    outer, inner, is_after = 0, 0, False
    for line in lines:
        mark, indent = LIST_MARK.match(line), len(line) - len(line.lstrip())
        if not line.strip():
            is_after = True
        elif mark and (not points or indent == outer):
            outer, inner = indent, 0
            tops.append(mark)
            number = int(mark["number"]) if mark["number"] else None
            points.append(Listed(line[mark.end() :], number))
        elif mark and mark["sign"] and indent > outer and (not inner or indent == inner):
            inner = indent
            points[-1].below.append(line[mark.end() :])
        elif mark or (is_after and indent <= outer):
            return []
        elif points[-1].below:
            points[-1].below[-1] += f"\n{line}"
        else:
            points[-1].text += f"\n{line}"
        is_after = is_after and not line.strip()
    marks = {found["sign"] or "1" for found in tops}
    return points if len(marks) == 1 and is_list(tops) else []
