"""What is on the pages and not of the text: running heads, feet, numbers of pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

#: The most characters that a page's number and its words take ("Page 2 of 3").
_NUMBERS = 24


def bodies(pages: Sequence[str], name: str, footers: Sequence[str]) -> Iterator[str]:
    """The pages' texts without their first and last lines of name, footer and page number.

    A last line is left off if there is nothing in it but a footer and the page's number, the
    first one of later pages if there is nothing but the name and the number.
    """
    for number, page in enumerate(pages, start=1):
        lines = page.splitlines()
        while lines and _is_furniture(lines[-1], footers, number, len(pages)):
            lines.pop()
        if number > 1 and lines and _is_furniture(lines[0], (name,), number, len(pages)):
            del lines[0]
        yield "\n".join(lines)


def room(name: str, footers: Iterable[str]) -> int:
    """How many letters may stand between two pages at most, if they could not be told apart."""
    return 2 * (len(name) + sum(map(len, footers))) + 40


def _is_furniture(line: str, words: Iterable[str], number: int, count: int) -> bool:
    rest, had = " ".join(line.split()), False
    for word in (" ".join(word.split()) for word in words):
        had = had or bool(word and word in rest)
        rest = rest.replace(word, " ", 1)
    digits = [int(part) for part in re.findall("[0-9]+", rest)]
    if digits == [number, count]:
        return len(rest.strip()) <= _NUMBERS
    if digits == [number]:
        return not any(character.isalpha() for character in rest)
    return had and not rest.strip()
