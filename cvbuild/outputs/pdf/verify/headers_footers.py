"""Headers, footers and page numbers: what is on the pages and not part of the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

#: What is between a name, a footer and the numbers; a word as in "page 2 of 3".
_BETWEEN, _WORD = r"[\s/|,.:;()，–—-]*", r"[^\W\d]"


def bodies(
    pages: Sequence[str], name: str, footers: Sequence[str], *, bare: bool = True
) -> Iterator[str]:
    """Yield the pages' texts without the header and footer in their first and last lines.

    A footer is a text and the number of the page at the end, at most one line each; a header is the
    name and the number at the beginning of all pages but the first. Readers may join a header with
    the next line: there it is found by both of its numbers, as in "Ada Example 2/3". Without
    ``bare``, lines at the end without a footer's words stay: "1" or "..." may end the text.
    """
    for number, page in enumerate(pages, start=1):
        lines = page.splitlines()
        # A second such line above a footer belongs to the text.
        removed: set[bool] = set()
        while lines and _is_header_or_footer(lines[-1], footers, number, len(pages)):
            wordless = _is_header_or_footer(lines[-1], (), number, len(pages))
            if wordless in removed or (wordless and not bare):
                break
            removed.add(wordless)
            lines.pop()
        if number > 1 and lines and _is_header_or_footer(lines[0], (name,), number, len(pages)):
            del lines[0]
        elif number > 1 and lines:
            both = rf"\s*{_known((name,))}{_BETWEEN}{number}{_BETWEEN}{len(pages)}(?![^\W_])"
            lines[0] = re.sub(both, "", lines[0], count=1) if re.match(both, lines[0]) else lines[0]
        yield "\n".join(lines)


def room(name: str, footers: Iterable[str]) -> int:
    """Return how many letters of headers and footers there may be between two pages at most."""
    return 2 * (len(name) + sum(map(len, footers))) + 40


def _is_header_or_footer(line: str, words: Iterable[str], number: int, count: int) -> bool:
    """Return whether a line has only these words, the page's number and the number of pages."""
    alone = rf"{number}"
    both = (
        rf"{_WORD}{{0,10}}{_BETWEEN}{number}{_BETWEEN}{_WORD}{{0,10}}{_BETWEEN}"
        rf"{_WORD}{{0,3}}{_BETWEEN}{count}{_BETWEEN}{_WORD}{{0,3}}"
    )
    known = _known(words)
    numbers = rf"{_BETWEEN}({alone}|{both})?{_BETWEEN}"
    return bool(line.strip() and re.fullmatch(rf"\s*{known}{numbers}{known}\s*", line))


def _known(words: Iterable[str]) -> str:
    """Return a pattern for one of the texts, or nothing; spaces match any white space."""
    patterns = [r"\s+".join(map(re.escape, word.split())) for word in words if word.strip()]
    return rf"(?:{'|'.join(patterns)})?" if patterns else ""
