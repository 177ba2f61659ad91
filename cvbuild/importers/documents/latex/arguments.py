"""What the arguments of commands are, as the tables of classes say: the head, parts of sections."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import dropwhile
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.importers import dates, networks, outline
from cvbuild.importers.documents import people, vocabulary
from cvbuild.importers.documents.latex import tables
from cvbuild.importers.documents.latex.nodes import Cursor, Lines, Words, address
from cvbuild.importers.draft import Draft
from cvbuild.importers.outline import Entry, Keyed, Point, Run
from cvbuild.model.text import texts

#: Arguments and their nodes.
Slots = list[tuple[str, list[Any]]]
#: Returns the lines of an argument, and the points below them.
Describe = Callable[[list[Any]], tuple[Lines, list[Point]]]

#: The last argument of moderncv's entries is for a grade; many write a country there.
_GRADE = re.compile(r"(?i)\d|\b(?:distinction|merit|pass|laude|mention|honou?rs|good|bien)")
#: Characters of a place.
_LONG = 60
#: Slots of what no form is of.
_LOOSE = ("text", "location", "grade", "date")
#: Marks before or after an argument, which part it from others.
_MARKS = " |,;·•–—"
#: What parts the cells of a line: tabs, bars, dots.
_CELLS = re.compile(r"\s*(?:\t+|\||(?<=\s)[·•│](?=\s)|\s{4,})\s*")
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


def entry(words: Words, slots: Slots, place: Span, describe: Describe) -> Entry:
    """Return the entry that arguments are; what stands at the right of its rows comes last."""
    new = Entry([], place, is_sorted=False)
    fill(new, words, sorted(slots, key=lambda one: one[0] == "right"), describe)
    return new


def formed(words: Words, makes: str, slots: Slots, *, is_below: bool) -> tuple[str, Slots]:
    """Return what a command makes, and its arguments, where those of its name's entry are others.

    Forks have date and place elsewhere. Where a date stands for a name, or for the label of what
    the heading above names, labels say what the cells are; two without a date are label and text.
    """
    names = [slot for slot, _ in slots]
    texts = [words.plain(nodes) if slot != "body" else "" for slot, nodes in slots]
    if makes == "keyed" and is_below and dates.is_date(texts[0]):
        return "cells", slots
    if makes not in ("entry", "role"):
        return makes, slots
    for name, is_one in (("date", dates.is_date), ("location", vocabulary.is_place)):
        at = names.index(name) if name in names else -1
        if at < 0 or is_one(texts[at]) or not (texts[at] or name == "date"):
            continue
        others = [n for n, text in enumerate(texts) if names[n] in _LOOSE and is_one(text)]
        filled = [nodes for _, nodes in slots if words.plain(nodes)]
        if len(others) == 1:
            names[at], names[others[0]] = names[others[0]], name
        elif name == "date" and any(
            dates.is_date(text) or dates.begins_with(text)[1]
            for n, text in enumerate(texts)
            if names[n] in ("title", "organization")
        ):
            return "cells", slots
        elif name == "date" and len(filled) == 2 and re.fullmatch(r"\D+", texts[at]):
            return "keyed", list(zip(("label", "text"), filled, strict=True))
    return makes, [(name, nodes) for name, (_, nodes) in zip(names, slots, strict=True)]


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
        elif slot in ("text", "right") and not all(names.values()):
            _take(new, lines, is_right=slot == "right")
        elif slot in names:
            names[slot] = text
        elif slot == "end" or (slot == "date" and not new.date):
            _date(new, [outline.plain(line).strip(_MARKS) for line in lines])
        elif slot == "grade" and _GRADE.search(text):
            new.grade = text
        elif slot in ("location", "grade") and vocabulary.is_town(text):
            new.location = ", ".join(filter(None, (new.location, text)))
        elif slot == "location" and not new.location and len(text) <= _LONG:
            new.location = text
        else:
            new.paragraphs.append(text)
    is_sorted = _sort(new, names)
    if any(names.values()):
        known = list(new.texts)
        if not new.is_sorted and known:
            # What was known is the other of them.
            known.insert(int(not names["title"]), "")
        title, organization, *rest = [*known, "", ""]
        new.texts = [names["title"] or title, names["organization"] or organization]
        new.texts += filter(None, rest)
        new.is_sorted = is_sorted


def _sort(new: Entry, names: dict[str, str]) -> bool:
    """Put an organization where it belongs; return whether words say that names are in order."""
    title, organization = names["title"], names["organization"]
    is_named, is_role = vocabulary.ORGANIZATION.search, vocabulary.is_role
    is_field = organization and vocabulary.is_degree(title) and not is_named(organization)
    if title and is_named(new.location) and (is_field or not organization):
        names["title"] = ", ".join(filter(None, (title, organization)))
        names["organization"], new.location = new.location, ""
    is_other = is_role(organization) and not (is_role(title) or is_named(organization))
    return not (is_other and is_named(title))


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
    for runs in [cell for line in lines for cell in outline.parts(line, _CELLS)]:
        first, *rest = [*dropwhile(lambda run: not run.text.strip(), runs)] or [Run("")]
        is_apart = first.styles and outline.plain(rest)[:1] in tuple(",;:–—-")
        # What is bold or slanted at the beginning of a cell is apart.
        for part in [[first], rest] if is_apart else [[first, *rest]]:
            urls = {run.url for run in part}
            is_link = len(urls) == 1 and not new.url
            new.url = urls.pop() if is_link else new.url
            cell = [replace(run, url="") for run in part] if is_link else part
            text, name = outline.plain(cell).strip(_MARKS), outline.markdown(cell).strip(_MARKS)
            is_town = vocabulary.is_town if is_right else vocabulary.is_place
            is_plain = not any(run.styles for run in cell)
            if not new.date and dates.is_date(dates.unbracketed(text)):
                new.date = dates.unbracketed(text)
            elif not new.location and is_plain and is_town(text):
                new.location = text
            elif text:
                new.texts.append(name)


def _date(new: Entry, lines: list[str]) -> None:
    """Set the date; what is below it, and no part of it, is a text."""
    if new.date:
        # The end of it, 0 in what goes on.
        lines = [f"{new.date} – {'present' if lines == ['0'] else ' '.join(lines)}"]
    new.date = (" – " if all(map(dates.is_date, lines)) else " ").join(lines)
    if dates.is_date(lines[0]) and not dates.is_date(new.date):
        new.date = lines[0]
        new.paragraphs += lines[1:]


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
