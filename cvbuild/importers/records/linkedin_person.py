"""The rows of LinkedIn's data about the person: the profile, addresses, phone numbers."""

from __future__ import annotations

import html
import re
from typing import Any

from cvbuild.importers import networks
from cvbuild.importers.draft import Draft
from cvbuild.importers.records.linkedin_tables import Row
from cvbuild.importers.words import descriptions, foreign_dates
from cvbuild.inputs.references import texts

#: [PORTFOLIO:https://example.org],[BLOG:https://…]; or plain addresses.
_TYPED = re.compile(
    r"\[?(?:([A-Z][A-Z_ ]*):)?((?:[a-z]+:|www\.)[^\]\s,]+|[^\],\s:]+\.[^\],\s]+)\]?"
)

#: Characters of a cell with addresses; LinkedIn allows three of them.
_LONGEST = 2_000


class PersonRows:
    """Puts rows about the person as a whole into a draft, and lists the cells that have no key."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.summary = ""

    def describe(self, item: dict[str, Any], kind: str, row: Row, column: str) -> None:
        """Put the text of a column, with its paragraphs and bullets, into an item."""
        self.lost(row, column, descriptions.describe(item, kind, row.take(column)), item)

    def lost(self, row: Row, column: str, values: list[str], near: object) -> None:
        """List what has no place of a column."""
        for value in values:
            self.draft.lose(f"{row.name} {column}", value, row.place, near)

    def add(self, kind: str, item: Any, row: Row, title: str | None = None) -> None:
        """Add an item, and list the cells that nothing was made of."""
        made = self.draft.add(kind, item, row.place, title)
        self.rest(row, made if isinstance(made, dict) else None)

    def rest(self, row: Row, near: object) -> None:
        """List the cells that nothing was made of."""
        for column, value in row.rest.items():
            self.draft.lose(f"{row.name} {column.title()}", value, row.place, near)

    def profile(self, row: Row) -> None:
        """Put the name, the headline and how to reach the person."""
        put, place = self.draft.put, row.place
        name: dict[str, Any] = {
            "given": words(row, "First Name"),
            "family": words(row, "Last Name"),
        }
        if maiden := words(row, "Maiden Name"):
            name["others"] = [{"label": "Name at birth", "name": maiden}]
        put("name", {key: value for key, value in name.items() if value}, place)
        put("headline", line(row, "Headline"), place)
        self.about(row, "Summary")
        town, code = line(row, "Address") or line(row, "Geo Location"), line(row, "Zip Code")
        put("contact.address", f"{town}, {code}" if town and code not in town else town, place)
        if code and not town:
            self.draft.lose(f"{row.name} Zip Code", code, place)
        put("contact.birth-date", foreign_dates.read(row.take("Birth Date")), place)
        for handle in re.split(r"[,\s]+", row.take("Twitter Handles").strip("[]")):
            user = handle.strip("[]@")
            if re.fullmatch(r"\w{1,30}", user):
                put("contact.profiles.x", [user], place)
            else:
                self.draft.lose(f"{row.name} Twitter Handles", user, place)
        self.websites(row)
        for messenger in re.split(r"[,\s]+", row.take("Instant Messengers")):
            kind, _, user = messenger.strip("[]").rpartition(":")
            if user:
                networks.put(self.draft, kind.capitalize() or "Messenger", user, "", place)
        self.rest(row, None)

    def websites(self, row: Row) -> None:
        """Put addresses: accounts, own pages, and others with the label that LinkedIn has."""
        cell, rest = (whole := row.take("Websites"))[:_LONGEST], whole[_LONGEST:]
        self.draft.lose(f"{row.name} Websites", rest, row.place)
        for found in _TYPED.finditer(cell):
            label, url = (found[1] or "").replace("_", " ").capitalize(), found[2]
            if not texts.address(url):
                self.draft.lose(f"{row.name} Websites {label}", url, row.place)
            elif networks.account(url=url):
                networks.put(self.draft, url=url, place=row.place)
            elif label in ("", "Personal"):
                self.draft.put("contact.website", [url], row.place)
            else:
                self.draft.put("contact.links", [{label: url}], row.place)
        left = _TYPED.sub("", cell).strip("[], ")
        self.draft.lose(f"{row.name} Websites", left, row.place)

    def about(self, row: Row, column: str) -> None:
        """Put the summary; both files that may have it say the same."""
        text = row.take(column)
        if text and text != self.summary:
            found = descriptions.read(text)
            self.summary = self.summary or text
            self.draft.put("summary", found.paragraphs, row.place)
            self.lost(row, column, found.lost, None)

    def profile_summary(self, row: Row) -> None:
        """Put the summary from its own file."""
        self.about(row, "Profile Summary")
        self.rest(row, None)

    def email(self, row: Row) -> None:
        """Put an address; the primary one comes first."""
        address = row.take("Email Address")
        is_first = row.take("Primary").casefold() == "yes"
        self.draft.put("contact.email", [address] if address else [], row.place)
        listed: list[Any] = self.draft.data.get("contact", {}).get("email", [])
        if is_first and address in listed:
            listed.insert(0, listed.pop(listed.index(address)))
        # These say nothing of the person.
        for column in ("Confirmed", "Updated On"):
            row.take(column)
        self.rest(row, None)

    def phone(self, row: Row) -> None:
        """Put a phone number with its type."""
        number, extension = row.take("Number"), row.take("Extension")
        whole = f"{number} ext. {extension}" if extension else number
        if number:
            label = words(row, "Type").casefold()
            one: Any = {"number": whole, "label": label} if label else whole
            self.draft.put("contact.phone", [one], row.place)
        self.rest(row, None)


def words(row: Row, column: str) -> str:
    """Return a cell as a text without Markdown."""
    return texts.line(html.unescape(row.take(column)))


def line(row: Row, column: str) -> str:
    """Return a cell as Markdown on one line."""
    return descriptions.inline(row.take(column))
