"""What stands beside an entry: dates and places."""

from __future__ import annotations

import re

from cvbuild.importers.documents import dates, vocabulary
from cvbuild.importers.documents.pdf.lines import BULLET, Line, Piece

_NOW = r"(?:present|heute|now|today|current|aujourd.hui|actualidad)"
_DATE = re.compile(
    r"[^\W\d_]{3,9}\.? (?:19|20)\d\d(?: ?[–—-] ?\w*)?|\d{1,2}[./]\d{2,4}.{0,12}"
    rf"|(?:19|20)\d\d\W+(?:(?:19|20)?\d\d|[^\W\d_]{{3,10}})?|(?i:{_NOW})"
)
#: A range of years within a line.
RANGE = re.compile(
    r"(?i)(?<![\d/.-])(?:[^\W\d_]{3,9}\.? )?(?:19|20)\d\d ?[–—-] ?(?:[^\W\d_]{3,9}\.? )?"
    rf"(?:(?:19|20)\d\d|{_NOW})(?![\d/.-])"
)
_OPEN = ("-", "–", "—", " to", " bis")


def is_aside(text: str) -> bool:
    """Return whether a text is a date, a part of one, or a place; also if there is none."""
    text = text.strip(" ()|,–—-")
    if not text or len(text) > 60:
        return not text
    is_date = dates.is_date(text) or dates.ends_in(text)[1] == text
    return is_date or vocabulary.is_place(text) or bool(_DATE.fullmatch(text))


def is_parted(text: str, other: str) -> bool:
    """Return whether a date goes on with another text: "Mar 2012 –" and "Feb 2017"."""
    dash = text.rstrip().endswith(_OPEN) or other.startswith(_OPEN[:3])
    return dash and is_aside(text)


def of(line: Line) -> list[Piece]:
    """Return the dates and places at the right end of a line."""
    found = [*line.beside]
    for cell in reversed(line.cells[1:]):
        if not is_aside(cell.text):
            break
        found.append(cell)
    return found


def is_dated(line: Line) -> bool:
    """Return whether a cell of a line, or a part between bars, is a date or ends or begins so."""
    cells = [*line.cells, *line.beside]
    texts = [part.strip() for cell in cells for part in re.split(r"[|·•]", cell.text)]
    return any(
        _has_date(text) or _has_date(re.sub(r"[()]", "", text)) for text in texts if len(text) < 140
    )


def _has_date(text: str) -> bool:
    ends = dates.ends_in(text)[1] or dates.begins_with(text)[1]
    return bool(dates.is_date(text) or ends or (len(text) < 100 and RANGE.search(text)))


def opens(line: Line) -> bool:
    """Return whether a line begins with a range of dates, or with a date and nothing else."""
    text = line.first.text
    return dates.is_date(text) or RANGE.match(text) is not None


def is_bulleted(piece: Piece) -> bool:
    """Return whether a piece begins with a bullet, and has more."""
    return len(piece.words) > 1 and bool(BULLET.fullmatch(piece.words[0].text))
