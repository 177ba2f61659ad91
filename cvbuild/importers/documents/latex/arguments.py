"""Arguments that a table calls texts or facts: their words tell names, towns and dates apart."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from cvbuild.importers.documents import vocabulary
from cvbuild.importers.words import dates, outline
from cvbuild.importers.words.outline import Entry, Run
from cvbuild.inputs.references import texts

#: What parts the cells of a line: tabs, bars, dots.
_CELLS = re.compile(r"\s*(?:\t+|(?<=\s)[|·•│](?=\s)|\s{4,})\s*")


@dataclass
class _Cell:
    runs: list[Run]
    is_right: bool

    @property
    def text(self) -> str:
        return outline.plain(self.runs)


def take(lines: list[list[Run]], found: Entry) -> None:
    """Put the cells of lines where they belong in an entry: texts, date, location, paragraphs."""
    for line in lines:
        for cell in _cells(line):
            _take(cell, found)


def _cells(line: list[Run]) -> list[_Cell]:
    """Return the cells of a line; those after a tab are at its right."""
    has_tab = any("\t" in run.text for run in line)
    parts = enumerate(outline.parts(line, _CELLS))
    return [_Cell(part, has_tab and at > 0) for at, part in parts if outline.plain(part)]


def _take(cell: _Cell, found: Entry) -> None:
    """Put a cell where it belongs in an entry."""
    text = cell.text
    if dates.is_date(dates.unbracketed(text)) and not found.date:
        found.date = dates.unbracketed(text)
        return
    # "**Initech**, London" has a name in it.
    is_place = vocabulary.is_place(text) and not _lead(cell.runs)[0]
    is_town = cell.is_right and bool(found.texts) and vocabulary.is_town(text)
    if not found.location and (is_town or (is_place and (found.texts or cell.is_right))):
        found.location = outline.markdown(cell.runs)
    else:
        _name(cell, found)


def _name(cell: _Cell, found: Entry) -> None:
    """Add a cell to the texts of an entry, without the town at its end."""
    text = cell.text
    place = re.search(r",\s+([^,]+,[^,]+)$", text)
    if (
        not found.location
        and place
        and vocabulary.is_place(place[1])
        and (
            vocabulary.is_named(text[: place.start()])
            or vocabulary.is_region(place[1].rpartition(", ")[2])
        )
    ):
        found.location = texts.plain(place[1])
        cell.runs = _until(cell.runs, len(text[: place.start()]))
    found.url = found.url or _only_link(cell.runs)
    first, after = _lead(cell.runs)
    if first and not found.texts:
        found.texts.append(outline.markdown(_bare(first)))
        cell.runs = after
    found.texts.append(outline.markdown(_bare(cell.runs)))


def _lead(runs: list[Run]) -> tuple[list[Run], list[Run]]:
    """Return the bold or slanted beginning of a cell, and what is after a comma or a dash."""
    shown = [at for at, run in enumerate(runs) if run.text.strip()]
    if len(shown) < 2 or not runs[shown[0]].styles & {"strong", "em"}:
        return [], runs
    at = shown[1]
    mark = re.match(r"\s*(?:[,;:]|[–—]|-{1,3}(?=\s)|(?:at|bei|chez)(?=\s))\s*", runs[at].text)
    if not mark:
        return [], runs
    cut = Run(runs[at].text[mark.end() :], runs[at].styles, runs[at].url)
    return runs[:at], [cut, *runs[at + 1 :]]


def _until(runs: list[Run], end: int) -> list[Run]:
    """Return runs up to a character."""
    kept = []
    for run in runs:
        kept.append(replace(run, text=run.text[: max(0, end)]))
        end -= len(run.text)
    return kept


def _only_link(runs: list[Run]) -> str:
    """Return the address of a cell that is a link as a whole."""
    found = {run.url for run in runs if run.text.strip()}
    return found.pop() if len(found) == 1 else ""


def _bare(runs: list[Run]) -> list[Run]:
    """Return runs without the link of the whole, and without bold: a title has its own style."""
    url = _only_link(runs)
    return [Run(one.text, one.styles - {"strong", "em"}, "" if url else one.url) for one in runs]
