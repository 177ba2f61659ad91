"""Finds the texts of a document's blocks in what was read from its PDF, in their order.

Blocks stand one after the other; the texts of one block in any order (a style may set the title
before the authors), none of them on the letters of another.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher

from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span
from cvbuild.model.field_paths import path_of
from cvbuild.outputs.checks import text_folding
from cvbuild.outputs.checks.text_folding import Folded, Interval
from cvbuild.outputs.pdf.latex.printed import Block
from cvbuild.outputs.pdf.scripts import bidi
from cvbuild.view.types import Content

#: How many letters of its own a template may put around a block.
_AROUND_BLOCK = 64
#: How many lost texts are told of; how many blocks back and ahead one is looked for.
_ENOUGH, _BACK, _AHEAD = 12, 5, 6
#: The part of a text's letters that a stretch must have to be what came of it; the same where
#: the text is whole elsewhere, and so may have been moved.
_ALIKE, _MOVED = 0.6, 0.85


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
    spent: set[tuple[int, int]] = field(default_factory=set)
    reached: int = 0

    def block(self, wanted: Sequence[_Wanted]) -> list[_Wanted]:
        """Move behind a block; what of it is not found from here on."""
        self.taken = []
        self.spent = set()
        lost = []
        for one in sorted(wanted, key=lambda each: (each.reordered, -len(each.folded.letters))):
            places = self._shapes(one) if one.reordered else self._place(one.folded)
            if places is None:
                lost.append(one)
            else:
                self.taken += places
        self.at = max([self.at, self.reached, *(end for _, end in self.taken)])
        return lost

    def _place(self, wanted: Folded) -> list[Interval] | None:
        if not wanted.letters:
            return self._hyphens(wanted)
        size = len(wanted.letters)
        for at in text_folding.occurrences(self.text, wanted, self.at):
            if self._free(at, at + size):
                return [(at, at + size)]
        parts = text_folding.across(self.text, wanted, self.at, self.room)
        return list(parts) if parts and all(self._free(*part) for part in parts) else None

    def _hyphens(self, wanted: Folded) -> list[Interval] | None:
        """Return a text of nothing but hyphens: there is one after here."""
        after = any(
            number >= self.at and joint.strip(text_folding.GAP)
            for number, joint in self.text.joints.items()
        )
        return [] if after or not wanted.joints else None

    def _shapes(self, one: _Wanted) -> list[Interval] | None:
        """Return the letters in any order, on the shortest stretch from here on that has them all.

        No letter serves two texts; a ligature is several of them.
        """
        needed = text_folding.shapes(str(one.content))
        missing = sum(needed.values())
        here: set[tuple[int, int]] = set()
        stop = self.at + 3 * missing + _AROUND_BLOCK + self.room + self._used()
        for number in range(self.at, min(len(self.text.letters), stop)):
            if not self._free(number, number + 1):
                continue
            # A joint is before its letter.
            hyphens = self.text.joints.get(number, "").replace(text_folding.GAP, "")
            parts = unicodedata.normalize("NFKD", self.text.letters[number])
            shapes = (
                *(text_folding.HYPHEN for _ in hyphens),
                *text_folding.shapes(parts).elements(),
            )
            for part, shape in enumerate(shapes):
                if needed[shape] > 0 and (number, part) not in self.spent:
                    needed[shape] -= 1
                    missing -= 1
                    here.add((number, part))
            if missing <= 0:
                self.spent |= here
                self.reached = max(self.reached, number + 1)
                return []
        return None

    def _used(self) -> int:
        return sum(end - start for start, end in self.taken) + len(self.spent)

    def _free(self, start: int, end: int) -> bool:
        return all(end <= first or start >= last for first, last in self.taken)


def missing(
    text: Folded,
    blocks: Sequence[Block],
    room: int,
    place: Callable[[FieldPath], Span | None],
    *,
    rtl: bool = False,
) -> list[Diagnostic]:
    """What is not in the text, or not in the blocks' order.

    ``room`` is how many letters of running heads and feet may stand where a page ends; ``rtl``
    that the document runs from right to left, so that readers may turn round any of its lines.
    """
    wanted = [_of_block(block, rtl=rtl) for block in (_lines(blocks) if rtl else blocks)]
    reader = _Reader(text, room)
    if not any(reader.block(block) for block in wanted):
        return []
    found = [_diagnostic(text, lost, place) for lost in _blamed(text, wanted, room)]
    # What is lost puts what follows out of its place: the loss is what has to be mended.
    return [item for item in found if item.code != "verify-order"] or found


def anywhere(text: Folded, wanted: Folded) -> bool:
    """Return whether a text is there at all."""
    return not wanted.letters or any(True for _ in text_folding.occurrences(text, wanted))


def _lines(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks, a section's title together with the next: a style may set both on one line."""
    joined: list[Block] = []
    for block in blocks:
        if joined and block.id.startswith(f"{joined[-1].id}.") and _is_title(joined[-1]):
            title = joined.pop()
            block = replace(block, contents=(*title.contents, *block.contents))  # noqa: PLW2901
        joined.append(block)
    return joined


def _is_title(block: Block) -> bool:
    """Return whether it is the title of a section: ``sections.3``, ``summary``."""
    path = path_of(block.id)
    return len(path) == (2 if path[0] == "sections" else 1)


def _of_block(block: Block, *, rtl: bool) -> list[_Wanted]:
    """Return the texts; one that runs from right to left turns round the others on its line."""
    texts = [str(content) for content in block.contents]
    turned = rtl or any(bidi.runs_right(text) for text in texts)
    return [
        _Wanted(content, text_folding.fold(text), turned or text_folding.is_reordered(text))
        for content, text in zip(block.contents, texts, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Lost:
    """A text that is not where it should be; ``near`` is what is there instead, if anything."""

    wanted: _Wanted
    near: Interval | None


def _blamed(text: Folded, wanted: Sequence[Sequence[_Wanted]], room: int) -> list[_Lost]:
    """Return which texts are not where they should be.

    A text that is lost may be found in a later block, and then it is that block's texts that
    can't be placed. So whenever a block fails it is tried which one text, of this or of the blocks
    before, has to be given up for the document to go on.
    """
    blocks = [list(block) for block in wanted]
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
    text: Folded, room: int, blocks: Sequence[list[_Wanted]], starts: Sequence[int]
) -> tuple[int, _Wanted] | None:
    """Return the text without which the last of the started blocks and most after it can be placed."""
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
    one = lost.wanted
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
        gone = _gone(one, text.letters[start:end]) if came else ""
        message += f', but "{came}"' if came else ""
        message += f" without {gone}" if gone else ""
        hint = "the font lacks a character, or the template doesn't print the field"
    return Diagnostic("error", f"verify-{code}", message, place(one.content.path), hint)


def _nearest(text: Folded, letters: str, at: int, room: int, alike: float) -> Interval | None:
    """Return the stretch soon after ``at`` that has this part of the letters, if there is one."""
    size = len(letters)
    window = text.letters[at : at + 2 * size + room + 400]
    blocks = SequenceMatcher(None, letters, window, autojunk=False).get_matching_blocks()
    longest = max(blocks, key=lambda block: block.size)
    # Those that lie as they would in the text itself.
    near = [
        block
        for block in blocks
        if block.size and abs((block.b - block.a) - (longest.b - longest.a)) <= max(2, size // 8)
    ]
    if sum(block.size for block in near) < max(3, alike * size):
        return None
    start, end = at + near[0].b, at + near[-1].b + near[-1].size
    # What stands in the place of first and last letters, as far as it is of the same word.
    for _ in range(near[0].a):
        start -= start > at and text.letters[start - 1].isalnum() and start not in text.joints
    for _ in range(size - near[-1].a - near[-1].size):
        inside = end < len(text.letters) and end not in text.joints
        end += inside and text.letters[end].isalnum()
    return start, end


def _gone(one: _Wanted, came: str) -> str:
    """Return the few characters that were written and not read."""
    letters = one.folded.letters
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
