"""Find the comments of an import in a file: what was guessed, and what has no home.

A guess is ``# ?`` behind a value or above an item, perhaps with the source's words behind it; a
loss is a comment that begins with ``no home``. Both end when somebody deletes the comment.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import Literal, NamedTuple

import yaml
from msgspec import Struct

from cvbuild.inputs.yaml.builder import LINE_BREAK, LOADER
from cvbuild.inputs.yaml.writer import LOSS, MARK, MARKED

_GUESS = MARK.removeprefix("# ")
_KEY = re.compile(r"\s*(?:- )*([\w-]+):(?:\s|$)")


class Doubt(Struct, frozen=True):
    """A comment of an import, from ``begin`` to ``end`` (lines and columns from 1).

    ``words`` are what it says. ``key`` is the key of the value that was guessed, empty for a whole
    item; ``value`` is where that value stands, or the item's first one, None for a loss.
    """

    kind: Literal["guess", "lost"]
    words: str
    begin: tuple[int, int]
    end: tuple[int, int]
    key: str = ""
    value: tuple[int, int, int, int] | None = None

    def as_json(self) -> dict[str, object]:
        """Return a plain object for the browser."""
        return {
            "kind": self.kind,
            "words": self.words,
            "line": self.begin[0],
            "column": self.begin[1],
            "end_line": self.end[0],
            "end_column": self.end[1],
            "key": self.key,
            "value": self.value and list(self.value),
        }


class _Scalar(NamedTuple):
    """A text of the file, with its first and last position, from 0; a block's begins below."""

    begin: tuple[int, int]
    end: tuple[int, int]
    is_block: bool

    def at(self) -> tuple[int, int]:
        """Return where it begins: they are in that order."""
        return self.begin

    def holds(self, place: tuple[int, int]) -> bool:
        first = (self.begin[0] + 1, 0) if self.is_block else self.begin
        return first <= place < self.end


def find(text: str) -> list[Doubt]:
    """Return the doubts of a text, in its order; none if it isn't YAML."""
    if MARK not in text and LOSS not in text:
        return []
    try:
        scalars = [*_scalars(text)]
    except (yaml.YAMLError, ValueError, OverflowError):
        return []
    return [*_found(LINE_BREAK.split(text), scalars)]


def _scalars(text: str) -> Iterator[_Scalar]:
    for event in yaml.parse(text, Loader=LOADER):
        begin, end = event.start_mark, event.end_mark
        if isinstance(event, yaml.ScalarEvent) and begin and end:
            places = (begin.line, begin.column), (end.line, end.column)
            yield _Scalar(*places, event.style in ("|", ">"))


def _found(lines: list[str], scalars: list[_Scalar]) -> Iterator[Doubt]:
    comments = [one for at, line in enumerate(lines) if (one := _comment(at, line, scalars))]
    for at, (row, column, words) in enumerate(comments):
        is_alone = not lines[row][:column].strip()
        if words == _GUESS or words.startswith(f"{_GUESS} "):
            rest = words.removeprefix(_GUESS).strip()
            place = (row + 1, column + 1), (row + 1, len(lines[row]) + 1)
            yield Doubt("guess", rest, *place, *_value(row, column, lines, scalars))
        elif is_alone and words.startswith(LOSS):
            last, more = row, [words.removeprefix(LOSS).lstrip(":, ")]
            for before, after in pairwise(comments[at:]):
                follows = after[:2] == (before[0] + 1, column)
                if not follows or after[2].startswith((LOSS, _GUESS)):
                    break
                last, more = after[0], [*more, after[2]]
            end = last + 1, len(lines[last]) + 1
            yield Doubt("lost", " ".join(more), (row + 1, column + 1), end)


def _comment(row: int, line: str, scalars: list[_Scalar]) -> tuple[int, int, str] | None:
    """Return where the comment of a line begins, and its words; None if there is none."""
    if "#" not in line or line == f"# {MARKED}":
        return None
    for found in re.finditer(r"(?:^|(?<=\s))#", line):
        place = row, found.start()
        before = bisect_right(scalars, place, key=_Scalar.at)
        if not before or not scalars[before - 1].holds(place):
            return *place, line[found.end() :].strip()
    return None


def _value(
    row: int, column: int, lines: list[str], scalars: list[_Scalar]
) -> tuple[str, tuple[int, int, int, int] | None]:
    """Return the key and the place of the value that a mark is about."""
    before = bisect_left(scalars, (row, column), key=_Scalar.at)
    if lines[row][:column].strip() and before:
        begin, end, _ = scalars[before - 1]
        key = _KEY.match(lines[begin[0]])
        return key[1] if key else "", _from_one(begin, end)
    after = scalars[before : before + 2]
    # A key, and then its value.
    first = after[1:2] if after and _KEY.match(lines[after[0].begin[0]]) else after[:1]
    return "", _from_one(first[0].begin, first[0].end) if first else None


def _from_one(begin: tuple[int, int], end: tuple[int, int]) -> tuple[int, int, int, int]:
    return begin[0] + 1, begin[1] + 1, end[0] + 1, end[1] + 1
