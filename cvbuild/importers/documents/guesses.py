"""Entries without commands: a title, an employer, a town and a date on a line or two."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cvbuild.common.diagnostics import Span
from cvbuild.importers.documents import citations, dates, vocabulary
from cvbuild.importers.documents.outline import Entry
from cvbuild.importers.words import runs as styled
from cvbuild.importers.words.runs import Run
from cvbuild.inputs.references import texts

#: What parts the cells of a line: tabs, bars, dots.
_CELLS = re.compile(r"\s*(?:\t+|(?<=\s)[|·•│/](?=\s)|\s{4,})\s*")
_COMMAS = re.compile(r",\s+(?![^()]*\))(?!(?:Inc|LLC|Ltd|GmbH|Co|Jr|Ph\.?D)\b)")
#: A title in bold or italics, or between quotation marks, before the rest.
_MARKED = r"(\*\*|\*|“|\")([^*“”\"]{3,200})(?:\1|”)(?=\Z|[\s,.:;–—-])(.*)"
#: Authors before the title between quotation marks.
_LED = re.compile(r"([^“\"”]{3,200}?)\s*[“\"]([^“\"”]{3,200}?)[.,]?[”\"][,.]?\s*(.*)")
#: Characters of a line that may begin an entry.
_LONGEST = 600
_DATED_SENTENCE = re.compile(r"([^.]{3,160}?),\s+((?:19|20)\d\d)\.\s+([A-Z*].{3,})")
#: Years of several courses.
_YEARS = re.compile(r"\((?:(?:19|20)\d\d,\s*)+(?:19|20)\d\d\)\W*\Z")
_GRADE = re.compile(r"(?i)\(?((?:\w+\.? )?GPA:?.{1,40}?)\)?")
_AT = re.compile(r"\s+(?:at|bei|chez|from|@)\s+(?=[A-ZÄÖÜÉ])|\s+[–—]\s+|\s+-{1,3}\s+")


@dataclass
class _Cell:
    runs: list[Run]
    is_right: bool

    @property
    def text(self) -> str:
        return styled.plain(self.runs)


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
    # A sentence with a year at its end is not an entry.
    is_long = any(len(text) > 140 for text in found.texts[:1])
    if not found.texts or is_long or not (found.date or is_heading):
        return None
    split(found)
    return found


def take(lines: list[list[Run]], found: Entry) -> None:
    """Put the cells of lines where they belong in an entry: texts, date, location, paragraphs."""
    for at, line in enumerate(lines):
        cells = _cells(line)
        if (
            at
            and len(cells) == 1
            and (
                len(cells[0].text) > 90
                or cells[0].text.endswith(".")
                or re.match(r"[^\W\d_][\w .-]{1,28}:\s", cells[0].text)
            )
        ):
            found.paragraphs += [styled.markdown(one.runs) for one in cells if one.text]
            continue
        for cell in cells:
            _take(cell, found)


def add(found: Entry, line: list[Run]) -> None:
    """Add a line to the texts of an entry: its employer, its position, its town."""
    for cell in _cells(line):
        _take(cell, found)
    split(found)


def split_text(text: str, place: Span, date: str = "") -> Entry:
    """Return the entry that a text says in a line: "Example Prize, Example Society, 2019".

    ``text`` is Markdown, and ``date`` the one that is known already.
    """
    found = Entry([], place, date=date, is_sorted=False)
    if len(text) > _LONGEST:
        found.texts = [text]
        return found
    text = _dated(text, found)
    if link := re.match(r"\[([^\[\]]+)\]\(([^()]+)\)(?=\Z|[,.:]?\s)", text):
        text, found.url = link[1] + text[link.end() :], link[2]
    found.texts = [text]
    marked = re.match(_MARKED, text)
    if link or marked:
        title, rest = (
            (marked[2], marked[3])
            if marked
            else (link[1], text[len(link[1]) :])
            if link
            else (text, "")
        )
        title = title.rstrip(".:").strip() if marked else title
        found.texts = [title, *([rest] if (rest := rest.strip(" ,:;–—-")) else [])]
        if "," in rest and not found.location and vocabulary.is_town(rest.rpartition(", ")[2]):
            found.texts[1], _, found.location = rest.rpartition(", ")
        found.is_sorted = bool(marked)
        if marked and len(found.texts) > 1 and rest.endswith(".") and len(rest.split()) > 2:
            # A sentence.
            found.paragraphs.append(found.texts.pop())
    elif (led := _LED.fullmatch(text)) and citations.authors(led[1]):
        # "Muster, K. “A talk.” Conference, Town"
        found.texts = [led[2], *([led[3]] if led[3] else [])]
        found.paragraphs += [led[1]] if len(citations.authors(led[1])) > 1 else []
        split(found)
    elif bracket := re.fullmatch(r"([^()\[\]]{3,100}?)\s+\(([^()\d]{3,80})\)", text):
        found.texts = [bracket[1], bracket[2]]
    elif len(text) <= 160:
        split(found)
        if len(found.texts) == 1:
            parts = _COMMAS.split(text)
            if len(parts) == 3 and not found.location and vocabulary.is_town(parts[2]):
                found.location = parts.pop()
            if len(parts) == 2 and "](" not in text:
                found.texts = parts
    return found


def _dated(text: str, found: Entry) -> str:
    """Take the date out of a text, if it begins or ends with it, and what is after it."""
    if found.date or _YEARS.search(text):
        return text
    if dated := _DATED_SENTENCE.fullmatch(text):
        # "Example University, 2012. Dissertation: …"
        found.date, found.paragraphs = dated[2], [dated[3]]
        return dated[1]
    rest, found.date = dates.ends_in(text)
    if not found.date:
        rest, found.date = dates.begins_with(text)
    whole, text = text, _balanced(rest, text) if found.date else text
    found.date = found.date if whole != rest or rest else ""
    return text


def _balanced(rest: str, text: str) -> str:
    """Return a text without its date, if that leaves its Markdown whole."""
    if text.startswith(rest) and (end := re.match(r"[*`]+", text[len(rest) :])):
        # The mark at its end belongs to it.
        rest += end[0]
    marks = all(rest.count(mark) % 2 == 0 for mark in ("**", "*", "`"))
    return rest if rest and marks and rest.count("[") == rest.count("]") else text


def _cells(line: list[Run]) -> list[_Cell]:
    """Return the cells of a line; those after a tab are at its right."""
    parts = styled.parts(line, _CELLS)
    has_tab = any("\t" in run.text for run in line)
    return [_Cell(part, has_tab and at > 0) for at, part in enumerate(parts) if styled.plain(part)]


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
    if cell.is_right and not found.grade and (grade := _GRADE.fullmatch(text)):
        found.grade = grade[1]
        return
    if cell.is_right and re.fullmatch(r"\([^()\d]+\)", text):
        found.paragraphs.append(text.strip("()"))
        return
    is_after = bool(found.texts) or cell.is_right
    if is_after and not cell.is_right and _employer(text, found):
        return
    if (
        is_after
        and not found.location
        and (
            vocabulary.is_place(text)
            or (cell.is_right and vocabulary.is_town(text) and found.texts)
        )
    ):
        found.location = styled.markdown(cell.runs)
    else:
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
            found.texts.append(styled.markdown(_bare(first)))
            found.looks.append(_look(first))
            cell.runs = after
            if not found.location and vocabulary.is_place(styled.plain(after)):
                found.location = styled.markdown(_bare(after))
                return
        found.texts.append(styled.markdown(_bare(cell.runs)))
        found.looks.append(_look(cell.runs))


def _employer(text: str, found: Entry) -> bool:
    """Take "Example Works, London" after the title of a position; return whether it is that."""
    name, _, town = text.partition(", ")
    if len(found.texts) != 1 or found.location or not vocabulary.POSITION.search(found.texts[0]):
        return False
    if ", " in found.texts[0] or not vocabulary.is_place(text) or vocabulary.is_region(town):
        return False
    found.texts.append(texts.plain(name))
    found.looks.append(frozenset())
    found.location = texts.plain(town)
    return True


def _look(runs: list[Run]) -> frozenset[str]:
    """Return whether all of a text is bold or slanted."""
    styles = [run.styles for run in runs if re.search(r"\w", run.text)]
    return frozenset.intersection(*styles) & {"strong", "em"} if styles else frozenset()


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


def _without(runs: list[Run], date: str, rest: str) -> list[Run]:
    """Return runs without a date; as plain text where the date is in several of them."""
    for at, run in enumerate(runs):
        if date in run.text:
            before, _, after = run.text.rpartition(date)
            before = re.sub(r"[\s(\[,;:–—|-]+$", "", before)
            after = re.sub(r"^[\s)\],;:–—|]+|^\.$", "", after)
            kept = [Run(before, run.styles, run.url), Run(after, run.styles, run.url)]
            left = [*runs[:at], *(one for one in kept if one.text), *runs[at + 1 :]]
            if left and not kept[0].text and at:
                last = left[at - 1]
                left[at - 1] = Run(
                    re.sub(r"[\s(\[,;:–—|-]+$", "", last.text), last.styles, last.url
                )
            return [one for one in left if one.text.strip(" ()[]")]
    return [Run(rest)] if rest else []


def _only_link(runs: list[Run]) -> str:
    """Return the address of a cell that is a link as a whole."""
    found = {run.url for run in runs if run.text.strip()}
    return found.pop() if len(found) == 1 else ""


def _bare(runs: list[Run]) -> list[Run]:
    """Return runs without the link of the whole, and without bold: a title has its own style."""
    url = _only_link(runs)
    return [Run(one.text, one.styles - {"strong", "em"}, "" if url else one.url) for one in runs]


def split(found: Entry) -> None:
    """Part the one text of an entry into title, organization and town, where it names them."""
    found.texts = [_without_thesis(text, found).rstrip(":") for text in found.texts]
    _part(found)
    if len(found.texts) == 2:
        _town_in_brackets(found)
    if len(found.texts) == 2 and not found.location and ", " in found.texts[1]:
        before, _, last = found.texts[1].rpartition(", ")
        if (
            vocabulary.is_town(last)
            and (vocabulary.ORGANIZATION.search(before) or len(last.split()) == 1)
            and "](" not in before
        ):
            found.texts[1], found.location = before, last


def _town_in_brackets(found: Entry) -> None:
    """Take a town in brackets after the second text: "Example University (Exampleton)"."""
    inside = re.fullmatch(r"([^()]{3,}) \(([^()\d]{3,40})\)", found.texts[1])
    if inside and not found.location and vocabulary.is_town(inside[2]) and not inside[2].isupper():
        found.texts[1], found.location = inside[1], inside[2]


def _without_thesis(text: str, found: Entry) -> str:
    """Return a text without "Thesis: …" at its end, which is a line of its own."""
    cut = re.search(r"[.;,] (?=(?i:thesis|dissertation|advisor|supervisor|gpa|grade): )", text)
    if cut is None:
        return text
    found.paragraphs.append(text[cut.end() :])
    return text[: cut.start()]


def _part(found: Entry) -> None:
    """Part the one text of an entry where it names several things."""
    if len(found.texts) != 1 or "](" in found.texts[0]:
        return
    label, _, rest = found.texts[0].partition(": ")
    if not found.location and vocabulary.is_town(label) and vocabulary.DEGREE.search(rest):
        found.location, found.texts[0] = label, rest
    parts = _AT.split(found.texts[0], maxsplit=1)
    if len(parts) == 1:
        parts = _COMMAS.split(found.texts[0])
        named = vocabulary.ORGANIZATION.search(found.texts[0]) or vocabulary.POSITION.search(
            found.texts[0]
        )
        degree = vocabulary.DEGREE.search(found.texts[0])
        if not (named or degree) or len(parts) > 5:
            return
        if not found.location and len(parts) > 2 and vocabulary.is_town(parts[-1]):
            at = -2 if len(parts) > 3 and vocabulary.is_town(parts[-2]) else -1
            found.location = ", ".join(parts[at:])
            parts = parts[:at]
    if len(parts) > 2:
        at = next(
            (n for n, part in enumerate(parts) if n and vocabulary.ORGANIZATION.search(part)), 1
        )
        parts = [", ".join(parts[:at]), ", ".join(parts[at:])]
    found.texts = [part for part in parts if part.strip()]
