"""``--format vcf``: the head of a document as a vCard 4.0 (RFC 6350), for address books."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator

from cvbuild.model.contact import Contact
from cvbuild.outputs.checks import view_texts
from cvbuild.outputs.types import Made, Shown
from cvbuild.selection.selected import date_of
from cvbuild.view.types import ContactLine

# -- lines: escaped and folded in this one place ---------------------------------------------------

#: The most bytes of a line, without its end.
_LONGEST = 75
_SAFE = re.compile(r"[A-Za-z0-9-]+")


def text(value: str) -> str:
    """Return a text as a value."""
    plain = value.replace("\r\n", "\n").replace("\r", "\n")
    for character in "\\,;":
        plain = plain.replace(character, f"\\{character}")
    return plain.replace("\n", "\\n")


def line(name: str, value: str, **parameters: str) -> str:
    """Return a line, folded; ``value`` is escaped already."""
    pairs = ((key.upper().replace("_", "-"), text) for key, text in parameters.items() if text)
    return folded(f"{name}{''.join(f';{key}={_parameter(text)}' for key, text in pairs)}:{value}")


def _parameter(value: str) -> str:
    if _SAFE.fullmatch(value):
        return value
    # RFC 6868, as a quoted value has no other escapes.
    plain = value.replace("^", "^^").replace("\n", "^n").replace('"', "^'")
    return f'"{plain}"'


def folded(whole: str) -> str:
    """Return a line in parts of at most 75 bytes, none of which ends inside a character."""
    parts, size = [""], 0
    for character in whole:
        length = len(character.encode())
        if size + length > _LONGEST:
            parts.append(" ")
            size = 1
        parts[-1] += character
        size += length
    return "".join(f"{part}\r\n" for part in parts)


def unfolded(card: str) -> str:
    """Return the values of a card as a reader sees them."""
    whole = card.replace("\r\n ", "").replace("\r\n", "\n")
    escapes = {"n": "\n", "N": "\n"}
    return re.sub(r"\\(.)", lambda found: escapes.get(found[1], found[1]), whole)


# -- what a card says ------------------------------------------------------------------------------

#: What a label of an address or a number says in a vCard.
_TYPES = {
    "work": "work", "office": "work", "personal": "home", "private": "home", "home": "home",
    "mobile": "cell", "cell": "cell", "fax": "fax",
}  # fmt: skip


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
    items = [item for path, item in selected.items("experience") if path not in selected.left_out]
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


#: Fields that have a form of their own there: dates, and the labels that become types.
_OTHERWISE = ("birth-date", "label")


class Format:
    """A vCard."""

    name = "vcf"
    suffix = ".vcf"

    def make(self, shown: Shown) -> Made:
        """Return the card; raise DocumentError if a text is missing."""
        content = card(shown).encode()
        head = view_texts.walk(shown.view.header)
        networks = {line.network for line in shown.view.header.contacts}
        expected = [
            one
            for one in head
            if one not in networks and {*_OTHERWISE}.isdisjoint(map(str, one.path))
        ]
        text, source = self.text_of(content), shown.task.source
        return Made(content, view_texts.require(text, expected, source, ordered=False))

    def text_of(self, content: bytes) -> str:
        """Return the values of the card, as a reader sees them."""
        return unfolded(content.decode())
