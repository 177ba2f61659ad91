"""Entries without commands: which lines are their heads, and what stands in those lines.

A head is a title, an employer, a town and a date on a line or two.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from cvbuild.common.diagnostics import Span
from cvbuild.importers.documents import order, vocabulary
from cvbuild.importers.words import dates, outline
from cvbuild.importers.words.outline import Entry, Run
from cvbuild.inputs.references import texts

#: What parts the cells of a line: tabs, bars, dots; and a slash, if what is beside it differs.
_CELLS = re.compile(r"\s*(?:\t+|(?<=\s)[|·•│](?=\s)|\s{4,})\s*")
#: Labels of a position, and of who it was for.
_ROLE = re.compile(r"(?i)(?:role|position|designation|job title|funktion|poste|cargo) ?: +(.+)")
_CLIENT = re.compile(r"(?i)^(?:client|company|employer|organi[sz]ation|firma|empresa) ?: +")
#: Before a link.
_AT = re.compile(r"\s+(?:at|bei|chez|@)\s+$")
_SLASH = re.compile(r"\s+/\s+")
#: Characters of a line that may begin an entry.
_LONGEST = 600
_GRADE = re.compile(r"(?i)\(?((?:\w+\.? )?C?GPA:?.{1,40}?)\)?")
#: Kinds whose sub-headings are entries; those of others are groups.
OF_ENTRIES = frozenset(("education", "experience", "volunteer", "project", "entry", "grant", ""))
#: Kinds of lines that are no entries, whatever they look like.
OF_TEXT = ("summary", "interests", "skill", "language", "publication", "patent")
#: Characters of a line that may begin an entry without any mark.
LONGEST = 120


@dataclass
class _Cell:
    runs: list[Run]
    is_right: bool

    @property
    def text(self) -> str:
        return outline.plain(self.runs)


def has_tab(lines: list[list[Run]]) -> bool:
    """Return whether one of the lines has a tab."""
    return any("\t" in run.text for line in lines for run in line)


def is_head(lines: list[list[Run]]) -> bool:
    """Return whether lines look like the head of an entry: they begin bold, or have a tab."""
    first = next((run for run in lines[0] if run.text.strip()), None)
    is_short = sum(len(run.text) for run in lines[0]) < 160
    return is_short and (has_tab(lines) or (first is not None and bool(first.styles)))


def entry(lines: list[list[Run]], place: Span, *, is_heading: bool = False) -> Entry | None:
    """Return the entry that the lines of a paragraph begin; None if they look like prose.

    An entry has a date, or a heading.
    """
    found = Entry([], place, is_sorted=False)
    if any(sum(len(run.text) for run in line) > _LONGEST for line in lines):
        return None
    take(lines, found)
    roles = [one for one in map(_ROLE.fullmatch, found.paragraphs) if one]
    if len(roles) == len(found.texts) == 1:
        # "Client: Initech", "Role: Engineer"
        found.paragraphs.remove(roles[0][0])
        found.texts = [roles[0][1], _CLIENT.sub("", found.texts[0])]
        found.looks, found.is_sorted = [frozenset(), frozenset()], True
    if found.location and not found.texts:
        # What stands at the right of a date alone is no town.
        found.texts, found.location = [found.location], ""
    # A sentence with a year at its end is not an entry.
    is_long = any(len(text) > 140 for text in found.texts[:1])
    if not found.texts or is_long or not (found.date or is_heading):
        return None
    first, *more = found.texts
    is_both = vocabulary.POSITION.search(first) and vocabulary.ORGANIZATION.search(first)
    if (
        is_both
        and more
        and not any(vocabulary.is_named(one) or vocabulary.is_town(one) for one in more)
    ):
        # The first line says all of it.
        found.texts, found.looks = [first], found.looks[:1]
        found.paragraphs[:0] = more
    order.split(found)
    return found


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


def add(found: Entry, line: list[Run]) -> None:
    """Add a line to the texts of an entry: its employer, its position, its town."""
    for cell in _cells(line):
        _take(cell, found)
    order.split(found)


def _cells(line: list[Run]) -> list[_Cell]:
    """Return the cells of a line; those after a tab are at its right."""
    parts = [one for part in outline.parts(line, _CELLS) for one in _slashed(part)]
    has_tab = any("\t" in run.text for run in line)
    return _with_subject(
        [_Cell(part, has_tab and at > 0) for at, part in enumerate(parts) if outline.plain(part)]
    )


def _with_subject(cells: list[_Cell]) -> list[_Cell]:
    """Move the subject to the degree: "PhD", "**Example University**, Physics", "Leeds, UK"."""
    if len(cells) < 3 or not vocabulary.DEGREE.search(cells[0].text):
        return cells
    degree, both, *others = cells
    school, subject = _lead(both.runs)
    is_school = bool(vocabulary.ORGANIZATION.search(outline.plain(school)))
    has_place = any(vocabulary.is_place(cell.text) for cell in others)
    if not is_school or not has_place or vocabulary.ORGANIZATION.search(outline.plain(subject)):
        return cells
    text = outline.plain(subject)
    text = text if text.startswith(degree.text) else f"{degree.text}, {text}"
    return [_Cell([Run(text)], degree.is_right), replace(both, runs=school), *others]


def _slashed(line: list[Run]) -> list[list[Run]]:
    """Part ``**Acme** / Engineer`` and ``Acme / Engineer / 2019``, but not "Tester / Writer"."""
    parts = outline.parts(line, _SLASH)
    has_date = any(dates.is_date(dates.unbracketed(outline.plain(part))) for part in parts)
    styles = {part[0].styles for part in parts[:2] if part}
    return parts if has_date or len(styles) > 1 else [line]


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
        found.looks.append(frozenset())
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
        found.looks.append(_look(first))
        cell.runs = after
        if not found.location and vocabulary.is_place(outline.plain(after)):
            found.location = outline.markdown(_bare(after))
            return
    found.texts.append(outline.markdown(_bare(cell.runs)))
    found.looks.append(_look(cell.runs))


def _look(runs: list[Run]) -> frozenset[str]:
    """Return whether all of a text is bold or slanted."""
    styles = [run.styles for run in runs if re.search(r"\w", run.text)]
    return frozenset.intersection(*styles) & {"strong", "em"} if styles else frozenset()


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


def is_dated(lines: list[list[Run]]) -> bool:
    """Return whether a cell of the lines is a date, or ends or begins with one."""
    found = [
        part for line in lines for part in re.split(r"[\t|·•]", "".join(run.text for run in line))
    ]
    return any(
        dates.is_date(part.strip(" ()"))
        or dates.ends_in(part.strip())[1]
        or dates.begins_with(part.strip())[1]
        for part in found
    )
