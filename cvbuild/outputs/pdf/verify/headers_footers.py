"""Headers, footers and page numbers: what is on the pages and not part of the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

#: What is between a name, a footer and the numbers; a word as in "page 2 of 3".
_SIGNS, _WORD = r"[\s/|,.:;()，–—-]", r"[^\W\d]"
_BETWEEN = f"{_SIGNS}*"
#: How PDFium gives a hyphen at a line's end.
_HYPHENS = ("\x02", "\ufffe")


def bodies(
    pages: Sequence[str], name: str, footers: Sequence[str], *, bare: bool = True
) -> Iterator[str]:
    """Yield the pages' texts without the header and footer in their first and last lines.

    A footer is a text or the name, and the number of the page, at the end, at most one line each; a
    header is the name and the number at the beginning of all pages but the first. Readers may join
    a header with the next line: there it is found by both of its numbers, as in "Ada Example 2/3".
    Without ``bare``, lines at the end without a footer's words stay: "1" or "..." may end the text.
    """
    for number, page in enumerate(pages, start=1):
        lines = page.splitlines()
        # A style has name and number at the head or at the foot of all pages but the first. A
        # letter may end with the name alone.
        named = number > 1 and bool(lines) and any(sign.isdigit() for sign in lines[-1])
        feet = (*footers, name) if named else footers
        # A second such line above a footer belongs to the text.
        removed: set[bool] = set()
        while lines and matches(lines[-1], feet, number, len(pages)):
            wordless = matches(lines[-1], (), number, len(pages))
            if wordless in removed or (wordless and not bare):
                break
            removed.add(wordless)
            lines.pop()
        # PDFium joins the next line to one that ends in a hyphen.
        end = max(lines[-1].rfind(hyphen) for hyphen in _HYPHENS) + 1 if lines else 0
        if end and matches(lines[-1][end:], feet, number, len(pages)):
            lines[-1] = lines[-1][:end]
        if number > 1 and lines and matches(lines[0], (name,), number, len(pages)):
            del lines[0]
        elif number > 1 and lines:
            lines[0] = _without_header(lines[0], name, number, len(pages))
        yield "\n".join(lines)


def room(name: str, footers: Iterable[str]) -> int:
    """Return how many letters of headers and footers there may be between two pages at most."""
    return 2 * (len(name) + sum(map(len, footers))) + 40


def matches(line: str, words: Iterable[str], number: int, count: int) -> bool:
    """Return whether a line has only these words, the page's number and the number of pages."""
    line = _spaced(line)
    known = [_spaced(word) for word in words if word.strip()]
    starts = {0, *(len(one) for one in known if line.startswith(one))}
    ends = {len(line), *(len(line) - len(one) for one in known if line.endswith(one))}
    return bool(line) and any(
        _is_numbers(line[start:end], number, count)
        for start in starts
        for end in ends
        if start <= end
    )


def _is_numbers(text: str, number: int, count: int) -> bool:
    """Return whether there are only signs, or these numbers as in "page 2 of 3"."""
    # One sign stands for a run of them: two patterns side by side would divide it in every way.
    short = re.sub(f"{_SIGNS}+", " ", text).strip()
    both = (
        rf"{_WORD}{{0,10}} ?{number}(?: {_WORD}{{0,10}}|{_WORD}{{1,10}}) ?"
        rf"{_WORD}{{0,3}} ?{count} ?{_WORD}{{0,3}}"
    )
    return short in ("", str(number)) or re.fullmatch(both, short) is not None


def _without_header(line: str, name: str, number: int, count: int) -> str:
    """Return the line without the name and both numbers at its start, if it begins with them."""
    text = line.lstrip()
    known = r"\s+".join(map(re.escape, name.split()))
    header = rf"(?:{known})?{_BETWEEN}{number}{_BETWEEN}{count}(?![^\W_])"
    match = re.match(header, text)
    return text[match.end() :] if match else line


def _spaced(text: str) -> str:
    """Return the text with single spaces."""
    return " ".join(text.split())
