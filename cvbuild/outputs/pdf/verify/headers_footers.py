"""What is on the pages and not of the text: running heads, feet, numbers of pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

#: What stands between a name, a footer and the numbers; a word as in "page 2 of 3".
_BETWEEN, _WORD = r"[\s/|,.:;()，–—-]*", r"[^\W\d]"


def bodies(
    pages: Sequence[str], name: str, footers: Sequence[str], *, bare: bool = True
) -> Iterator[str]:
    """Yield the pages' texts without the furniture of their first and last lines.

    That is a footer and the number of the page at the end, a line each at most; the name and the
    number at the beginning of all pages but the first. Readers may join it with the line beside
    it: there it is known by both of its numbers, as in "Ada Example 2/3". Without ``bare``, lines
    at the end that have no word of a footer stay: "1" or "..." may be the last of the text.
    """
    for number, page in enumerate(pages, start=1):
        lines = page.splitlines()
        # A footer that is written a second time above itself is the text's.
        gone: set[bool] = set()
        while lines and _is_furniture(lines[-1], footers, number, len(pages)):
            wordless = _is_furniture(lines[-1], (), number, len(pages))
            if wordless in gone or (wordless and not bare):
                break
            gone.add(wordless)
            lines.pop()
        if number > 1 and lines and _is_furniture(lines[0], (name,), number, len(pages)):
            del lines[0]
        elif number > 1 and lines:
            both = rf"\s*{_known((name,))}{_BETWEEN}{number}{_BETWEEN}{len(pages)}(?![^\W_])"
            lines[0] = re.sub(both, "", lines[0], count=1) if re.match(both, lines[0]) else lines[0]
        yield "\n".join(lines)


def room(name: str, footers: Iterable[str]) -> int:
    """Return how many letters may stand between two pages at most, if they could not be told apart."""
    return 2 * (len(name) + sum(map(len, footers))) + 40


def _is_furniture(line: str, words: Iterable[str], number: int, count: int) -> bool:
    """Return whether a line has nothing but these words, the page's number and how many there are."""
    alone = rf"{number}"
    both = (
        rf"{_WORD}{{0,10}}{_BETWEEN}{number}{_BETWEEN}{_WORD}{{0,10}}{_BETWEEN}"
        rf"{_WORD}{{0,3}}{_BETWEEN}{count}{_BETWEEN}{_WORD}{{0,3}}"
    )
    known = _known(words)
    numbers = rf"{_BETWEEN}({alone}|{both})?{_BETWEEN}"
    return bool(line.strip() and re.fullmatch(rf"\s*{known}{numbers}{known}\s*", line))


def _known(words: Iterable[str]) -> str:
    """Return a pattern of any of the words, or none; their spaces may be any."""
    patterns = [r"\s+".join(map(re.escape, word.split())) for word in words if word.strip()]
    return rf"(?:{'|'.join(patterns)})?" if patterns else ""
