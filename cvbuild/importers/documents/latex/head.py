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
from cvbuild.importers.words import dates, outline
from cvbuild.inputs.references import texts

#: Commands that name files of publications.
BIBLIOGRAPHIES = ("bibliography", "addbibresource")
_CONTACT = re.compile(r"@|https?:|www\.|\+?\(?\d[\d ()~./-]{6,}\d")


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
        link = cursor.option() if "info" in slots else None
        option_text = self.words.plain(options[0]) if options else ""
        if len(groups) == 1 and slots[:2] == ("given", "family"):
            slots = ("full",)
        if "address" in slots and re.fullmatch(r"[\w-]+(?:\.[\w-]+)+(?:/\S*)?", option_text):
            self.draft.put("contact.website", [option_text])
            option_text = ""
        filled = list(zip(slots, groups, strict=False))
        for slot in dict.fromkeys(slot for slot, _ in filled):
            same = [group for other, group in filled if other == slot]
            self._fill(slot, option_text, same, node)
        if link:
            people.put_other(self.draft, "Info", texts.plain(words.address(link)))

    def unknown(self, node: Any, cursor: Cursor) -> None:
        """Read a command that nobody knows: a name, an address or a number; others are lost."""
        cursor.star()
        cursor.option()
        groups = [inside(group) for group in cursor.groups(9)]
        shown = [self.words.plain(group) for group in groups]
        if node.macroname in BIBLIOGRAPHIES:
            self.lose("publications in a file that can be imported, too", "".join(shown), node)
        elif node.macroname.lower().endswith("name") and shown and not self.names:
            self.names["given"] = " ".join(shown)
        elif len(shown) == 1 and _CONTACT.search(shown[0]):
            self._lines(self.words.lines(groups[0]), self._place([node]))
        elif any(re.search(r"[^\W\d_]{2}|\d{3}", text) for text in shown):
            self.lose(f"unknown command \\{node.macroname}", ", ".join(filter(None, shown)), node)

    def _fill(self, slot: str, option: str, groups: list[Any], node: Any) -> None:
        """Put the arguments of a command that have one slot."""
        place, group = self._place([node]), groups[0]
        match slot:
            case "skip":
                pass
            case "full" | "given" | "family":
                self._name(slot, group, node)
            case "headline":
                self._headline(group, node)
            case "contacts":
                self._lines(self.words.lines(group), place)
            case "address" | "location":
                self._address(slot, groups, place)
            case "mobile" | "phone" | "fax":
                self._phone(slot, group, option, place)
            case "email" | "website":
                # Several may stand in one argument, with blanks between them.
                mark = r"@" if slot == "email" else r"\."
                text = words.address(group)
                parts = re.findall(r"[^;,\s]+", text)
                whole = all(re.search(mark, part) for part in parts)
                for address in parts if whole else [text.strip()]:
                    people.put_in(self.draft, f"contact.{slot}", address, place)
            case "nationality":
                people.put_in(self.draft, "contact.nationality", self.words.plain(group), place)
            case "summary":
                self.draft.put("summary", [self.words.line(group)])
            case "label":
                self.names["label"] = self.words.plain(group)
            case _:
                self._fill_further(slot, option, groups, node)

    def _fill_further(self, slot: str, option: str, groups: list[Any], node: Any) -> None:
        group = groups[0]
        match slot:
            case "info":
                for runs in self.words.lines(group):
                    people.other(self.draft, runs)
            case "other" | "gender":
                label = self.names.pop("label", "") or slot.capitalize()
                people.put_other(self.draft, label, self.words.line(group))
            case "birth":
                date = dates.normal(self.words.plain(group))
                if self.draft.data.get("contact", {}).get("birth-date", date) != date:
                    self.lose("another birth-date", date, node)
                else:
                    self.draft.put("contact.birth-date", date)
            case "photo":
                file = words.address(groups[-1])
                self.lose("photo, copy it to people/ and write photo: and its name", file, node)
            case "shown":
                # The person's name, mostly.
                shown = self.words.plain(group)
                self.lose("text of a link", "" if shown == self.full_name else shown, node)
            case "quote":
                self.lose("quote in the head", self.words.line(group), node)
            case _:
                self._account(option if slot == "account" and option else slot, groups)

    @property
    def full_name(self) -> str:
        """The name as far as it is known."""
        return f"{self.names.get('given', '')} {self.names.get('family', '')}".strip()

    def finish(self) -> None:
        """Put the name, whose parts may come from several commands, or be the title."""
        given, family = self.names.get("given", ""), self.names.get("family", "")
        full = self.full_name
        title = self.draft.data.get("headline", "")
        if _is_name(title) and (not full or vocabulary.ORGANIZATION.search(full)):
            # The title of an article is the name; its author, where the person works.
            del self.draft.data["headline"]
            self.draft.put("headline", texts.plain(full))
            full, given = title, ""
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
        if any("@" in part for part in parts):
            self._lines(lines, place)
            return
        text = ", ".join(filter(None, parts))
        if text and self.draft.data.get("contact", {}).get("address", text) != text:
            people.put_other(self.draft, slot.capitalize(), text)
        else:
            self.draft.put("contact.address", text, place)

    def _lines(self, lines: words.Lines, place: Span) -> None:
        """Put lines with addresses and numbers in them, below a label or the name perhaps."""
        first = outline.plain(lines[0]) if lines else ""
        if re.search(r"(?i)\baddress:?$", first):
            lines = lines[1:]
            if "address" in self.draft.data.get("contact", {}):
                others = [one for one in lines if not people.is_reachable([one])]
                text = ", ".join(map(outline.markdown, others))
                people.put_other(self.draft, first.strip(":").capitalize(), text)
                lines = [one for one in lines if one not in others]
        elif first and not self.names and not re.search(r"[@\d,:]", first):
            self.names["given"] = first
            lines = lines[1:]
        for line in lines:
            people.line(self.draft, line, place, is_contact=True)

    def _phone(self, slot: str, group: Any, option: str, place: Span) -> None:
        number = people.number_in(self.words.plain(group))
        label, more = "mobile" if slot == "mobile" else option, {}
        if "fax" in (label, slot):
            people.put_other(self.draft, "Fax", texts.plain(number))
            return
        if re.search(r"\d{3}", option):  # \\ecvtelephone[of a mobile]{of a phone}
            more, label = {"number": people.number_in(option), "label": "mobile"}, ""
        has_label = label and label != "fixed"
        value = {"number": number, "label": label} if has_label else number
        people.put_in(self.draft, "contact.phone", value if number else "", place)
        people.put_in(self.draft, "contact.phone", more, place)

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


def _is_name(text: str) -> bool:
    """Return whether a title is a name: two to four words with capitals, of no position."""
    parts = text.split()
    return (
        1 < len(parts) < 5
        and all(part[:1].isupper() for part in parts)
        and not (vocabulary.is_named(text) or re.search(r"[\d,:;]", text))
    )
