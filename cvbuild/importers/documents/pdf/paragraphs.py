"""Lines as paragraphs, and their cells as runs.

Which line goes on with the one above, where the hyphens go, and where tabs part an entry's head.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import replace

from cvbuild.importers.documents import vocabulary
from cvbuild.importers.documents.pdf.lines import Line, Piece, is_aside
from cvbuild.importers.documents.pdf.titles import Titles
from cvbuild.importers.words.outline import Run

#: The most between the lines of a paragraph; of the usual leading: what parts lines of a
#: paragraph, and paragraphs.
_TIGHT, _LOOSE, _GAP = 1.75, 1.3, 1.22
#: Part of its column that the longest line of a section fills, if that line shows its right edge.
_WIDE = 0.7


#: Blanks before a label of contact data, and after an e-mail address or before a number beside it.
_LABEL = re.compile(r"(?i)\s+(?=(?:e-?mail|phone|mobile|tel|web(?:site)?|linkedin|github)\s?:)")
_AFTER_MAIL = re.compile(r"(?<=\.\w\w)\s+(?=\S)|(?<=\.\w{3})\s+(?=\S)|(?<!:)\s+(?=\+\d)")
#: What the replacement text of an icon adds to an address.
_SCHEME = re.compile(r"\b(?:mailto|tel):")


class Measures:
    """Leading and right edges of the columns of a document."""

    def __init__(self, lines: Sequence[Line], titles: Titles) -> None:
        part = 0
        leading: dict[int, list[float]] = {}
        ends: dict[tuple[int, ...], list[float]] = {}
        above: Line | None = None
        for line in lines:
            part += titles.has(line)
            line.part = part
            if above is not None and above.column == line.column:
                gap = (above.y - line.y) / line.size
                if 0 < gap < 2:
                    leading.setdefault(line.order, []).append(round(gap, 2))
            inner = [cell for cell in line.cells if not is_aside(cell.text)]
            for where in (line.column, (*line.column, part)) if inner else ():
                ends.setdefault(where, []).append(inner[-1].x1)
            above = line
        self._leading = {order: statistics.median(gaps) for order, gaps in leading.items()}
        self._right = {where: sorted(found)[-1 - len(found) // 20] for where, found in ends.items()}

    def leading(self, line: Line) -> float:
        """Return the usual distance of the baselines of a line's column, in em."""
        return self._leading.get(line.order, 1.2)

    def right(self, line: Line) -> float:
        """Return the right edge of the text of a line's section, if it shows one, else column."""
        right = self._right.get(line.column, line.right)
        local = self._right.get((*line.column, line.part), right)
        return local if local - line.left > _WIDE * (right - line.left) else right

    def is_tight(self, last: Line | None, line: Line) -> bool:
        """Return whether a line follows another as closely as the lines of an entry's head."""
        if last is None or last.column != line.column:
            return False
        usual = self.leading(line) * max(line.size, last.size)
        return 0 < last.y - line.y <= max(_GAP * usual, 1.3 * line.size)

    def goes_on(self, last: Line, line: Line, text_x: float, *, hangs: bool) -> bool:
        """Return whether a line goes on with the text of the one above.

        ``text_x`` is where that text began; ``hangs`` says that further lines may be indented.
        """
        first, end = line.first, _end(last)
        is_row = len(line.cells) > 1 and not is_aside(line.cells[-1].text)
        if end is None or is_row:
            return False
        one, other = end.words[-1].style, first.words[0].style
        if abs(first.size - end.size) > 0.08 * end.size < abs(one.size - other.size):
            return False
        small = first.text[:1].islower() or first.text[:1] in "),;&"
        if last.page != line.page:
            return small and not end.text.endswith((".", ":"))
        gap = last.y - line.y
        if not 0 < gap <= min(_TIGHT, _LOOSE * self.leading(line)) * line.size:
            return small and gap > 0 and not end.text.endswith(".")
        indent = first.x0 - text_x
        centred = abs((first.x0 + first.x1) - (end.x0 + end.x1)) < 6
        under = abs(first.x0 - last.first.x0) < 2.5
        hangs = under or (hangs and 0 < indent < 4 * line.size)
        if abs(indent) > 2.5 and not hangs and not centred:
            return False
        if one.bold != other.bold and end.style.bold != first.style.bold and not small:
            return False
        return not self._fits(last, line) or (end.text.endswith("-") and small)

    def _fits(self, last: Line, line: Line) -> bool:
        """Return whether the first word of a line would have fitted on the one above."""
        right = self.right(line)
        for cell in (*last.beside, *last.cells[1:]):
            if is_aside(cell.text) and cell.x1 > right - 0.1 * (right - line.left):
                right = min(right, cell.x0)
        word, end = line.first.words[0], _end(last) or last.cells[-1]
        needed = end.x1 + 0.3 * line.size + (word.x1 - word.x0)
        return needed < right - 0.01 * (right - line.left)


def _end(last: Line) -> Piece | None:
    """Return the last cell of a line's text; None if a date stands far from it."""
    end = last.cells[-1]
    if is_aside(end.text) and len(last.cells) > 1:
        before = last.cells[-2]
        return before if before.x1 >= last.left + 0.8 * (end.x0 - last.left) else None
    return end


def words_of(lines: Iterable[Line]) -> set[str]:
    """Return the words of a document, to know which hyphens belong to one."""
    text = " ".join(cell.text for line in lines for cell in line.cells)
    return {word.casefold() for word in re.findall(r"[^\W\d_][\w-]+(?<!-)", text)}


def join(into: list[Run], more: list[Run], beside: int, known: set[str]) -> None:
    """Add the next line of a paragraph before the last ``beside`` cells, its dates and places."""
    tail: list[Run] = []
    for _ in range(beside):
        tabs = [at for at, run in enumerate(into) if run.text == "\t"]
        if tabs:
            into[tabs[-1] :], tail = [], [*into[tabs[-1] :], *tail]
    if into and more:
        last, first = into[-1], more[0]
        text = _end_of(last.text, first.text, known)
        is_address = bool(last.url) and last.url == first.url and "/" in last.text
        if text == last.text and not text.endswith(("-", "/")) and not is_address:
            text += " "
        if (last.styles, last.url) == (first.styles, first.url):
            into[-1:], more = [], [replace(first, text=text + first.text), *more[1:]]
        else:
            into[-1] = replace(last, text=text)
    into += [*more, *tail]


def _end_of(text: str, after: str, known: set[str]) -> str:
    """Return a line's end without a hyphen that only parts a word at the line's end."""
    word, rest = re.search(r"([^\W\d_][\w-]*)-$", text), re.match(r"[^\W\d_]+", after)
    if not word or not rest or not after[0].islower() or "-" in word[1]:
        return text
    whole, parted = f"{word[1]}{rest[0]}".casefold(), f"{word[1]}-{rest[0]}".casefold()
    return text if parted in known and whole not in known else text[:-1]


def of_piece(piece: Piece) -> list[Run]:
    """Return the words of a piece as runs."""
    found: list[Run] = []
    for at, word in enumerate(piece.words):
        is_set = {"strong": word.style.bold, "em": word.style.italic, word.raised: word.raised}
        styles = frozenset(style for style, on in is_set.items() if on)
        text = ("" if word.joined or not at else " ") + word.text
        last = found[-1] if found else None
        if last is not None and (last.styles, last.url) == (styles, word.url):
            found[-1] = replace(last, text=last.text + text)
            continue
        if last is not None and text[0] == " ":
            found[-1], text = replace(last, text=f"{last.text} "), text[1:]
        found.append(Run(text, styles, word.url, word.style.size))
    return found


def of_line(line: Line, cells: Sequence[Piece] | None = None) -> list[Run]:
    """Return the cells of a line with tabs between them."""
    found: list[Run] = []
    for cell in [*(line.cells if cells is None else cells), *line.beside]:
        found += [Run("\t")] if found else []
        found += of_piece(cell)
    return found


def of_list(line: Line) -> list[list[Run]]:
    """Return a label and what it lists as a row: the first cell, and the others with commas.

    Of more than two cells that look alike, each is an item of its own.
    """
    label, *listed = of_piece(line.first)
    styles = {word.style for cell in line.cells for word in cell.words}
    if len(styles) == 1 and vocabulary.are_items([cell.text for cell in line.cells]):
        return [of_piece(cell) for cell in line.cells]
    if not (listed and label.styles):
        label, listed = Run(line.first.text), []
    for cell in line.cells[1:]:
        listed += [*([Run(", ")] if listed else []), *of_piece(cell)]
    return [[label, Run("\t"), *listed]]


def of_contact(line: Line) -> list[Run]:
    """Return the cells of a line of the head: with labels for what only an icon names."""
    found: list[Run] = []
    for cell in [*line.cells, *line.beside]:
        found += [Run("\t")] if found else []
        for run in of_piece(cell):
            text = _LABEL.sub("\t", _SCHEME.sub("", run.text))
            text = _AFTER_MAIL.sub("\t", text) if "@" in text else text
            found.append(replace(run, text=text))
    return found
