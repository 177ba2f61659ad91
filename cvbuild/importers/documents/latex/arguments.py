"""What the arguments of commands are, as the tables of classes say: the head, parts of sections."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.importers import networks, outline
from cvbuild.importers.documents import people, vocabulary
from cvbuild.importers.documents.latex import tables
from cvbuild.importers.documents.latex.nodes import Cursor, Lines, Words, address, kind
from cvbuild.importers.draft import Draft
from cvbuild.importers.outline import Block, Entry, Keyed, Point, Run
from cvbuild.model.text import texts

#: Arguments and their nodes.
Slots = list[tuple[str, list[Any]]]
#: Returns the lines of an argument, and the points below them.
Describe = Callable[[list[Any]], tuple[Lines, list[Point]]]

#: The last argument of moderncv's entries is for a grade; many write a country there.
_GRADE = re.compile(r"(?i)\d|\b(?:distinction|merit|pass|laude|mention|honou?rs|good|bien)")
#: Characters of an argument that is a name.
_LONG = 90
#: What the arguments of an entry's command are, as cells are labelled; ? is any of them.
_CELLS = {"title": "T", "organization": "O", "location": "P", "date": "D", "end": "D"}
_CELLS |= {"grade": "P", "text": "?", "right": "?"}
#: Marks before or after an argument, which part it from others.
_MARKS = " |,;·•–—"
#: Skills of a language, as Europass has them.
_ABILITIES = ("listening", "reading", "interaction", "production", "writing")
_CONTACT = re.compile(r"@|https?:|www\.|\+?\(?\d[\d ()~./-]{6,}\d")
#: Labels that lines of other documents have, and what is told of texts that no file has.
_REACHED = ("mobile", "phone", "email", "website", "nationality", "fax", "gender")
_LABELS = {slot: slot.capitalize() for slot in _REACHED} | {"birth": "Date of birth"}
_LOST = tables.TABLES["lost"]


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
        groups = cursor.groups(len(slots))
        filled = list(zip(slots, groups, strict=False))
        for slot in dict.fromkeys(slot for slot, _ in filled):
            same = [group for other, group in filled if other == slot]
            named = node.macroname if slot == "network" else slot
            self._fill("fax" if label == "fax" else named, label, same, node)

    def unknown(self, node: Any, cursor: Cursor) -> None:
        """Read a command that nobody knows: a name, an address or a number; others are lost."""
        cursor.option()
        groups = cursor.groups(9)
        shown = [self.words.plain(group) for group in groups]
        if node.macroname.lower().endswith("name") and shown and not self.names:
            self.names["given"] = " ".join(shown)
        elif len(shown) == 1 and _CONTACT.search(shown[0]):
            self._fill("contacts", "", groups, node)
        elif any(re.search(r"[^\W\d_]{2}|\d{3}", text) for text in shown):
            self.lose(f"unknown command \\{node.macroname}", ", ".join(filter(None, shown)), node)

    def _fill(self, slot: str, option: str, groups: list[Any], node: Any) -> None:
        """Put the arguments of a command that have one slot; ``option`` may be their label."""
        place, group = self._place([node]), groups[-1]
        lines = [line for one in groups for line in self.words.lines(one)]
        match slot:
            case "given" | "family":
                self._name(slot, lines, node)
            case "headline":
                kept = [one for one in lines if not people.is_document_title(outline.plain(one))]
                self._put("headline", outline.markdown(outline.as_one(kept)), node, slot)
            case "contacts":
                for line in lines:
                    if not re.search(r"(?i)\baddress:?$", outline.plain(line)):
                        people.line(self.draft, line, place, is_contact=True)
            case "address" | "location":
                parts = [texts.plain(outline.plain(line)).strip(" ,") for line in lines]
                self._put("contact.address", ", ".join(filter(None, parts)), node, slot)
            case "info":
                for line in lines:
                    people.other(self.draft, line)
            case "summary":
                self.draft.put("summary", [self.words.line(group)])
            case _ if slot in _LOST:
                text = address(group) if slot == "photo" else self.words.line(group)
                self.lose(_LOST[slot], "" if text == self.full_name else text, node)
            case _ if slot != "skip":
                self._reach(slot, option, groups, place)

    def _reach(self, slot: str, option: str, groups: list[Any], place: Span) -> None:
        """Put a number or an address as a line with its label, or an account."""
        text = (address if slot in ("email", "website") else self.words.plain)(groups[-1])
        if slot in ("fax", "gender") and text:
            people.put_other(self.draft, _LABELS[slot], texts.plain(text))
        elif slot in _LABELS:
            # \ecvtelephone[of a mobile]{of a phone}, or \phone[mobile]{number}
            is_mobile = bool(re.search(r"\d{3}", option))
            is_label = slot == "phone" and option not in ("", "fixed") and not is_mobile
            label = option if is_label else _LABELS[slot]
            for name, said in (("Mobile", option * is_mobile), (label, text)):
                if said:
                    people.line(self.draft, [Run(f"{name}: {said}")], place, is_contact=True)
        else:
            network = option if slot == "account" and option else slot
            user = "/".join(filter(None, map(address, groups)))
            user = re.sub(r"^/?in/(?=[^/]+/?$)", "", user)
            if user and network in ("homepage", "website", "account"):
                self.draft.put("contact.website", [user])
            elif user:
                page = user if "://" in user else ""
                networks.put(self.draft, network.capitalize(), "" if page else user, page)

    def _name(self, key: str, lines: Lines, node: Any) -> None:
        if lines and people.is_document_title(outline.plain(lines[0])):
            del lines[0]
        name = outline.plain(lines[0]) if lines else ""
        if name and self.names.setdefault(key, name) != name:
            self.lose("another name", name, node)
        for line in lines[1:]:
            people.line(self.draft, line, self._place([node]))

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

    def _put(self, path: str, text: str, node: Any, label: str) -> None:
        """Put a text; where another one is already, it is put with its label."""
        known: Any = self.draft.data
        for step in path.split("."):
            known = known.get(step, {})
        if text and known not in ({}, text):
            people.put_other(self.draft, label.capitalize(), text)
        else:
            self.draft.put(path, text, self._place([node]))


# -- parts of sections -----------------------------------------------------------------------------


def entry(words: Words, slots: Slots, place: Span, describe: Describe) -> Block:
    """Return the row of an entry, whose cells are arguments; texts and points are its part's."""
    new, line = Entry([], place), list[Run]()
    for slot, nodes in slots:
        text = words.line(nodes).strip(_MARKS) if slot != "body" else ""
        if slot == "body":
            lines, points = describe(nodes)
            new.paragraphs += map(outline.markdown, lines)
            new.points += points
        elif slot == "grade" and _GRADE.search(text):
            new.grade = text
        elif (
            slot in _CELLS
            and (slot in ("title", "organization") or len(text) <= _LONG)
            and (slot != "grade" or vocabulary.is_town(text))
        ):
            said = f"{'' if line else 'B-'}{_CELLS[slot]}"
            for cell in filter(outline.plain, _cells(words, slot, nodes)):
                line += [Run("\t")] if line else []
                line += [replace(run, said=said) for run in cell]
                said = _CELLS[slot]
        elif text and slot != "skip":
            new.paragraphs.append(text)
    return Block("row", [line], span=place, part=new)


def _cells(words: Words, slot: str, nodes: list[Any]) -> Lines:
    """Return an argument as cells: what has no name may be several, a date has its two ends."""
    lines = words.lines(nodes)
    if slot == "end" and outline.plain(outline.as_one(lines)) == "0":
        # In what goes on.
        return [[Run("present")]]
    return lines if slot in ("text", "right", "date") else [outline.as_one(lines)]


def bars(words: Words, slots: Slots, place: Span) -> list[Keyed]:
    """Return the skills of ``{{Python/5}, {Rust/3}}``, each with the length of its bar."""
    found: list[Keyed] = []
    for most, one in [(slot, one) for slot, body in slots for one in body]:
        if kind(one) == "Group":
            label, slash, level = words.line([one]).rpartition("/")
            found.append(Keyed(label or level, "", place, comment=f"{level}/{most}" * bool(slash)))
    return found


def keyed(words: Words, slots: Slots, place: Span, describe: Describe) -> list[Keyed]:
    """Return the labels of arguments, with their texts and levels; two may stand beside each other.

    Levels of several abilities say of which, unless all are the same.
    """
    listed: list[Keyed] = []
    levels: list[str] = []
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
            levels.append(f"{text}/5" if is_bar else text)
            levels[-1] += f" ({slot})" if slot in _ABILITIES else ""
    bare = {level.partition(" (")[0] for level in levels}
    if listed:
        listed[-1].comment = ", ".join(bare if len(bare) == 1 else levels)
    return [one for one in listed if one.label or one.text]
