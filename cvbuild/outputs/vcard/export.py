"""A view as a vCard: names, the newest position, and every way to reach the person."""

from __future__ import annotations

import base64
from collections.abc import Iterator

from cvbuild.model.contact import Contact
from cvbuild.outputs.types import Shown
from cvbuild.outputs.vcard.lines import line, text
from cvbuild.selection.selected import date_of
from cvbuild.view.types import ContactLine

#: What a label of an address or a number says in a vCard.
_TYPES = {
    "work": "work",
    "office": "work",
    "personal": "home",
    "private": "home",
    "home": "home",
    "mobile": "cell",
    "cell": "cell",
    "fax": "fax",
}
#: Kinds of contacts with a property of their own; all others but these are accounts.
_PLAIN = ("nationality", "other")


def card(shown: Shown) -> str:
    """Return the card, with CRLF after each line; raises ProfileError for a bad photo."""
    return "".join(_lines(shown))


def _lines(shown: Shown) -> Iterator[str]:
    head, profile = shown.view.header, shown.profile
    name = profile.name
    yield line("BEGIN", "VCARD")
    yield line("VERSION", "4.0")
    yield line("KIND", "individual")
    yield line("FN", text(str(head.name)))
    if head.native:
        yield line("FN", text(str(head.native)))
    if name.given and name.family:
        yield line("N", f"{text(name.family)};{text(name.given)};;;")
    for other in head.others:
        yield line("NICKNAME", text(str(other.name)))
        yield line("NOTE", text(f"{other.label}: {other.name}"))
    yield from _position(shown)
    if head.headline:
        yield line("NOTE", text(str(head.headline)))
    for number, contact in enumerate(head.contacts, 1):
        yield from _contact(contact, f"item{number}", profile.contact)
    if shown.photo:
        yield line("PHOTO", f"data:image/jpeg;base64,{base64.b64encode(shown.photo).decode()}")
    yield line("LANG", shown.view.language)
    if profile.updated:
        yield line("REV", f"{profile.updated:%Y%m%d}T000000Z")
    yield line("END", "VCARD")


def _position(shown: Shown) -> Iterator[str]:
    """Yield what the person is and where: the newest position that the document shows."""
    selected = shown.selected
    items = [
        item
        for section in selected.sections
        if section.kind == "experience"
        for group in section.groups
        for path, item in group.items
        if path not in selected.left_out
    ]
    dated = [(date.sort_key, item) for item in items if (date := date_of(item)) and date.sort_key]
    newest = max(dated, key=lambda pair: pair[0], default=(None, items[0] if items else None))[1]
    if newest is None:
        return
    roles = [role for role in newest.roles if role.date and role.date.sort_key]
    latest = max(roles, key=lambda role: role.date.sort_key, default=None)
    title = newest.title or (latest.title if latest else None)
    if title:
        yield line("TITLE", text(str(title)))
    if newest.employer:
        parts = filter(None, (newest.employer, newest.department))
        yield line("ORG", ";".join(text(str(part)) for part in parts))


def _contact(one: ContactLine, group: str, contact: Contact) -> Iterator[str]:
    """Yield a way to reach the person, and its label if that is no word of vCards."""
    shown, url = text(str(one.text)), one.url.url if one.url else ""
    label = str(one.label) if one.label else ""
    kind = _TYPES.get(label.casefold(), "")
    named = f"{group}." if label and not kind else ""
    match one.kind:
        case "email":
            yield line(f"{named}EMAIL", shown, type=kind)
        case "phone":
            yield line(f"{named}TEL", shown, type=kind)
        case "address":
            yield line("ADR", f";;{shown};;;;")
        case "birth-date":
            yield from _born(contact)
        case "nationality" | "other":
            yield line("NOTE", text(f"{label}: {one.text}"))
        case "website" | "link":
            yield line(f"{named}URL", url)
        case _:
            user = "" if str(one.text) in url else str(one.text)
            yield line("X-SOCIALPROFILE", url, type=str(one.kind), x_user=user)
    if named and one.kind not in ("birth-date", "nationality", "other"):
        yield line(f"{group}.X-ABLabel", text(label))


def _born(contact: Contact) -> Iterator[str]:
    born = contact.birth_date
    if born and born.start and not born.start.season:
        point = born.start
        digits = f"{point.year:04}"
        if point.month:
            digits += f"{point.month:02}{point.day:02}" if point.day else f"-{point.month:02}"
        yield line("BDAY", digits)
