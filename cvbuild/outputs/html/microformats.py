"""Classes of h-resume, h-card, h-event and h-cite (microformats.org), by kind and field.

They are the only meaning that a page gives to a kind; other kinds are shown without one.
"""

from __future__ import annotations

from collections.abc import Mapping

from cvbuild.view.lines import Piece
from cvbuild.view.types import ContactLine

#: Classes of an item.
ITEMS: Mapping[str, str] = {
    "experience": "p-experience h-event", "volunteer": "p-experience h-event",
    "education": "p-education h-event", "talk": "h-event",
    "publication": "h-cite", "patent": "h-cite",
}  # fmt: skip
#: Classes of lines and runs of words.
ROWS: Mapping[str, str] = {"skill": "p-skill", "keywords": "p-skill", "summary": "p-summary"}
_EVENT = {
    **dict.fromkeys(("employer", "organization", "institution"), "p-location h-card"),
    "event": "p-location", "title": "p-name", "degree": "p-name",
}  # fmt: skip
_CITE = {
    "title": "p-name", "authors": "p-author h-card", "inventors": "p-author h-card",
    "venue": "p-publication", "book": "p-publication",
}  # fmt: skip
#: Classes of an address, by its kind.
_CONTACTS = {"email": "u-email", "phone": "p-tel", "address": "p-adr", "birth-date": "p-bday"}


def item_classes(kind: str) -> str:
    """Return the classes of an item, with a space before them."""
    return f" {ITEMS[kind]}" if kind in ITEMS else ""


def row_classes(kind: str) -> str:
    """Return the classes of a line of a kind, with a space before them."""
    return f" {ROWS[kind]}" if kind in ROWS else ""


def piece_classes(piece: Piece, kind: str) -> str:
    """Return the classes of a text in a line: its field, its meaning, whether it is the person."""
    root = ITEMS.get(kind, "")
    fields = _EVENT if "h-event" in root else _CITE if root else {}
    own = f"f-{piece.field.replace('_', '-')}" if piece.field else ""
    return " ".join(filter(None, (own, fields.get(piece.field), "me" if piece.me else "")))


def contact_classes(contact: ContactLine) -> str:
    """Return the classes of a way to reach the person."""
    return _CONTACTS.get(contact.kind, "u-url" if contact.url else "p-note")
