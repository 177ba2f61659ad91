"""``--format txt72``: plain text whose lines have at most 72 columns, for e-mails.

Columns are counted as a terminal or a form counts them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from cvbuild.outputs.text import export

#: The most columns of a line.
_MOST = 72
#: A bullet or a number, below whose text the following lines begin.
_MARK = re.compile(r" *(?:-|\d+\.) ")
#: Characters that don't begin a line, or don't end one, in East Asian text.
_NOT_FIRST, _NOT_LAST = "、。，．：；？！）］｝」』】〉》〕ー々・…", "（［｛「『【〈《〔"


class Format(export.Format):
    """Plain text in UTF-8, folded."""

    name = "txt72"
    suffix = ".72.txt"

    def fold(self, line: str) -> Iterator[str]:
        """Yield the parts of a line."""
        return wrapped(line, _MOST)


def width(text: str) -> int:
    """Return the columns that a text takes: two for each wide East Asian character."""
    return sum(map(_columns, text))


def wrapped(line: str, most: int) -> Iterator[str]:
    """Yield a line in parts of ``most`` columns, below a bullet's text; long words stay whole."""
    match = _MARK.match(line)
    indent = " " * width(match[0]) if match else ""
    begun = match[0] if match else ""
    used, has_word = width(begun), False
    for gap, word in _words(line[len(begun) :]):
        needed = width(word)
        if has_word and used + len(gap) + needed > most:
            yield begun
            begun, used = f"{indent}{word}", len(indent) + needed
        else:
            begun, used, has_word = f"{begun}{gap}{word}", used + len(gap) + needed, True
    yield begun


def _columns(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Me", "Mn"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _words(text: str) -> Iterator[tuple[str, str]]:
    """Yield what must stay together, after the space before it."""
    for at, word in enumerate(text.split(" ")):
        gap = " " if at else ""
        for part in _parts(word):
            yield gap, part
            gap = ""


def _parts(word: str) -> Iterable[str]:
    """Yield the parts of a word: it may break between wide characters, but not at their stops."""
    begun = ""
    for character in word:
        if begun and _may_break(begun[-1], character):
            yield begun
            begun = ""
        begun += character
    yield begun


def _may_break(before: str, after: str) -> bool:
    is_wide = 2 in (_columns(before), _columns(after)) and _columns(after) > 0
    return is_wide and after not in _NOT_FIRST and before not in _NOT_LAST
