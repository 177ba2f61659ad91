"""What the arguments of commands are, as the tables of classes say: the head, parts of sections."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.importers import networks
from cvbuild.importers.documents import people, vocabulary
from cvbuild.importers.documents.latex.tree import Cursor, inside
from cvbuild.importers.documents.latex.words import Lines, Words, address
from cvbuild.importers.draft import Draft
from cvbuild.importers.words import dates, outline
from cvbuild.importers.words.outline import Entry, Keyed, Point, Run
from cvbuild.inputs.references import texts

#: Arguments and their nodes.
Slots = list[tuple[str, list[Any]]]
#: Returns the lines of an argument, and the points below them.
Describe = Callable[[list[Any]], tuple[Lines, list[Point]]]

#: The last argument of moderncv's entries is for a grade; many write a country there.
_GRADE = re.compile(r"(?i)\d|\b(?:distinction|merit|pass|laude|mention|honou?rs|good|bien)")
#: Marks before or after an argument, which part it from others.
_MARKS = " |,;·•–—"
#: What parts the cells of a line: tabs, bars, dots.
_CELLS = re.compile(r"\s*(?:\t+|\||(?<=\s)[·•│](?=\s)|\s{4,})\s*")
#: Skills of a language, as Europass has them.
_ABILITIES = ("listening", "reading", "interaction", "production", "writing")
#: A town and its region behind a name.
_TOWN = re.compile(r",\s+([^,]+, ([^,]+))$")
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
        label = self.words.plain(cursor.option() or []) if len(slots) < 3 else ""
        while cursor.option() is not None:
            pass
        groups = [inside(group) for group in cursor.groups(len(slots))]
        if len(groups) == 1 and slots[:2] == ("given", "family"):
            slots = ("full",)
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
                text = address(group) if slot == "photo" else self.words.line(group)
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
        text = address(group) if is_address else self.words.plain(group)
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
        if people.is_document_title(name):
            name, more = " ".join(map(outline.plain, more[:1])), more[1:]
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
        user = "/".join(filter(None, map(address, groups)))
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


# -- parts of sections -----------------------------------------------------------------------------


def entry(words: Words, slots: Slots, place: Span, describe: Describe) -> Entry:
    """Return the entry that arguments are."""
    new = Entry([], place, is_sorted=False)
    fill(new, words, _in_rows(slots, words), describe)
    return new


def _in_rows(slots: Slots, words: Words) -> Slots:
    """Return the slots of an entry of two rows: that with the date has the title, and is first."""
    if not slots or slots[0][0] != "left":
        return slots
    rows = [slots[at : at + 2] for at in range(0, len(slots), 2)]
    rows.sort(key=lambda row: not dates.ends_in(words.plain(row[-1][1]))[1])
    return [
        (name, row[at][1]) for at, name in enumerate(("text", "right")) for row in rows if row[at:]
    ]


def fill(new: Entry, words: Words, slots: Slots, describe: Describe) -> None:
    """Put arguments into an entry, which may have others already."""
    names = {"title": "", "organization": ""}
    for slot, nodes in slots:
        lines = words.lines(nodes)
        text = words.line(nodes).strip(_MARKS)
        if not text or slot == "skip":
            continue
        if slot == "body":
            _describe(new, *describe(nodes))
        elif slot in ("text", "right"):
            _take(new, lines, is_right=slot == "right")
        elif slot in names:
            names[slot] = text
        elif slot == "date" and not new.date:
            _date(new, [outline.plain(line).strip(_MARKS) for line in lines])
        elif slot == "grade" and _GRADE.search(text):
            new.grade = text
        elif slot in ("location", "grade") and vocabulary.is_town(text):
            new.location = ", ".join(filter(None, (new.location, text)))
        elif slot == "location" and not new.location:
            new.location = text
        else:
            new.paragraphs.append(text)
    _name(new, names)


def _describe(new: Entry, lines: Lines, points: list[Point]) -> None:
    """Add a description; its first line in italics may be the position."""
    texts = [outline.markdown(line) for line in lines]
    is_styled = bool(lines) and all(run.styles for run in lines[0] if run.text.strip())
    if len(new.texts) == 1 and is_styled and vocabulary.POSITION.search(texts[0]):
        new.texts.append(texts.pop(0))
    new.paragraphs += texts
    new.points += points


def _take(new: Entry, lines: Lines, *, is_right: bool) -> None:
    """Put the names of an argument, its date and its town into an entry."""
    for runs in _cells(lines):
        styles, urls = {run.styles for run in runs}, {run.url for run in runs}
        is_link = len(urls) == 1 and not new.url
        new.url = urls.pop() if is_link else new.url
        cell = [replace(run, url="") for run in runs] if is_link else runs
        text, name = outline.plain(cell).strip(_MARKS), outline.markdown(cell).strip(_MARKS)
        town = _TOWN.search(text)
        is_town = vocabulary.is_town if is_right else vocabulary.is_place
        if not new.date and dates.is_date(dates.unbracketed(text)):
            new.date = dates.unbracketed(text)
        elif not new.location and styles == {frozenset()} and is_town(text):
            new.location = text
        elif not new.location and town and vocabulary.is_region(town[2]):
            new.location = town[1]
            new.texts.append(name.removesuffix(town[0]))
        elif text:
            new.texts.append(name)


def _cells(lines: Lines) -> Iterator[list[Run]]:
    """Yield the cells of lines; what is bold or slanted at the beginning of one is apart."""
    for cell in [cell for line in lines for cell in outline.parts(line, _CELLS)]:
        first, *rest = [run for run in cell if run.text.strip()] or [Run("")]
        if first.styles and rest and rest[0].text.lstrip()[:1] in tuple(",;:–—-"):
            yield [first]
            yield rest
        else:
            yield [first, *rest]


def _date(new: Entry, lines: list[str]) -> None:
    """Set the date; what is below it, and no part of it, is a text."""
    new.date = (" – " if all(map(dates.is_date, lines)) else " ").join(lines)
    if dates.is_date(lines[0]) and not dates.is_date(new.date):
        new.date = lines[0]
        new.paragraphs += lines[1:]


def _name(new: Entry, names: dict[str, str]) -> None:
    """Set title and organization, which a command tells apart."""
    if not any(names.values()):
        return
    known = [*new.texts]
    if not new.is_sorted and known:
        # What was known is the other of them.
        first = known.pop(0)
        known[:0] = ["", first] if names["title"] else [first, ""]
    title, organization, *rest = [*known, "", ""]
    new.texts = [names["title"] or title, names["organization"] or organization]
    new.texts += [text for text in rest if text]
    new.is_sorted = True


def keyed(words: Words, slots: Slots, place: Span, describe: Describe) -> list[Keyed]:
    """Return the labels of arguments, with their texts and levels; two may stand beside each other.

    Levels of several abilities say of which, unless all are the same.
    """
    listed: list[Keyed] = []
    levels: dict[str, str] = {}
    for slot, nodes in slots:
        text = words.line(nodes)
        if slot in ("label", "mother"):
            said = "mother tongue" if slot == "mother" else ""
            listed.append(Keyed(text.rstrip(":"), said, place))
        elif slot == "text":
            listed = listed or [Keyed("", "", place)]
            lines, listed[-1].points = describe(nodes)
            listed[-1].text = " ".join(map(outline.markdown, lines))
        elif text:
            is_bar = slot == "level" and text in ("1", "2", "3", "4", "5")
            levels[slot] = f"{text}/5" if is_bar else text
    same = set(levels.values())
    if listed:
        texts = [
            f"{text} ({slot})" if slot in _ABILITIES else text for slot, text in levels.items()
        ]
        listed[-1].comment = ", ".join(same if len(same) == 1 else texts)
    return [one for one in listed if one.label or one.text]
