"""What lines and their cells are: dates and places, points of a list, contact data, prose."""

from __future__ import annotations

import re
from dataclasses import replace

from cvbuild.importers import networks
from cvbuild.importers.documents import dates, vocabulary
from cvbuild.importers.documents.pdf.glyphs import BULLETS
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
#: Bullets that may touch the text.
_GLUED = BULLETS[:11] + "►▸❖⦁"
#: Characters of a line of an entry's text, and of a point that a picture stands before.
_PROSE, _POINT = 60, 25
_CONTACT = re.compile(
    r"(?i)(?:(?:e-?mail|phone|mobile|tel|fax|web|website)\W{0,3})?"
    r"(?:[^\s@]+@[^\s@]+\.\w{2,}|(?:https?://|www\.)\S+|\+?[\d(][\d ()./-]{8,20}\d"
    r"|(?:[\w-]+\.)+(?:com|org|net|io|dev|me|edu|de|fr)(?:/\S*)?)"
)
#: A number before a reference or a point.
NUMBER = re.compile(r"(?:\[\w{1,6}\]|\d{1,3}[.)]|\(\d{1,2}\))(?=\s|$)")


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


def asides(line: Line) -> list[Piece]:
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


def is_contact(line: Line) -> bool:
    """Return whether a line says only how to reach the person."""
    return all(
        (_CONTACT.fullmatch(cell.text.strip(" ·|")) and not is_aside(cell.text))
        or (networks.key_of(cell.text.strip()) and any(word.url for word in cell.words))
        for cell in line.cells
    )


def has_label(line: Line) -> bool:
    """Return whether a line begins as "Languages: …"."""
    return re.match(r"[^\W\d_][\w &/,.-]{1,30} ?:\s", line.text) is not None


def is_prose(line: Line) -> bool:
    """Return whether a line is of a text, not of an entry's head."""
    return len(line.cells) == 1 and len(line.text) > _PROSE


def is_bullet(line: Line) -> bool:
    """Return whether a line begins with a bullet, a number, or a picture in place of one."""
    words = line.first.words
    if line.first.had_icon and len(line.first.text) > _POINT and not is_aside(line.first.text):
        return True
    if _is_mark(words[0].text):
        return len(words) > 1 or len(line.cells) > 1
    return len(words) > 1 and len(words[0].text) > 1 and words[0].text[0] in _GLUED


def after_bullet(line: Line) -> list[Piece]:
    """Return the cells of a point without its bullet."""
    first, *rest = line.cells
    word, *words = first.words
    if first.had_icon and not _is_mark(word.text):
        return line.cells
    if not _is_mark(word.text):
        words = [replace(word, text=word.text[1:]), *words]
    return [Piece(words, first.y, first.page), *rest] if words else rest


def _is_mark(text: str) -> bool:
    return bool(BULLET.fullmatch(text) or NUMBER.fullmatch(text))
