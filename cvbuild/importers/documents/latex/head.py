"""The head: name, position, address, accounts, by the slots of the tables of classes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.importers import networks
from cvbuild.importers.documents import dates, people, vocabulary
from cvbuild.importers.documents.latex import words
from cvbuild.importers.documents.latex.tree import Cursor, inside
from cvbuild.importers.documents.latex.words import Words
from cvbuild.importers.draft import Draft
from cvbuild.importers.words import outline
from cvbuild.importers.words.outline import Run
from cvbuild.inputs.references import texts

#: Beginnings of addresses of sites that NETWORKS doesn't know.
_OTHER_SITES = {
    "keybase": "https://keybase.io/", "hackerrank": "https://www.hackerrank.com/profile/",
}  # fmt: skip
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

    def read(self, name: str, slots: tuple[str, ...], node: Any, cursor: Cursor) -> None:
        """Read a command with its arguments, which follow it."""
        options = []
        while (option := cursor.option()) is not None:
            options.append(option)
        groups = [inside(group) for group in cursor.groups(len(slots))]
        link = cursor.option() if name == "printinfo" else None
        option_text = self.words.plain(options[0]) if options else ""
        if len(groups) == 1 and slots[:2] == ("given", "family"):
            slots = ("full",)
        if "address" in slots and re.fullmatch(r"[\w-]+(?:\.[\w-]+)+(?:/\S*)?", option_text):
            self.draft.put("contact.website", [option_text])
            option_text = ""
        filled = list(zip(slots, groups, strict=False))
        for slot in dict.fromkeys(slot for slot, _ in filled):
            same = [group for other, group in filled if other == slot]
            self.put(name, slot, (option_text, same), node)
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
            self.lines(self.words.lines(groups[0]), self._place([node]))
        elif any(re.search(r"[^\W\d_]{2}|\d{3}", text) for text in shown):
            self.lose(f"unknown command \\{node.macroname}", ", ".join(filter(None, shown)), node)

    def put(self, name: str, slot: str, what: tuple[str, list[Any]], node: Any) -> None:
        """Put the arguments of a command that have one slot; ``what`` has its option, too."""
        option, groups = what
        place = self._place([node])
        match slot:
            case "skip":
                pass
            case "full" | "given" | "family":
                self._name(slot, groups[0], node)
            case "headline":
                self._headline(name, groups[0], node)
            case "address" | "location":
                self._address(slot, groups, place)
            case "mobile" | "phone" | "fax":
                self._phone(slot, groups[0], option, place)
            case "email" | "website":
                # Several may stand in one argument, with blanks between them.
                mark = r"@" if slot == "email" else r"\."
                text = words.address(groups[0])
                parts = re.findall(r"[^;,\s]+", text)
                whole = all(re.search(mark, part) for part in parts)
                for address in parts if whole else [text.strip()]:
                    people.put_in(self.draft, f"contact.{slot}", address, place)
            case "contacts":
                self._contacts(self.words.lines(groups[0]), place)
            case _:
                self._put_further(slot, what, node)

    def _put_further(self, slot: str, what: tuple[str, list[Any]], node: Any) -> None:
        option, groups = what
        place = self._place([node])
        match slot:
            case "info":
                for runs in self.words.lines(groups[0]):
                    people.other(self.draft, runs)
            case "label":
                self.names["label"] = self.words.plain(groups[0])
            case "other" | "gender":
                label = self.names.pop("label", "") or slot.capitalize()
                people.put_other(self.draft, label, self.words.line(groups[0]))
            case "birth":
                self._put("contact.birth-date", dates.normal(self.words.plain(groups[0])), node)
            case "nationality":
                people.put_in(self.draft, "contact.nationality", self.words.plain(groups[0]), place)
            case "summary":
                self.draft.put("summary", [self.words.line(groups[0])])
            case "photo":
                file = words.address(groups[-1])
                self.lose("photo, copy it to people/ and write photo: and its name", file, node)
            case "shown":
                # The person's name, mostly.
                shown = self.words.plain(groups[0])
                self.lose("text of a link", "" if shown == self.full_name else shown, node)
            case "quote":
                self.lose("quote in the head", self.words.line(groups[0]), node)
            case _:
                self._account(option if slot == "account" and option else slot, groups)

    def contact(self, runs: list[Run], place: Span) -> list[str]:
        """Put a line of contact data; return what is none: parts of the address."""
        rest: list[str] = []
        cells = people.with_labels(outline.parts(runs, re.compile(r"\s*[|·•]\s*|\t")))
        for cell in cells:
            text = outline.plain(cell)
            if not text:
                continue
            is_sentence = text.endswith(".") and len(text.split()) > 5
            if _CONTACT.search(text) or any(run.url for run in cell) or ":" in text or is_sentence:
                people.line(self.draft, cell, place)
            elif not people.is_document_title(text):
                rest.append(outline.markdown(cell))
        return rest

    def lines(self, lines: words.Lines, place: Span) -> None:
        """Put lines below a heading such as "Contact"; what is no contact data is the address."""
        rest = [one for line in lines for one in self.contact(line, place)]
        contact = self.draft.data.setdefault("contact", {})
        known = [contact["address"]] if rest and "address" in contact else []
        if rest:
            contact["address"] = ", ".join([*known, *rest])

    def before_sections(self, lines: words.Lines, place: Span) -> None:
        """Put lines between the head's commands and the first section."""
        for cell in (cell for line in lines for cell in outline.parts(line, re.compile(r"\t+"))):
            text = outline.plain(cell)
            if not text or text == self.full_name or people.is_document_title(text):
                continue
            is_name = not re.search(r"[@\d:]", text) and 1 < len(text.split()) < 6
            is_address = "headline" in self.draft.data and vocabulary.is_town(text)
            if not self.names and is_name:
                self.names["given"] = text
            elif re.search(r"\d", text) or any(run.url for run in cell) or is_address:
                self.lines(_apart(cell), place)
            else:
                people.line(self.draft, cell, place)

    @property
    def full_name(self) -> str:
        """The name as far as it is known."""
        return f"{self.names.get('given', '')} {self.names.get('family', '')}".strip()

    def finish(self) -> None:
        """Put the name, whose parts may come from several commands, or be the title."""
        given, family = self.names.get("given", ""), self.names.get("family", "")
        full = self.full_name
        title = self.names.get("title", "")
        if _is_name(title) and (not full or vocabulary.ORGANIZATION.search(full)):
            # The title of an article is the name; its author, where the person works.
            if self.draft.data.get("headline") == title:
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

    def _headline(self, name: str, group: Any, node: Any) -> None:
        lines = [
            line
            for line in self.words.lines(group)
            if not people.is_document_title(outline.plain(line))
        ]
        if not lines:
            return
        if name == "title":
            self.names.setdefault("title", outline.plain(lines[0]))
        self._put("headline", outline.markdown(outline.as_one(lines)), node)

    def _contacts(self, lines: words.Lines, place: Span) -> None:
        """Put the lines of an address with numbers in it; a heading in capitals is its label."""
        label = "Address"
        rest: list[str] = []
        for at, line in enumerate(lines):
            text = outline.plain(line)
            if at == 0 and re.search(r"(?i)\baddress$", text):
                label = text.capitalize()
            elif at == 0 and not self.names and not re.search(r"[@\d,:]", text):
                self.names["given"] = text
            else:
                rest += self.contact(line, place)
        self._add_address(", ".join(rest), place, label)

    def _address(self, slot: str, groups: list[Any], place: Span) -> None:
        lines = [one for group in groups for one in self.words.lines(group)]
        is_mixed = any("@" in outline.plain(line) for line in lines)
        parts = [texts.plain("".join(run.text for run in one)) for one in lines]
        if is_mixed:
            self._contacts(lines, place)
        else:
            text = ", ".join(part.strip(" ,") for part in parts if part.strip(" ,"))
            self._add_address(text, place, slot.capitalize())

    def _add_address(self, text: str, place: Span, label: str) -> None:
        contact = self.draft.data.get("contact", {})
        if text and contact.get("address", text) != text:
            people.put_other(self.draft, label, text)
        else:
            self.draft.put("contact.address", text.strip(" ,"), place)

    def _phone(self, slot: str, group: Any, option: str, place: Span) -> None:
        number = people.number_in(self.words.plain(group))
        label, more = "mobile" if slot == "mobile" else option, {}
        if "fax" in (label, slot):
            people.put_other(self.draft, "Fax", texts.plain(number))
            return
        if re.search(r"\d{3}", option):  # \\ecvtelephone[of a mobile]{of a phone}
            more, label = {"number": people.number_in(option), "label": "mobile"}, ""
        has_label = label and label not in ("fixed", "mobile")
        value = {"number": number, "label": label} if has_label or label == "mobile" else number
        people.put_in(self.draft, "contact.phone", value if number else "", place)
        if more:
            people.put_in(self.draft, "contact.phone", more, place)

    def _account(self, network: str, groups: list[Any]) -> None:
        user = "/".join(filter(None, map(words.address, groups)))
        user = re.sub(r"^/?in/(?=[^/]+/?$)", "", user)
        network = {"stackoverflow": "stack-overflow", "googlescholar": "google-scholar",
                   "xtwitter": "x"}.get(network.lower(), network.lower())  # fmt: skip
        if network == "mastodon" and "/@" in user:
            server, _, user = user.removeprefix("https://").partition("/@")
            user = f"@{user}@{server}"
        if not user:
            return
        is_page = "://" in user or ("/" in user and "." in user.partition("/")[0])
        url = user if "://" in user else f"https://{user}"
        if network in ("homepage", "website", "account", ""):
            self.draft.put("contact.website", [user])
        elif networks.key_of(network):
            networks.put(self.draft, network, "" if is_page else user, url if is_page else "")
        elif network in _OTHER_SITES:
            networks.put(self.draft, network.capitalize(), "", _OTHER_SITES[network] + user)
        else:
            people.put_other(self.draft, network.capitalize(), texts.plain(user))

    def _put(self, path: str, value: str, node: Any) -> None:
        *above, key = path.split(".")
        here: Any = self.draft.data
        for step in above:
            here = here.get(step, {})
        if key in here and value and here[key] != value:
            self.lose(f"another {key}", value, node)
        else:
            self.draft.put(path, value)


def _is_name(text: str) -> bool:
    """Return whether a title is a name: two to four words with capitals, of no position."""
    parts = text.split()
    return (
        1 < len(parts) < 5
        and all(part[:1].isupper() for part in parts)
        and not (vocabulary.is_named(text) or re.search(r"[\d,:;]", text))
    )


def _apart(line: list[Run]) -> words.Lines:
    """Return the links of a line apart from a number between them."""
    outside = "".join(" " if run.url else run.text for run in line)
    if not any(run.url for run in line) or not re.search(r"\d[\d ()./-]{6,}", outside):
        return [line]
    found: words.Lines = [[]]
    for run in line:
        if found[-1] and run.url != found[-1][-1].url:
            found.append([])
        found[-1].append(run)
    return [cell for cell in found if re.search(r"\w", outline.plain(cell))]
