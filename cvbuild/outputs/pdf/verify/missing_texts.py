"""Tell which texts of a document are not in the text of its PDF, or not where they should be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span
from cvbuild.outputs.checks import text_folding
from cvbuild.outputs.checks.text_folding import Folded, Interval
from cvbuild.outputs.pdf.expected import PrintedBlock
from cvbuild.outputs.pdf.verify.find_texts import ExpectedText, Reader, anywhere, expected_texts

#: How many lost texts are reported; how many blocks back and ahead a lost one is looked for.
_ENOUGH, _BACK, _AHEAD = 12, 5, 6
#: The part of a text's letters that a stretch must have to count as the damaged text; the same if
#: the whole text is elsewhere, and so may have been moved.
_ALIKE, _MOVED = 0.6, 0.85
#: How many letters of a lost text are compared with what is there instead: the time for that grows
#: with the square of their number.
_COMPARED = 1000


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
    expected = expected_texts(blocks, rtl=rtl)
    reader = Reader(text, room)
    if not any(reader.block(block) for block in expected):
        return []
    diagnostics = [_diagnostic(text, *lost, place) for lost in _lost(text, expected, room)]
    # A lost text also moves those after it out of place, so the loss is what to report.
    return [item for item in diagnostics if item.code != "verify-order"] or diagnostics


#: A text that is not where it should be, and what is there instead, if anything.
_Lost = tuple[ExpectedText, Interval | None]


def _lost(text: Folded, expected: Sequence[Sequence[ExpectedText]], room: int) -> list[_Lost]:
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
        reader = Reader(text, room, starts[number])
        failed = reader.block(blocks[number])
        if not failed:
            starts.append(reader.at)
            continue
        found = _guilty(text, room, blocks, starts)
        for at, guilty in [found] if found else [(number, one) for one in failed]:
            blocks[at] = [other for other in blocks[at] if other is not guilty]
            alike = _MOVED if anywhere(text, guilty.folded) else _ALIKE
            near = _nearest(text, guilty.folded.letters, starts[at], room, alike)
            lost.append((guilty, near))
        if found:
            del starts[found[0] + 1 :]
    return lost


def _guilty(
    text: Folded, room: int, blocks: Sequence[list[ExpectedText]], starts: Sequence[int]
) -> tuple[int, ExpectedText] | None:
    """Return the text without which the last started block and most after it can be placed."""
    last = len(starts) - 1
    best: tuple[int, int] | None = None
    guilty = None
    for number in range(last, max(-1, last - _BACK), -1):
        for expected in blocks[number]:
            reader = Reader(text, room, starts[number])
            reached = number
            for block in blocks[number : last + _AHEAD]:
                if reader.block([other for other in block if other is not expected]):
                    break
                reached += 1
            score = (reached, -len(expected.folded.letters))
            if reached > last and (best is None or score > best):
                best, guilty = score, (number, expected)
    return guilty


def _diagnostic(
    text: Folded,
    expected: ExpectedText,
    near: Interval | None,
    place: Callable[[FieldPath], Span | None],
) -> Diagnostic:
    letters, plain = expected.folded.letters, text_folding.short(str(expected.content))
    start, end = near or (0, 0)
    came = text_folding.short(text.raw(start, end))
    same = bool(came) and text.letters[start:end] == letters
    joined = same and text_folding.joined(text, expected.folded, start)
    if joined or (not came and not expected.reordered and anywhere(text, expected.folded)):
        code, message = "order", f'"{plain}" is in the PDF, but not here or not so often'
        hint = "the template changes the order, or leaves one out"
    elif same:
        code, message = "space", f'"{plain}" is in the PDF as "{came}"'
        hint = "spaces or hyphens between its letters are not as they were written"
    else:
        code, message = "text", f'"{plain}" is not in the PDF'
        lost_letters = _lost_letters(expected, text.letters[start:end]) if came else ""
        message += f', but "{came}"' if came else ""
        message += f" without {lost_letters}" if lost_letters else ""
        hint = "the font lacks a character, or the template doesn't print the field"
    return Diagnostic("error", f"verify-{code}", message, place(expected.content.path), hint)


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


def _lost_letters(expected: ExpectedText, came: str) -> str:
    """Return the characters that were written and not read, if they are few."""
    letters = expected.folded.letters[:_COMPARED]
    if expected.reordered:
        less = text_folding.shapes(str(expected.content)) - text_folding.shapes(came)
        names = list(less)
    else:
        steps = SequenceMatcher(None, letters, came, autojunk=False).get_opcodes()
        lost = (letters[one[1] : one[2]] for one in steps if one[0] in ("delete", "replace"))
        names = list(dict.fromkeys("".join(lost)))
    if not 0 < len(names) <= 4:
        return ""
    return ", ".join(f'"{name}" (U+{ord(name):04X})' for name in names)
