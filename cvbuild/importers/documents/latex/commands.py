"""Commands of entries: the order of their arguments, by class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.importers.documents.latex.tree import Cursor, inside, is_macro
from cvbuild.importers.documents.latex.words import Words
from cvbuild.importers.documents.outline import Entry, Keyed, Part, Point


@dataclass(frozen=True)
class Command:
    """What a command makes, and what each of its arguments is: title, date, label, text."""

    makes: str
    slots: tuple[str, ...]


def _of(makes: str, slots: str) -> Command:
    return Command(makes, tuple(slots.split()))


MODERNCV_ENTRY = _of("entry", "date title organization location grade body")
#: Awesome-CV's and those of others, as far as no class has another order for the same name.
COMMANDS: dict[str, Command] = {
    "cventry": _of("entry", "title organization location date body"),
    "cvsubentry": _of("role", "title organization date body"),
    "cvhonor": _of("entry", "title organization location date"),
    "cvpublication": _of("entry", "title organization location date"),
    "cvskill": _of("keyed", "label text"),
    "cvitem": _of("keyed", "label text"),
    "cvline": _of("keyed", "label text"),
    "cvitemwithcomment": _of("keyed", "label text comment"),
    "cvlanguage": _of("keyed", "label text comment"),
    "cvdoubleitem": _of("keyed", "label text label text"),
    "cvcomputer": _of("keyed", "label text label text"),
    "cvlistitem": _of("point", "text"),
    "cvlistdoubleitem": _of("point", "text text"),
    "cvskillentry": _of("keyed", "label level text years comment"),
    "cvevent": _of("entry", "title organization date location"),
    "cvachievement": _of("entry", "icon title body"),
    "cvtag": _of("keyword", "text"),
    "cvref": _of("reference", "name institution email address"),
    "cvreference": _of("reference", "name institution email address"),
    "cvproject": _of("entry", "title organization date body"),
}
#: Bars and stars of a level.
_LEVELS = ("1", "2", "3", "4", "5")


def parts(
    command: Command, groups: list[list[Any]], place: Span, words: Words, body: Any
) -> list[Part]:
    """Return the parts of a section that a command and its arguments are.

    ``body`` reads the nodes of a description: paragraphs and points.
    """
    slots = list(zip(command.slots, groups, strict=False))
    if command.makes in ("entry", "role"):
        entry = Entry(["", ""], place)
        for slot, nodes in slots:
            if slot == "body":
                entry.paragraphs, entry.points = body(nodes)
            elif slot in ("title", "organization"):
                text = words.line(nodes)
                entry.texts[slot == "organization"] = text
            elif slot in ("date", "location", "grade"):
                setattr(entry, slot, words.plain(nodes) if slot == "date" else words.line(nodes))
        return [entry]
    if command.makes == "point":
        return [Point(text, place) for _, nodes in slots if (text := words.line(nodes))]
    return _keyed(slots, place, words, body)


def reference(texts: list[str], place: Span) -> Entry:
    """Return the entry of a person who can be asked: name, institution, and how to reach them."""
    name, institution, *rest = [*texts, "", ""]
    return Entry([name, institution], place, paragraphs=[one for one in rest if one])


def _keyed(slots: list[tuple[str, list[Any]]], place: Span, words: Words, body: Any) -> list[Part]:
    found: list[Part] = []
    keyed: Keyed | None = None
    for slot, nodes in slots:
        text = words.line(nodes)
        if slot == "label":
            keyed = Keyed(text.rstrip(":") if text.endswith(":") else text, "", place)
            found.append(keyed)
        elif keyed is None or not text:
            continue
        elif slot == "text":
            paragraphs, keyed.points = body(nodes)
            keyed.text = " ".join(paragraphs)
        else:
            text = {
                "level": f"{text}/5" if text in _LEVELS else text,
                "years": f"{text} years" if text.isdigit() else text,
            }.get(slot, text)
            keyed.comment = ", ".join(one for one in (keyed.comment, text) if one)
    return [one for one in found if isinstance(one, Keyed) and (one.label or one.text)]


#: Environments of letters, and commands with the number of their arguments.
ENVIRONMENTS = frozenset(("cvletter", "letter"))
LETTERS = {
    "recipient": 2, "date": 1, "opening": 1, "closing": 1, "enclosure": 1, "letterdate": 1,
    "lettertitle": 1, "letteropening": 1, "letterclosing": 1, "letterenclosure": 1,
    "lettersection": 1, "makeletterclosing": 0,
}  # fmt: skip


class Letters:
    """Tells of what belongs to letters."""

    def __init__(self, words: Words) -> None:
        self.words = words

    def begins(self, name: str) -> bool:
        """Return whether the text of a letter follows a command."""
        return name in ("makelettertitle", "makeletterhead")

    def text(self, cursor: Cursor) -> None:
        """Lose the text of a letter, up to its end."""
        nodes: list[Any] = []
        while (node := cursor.next()) is not None and not is_macro(node, "makeletterclosing"):
            nodes.append(node)
        if nodes:
            self.words.lose("letter", self.words.line(nodes), nodes[0])

    def command(self, node: Any, cursor: Cursor) -> None:
        """Lose the arguments of a command of letters."""
        cursor.option()
        groups = cursor.groups(LETTERS[node.macroname])
        text = ", ".join(one for group in groups if (one := self.words.line(inside(group))))
        self.words.lose(f"\\{node.macroname} of a letter", text, node)
