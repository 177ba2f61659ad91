"""Lists in a text, as Markdown has them: lines that begin with a sign or a number.

Two or more items are a list; a single line that begins with a dash stays a part of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct, field

#: The mark of a list's item at the beginning of a line: a sign or a number.
MARK = re.compile(r"[ \t]*(?P<mark>(?P<sign>[-*+•‣◦▪])|(?P<number>\d{1,2})[.)])[ \t]+(?=\S)")


class Point(Struct):
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


def split(text: str) -> tuple[str, tuple[Point, ...]] | None:
    """Return what comes before a text's list, and its points.

    None for a text without a list, and for a list that has no form here: with another paragraph
    after it, three levels, several sorts of marks.
    """
    lines = text.strip("\r\n").splitlines()
    first = next((at for at, line in enumerate(lines) if MARK.match(line)), len(lines))
    points = _points(lines[first:])
    return ("\n".join(lines[:first]).strip(), tuple(points)) if points else None


def joined(parts: Iterable[str]) -> list[str]:
    """Return the paragraphs of a text, where items with empty lines between them are one list."""
    blocks: list[str] = []
    for part in parts:
        whole = f"{blocks[-1]}\n\n{part}" if blocks else ""
        is_next = blocks and MARK.match(blocks[-1]) and (MARK.match(part) or part[:1] in " \t")
        if is_next and split(whole):
            blocks[-1] = whole
        else:
            blocks.append(part)
    return blocks


def _points(lines: Sequence[str]) -> list[Point]:
    """Return the points of lines that begin with one; none if they aren't a list alone."""
    points: list[Point] = []
    tops: list[re.Match[str]] = []
    outer, inner, is_after = 0, 0, False
    for line in lines:
        mark, indent = MARK.match(line), len(line) - len(line.lstrip())
        if not line.strip():
            is_after = True
        elif mark and (not points or indent == outer):
            outer, inner = indent, 0
            tops.append(mark)
            number = int(mark["number"]) if mark["number"] else None
            points.append(Point(line[mark.end() :], number))
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
