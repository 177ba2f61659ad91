"""The head: name, position, address, accounts, by the slots of the tables of classes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.importers import networks
from cvbuild.importers.documents import people, vocabulary
from cvbuild.importers.documents.latex import words
from cvbuild.importers.documents.latex.tree import Cursor, inside
from cvbuild.importers.documents.latex.words import Words
from cvbuild.importers.draft import Draft
from cvbuild.importers.words import outline
from cvbuild.importers.words.outline import Run
from cvbuild.inputs.references import texts

_CONTACT = re.compile(r"@|https?:|www\.|\+?\(?\d[\d ()~./-]{6,}\d")
#: Labels that lines of other documents have, by the slot.
_LABELS = {
    "mobile": "Mobile", "phone": "Phone", "email": "Email", "website": "Website",
    "nationality": "Nationality", "birth": "Date of birth",
}  # fmt: skip
#: What is told of texts that no person's file has.
_LOST = {
    "photo": "photo, copy it to people/ and write photo: and its name",
    "quote": "quote in the head",
    "shown": "text of a link",
}


class Head:
    """Puts what the commands of the head say into a draft."""

    def __init__(self, draft: Draft, read: Words, place: Callable[[list[Any]], Span]) -> None:
        self.draft = draft
        self.words = read
        self.lose = read.lose
        self._place = place
        self.names: dict[str, str] = {}

    def read(self, slots: tuple[str, ...], node: Any, cursor: Cursor) -> None:
        """Read a command with its arguments, which follow it."""
        options = []
        while (option := cursor.option()) is not None:
            options.append(option)
        groups = [inside(group) for group in cursor.groups(len(slots))]
        if len(groups) == 1 and slots[:2] == ("given", "family"):
            slots = ("full",)
        label = self.words.plain(options[0]) if options and len(slots) < 3 else ""
        filled = list(zip(slots, groups, strict=False))
        for slot in dict.fromkeys(slot for slot, _ in filled):
            same = [group for other, group in filled if other == slot]
            named = node.macroname if slot == "network" else slot
            self._fill("fax" if label == "fax" else named, label, same, node)

    def unknown(self, node: Any, cursor: Cursor) -> None:
        """Read a command that nobody knows: a name, an address or a number; others are lost."""
        cursor.star()
        cursor.option()
        groups = [inside(group) for group in cursor.groups(9)]
        shown = [self.words.plain(group) for group in groups]
        if node.macroname.lower().endswith("name") and shown and not self.names:
            self.names["given"] = " ".join(shown)
        elif len(shown) == 1 and _CONTACT.search(shown[0]):
            self._contacts(groups[0], node)
        elif any(re.search(r"[^\W\d_]{2}|\d{3}", text) for text in shown):
            self.lose(f"unknown command \\{node.macroname}", ", ".join(filter(None, shown)), node)

    def _fill(self, slot: str, option: str, groups: list[Any], node: Any) -> None:
        """Put the arguments of a command that have one slot; ``option`` may be their label."""
        place, group = self._place([node]), groups[-1]
        match slot:
            case "full" | "given" | "family":
                self._name(slot, group, node)
            case "headline":
                self._headline(group, node)
            case "contacts":
                self._contacts(group, node)
            case "address" | "location":
                self._address(slot, groups, place)
            case "info":
                for line in [one for group in groups for one in self.words.lines(group)]:
                    people.other(self.draft, line)
            case "fax" | "gender":
                people.put_other(self.draft, slot.capitalize(), self.words.line(group))
            case "summary":
                self.draft.put("summary", [self.words.line(group)])
            case _ if slot in _LABELS:
                self._reach(slot, option, group, place)
            case _ if slot in _LOST:
                text = words.address(group) if slot == "photo" else self.words.line(group)
                self.lose(_LOST[slot], "" if text == self.full_name else text, node)
            case _ if slot != "skip":
                self._account(option if slot == "account" and option else slot, groups)

    def _contacts(self, group: list[Any], node: Any) -> None:
        """Put lines with addresses and numbers in them."""
        for line in self.words.lines(group):
            if not re.search(r"(?i)\baddress:?$", outline.plain(line)):
                people.line(self.draft, line, self._place([node]), is_contact=True)

    def _reach(self, slot: str, option: str, group: list[Any], place: Span) -> None:
        """Put a number or an address as a line with its label."""
        is_address = slot in ("email", "website")
        text = words.address(group) if is_address else self.words.plain(group)
        label = option if slot == "phone" and option not in ("", "fixed") else _LABELS[slot]
        parts = re.findall(r"[^;,\s]+", text) if text.count("@") > 1 else [text]
        said = [(label, part) for part in parts if part]
        if re.search(r"\d{3}", option):
            # \ecvtelephone[of a mobile]{of a phone}
            said = [(_LABELS[slot], text), ("Mobile", option)]
        for label, part in said:
            people.line(self.draft, [Run(f"{label}: {part}")], place, is_contact=True)

    @property
    def full_name(self) -> str:
        """The name as far as it is known."""
        return f"{self.names.get('given', '')} {self.names.get('family', '')}".strip()

    def finish(self) -> None:
        """Put the name, whose parts may come from several commands, or be the title."""
        given, family = self.names.get("given", ""), self.names.get("family", "")
        full = self.full_name
        title = self.draft.data.get("headline", "")
        is_none = not full or vocabulary.ORGANIZATION.search(full)
        if is_none and title and not vocabulary.is_named(title):
            # The title of an article is the name; its author, where the person works.
            full, self.draft.data["headline"] = title, full
        self.draft.put("name", {"given": given, "family": family} if given and family else full)

    def _name(self, slot: str, group: list[Any], node: Any) -> None:
        first, *more = self.words.lines(group) or [[]]
        name = outline.plain(first)
        is_title = people.is_document_title(name)
        if is_title or (slot != "family" and more and len(name.split()) == 1 and name.isupper()):
            name = " ".join([*([] if is_title else [name]), *map(outline.plain, more[:1])])
            more = more[1:]
        key = "given" if slot == "full" else slot
        if name and self.names.setdefault(key, name) != name:
            self.lose("another name", name, node)
        for line in more:
            people.line(self.draft, line, self._place([node]))

    def _headline(self, group: Any, node: Any) -> None:
        lines = self.words.lines(group)
        kept = [one for one in lines if not people.is_document_title(outline.plain(one))]
        text = outline.markdown(outline.as_one(kept))
        if text and self.draft.data.get("headline", text) != text:
            self.lose("another headline", text, node)
        else:
            self.draft.put("headline", text)

    def _address(self, slot: str, groups: list[Any], place: Span) -> None:
        lines = [one for group in groups for one in self.words.lines(group)]
        parts = [texts.plain(outline.plain(one)).strip(" ,") for one in lines]
        text = ", ".join(filter(None, parts))
        if text and self.draft.data.get("contact", {}).get("address", text) != text:
            people.put_other(self.draft, slot.capitalize(), text)
        else:
            self.draft.put("contact.address", text, place)

    def _account(self, network: str, groups: list[Any]) -> None:
        user = "/".join(filter(None, map(words.address, groups)))
        user = re.sub(r"^/?in/(?=[^/]+/?$)", "", user)
        network = network.lower().replace("xtwitter", "x")
        if not user:
            return
        is_page = "://" in user or ("/" in user and "." in user.partition("/")[0])
        url = user if "://" in user else f"https://{user}"
        if network in ("homepage", "website", "account", ""):
            self.draft.put("contact.website", [user])
        elif networks.key_of(network):
            networks.put(self.draft, network, "" if is_page else user, url if is_page else "")
        else:
            people.put_other(self.draft, network.capitalize(), texts.plain(user))
