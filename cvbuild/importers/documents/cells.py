"""Lines of a document and their cells: what a label is given to.

A line is cut at tabs, dates, separators, commas and changes of type, rather too often than too
seldom: neighbours of one label are joined again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from cvbuild.importers import dates
from cvbuild.importers.documents import vocabulary
from cvbuild.importers.outline import Block, Run, markdown

_TABS = re.compile(r"\t+| {4,}")
_BARS = re.compile(r"\s+[|·•∙⋅–—/◦@│‖]\s+|\s*\|\s*|\s+-+\s+|\s*[·•]\s+")
_COMMAS = re.compile(r"[,;]\s+(?!(?:Inc|LLC|Ltd|Jr|Ph\.?D|GmbH)\b)")
_LABEL = re.compile(r"[^:]{2,32}:(?=\s)")
_PREPOSITIONS = (
    r"at(?: the)?|bei(?: de[rnm])?|beim|bij(?: de)?|chez|en|em|presso|hos|p[åa]|an der|am"
    r"|via|à(?: la)?"
)
_WORDS_AT = rf"(?:(?:{_PREPOSITIONS})\s+|(?:à|presso) l['’])"
_AT = re.compile(rf"\s{_WORDS_AT}(?=[„“\"«]?[A-ZÀ-ÖØ-Þ])")
_BRACKET = re.compile(r"\s+\((?=[^()]{3,60}\)\W*$)")
#: Characters of a line that is cut at commas; of one that is cut at its dates alone.
_PROSE, _LONG = 85, 150
_AROUND = ("DATE", "AFTER")
_EDGES = " \t,;|·•–—-()[]"
#: A preposition at the end of a name.
ENDS_AT = re.compile(rf"\s+(?:{_PREPOSITIONS}|@|in|(?:à|presso) l['’])$")
#: Marks around a name; those that may begin one stand before a blank.
_EDGE = re.compile(r"^(?:[\s,;|·•–—(]|[-.:]+\s)+|(?:[\s,;|·•–—(]|\s-+)+$")


@dataclass(frozen=True)
class Cell:
    """A part of a line: its runs, and what parts it from the one before.

    ``mark`` is START, TAB, BAR, DATE, AFTER, TYPE, COLON, AT, COMMA or BRACKET; ``before`` is what
    stands between them.
    """

    runs: tuple[Run, ...]
    mark: str
    before: str = ""

    @property
    def text(self) -> str:
        """Its characters without marks at its ends."""
        return "".join(run.text for run in self.runs).strip(_EDGES)

    @property
    def said(self) -> str:
        """What a command says it is; empty for what is none's."""
        return next((run.said for run in self.runs if run.text.strip()), "")

    def has(self, style: str) -> bool:
        """Return whether most of its letters are in a style."""
        styled = sum(len(run.text) for run in self.runs if style in run.styles)
        return styled * 2 > sum(len(run.text) for run in self.runs)


@dataclass
class Line:
    """A line of a block; ``at`` is its number in the block."""

    block: Block
    at: int
    cells: list[Cell] = field(default_factory=list)

    @property
    def runs(self) -> list[Run]:
        """Its runs, with what parts its cells."""
        return self.block.lines[self.at]

    @property
    def text(self) -> str:
        """Its characters."""
        return "".join(run.text for run in self.runs)

    def cut(self, start: int, end: int | None = None) -> Line:
        """Return some of its cells as a line."""
        cells = self.cells[start:end]
        if len(cells) == len(self.cells):
            return self
        runs = [run for cell in cells for run in (Run(cell.before), *cell.runs) if run.text]
        if cells and cells[0].before:
            runs = runs[1:]
        return Line(replace(self.block, lines=[runs]), 0, cells)


def lines_of(blocks: Iterable[Block]) -> list[Line]:
    """Return the lines of blocks that have words, with their cells; a part may be one without."""
    lines = [
        Line(block, at, cells_of(line) if block.part is None or block.kind == "row" else [])
        for block in blocks
        for at, line in enumerate(block.lines)
    ]
    return [line for line in lines if line.cells or line.block.part]


def cells_of(line: list[Run]) -> list[Cell]:
    """Return the cells of a line that have words."""
    text = "".join(run.text for run in line)
    if not text:
        return []
    cuts = _cuts(line, text)
    starts = sorted(cuts)
    cells, before, mark = list[Cell](), "", ""
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        if not re.search(r"\w", text[start:end]):
            before += text[start:end]
        elif cells and re.fullmatch(rf"\s*{_WORDS_AT}", f"{text[start:end]} "):
            before, mark = before + text[start:end], "AT"
        else:
            cells.append(Cell(tuple(_cut(line, start, end)), mark or cuts[start], before))
            before = mark = ""
    return cells


def _cuts(line: list[Run], text: str) -> dict[int, str]:
    """Return the places where a line is cut, with the mark of each."""
    known = [*dates.spans(text)]
    spans = [span for span in known if _is_apart(text, *span)]
    cuts = {0: "START"}
    around = ((at, mark) for span in spans for at, mark in zip(span, _AROUND, strict=True))
    for at, mark in [*_edges(_TABS, text, "TAB"), *around]:
        cuts.setdefault(at, mark)
    if len(text) > _LONG:
        cuts |= dict(_of_label(text))
    else:
        found = [*_edges(_BARS, text, "BAR"), *_of_types(line), *_of_words(line, text)]
        for at, mark in found:
            if not any(start < at < end for start, end in known):
                cuts.setdefault(at, mark)
    return {at: mark for at, mark in cuts.items() if at < len(text)}


def _edges(pattern: re.Pattern[str], text: str, mark: str) -> Iterator[tuple[int, str]]:
    for found in pattern.finditer(text):
        yield found.end(), mark
        yield found.start(), mark


def _of_types(line: list[Run]) -> Iterator[tuple[int, str]]:
    """Yield where the style changes between words."""
    at, last, styles = 0, "", line[0].styles
    for run in line:
        is_apart = last and not (last.isalnum() and run.text[:1].isalnum())
        if is_apart and run.styles != styles and run.text.strip():
            yield at, "TYPE"
        styles = run.styles if run.text.strip() else styles
        at, last = at + len(run.text), run.text[-1:] or last


def _of_label(text: str) -> Iterator[tuple[int, str]]:
    if (label := _LABEL.match(text)) and len(label[0].split()) <= 4:
        yield label.end(), "COLON"


def _of_words(line: list[Run], text: str) -> Iterator[tuple[int, str]]:
    """Yield where a label ends, an organization begins after "at", a bracket, a part of a list."""
    yield from _of_label(text)
    is_short = len(text) <= _PROSE
    found = _AT.search(text) if is_short else None
    before = text[: found.start()] if found else ""
    is_at = found and found[0].split()[0] == "at" and not vocabulary.ORGANIZATION.search(before)
    if found and (is_at or vocabulary.is_role(before)):
        yield found.end(), "AT"
    if bracket := _BRACKET.search(text):
        yield bracket.end(), "BRACKET"
    is_styled = any(run.styles for run in line)
    if is_short or is_styled:
        for found in _COMMAS.finditer(text):
            yield found.end(), "COMMA"


def _is_apart(text: str, start: int, end: int) -> bool:
    """Return whether a date stands for itself: at an end of the line, or between marks.

    A range stands at one.
    """
    before, after = text[:start].rstrip(), text[end:].lstrip()
    opens = not before or before[-1] in ",;:|([\t–—-·•*" or text[start - 1 : start] == "\t"
    closes = not after or after[0] in ",;:|)]\t–—-·•*."
    is_last = after in ("", ")", "].", ").", ".", ",", ";")
    is_range = len(text) <= _PROSE and not dates.is_point(dates.normal(text[start:end]))
    return not before or is_last or (opens and closes) or (is_range and (opens or closes))


def _cut(line: list[Run], start: int, end: int) -> Iterable[Run]:
    """Yield the runs between two places of a line."""
    at = 0
    for run in line:
        part = run.text[max(0, start - at) : max(0, end - at)]
        if part:
            yield replace(run, text=part)
        at += len(run.text)


def date_of(cells: Sequence[Cell]) -> str:
    """Return the date of cells: a range that was cut, its end perhaps first, or all there is."""
    texts = [cell.text for cell in cells if not dates.is_length(cell.text)]
    ranges = [" – ".join(texts), " – ".join(reversed(texts))] if len(texts) == 2 else []
    return next(filter(dates.is_date, ranges), ", ".join(texts))


def aside(runs: Sequence[Run]) -> str:
    """Return the text of runs beside names, without the marks around it."""
    text = markdown(runs).strip(" ,;|·–—-").removeprefix(". ")
    return text.strip("()") if text.count("(") != text.count(")") else text


def is_label(text: str) -> bool:
    """Return whether a text says what stands behind it: "Class of:", "Passing year", "Done in"."""
    is_date = vocabulary.column_of(text) == "date" and not vocabulary.other_words([[Run(text)]])
    return is_date or text.endswith(":") or bool(ENDS_AT.search(text))


def is_blank(text: str) -> bool:
    """Return whether a text says nothing: a preposition, a label, how long something was."""
    is_name = vocabulary.inner_label(text) or (text.endswith(":") and vocabulary.column_of(text))
    return dates.is_length(text) or bool(is_name or ENDS_AT.fullmatch(f" {text}"))


def joined(cells: Sequence[Cell]) -> str:
    """Return the text of cells as inline Markdown, without marks around it."""
    whole, words = "", vocabulary.other_words
    said = [one for one in cells if not is_blank(one.text) or words([[*one.runs]])]
    for cell in said or cells:
        runs = [replace(run, styles=run.styles - {"strong", "em"}, url="") for run in cell.runs]
        text = dates.unbracketed(_EDGE.sub("", markdown(runs)))
        text += ")" * (text.count("(") - text.count(")"))
        text = text if "(" in text else text.removesuffix(")")
        is_whole = cell.mark in _AROUND and not cell.before.strip()
        is_one = cell.mark == "AT" or is_whole or ENDS_AT.search(whole)
        between = " " if is_one else " / " if cell.before.strip() == "/" else ", "
        whole += between * bool(whole) + text
    return re.sub(r"(?<=[^\W\d_]{5})\.$", "", ENDS_AT.sub("", whole)).removesuffix(":")
