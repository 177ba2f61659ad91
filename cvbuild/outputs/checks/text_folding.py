"""Text as software reads it from a PDF, and how a text that was written is found in it.

Both are folded in the same way. Letters are compared one by one, after NFC; what is folded:

- white space: any run of it is one gap. A gap that was written must be one in the PDF; where none
  was written one may be (a line may end inside an address).
- ``…`` is three full stops; U+2010 and U+2011 are the hyphen.
- a hyphen at a line's end may be the writer's or TeX's own: it counts as either. (PDFium writes
  U+FFFE or U+0002 for it.)
- soft hyphens, zero-width characters and directional controls are no letters.

Scripts that readers give in the order of their shapes, or reordered (right to left, Indic, Thai
and their like), can't be compared letter by letter: see :func:`is_reordered`.
"""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

#: The joint of two letters: white space, a hyphen, a hyphen at a line's end.
GAP, HYPHEN, SOFT = " ", "-", "~"
_HYPHENS = {"-": HYPHEN, "\u2010": HYPHEN, "\u2011": HYPHEN, "\x02": SOFT, "\ufffe": SOFT}
_IGNORED = re.compile("[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_LINE_END = re.compile(r"[-\u2010\u2011](?=[ \t]*(?:[\r\n\f]|$))")
#: First and last characters of scripts whose letters are not read in the order they are written.
_REORDERED = (
    (0x0590, 0x08FF), (0x0900, 0x109F), (0x1780, 0x17FF), (0x1A20, 0x1AAF), (0xA8E0, 0xA8FF),
    (0xA980, 0xAADF), (0xABC0, 0xABFF), (0xFB1D, 0xFDFF), (0xFE70, 0xFEFC), (0x10800, 0x10FFF),
    (0x11000, 0x11FFF), (0x1E800, 0x1EFFF),
)  # fmt: skip
_PAIRS = str.maketrans(")]}>»", "([{<«")

Interval = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Folded:
    """A text without what stands between its letters.

    ``joints`` tells what stands before a letter (or at the end), by its number; ``origin`` the
    place of each letter in the text as it was; ``breaks`` the letters that begin a page.
    """

    letters: str
    joints: Mapping[int, str]
    origin: Sequence[int]
    text: str
    breaks: tuple[int, ...] = ()

    def raw(self, start: int, end: int) -> str:
        """Return the text of the letters from ``start`` to ``end``, white space in one piece."""
        if not self.origin or start >= end:
            return ""
        first, last = self.origin[start], self.origin[min(end, len(self.origin)) - 1]
        return " ".join(self.text[first : last + 1].replace("\ufffe", "-").split())


def fold(text: str, breaks: Iterable[int] = ()) -> Folded:
    """Fold a text; ``breaks`` are the places in it, in NFC, where a page begins."""
    whole = unicodedata.normalize("NFC", text)
    soft = {found.start() for found in _LINE_END.finditer(whole)} if "\n" in text else set()
    letters: list[str] = []
    origin: list[int] = []
    joints: dict[int, str] = {}
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
        joints[len(letters)] = joints.get(len(letters), "") + mark
    starts = tuple(bisect_left(origin, place) for place in breaks)
    return Folded("".join(letters), joints, origin, whole, starts)


def pages(texts: Iterable[str]) -> Folded:
    """Return the texts of a document's pages as one."""
    whole = ""
    breaks: list[int] = []
    for text in texts:
        if whole:
            breaks.append(len(whole))
        whole += unicodedata.normalize("NFC", text) + "\n\f"
    return fold(whole, breaks)


def is_reordered(text: str) -> bool:
    """Return whether readers may give the letters in another order than they were written."""
    return any(
        first <= ord(character) <= last
        for character in text
        if character >= "\u0590"
        for first, last in _REORDERED
    )


#: Characters of a text that a message shows.
_CUT = 70


def short(text: str) -> str:
    """Return a text as a message quotes it: on one line, and cut."""
    plain = " ".join(text.replace("\ufffe", "-").split())
    return plain if len(plain) <= _CUT else plain[: _CUT - 1].rstrip() + "…"


def shapes(text: str) -> Counter[str]:
    """Return the letters of a text in any order, decomposed; a bracket is the same as its mirror."""
    plain = unicodedata.normalize("NFKD", _IGNORED.sub("", text).replace("…", "..."))
    return Counter(
        HYPHEN if character in _HYPHENS else character.translate(_PAIRS)
        for character in plain
        if not character.isspace()
    )


def occurrences(page: Folded, wanted: Folded, start: int = 0) -> Iterator[int]:
    """Yield where the letters stand with the joints that they were written with."""
    length, at = len(wanted.letters), start - 1
    while length and (at := page.letters.find(wanted.letters, at + 1)) >= 0:
        if joined(page, wanted, at):
            yield at


def has_words(text: Folded, wanted: Folded) -> bool:
    """Return whether the text has these letters as words of its own, not inside of others."""
    at, size = -1, len(wanted.letters)
    while (at := text.letters.find(wanted.letters, at + 1)) >= 0:
        if all(
            edge in (0, len(text.letters))
            or edge in text.joints
            or not (text.letters[edge - 1].isalnum() and text.letters[edge].isalnum())
            for edge in (at, at + size)
        ):
            return True
    return False


def in_json(text: str) -> str:
    """Return the values of JSON, since "work" is a key of any JSON Resume; the text itself if it is none.

    Without those that stand in every such file.
    """
    try:
        return "\n".join(_values(json.loads(text)))
    except (ValueError, RecursionError):
        return text


def _values(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in ("$schema", "canonical", "type"):
                yield from _values(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _values(inner)
    else:
        yield str(value)


def joined(page: Folded, wanted: Folded, at: int, first: int = 0, last: int | None = None) -> bool:
    """Return whether the joints of the letters ``first`` to ``last`` are right; the first is at ``at``."""
    stop = len(wanted.letters) if last is None else last
    shift = at - first
    for number, written in wanted.joints.items():
        # A joint where a page ends belongs to the part before it.
        inside = first < number <= stop or number == first == 0
        edge = number in (first, stop)
        if inside and not _agree(written, page.joints.get(number + shift, ""), edge=edge):
            return False
    # No hyphen may stand where none was written.
    return all(
        HYPHEN not in joint or number - shift in wanted.joints
        for number, joint in _between(page.joints, range(at + 1, stop + shift))
    )


def _between(joints: Mapping[int, str], numbers: range) -> Iterator[tuple[int, str]]:
    """Yield the joints at these numbers."""
    if len(numbers) < len(joints):
        yield from ((number, joints[number]) for number in numbers if number in joints)
    else:
        yield from ((number, joint) for number, joint in joints.items() if number in numbers)


def _agree(written: str, read: str, *, edge: bool) -> bool:
    """Return whether a joint was read as it was written; beyond an edge more may stand."""
    hyphens = written.replace(GAP, "")
    found = read.replace(GAP, "")
    variants = (found.replace(SOFT, HYPHEN), found.replace(SOFT, ""))
    if edge:
        return any(hyphens in variant for variant in variants)
    return hyphens in variants and (GAP not in written or GAP in read or SOFT in read)


def across(page: Folded, wanted: Folded, start: int, room: int) -> tuple[Interval, Interval] | None:
    """Return where a page ends inside the text: its two parts, at most ``room`` letters from that end.

    What stands between them is the furniture of the pages: running heads, feet, numbers.
    """
    size = len(wanted.letters)
    for place in page.breaks[bisect_right(page.breaks, start) :]:
        best: tuple[int, Interval, Interval] | None = None
        for cut in range(1, size):
            low = max(start, place - room - cut)
            head = page.letters.rfind(wanted.letters[:cut], low, place)
            if head < 0:
                break
            tail = page.letters.find(wanted.letters[cut:], place, place + room + size - cut)
            if tail < 0 or not (
                joined(page, wanted, head, 0, cut) and joined(page, wanted, tail, cut, size)
            ):
                continue
            skipped = tail - head - cut
            if best is None or skipped < best[0]:
                best = (skipped, (head, head + cut), (tail, tail + size - cut))
        if best:
            return best[1], best[2]
    return None
