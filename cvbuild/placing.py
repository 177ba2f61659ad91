"""Finds the texts of a document's blocks in what was read from its PDF, in their order.

Blocks stand one after the other; the texts of one block in any order (a style may set the title
before the authors), none of them on the letters of another.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from cvbuild import reading
from cvbuild.diagnostics import Diagnostic, FieldPath, Span
from cvbuild.reading import Folded, Interval
from cvbuild.shown import Block
from cvbuild.view import Content

#: How many letters of its own a template may put around a text and around a block.
_AROUND_TEXT, _AROUND_BLOCK = 24, 64
#: A text of so many letters is somewhere else only if it was moved.
_DISTINCT = 12
_CUT = 70


@dataclass(frozen=True, slots=True)
class _Wanted:
    content: Content
    folded: Folded
    reordered: bool


@dataclass(slots=True)
class _Reader:
    """A place in the text, moving forward block by block."""

    text: Folded
    room: int
    at: int = 0
    taken: list[Interval] = field(default_factory=list)

    def block(self, wanted: Sequence[_Wanted], limit: int | None) -> list[_Wanted]:
        """Move behind a block; what is not found between here and ``limit``."""
        self.taken = []
        lost = []
        for one in sorted(wanted, key=lambda each: (each.reordered, -len(each.folded.letters))):
            places = self._shapes(one, limit) if one.reordered else self._place(one.folded, limit)
            if places is None:
                lost.append(one)
            else:
                self.taken += places
        self.at = max([self.at, *(end for _, end in self.taken)])
        return lost

    def _place(self, wanted: Folded, limit: int | None) -> list[Interval] | None:
        if not wanted.letters:
            return self._hyphens(wanted)
        size = len(wanted.letters)
        for at in reading.occurrences(self.text, wanted, self.at, limit):
            if self._free(at, at + size):
                return [(at, at + size)]
        parts = reading.across(self.text, wanted, self.at, self.room)
        return list(parts) if parts and all(self._free(*part) for part in parts) else None

    def _hyphens(self, wanted: Folded) -> list[Interval] | None:
        """A text of nothing but hyphens: there is one after here."""
        after = any(
            number >= self.at and joint.strip(reading.GAP)
            for number, joint in self.text.joints.items()
        )
        return [] if after or not wanted.joints else None

    def _shapes(self, one: _Wanted, limit: int | None) -> list[Interval] | None:
        """The letters in any order, on the shortest stretch from here on that has them all."""
        needed = reading.shapes(str(one.content))
        missing = sum(needed.values())
        stop = len(self.text.letters) if limit is None else limit
        stop = min(stop, self.at + 3 * missing + _AROUND_BLOCK + self.room + self._used())
        for number in range(self.at, stop):
            if not self._free(number, number + 1):
                continue
            # A joint is before its letter.
            hyphens = self.text.joints.get(number, "").replace(reading.GAP, "")
            parts = unicodedata.normalize("NFKD", self.text.letters[number])
            for shape in (*(reading.HYPHEN for _ in hyphens), *reading.shapes(parts).elements()):
                if needed[shape] > 0:
                    needed[shape] -= 1
                    missing -= 1
            if missing <= 0:
                return [(number, number + 1)]
        return None

    def _used(self) -> int:
        return sum(end - start for start, end in self.taken)

    def _free(self, start: int, end: int) -> bool:
        return all(end <= first or start >= last for first, last in self.taken)


def missing(
    text: Folded,
    blocks: Sequence[Block],
    room: int,
    place: Callable[[FieldPath], Span | None],
) -> list[Diagnostic]:
    """What is not in the text, or not in the blocks' order.

    ``room`` is how many letters of running heads and feet may stand where a page ends.
    """
    wanted = [[_wanted(content) for content in block.contents] for block in blocks]
    reader = _Reader(text, room)
    if not any(reader.block(block, None) for block in wanted):
        return []
    return [_lost(text, one, at, place) for one, at in _blamed(text, wanted, room)]


def anywhere(text: Folded, wanted: Folded) -> bool:
    """Whether a text is there at all."""
    return not wanted.letters or any(True for _ in reading.occurrences(text, wanted))


def _wanted(content: Content) -> _Wanted:
    plain = str(content)
    return _Wanted(content, reading.fold(plain), reading.is_reordered(plain))


def _blamed(
    text: Folded, wanted: Sequence[Sequence[_Wanted]], room: int
) -> Iterator[tuple[_Wanted, int]]:
    """Which texts are not where they should be, and where that would have been.

    A block is looked for near the end of the one before, so that a short text that is lost isn't
    taken for the same text of a later block; if all of a block is elsewhere, it is followed there.
    """
    reader = _Reader(text, room)
    found = False
    for block in wanted:
        start = reader.at
        size = sum(len(one.folded.letters) + _AROUND_TEXT for one in block)
        lost = reader.block(block, start + size + _AROUND_BLOCK + room)
        if lost and len(lost) == len(block):
            longest = max(lost, key=lambda one: len(one.folded.letters))
            if len(longest.folded.letters) >= _DISTINCT and not longest.reordered:
                lost = reader.block(block, None)
        for one in lost:
            found = True
            yield one, start
    if not found:
        # All are near where they should be, but not one after the other.
        reader = _Reader(text, room)
        for block in wanted:
            start = reader.at
            yield from ((one, start) for one in reader.block(block, None))


def _lost(
    text: Folded, one: _Wanted, at: int, place: Callable[[FieldPath], Span | None]
) -> Diagnostic:
    plain = _short(str(one.content))
    span = place(one.content.path)
    if not one.reordered and any(True for _ in reading.occurrences(text, one.folded)):
        message = f'"{plain}" is in the PDF, but not in its place or not as often as it was written'
        hint = "the template changes the order, or leaves one out"
        return Diagnostic("error", "verify-order", message, span, hint)
    if one.folded.letters and not one.reordered and one.folded.letters in text.letters:
        start = text.letters.index(one.folded.letters)
        came = _short(text.raw(start, start + len(one.folded.letters)))
        message = f'"{plain}" is in the PDF as "{came}"'
        return Diagnostic("error", "verify-space", message, span, "spaces or hyphens were lost")
    start, end = _nearest(text, one.folded.letters, at)
    came = _short(text.raw(start, end))
    gone = _gone(one, text.letters[start:end])
    message = f'"{plain}" is not in the PDF' + (f'; there is "{came}"' if came else "")
    message += f", without {gone}" if gone and came else ""
    hint = "the font lacks a character, or the template doesn't print the field"
    return Diagnostic("error", "verify-text", message, span, hint)


def _nearest(text: Folded, letters: str, at: int) -> Interval:
    """The stretch near ``at`` that is most like the letters; empty if none is at all like them."""
    size = len(letters)
    low = max(0, at - 40)
    window = text.letters[low : at + 2 * size + 400]
    blocks = SequenceMatcher(None, letters, window, autojunk=False).get_matching_blocks()
    longest = max(blocks, key=lambda block: block.size)
    if longest.size < min(3, size):
        return (0, 0)
    # Those that lie as they would in the text itself.
    near = [
        block
        for block in blocks
        if block.size and abs((block.b - block.a) - (longest.b - longest.a)) <= max(4, size // 4)
    ]
    return low + near[0].b, low + near[-1].b + near[-1].size


def _gone(one: _Wanted, came: str) -> str:
    """The few characters that were written and not read."""
    letters = one.folded.letters
    if one.reordered:
        less = reading.shapes(str(one.content)) - reading.shapes(came)
        names = list(less)
    else:
        lost: Counter[str] = Counter()
        for kind, start, end, _, _ in SequenceMatcher(
            None, letters, came, autojunk=False
        ).get_opcodes():
            if kind in ("delete", "replace"):
                lost.update(letters[start:end])
        names = list(lost)
    if not 0 < len(names) <= 4:
        return ""
    return ", ".join(f'"{name}" (U+{ord(name):04X})' for name in names)


def _short(text: str) -> str:
    return text if len(text) <= _CUT else text[: _CUT - 1].rstrip() + "…"
