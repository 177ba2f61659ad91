"""Cells of a line as runs, and the parts of an entry's head, with tabs between them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cvbuild.importers.documents import vocabulary
from cvbuild.importers.documents.pdf.lines import Line, Piece
from cvbuild.importers.documents.pdf.marks import RANGE
from cvbuild.importers.words.runs import Run

_BAR = re.compile(r"(?:(?<=\s)|^)[|·•│∙](?=\s|$)")
_PLACE = re.compile(r"\s+[–—|]\s+")
#: Blanks before a label of contact data, and after an e-mail address or before a number beside it.
_LABEL = re.compile(r"(?i)\s+(?=(?:e-?mail|phone|mobile|tel|web(?:site)?|linkedin|github)\s?:)")
_AFTER_MAIL = re.compile(r"(?<=\.\w\w)\s+(?=\S)|(?<=\.\w{3})\s+(?=\S)|(?<!:)\s+(?=\+\d)")
#: What the replacement text of an icon adds to an address.
_SCHEME = re.compile(r"\b(?:mailto|tel):")


def of_piece(piece: Piece) -> list[Run]:
    """Return the words of a piece as runs."""
    found: list[Run] = []
    for at, word in enumerate(piece.words):
        is_set = {"strong": word.style.bold, "em": word.style.italic, word.raised: word.raised}
        styles = frozenset(style for style, on in is_set.items() if on)
        text = ("" if word.joined or not at else " ") + word.text
        last = found[-1] if found else None
        if last is not None and (last.styles, last.url) == (styles, word.url):
            found[-1] = Run(last.text + text, last.styles, last.url)
            continue
        if last is not None and text[0] == " ":
            found[-1], text = Run(f"{last.text} ", last.styles, last.url), text[1:]
        found.append(Run(text, styles, word.url))
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
            found.append(Run(text, run.styles, run.url))
    return found


def at_bars(runs: Sequence[Run]) -> list[Run]:
    """Return the runs of an entry's head with tabs for the bars and dots between its parts."""
    found: list[Run] = []
    for run in runs:
        for at, part in enumerate(_BAR.split(run.text)):
            found += [Run("\t")] if at else []
            if part.strip() or run.text == "\t":
                found.append(Run(part, run.styles, run.url))
    return found


def at_places(runs: Sequence[Run]) -> list[Run]:
    """Return runs with a tab before a place that only a dash or a bar parts from the rest."""
    found: list[Run] = []
    for run in runs:
        *before, last = _PLACE.split(run.text)
        bare = last.strip(" –—|,")
        opens = bool(before) or bool(found and re.match(r"\s*[–—|,]\s", run.text))
        if opens and vocabulary.is_place(bare):
            if any(part.strip() for part in before):
                rest = run.text[: run.text.rindex(last)].rstrip(" –—|")
                found.append(Run(rest, run.styles, run.url))
            found += [Run("\t"), Run(bare, run.styles, run.url)]
        else:
            found.append(run)
    return found


def at_town(runs: Sequence[Run]) -> list[Run]:
    """Return the runs of an employer's line with a tab before the town and country at its end."""
    last = runs[-1] if runs else Run("")
    name, _, place = last.text.partition(", ")
    if not name or "," not in place or not vocabulary.is_place(place):
        return list(runs)
    parts = [Run(name, last.styles, last.url), Run("\t"), Run(place, last.styles, last.url)]
    return [*runs[:-1], *parts]


def at_years(runs: Sequence[Run]) -> list[Run]:
    """Return runs with tabs around a range of years inside: "Example AG 2015 – 2017, Bern"."""
    found: list[Run] = []
    for run in runs:
        years = RANGE.search(run.text) if len(run.text) < 100 else None
        before = run.text[: years.start()].rstrip(" ,(–|-") if years else ""
        after = run.text[years.end() :].lstrip(" ,)–|-") if years else ""
        if years is None or not after or not (before or found):
            found.append(run)
            continue
        found += [Run(before, run.styles, run.url)] if before else []
        found += [Run("\t"), Run(years[0].strip()), Run("\t"), Run(after, run.styles, run.url)]
    return found
