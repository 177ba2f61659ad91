"""What single lines are: points of a list, contact data, prose."""

from __future__ import annotations

import re
from dataclasses import replace

from cvbuild.importers import networks
from cvbuild.importers.documents.pdf.asides import is_aside
from cvbuild.importers.documents.pdf.glyphs import BULLETS
from cvbuild.importers.documents.pdf.lines import BULLET, Line, Piece
from cvbuild.importers.documents.pdf.paragraphs import NUMBER

#: Bullets that may touch the text.
_GLUED = BULLETS[:11] + "►▸❖⦁"
#: Characters of a line of an entry's text, and of a point that a picture stands before.
_PROSE, _POINT = 60, 25
_CONTACT = re.compile(
    r"(?i)(?:(?:e-?mail|phone|mobile|tel|fax|web|website)\W{0,3})?"
    r"(?:[^\s@]+@[^\s@]+\.\w{2,}|(?:https?://|www\.)\S+|\+?[\d(][\d ()./-]{8,20}\d"
    r"|(?:[\w-]+\.)+(?:com|org|net|io|dev|me|edu|de|fr)(?:/\S*)?)"
)


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
