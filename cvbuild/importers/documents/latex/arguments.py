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
#: Before a link.
_AT = re.compile(r"\s+(?:at|bei|chez|@)\s+$")
_GRADE = re.compile(r"(?i)\(?((?:\w+\.? )?C?GPA:?.{1,40}?)\)?")


@dataclass
class _Cell:
    runs: list[Run]
    is_right: bool

    @property
    def text(self) -> str:
        return outline.plain(self.runs)


def take(lines: list[list[Run]], found: Entry) -> None:
    """Put the cells of lines where they belong in an entry: texts, date, location, paragraphs."""
    for at, line in enumerate(lines):
        cells = _cells(line)
        if at and len(cells) == 1 and vocabulary.inner_label(cells[0].text):
            continue
        if (
            at
            and len(cells) == 1
            and (
                len(cells[0].text) > 90
                or cells[0].text.endswith(".")
                or re.match(r"[^\W\d_][\w .-]{1,28}:\s", cells[0].text)
            )
        ):
            found.paragraphs += [outline.markdown(one.runs) for one in cells if one.text]
            continue
        for cell in cells:
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
    rest, date = dates.ends_in(text)
    if not date and not found.texts:
        rest, date = dates.begins_with(text)
    if date and not found.date:
        found.date = date
        cell = _Cell(_without(cell.runs, date, rest), cell.is_right)
        text = cell.text
    if not text:
        return
    grade = _GRADE.fullmatch(text) if cell.is_right else None
    if found.texts and not found.grade and (grade or dates.HONOURS.fullmatch(text)):
        found.grade = grade[1] if grade else text
        return
    if cell.is_right and re.fullmatch(r"\([^()\d]+\)", text):
        found.paragraphs.append(text.strip("()"))
        return
    # "**Initech**, London" has a name in it.
    is_place = vocabulary.is_place(text) and not _lead(cell.runs)[0]
    is_town = cell.is_right and bool(found.texts) and vocabulary.is_town(text)
    if is_town and len(found.texts) == 1 and found.location and "," not in found.location:
        # Of two that may be towns, the first is the employer.
        found.texts.append(found.location)
        found.location = ""
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
        cell.runs = _without(cell.runs, place[1], text[: place.start()])
    found.url = found.url or _only_link(cell.runs)
    first, after = _lead(cell.runs)
    if first and not found.texts:
        found.texts.append(outline.markdown(_bare(first)))
        cell.runs = after
        if not found.location and vocabulary.is_place(outline.plain(after)):
            found.location = outline.markdown(_bare(after))
            return
    found.texts.append(outline.markdown(_bare(cell.runs)))


def _lead(runs: list[Run]) -> tuple[list[Run], list[Run]]:
    """Return the bold or slanted beginning of a cell, and what is after a comma or a dash.

    Also what stands before "at" and a link.
    """
    shown = [at for at, run in enumerate(runs) if run.text.strip()]
    if len(shown) == 2 and runs[shown[1]].url and (mark := _AT.search(runs[shown[0]].text)):
        return [Run(runs[shown[0]].text[: mark.start()], runs[shown[0]].styles)], runs[shown[1] :]
    if len(shown) < 2 or not runs[shown[0]].styles & {"strong", "em"}:
        return [], runs
    at = shown[1]
    mark = re.match(r"\s*(?:[,;:]|[–—]|-{1,3}(?=\s)|(?:at|bei|chez)(?=\s))\s*", runs[at].text)
    if not mark:
        return [], runs
    cut = Run(runs[at].text[mark.end() :], runs[at].styles, runs[at].url)
    return runs[:at], [cut, *runs[at + 1 :]]


def _without(runs: list[Run], date: str, rest: str) -> list[Run]:
    """Return runs without a date; as plain text where it is written otherwise in them."""
    start, at = "".join(run.text for run in runs).rfind(date), 0
    if start < 0:
        return [Run(rest)] if rest else []
    before, after = [], []
    for run in runs:
        before.append(replace(run, text=run.text[: max(0, start - at)]))
        after.append(replace(run, text=run.text[max(0, start + len(date) - at) :]))
        at += len(run.text)
    while before and not (text := re.sub(r"[\s(\[,;:–—|-]+$", "", before[-1].text)):
        before.pop()
    if before:
        before[-1] = replace(before[-1], text=text)
    while after and not (text := re.sub(r"^[\s)\],;:–—|]+|^\.(?:\s+|$)", "", after[0].text)):
        after.pop(0)
    if after:
        after[0] = replace(after[0], text=dates.unbracketed(text))
    comma = [Run(", ")] if before and after else []
    return [*before, *comma, *after]


def _only_link(runs: list[Run]) -> str:
    """Return the address of a cell that is a link as a whole."""
    found = {run.url for run in runs if run.text.strip()}
    return found.pop() if len(found) == 1 else ""


def _bare(runs: list[Run]) -> list[Run]:
    """Return runs without the link of the whole, and without bold: a title has its own style."""
    url = _only_link(runs)
    return [Run(one.text, one.styles - {"strong", "em"}, "" if url else one.url) for one in runs]
