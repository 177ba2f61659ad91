"""Parts of a section that commands make: what their arguments are, say the tables of classes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.importers.documents import order, vocabulary
from cvbuild.importers.documents.latex.tree import inside, kind
from cvbuild.importers.documents.latex.words import Lines, Words
from cvbuild.importers.words import dates, outline
from cvbuild.importers.words.outline import Entry, Keyed, Part, Point, Run

#: Arguments and their nodes.
Slots = list[tuple[str, list[Any]]]
#: Returns the lines of an argument, and the points below them.
Describe = Callable[[list[Any]], tuple[Lines, list[Point]]]

#: The last argument of moderncv's entries is for a grade; many write a country there.
_GRADE = re.compile(
    r"(?i).*(?:\d|\b(?:distinction|merit|pass(?:ed)?|excellent|good|bien|laude|mention|honou?rs)\b).*"
)
#: Marks before or after an argument, which part it from others.
_MARKS = " |,;·•–—"
#: What parts the cells of a line: tabs, bars, dots.
_CELLS = re.compile(r"\s*(?:\t+|\||(?<=\s)[·•│](?=\s)|\s{4,})\s*")
#: Skills of a language, as Europass has them.
_ABILITIES = ("listening", "reading", "interaction", "production", "writing")
#: A town and its region behind a name.
_TOWN = re.compile(r",\s+([^,]+, ([^,]+))$")


def entry(words: Words, slots: Slots, place: Span, describe: Describe) -> Entry:
    """Return the entry that arguments are."""
    new = Entry([], place, is_sorted=False)
    fill(new, words, _in_rows(slots, words), describe)
    if not new.is_sorted:
        order.split(new)
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
        elif slot == "grade" and _GRADE.fullmatch(text):
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


def has(last: Entry, slots: Slots) -> bool:
    """Return whether an entry has one of the arguments already: they are another's."""
    named = dict(zip(("title", "organization"), last.texts, strict=False)) if last.is_sorted else {}
    known = {"date": last.date, "location": last.location} | named
    return any(known.get(slot) for slot, _ in slots)


def _name(new: Entry, names: dict[str, str]) -> None:
    """Set title and organization, which a command tells apart."""
    if names["title"].count(", ") > 1 and not vocabulary.POSITION.search(names["title"]):
        # What was used, not what the person was.
        new.paragraphs.append(names["title"])
        names["title"] = ""
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


def reference(words: Words, slots: Slots, place: Span) -> Entry:
    """Return the referee that arguments are: the e-mail address last, an item finds it there."""
    name, *rest = [words.line(nodes) for _, nodes in slots]
    rest.sort(key=lambda line: "@" in line)
    return Entry([name, ", ".join(filter(None, rest))], place)


def keyed(words: Words, slots: Slots, place: Span, describe: Describe) -> list[Keyed]:
    """Return the labels of arguments, with their texts and levels; two may stand beside each other.

    Levels of several abilities say of which, unless all are the same.
    """
    listed: list[Keyed] = []
    levels: list[tuple[str, str]] = []
    for slot, nodes in slots:
        text = words.line(nodes)
        if slot in ("label", "mother"):
            said = "mother tongue" if slot == "mother" else ""
            listed.append(Keyed(text.rstrip(":"), said, place))
        elif slot == "text" and listed:
            lines, listed[-1].points = describe(nodes)
            listed[-1].text = " ".join(map(outline.markdown, lines))
        elif slot == "level":
            levels.append((f"{text}/5" if text in ("1", "2", "3", "4", "5") else text, ""))
        else:
            levels.append((f"{text} years" if slot == "years" else text, slot))
    levels = [one for one in levels if one[0]]
    if listed and levels:
        same = {text for text, _ in levels}
        is_plain = len(same) == 1
        texts = [f"{text} ({slot})" if slot in _ABILITIES else text for text, slot in levels]
        listed[-1].comment = same.pop() if is_plain else ", ".join(texts)
    return [one for one in listed if one.label or one.text]


def bars(words: Words, slots: Slots, place: Span) -> list[Part]:
    """Return skills of ``{{Python/5}, {Rust/3}}``, each with the length of its bar."""
    listed: list[Part] = []
    for most, group in [
        (slot, one) for slot, body in slots for one in body if kind(one) == "Group"
    ]:
        label, _, level = words.line(inside(group)).rpartition("/")
        comment = f"{level}/{most}" if label else ""
        listed.append(Keyed(label or level, "", place, comment=comment))
    return listed
