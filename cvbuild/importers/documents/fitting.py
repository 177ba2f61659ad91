"""Whether the parts of a section can be items of its kind; else the kind that they say."""

from __future__ import annotations

import re
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.importers.documents import citations, dates, parting
from cvbuild.importers.documents.items import item_of
from cvbuild.importers.documents.outline import Entry, Keyed, Part, Point, Prose, Section
from cvbuild.importers.words import headings

_TITLE = ("title", "titel", "titre", "titulo", "thema", "topic")
_DESCRIPTION = ("description", "abstract", "inhalt", "beschreibung", "summary", "resume", "resumen")


def fits(section: Section, kind: str) -> bool:
    """Return whether the parts of a section can be items of a kind."""
    parts = section.parts
    if kind in ("publication", "patent"):
        return any(is_cited(kind, part) for part in parts)
    if kind == "reference":
        return all(isinstance(part, Entry | Keyed) or "," in part.text[:120] for part in parts)
    if kind == "project" and any(isinstance(part, Keyed) for part in parts):
        return True
    if kind in ("education", "experience", "project", "volunteer"):
        return any(
            isinstance(part, Entry) or is_dated(part) or (kind == "project" and is_labelled(part))
            for part in parts
        )
    return True


def is_cited(kind: str, part: Part) -> bool:
    """Return whether a part says a publication or a patent."""
    return isinstance(part, Entry) or cited(kind, part) is not None


def cited(kind: str, part: Point | Keyed | Prose) -> dict[str, Any] | None:
    """Return the publication or patent that a part says; its label may be the date."""
    text = part.text
    if isinstance(part, Keyed) and dates.is_date(part.label):
        text = f"{text.rstrip('. ')}, {part.label}."
    return citations.of_kind(kind, text, is_sure=True)


def item_of_line(kind: str, text: str, place: Span) -> dict[str, Any] | None:
    """Return the item that a line says: "Example Prize, Example Society (2020)".

    None if the line says something that the kind has no key for.
    """
    if kind in ("publication", "patent"):
        return citations.of_kind(kind, text, is_sure=True)
    made = item_of(kind, parting.split_text(text, place))
    return None if made.lost else made.item


def is_dated(part: Part) -> bool:
    """Return whether a part begins or ends with a date, or its label is one."""
    match part:
        case Keyed(label):
            return dates.is_date(label)
        case Point(text):
            return bool(dates.ends_in(text)[1] or dates.begins_with(text)[1])
    return False


def general(parts: list[Part]) -> str:
    """Return the kind of a section whose title says nothing, by its parts."""
    if any(
        isinstance(part, Entry) or (isinstance(part, Keyed) and is_dated(part)) for part in parts
    ):
        return "entry"
    if any(isinstance(part, Keyed) for part in parts):
        return "skill" if all(isinstance(part, Keyed) for part in parts) else "bullets"
    return "bullets" if any(isinstance(part, Point) for part in parts) else "text"


def join_titled(section: Section) -> None:
    """Make one entry of lines of which one has the title: those of a thesis."""
    parts = section.parts
    titles = [
        part for part in parts if isinstance(part, Keyed) and headings.folded(part.label) in _TITLE
    ]
    if len(titles) != 1 or not all(isinstance(part, Keyed) for part in parts):
        return
    entry = Entry([titles[0].text], titles[0].place)
    for part in parts:
        if isinstance(part, Keyed) and part is not titles[0]:
            is_text = headings.folded(part.label) in _DESCRIPTION
            entry.paragraphs += [part.text] if is_text else []
            text = f"{part.label}: {part.text}"
            entry.points += part.points if is_text else [Point(text, part.place, part.points)]
    section.parts = [entry]


def is_labelled(part: Part) -> bool:
    """Return whether a part begins with words in bold: its name."""
    return isinstance(part, Point | Prose) and bool(re.match(r"\*\*[^*]{3,60}\*\*", part.text))
