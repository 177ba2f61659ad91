"""Find the texts of a document's blocks in the text of its PDF, in their order.

Blocks follow one another; the texts of one block may come in any order (a style may set the title
before the authors), but no two of them may share letters.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span
from cvbuild.model.field_paths import path_of
from cvbuild.outputs.checks import text_folding
from cvbuild.outputs.checks.text_folding import Folded, Interval
from cvbuild.outputs.pdf.latex.printed import PrintedBlock
from cvbuild.outputs.pdf.scripts import bidi
from cvbuild.view.types import Content

#: How many letters a template may add around a block.
_AROUND_BLOCK = 64
#: How many lost texts are reported; how many blocks back and ahead a lost one is looked for.
_ENOUGH, _BACK, _AHEAD = 12, 5, 6
#: The part of a text's letters that a stretch must have to count as the damaged text; the same if
#: the whole text is elsewhere, and so may have been moved.
_ALIKE, _MOVED = 0.6, 0.85
#: How many letters of a lost text are compared with what is there instead: the time for that grows
#: with the square of their number.
_COMPARED = 1000


@dataclass(frozen=True, slots=True)
class _ExpectedText:
    content: Content
    folded: Folded
    reordered: bool


@dataclass(slots=True)
class _Reader:
    """A position in the PDF's text, moving forward block by block."""

    text: Folded
    room: int
    at: int = 0
    used: list[Interval] = field(default_factory=list)
    """Parts of this block, none of which overlap, in their order."""
    used_parts: set[tuple[int, int]] = field(default_factory=set)
    letters: int = 0
    """How many this block has."""
    placed: dict[int, list[Interval]] = field(default_factory=dict)
    """The parts of this block's texts by their id(); none of those in another order."""
    reached: int = 0
    _next: dict[tuple[str, str], int] = field(default_factory=dict)
    """Where to look for one more of the same text: all before is used, or doesn't fit."""

    def block(self, texts: Sequence[_ExpectedText]) -> list[_ExpectedText]:
        """Move to the end of a block; return those of its texts that are not found from here on."""
        self.used, self.used_parts, self._next, self.placed = [], set(), {}, {}
        self.letters = sum(len(one.folded.letters) for one in texts)
        lost = []
        for one in sorted(texts, key=lambda each: (each.reordered, -len(each.folded.letters))):
            places = self._shapes(one) if one.reordered else self._find(one.folded)
            if places is None:
                lost.append(one)
            else:
                self.placed[id(one)] = places
                for place in places:
                    insort(self.used, place)
        self.at = max([self.at, self.reached, *(end for _, end in self.used)])
        return lost

    def _find(self, text: Folded) -> list[Interval] | None:
        if not text.letters:
            return self._hyphens(text)
        size = len(text.letters)
        same = (text.letters, text.text)
        for at in text_folding.occurrences(self.text, text, self._next.get(same, self.at)):
            if self._free(at, at + size):
                self._next[same] = at + size
                return [(at, at + size)]
        self._next[same] = len(self.text.letters)
        parts = text_folding.across_pages(self.text, text, self.at, self.room)
        return list(parts) if parts and all(self._free(*part) for part in parts) else None

    def _hyphens(self, text: Folded) -> list[Interval] | None:
        """Find a text of nothing but hyphens: any later hyphen will do. None if there is none."""
        after = any(
            number >= self.at and joint.strip(text_folding.GAP)
            for number, joint in self.text.joints.items()
        )
        return [] if after or not text.joints else None

    def _shapes(self, one: _ExpectedText) -> list[Interval] | None:
        """Find the letters in any order, on the shortest stretch from here on that has them all.

        No letter counts for two texts; a ligature is several letters. None if they are not there.
        """
        needed = text_folding.shapes(str(one.content))
        missing = sum(needed.values())
        here: set[tuple[int, int]] = set()
        stop = self.at + 3 * missing + _AROUND_BLOCK + self.room + self.letters
        for number in range(self.at, min(len(self.text.letters), stop)):
            if not self._free(number, number + 1):
                continue
            # A joint stands before its letter.
            hyphens = self.text.joints.get(number, "").replace(text_folding.GAP, "")
            parts = unicodedata.normalize("NFKD", self.text.letters[number])
            shapes = (
                *(text_folding.HYPHEN for _ in hyphens),
                *text_folding.shapes(parts).elements(),
            )
            for part, shape in enumerate(shapes):
                if needed[shape] > 0 and (number, part) not in self.used_parts:
                    needed[shape] -= 1
                    missing -= 1
                    here.add((number, part))
            if missing <= 0:
                self.used_parts |= here
                self.reached = max(self.reached, number + 1)
                return []
        return None

    def _free(self, start: int, end: int) -> bool:
        at = bisect_left(self.used, (start, start))
        return not (
            (at and self.used[at - 1][1] > start)
            or (at < len(self.used) and self.used[at][0] < end)
        )


def missing(
    text: Folded,
    blocks: Sequence[PrintedBlock],
    room: int,
    place: Callable[[FieldPath], Span | None],
    *,
    rtl: bool = False,
) -> list[Diagnostic]:
    """Return an error for each text that is not in the PDF's text, or not in the blocks' order.

    ``room`` is how many letters of headers and footers there may be where a page ends; ``rtl``
    that the document runs from right to left, so that readers may reverse any of its lines.
    """
    expected = _expected(blocks, rtl=rtl)
    reader = _Reader(text, room)
    if not any(reader.block(block) for block in expected):
        return []
    found = [_diagnostic(text, lost, place) for lost in _lost(text, expected, room)]
    # A lost text also moves those after it out of place, so the loss is what to report.
    return [item for item in found if item.code != "verify-order"] or found


@dataclass(frozen=True, slots=True)
class PlacedText:
    """A text of a block, folded, and its parts; none if its letters came in another order."""

    content: Content
    folded: Folded
    parts: Sequence[Interval]


def places(
    text: Folded, blocks: Sequence[PrintedBlock], room: int, *, rtl: bool = False
) -> list[tuple[Interval, list[PlacedText]]]:
    """Return where each block is, and its texts; nothing if one of them is not there.

    The arguments are those of :func:`missing`.
    """
    reader = _Reader(text, room)
    found: list[tuple[Interval, list[PlacedText]]] = []
    for block in _expected(blocks, rtl=rtl):
        start = reader.at
        if reader.block(block):
            return []
        placed = [PlacedText(one.content, one.folded, reader.placed[id(one)]) for one in block]
        found.append(((start, reader.at), placed))
    return found


def anywhere(text: Folded, part: Folded) -> bool:
    """Return whether a text has this part at any place."""
    return not part.letters or any(True for _ in text_folding.occurrences(text, part))


def _expected(blocks: Sequence[PrintedBlock], *, rtl: bool) -> list[list[_ExpectedText]]:
    """Return the texts of each block.

    A section's title joins a block that runs from right to left: if both are set on one line,
    readers reverse that line.
    """
    joined: list[list[_ExpectedText]] = []
    title: PrintedBlock | None = None
    for block in blocks:
        texts = _of_block(block, rtl=rtl)
        if title and block.id.startswith(f"{title.id}.") and any(one.reordered for one in texts):
            texts = [*joined.pop(), *texts]
        joined.append(texts)
        title = block if _is_title(block) else None
    return joined


def _is_title(block: PrintedBlock) -> bool:
    """Return whether a block is the title of a section: ``sections.3``, ``summary``."""
    path = path_of(block.id)
    return len(path) == (2 if path[0] == "sections" else 1)


def _of_block(block: PrintedBlock, *, rtl: bool) -> list[_ExpectedText]:
    """Return a block's texts; one that runs from right to left reverses the others on its line."""
    texts = [str(content) for content in block.contents]
    turned = rtl or any(bidi.runs_right(text) for text in texts)
    return [
        _ExpectedText(content, text_folding.fold(text), turned or text_folding.is_reordered(text))
        for content, text in zip(block.contents, texts, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Lost:
    """A text that is not where it should be; ``near`` is what is there instead, if anything."""

    text: _ExpectedText
    near: Interval | None


def _lost(text: Folded, expected: Sequence[Sequence[_ExpectedText]], room: int) -> list[_Lost]:
    """Return the texts that are not where they should be.

    A lost text may be found in a later block by mistake, and then that block's texts can't be
    placed. So when a block fails, this looks for the one text, of this block or of those before
    it, without which the rest of the document can be placed.
    """
    blocks = [list(block) for block in expected]
    starts = [0]
    lost: list[_Lost] = []
    while len(starts) <= len(blocks) and len(lost) < _ENOUGH:
        number = len(starts) - 1
        reader = _Reader(text, room, starts[number])
        failed = reader.block(blocks[number])
        if not failed:
            starts.append(reader.at)
            continue
        found = _guilty(text, room, blocks, starts)
        for at, one in [found] if found else [(number, one) for one in failed]:
            blocks[at] = [other for other in blocks[at] if other is not one]
            alike = _MOVED if anywhere(text, one.folded) else _ALIKE
            near = _nearest(text, one.folded.letters, starts[at], room, alike)
            lost.append(_Lost(one, near))
        if found:
            del starts[found[0] + 1 :]
    return lost


def _guilty(
    text: Folded, room: int, blocks: Sequence[list[_ExpectedText]], starts: Sequence[int]
) -> tuple[int, _ExpectedText] | None:
    """Return the text without which the last started block and most after it can be placed."""
    last = len(starts) - 1
    best: tuple[int, int] | None = None
    guilty = None
    for number in range(last, max(-1, last - _BACK), -1):
        for one in blocks[number]:
            reader = _Reader(text, room, starts[number])
            reached = number
            for block in blocks[number : last + _AHEAD]:
                if reader.block([other for other in block if other is not one]):
                    break
                reached += 1
            score = (reached, -len(one.folded.letters))
            if reached > last and (best is None or score > best):
                best, guilty = score, (number, one)
    return guilty


def _diagnostic(text: Folded, lost: _Lost, place: Callable[[FieldPath], Span | None]) -> Diagnostic:
    one = lost.text
    letters, plain = one.folded.letters, text_folding.short(str(one.content))
    start, end = lost.near or (0, 0)
    came = text_folding.short(text.raw(start, end))
    same = bool(came) and text.letters[start:end] == letters
    joined = same and text_folding.joined(text, one.folded, start)
    if joined or (not came and not one.reordered and anywhere(text, one.folded)):
        code, message = "order", f'"{plain}" is in the PDF, but not here or not so often'
        hint = "the template changes the order, or leaves one out"
    elif same:
        code, message = "space", f'"{plain}" is in the PDF as "{came}"'
        hint = "spaces or hyphens between its letters are not as they were written"
    else:
        code, message = "text", f'"{plain}" is not in the PDF'
        lost_letters = _lost_letters(one, text.letters[start:end]) if came else ""
        message += f', but "{came}"' if came else ""
        message += f" without {lost_letters}" if lost_letters else ""
        hint = "the font lacks a character, or the template doesn't print the field"
    return Diagnostic("error", f"verify-{code}", message, place(one.content.path), hint)


def _nearest(text: Folded, letters: str, at: int, room: int, alike: float) -> Interval | None:
    """Return a stretch soon after ``at`` that has a part ``alike`` (0 to 1) of the letters."""
    whole, letters = letters, letters[:_COMPARED]
    size = len(letters)
    window = text.letters[at : at + 2 * size + room + 400]
    blocks = SequenceMatcher(None, letters, window, autojunk=False).get_matching_blocks()
    longest = max(blocks, key=lambda block: block.size)
    # Those at the same distance from one another as in the text itself.
    near = [
        block
        for block in blocks
        if block.size and abs((block.b - block.a) - (longest.b - longest.a)) <= max(2, size // 8)
    ]
    if sum(block.size for block in near) < max(3, alike * size):
        return None
    start, end = at + near[0].b, at + near[-1].b + near[-1].size
    if text.letters.startswith(whole, start):
        return start, start + len(whole)
    # Add what replaces the first and last letters, as far as it belongs to the same word.
    for _ in range(near[0].a):
        start -= start > at and text.letters[start - 1].isalnum() and start not in text.joints
    for _ in range(size - near[-1].a - near[-1].size):
        inside = end < len(text.letters) and end not in text.joints
        end += inside and text.letters[end].isalnum()
    return start, end


def _lost_letters(one: _ExpectedText, came: str) -> str:
    """Return the characters that were written and not read, if they are few."""
    letters = one.folded.letters[:_COMPARED]
    if one.reordered:
        less = text_folding.shapes(str(one.content)) - text_folding.shapes(came)
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
