"""Compare a text that was written with the text that software reads from a PDF.

Both are folded in the same way. Letters are compared one by one, after NFC, with these rules:

- any run of white space is one gap. A gap that was written must also be in the PDF; the PDF may
  have more (a line may end inside an address).
- ``…`` is three full stops; U+2010 and U+2011 are the hyphen.
- a hyphen at a line's end may have been written or added by TeX: it counts as either. (PDFium gives
  U+FFFE or U+0002 for it.)
- soft hyphens, zero-width characters and directional controls are ignored.

Scripts that readers give in another order can't be compared so: see :func:`is_reordered`.
"""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

from msgspec import Struct

#: What joins two letters: white space, a hyphen, a hyphen at a line's end.
GAP, HYPHEN, SOFT = " ", "-", "~"
_HYPHENS = {"-": HYPHEN, "\u2010": HYPHEN, "\u2011": HYPHEN, "\x02": SOFT, "\ufffe": SOFT}
_IGNORED = re.compile("[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_LINE_END = re.compile(r"[-\u2010\u2011](?=[ \t]*(?:[\r\n\f]|$))")
#: First and last characters of scripts whose letters are not read in the order they were written.
_REORDERED = (
    (0x0590, 0x08FF), (0x0900, 0x109F), (0x1780, 0x17FF), (0x1A20, 0x1AAF), (0xA8E0, 0xA8FF),
    (0xA980, 0xAADF), (0xABC0, 0xABFF), (0xFB1D, 0xFDFF), (0xFE70, 0xFEFC), (0x10800, 0x10FFF),
    (0x11000, 0x11FFF), (0x1E800, 0x1EFFF),
)  # fmt: skip
_PAIRS = str.maketrans(")]}>»›”’", "([{<«‹“‘")

Interval = tuple[int, int]


class Folded(Struct, frozen=True):
    """A text's letters, and separately what is between them.

    ``joints`` has what is before a letter (or at the end), by the letter's number; ``origin`` the
    index of each letter in ``text``, the original; ``breaks`` the letters that begin a page.
    """

    letters: str
    joints: Mapping[int, str]
    origin: Sequence[int]
    text: str
    breaks: tuple[int, ...] = ()

    def raw(self, start: int, end: int) -> str:
        """Return the original text of the letters from ``start`` to ``end``, with single spaces."""
        if not self.origin or start >= end:
            return ""
        first, last = self.origin[start], self.origin[min(end, len(self.origin)) - 1]
        return " ".join(self.text[first : last + 1].replace("\ufffe", "-").split())


def fold(text: str, breaks: Iterable[int] = ()) -> Folded:
    """Fold a text; ``breaks`` are the indices in its NFC form where a page begins."""
    whole = unicodedata.normalize("NFC", text)
    soft = {found.start() for found in _LINE_END.finditer(whole)} if "\n" in text else set()
    letters: list[str] = []
    origin: list[int] = []
    joints: dict[int, list[str]] = {}
    for place, character in enumerate(whole):
        if character in _HYPHENS:
            mark = SOFT if place in soft else _HYPHENS[character]
        elif character.isspace():
            mark = GAP
        elif character == "…":
            letters += "..."
            origin += (place,) * 3
            continue
        elif character > "\u00ac" and _IGNORED.match(character):
            continue
        else:
            letters.append(character)
            origin.append(place)
            continue
        joints.setdefault(len(letters), []).append(mark)
    starts = tuple(bisect_left(origin, place) for place in breaks)
    between = {number: "".join(marks) for number, marks in joints.items()}
    return Folded("".join(letters), between, origin, whole, starts)


def pages(texts: Iterable[str]) -> Folded:
    """Fold the texts of a document's pages as one text."""
    parts = [unicodedata.normalize("NFC", text) + "\n\f" for text in texts]
    return fold("".join(parts), list(accumulate(map(len, parts)))[:-1])


def is_reordered(text: str) -> bool:
    """Return whether readers may give the letters in another order than they were written in."""
    late = [ord(character) for character in text if character >= "\u0590"]
    return any(first <= number <= last for number in late for first, last in _REORDERED)


#: How many characters of a text a message shows.
_CUT = 70


def short(text: str) -> str:
    """Return a text as a message quotes it: shortened, and on one line."""
    plain = " ".join(text.replace("\ufffe", "-").split())
    return plain if len(plain) <= _CUT else plain[: _CUT - 1].rstrip() + "…"


def shapes(text: str) -> Counter[str]:
    """Count the letters of a text, decomposed; a bracket or quote counts as its mirror image."""
    plain = unicodedata.normalize("NFKD", _IGNORED.sub("", text).replace("…", "..."))
    return Counter(
        HYPHEN if character in _HYPHENS else character.translate(_PAIRS)
        for character in plain
        if not character.isspace()
    )


def occurrences(page: Folded, part: Folded, start: int = 0) -> Iterator[int]:
    """Yield each index of the part's letters in ``page`` where the joints agree, too."""
    length, at = len(part.letters), start - 1
    while length and (at := page.letters.find(part.letters, at + 1)) >= 0:
        if joined(page, part, at):
            yield at


def has_words(text: Folded, part: Folded) -> bool:
    """Return whether the text has these letters as whole words, not inside of other words."""
    return any(True for _ in word_places(text, part.letters, (0, len(text.letters))))


def word_places(text: Folded, letters: str, within: Interval) -> Iterator[Interval]:
    """Yield each part of the text within these bounds that has the letters as whole words."""
    at, end = within[0] - 1, within[1]
    while letters and (at := text.letters.find(letters, at + 1, end)) >= 0:
        if is_whole(text, (at, at + len(letters))):
            yield at, at + len(letters)


def is_whole(text: Folded, part: Interval) -> bool:
    """Return whether no letter of another word is beside the part."""
    return all(
        edge in (0, len(text.letters))
        or edge in text.joints
        or not (text.letters[edge - 1].isalnum() and text.letters[edge].isalnum())
        for edge in part
    )


def in_json(text: str) -> str:
    """Return the values of a JSON text, one per line; the text itself if it is not JSON."""
    # Keys are left out, as every JSON Resume has the key "work", except the marks of authors, which
    # are the person's own; and so are values that all such files have.
    try:
        return "\n".join(_values(json.loads(text)))
    except (ValueError, RecursionError):
        return text


def _values(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "marks" and isinstance(inner, dict):
                yield from inner
            if key not in ("$schema", "canonical", "type"):
                yield from _values(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _values(inner)
    else:
        yield str(value)


def joined(page: Folded, part: Folded, at: int, first: int = 0, last: int | None = None) -> bool:
    """Return whether the joints of letters ``first`` to ``last`` agree with those at ``at``."""
    stop = len(part.letters) if last is None else last
    shift = at - first
    for number, written in part.joints.items():
        # A joint where a page ends belongs to the part before it.
        inside = first < number <= stop or number == first == 0
        edge = number in (first, stop)
        if not inside:
            continue
        read = page.joints.get(number + shift, "")
        hyphens, shown = written.replace(GAP, ""), read.replace(GAP, "")
        variants = (shown.replace(SOFT, HYPHEN), shown.replace(SOFT, ""))
        # At an edge the PDF may have more.
        if edge and not any(hyphens in variant for variant in variants):
            return False
        has_gap = GAP not in written or GAP in read or SOFT in read
        if not edge and not (hyphens in variants and has_gap):
            return False
    # No hyphen may stand where none was written; the shorter of the two is looked through.
    inner = range(at + 1, stop + shift)
    numbers = inner if len(inner) < len(page.joints) else filter(inner.__contains__, page.joints)
    return all(
        HYPHEN not in page.joints.get(number, "") or number - shift in part.joints
        for number in numbers
    )


def across_pages(
    page: Folded, part: Folded, start: int, room: int
) -> tuple[Interval, Interval] | None:
    """Find a text that a page break divides: two parts, at most ``room`` letters from the break."""
    # Between them are the footer of one page and the header of the next. None if it is not there.
    size = len(part.letters)
    for place in page.breaks[bisect_right(page.breaks, start) :]:
        best: tuple[int, Interval, Interval] | None = None
        for cut in range(1, size):
            low = max(start, place - room - cut)
            head = page.letters.rfind(part.letters[:cut], low, place)
            if head < 0:
                break
            tail = page.letters.find(part.letters[cut:], place, place + room + size - cut)
            if tail < 0 or not (
                joined(page, part, head, 0, cut) and joined(page, part, tail, cut, size)
            ):
                continue
            skipped = tail - head - cut
            if best is None or skipped < best[0]:
                best = (skipped, (head, head + cut), (tail, tail + size - cut))
        if best:
            return best[1], best[2]
    return None
