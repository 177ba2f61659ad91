"""Adds what commands of a class make to the sections: entries, lines with a label, points."""

from __future__ import annotations

import re
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.importers.documents import people
from cvbuild.importers.documents.latex.commands import Parts
from cvbuild.importers.documents.latex.head import Head
from cvbuild.importers.documents.latex.sections import Sections
from cvbuild.importers.documents.latex.tables import Command
from cvbuild.importers.documents.latex.tree import kind
from cvbuild.importers.documents.outline import Entry, Keyed, Point, Prose
from cvbuild.importers.words.runs import Run, as_one

#: Labels of lines that are an entry together.
_LABELS = {
    "date": ("date", "dates", "period", "date (da - a)", "dauer", "zeitraum"),
    "title": ("occupation", "occupation or position held", "position", "title", "titel",
              "title of qualification awarded"),
    "organization": ("employer", "name and address of employer", "institution", "organisation",
                     "organization", "name and type of organisation"),
}  # fmt: skip
#: Labels of the position that somebody applies for.
_WANTED = re.compile(
    r"(?i)(?:desired |preferred )?(?:job|position|employment)(?: applied for)?(?: */ *.{3,40})?"
    r"|angestrebte (?:stelle|position)|poste vis[ée]|personal statement"
)


class Entries:
    """Adds parts to the sections; before the first, to the head."""

    def __init__(self, out: Sections, head: Head, parts: Parts) -> None:
        self.out = out
        self.head = head
        self.draft = head.draft
        self.words = head.words
        self.parts = parts
        self.description = parts.description

    def add(
        self, command: Command, bodies: list[list[Any]], place: Span, option: list[Any] | None
    ) -> None:
        """Add the parts that a command makes."""
        parts = self.parts.of(command, bodies, place)
        if command.makes == "keyed" and (not self.out.sections or self.out.is_contact()):
            for one in parts:
                if isinstance(one, Keyed):
                    self._contact(one, bodies, place)
            return
        if parts and all(isinstance(part, Point) for part in parts) and not option:
            self.out.add_points([part for part in parts if isinstance(part, Point)])
            return
        for part in parts:
            last = self.out.last(Point, Prose)
            if command.makes == "role" and last is not None and isinstance(part, Entry):
                last.roles.append(part)
                continue
            if isinstance(part, Point) and option:
                label = self.words.line(option)
                part.text = f"{label} {part.text}" if len(label) > 1 else part.text
            if isinstance(part, Entry):
                self.out.made = part
            self.out.add(part)

    def _contact(self, keyed: Keyed, bodies: list[list[Any]], place: Span) -> None:
        """Put a label and its text into the head."""
        if _WANTED.fullmatch(keyed.label.strip("* ")):
            self.draft.put("headline", keyed.text, place)
            self.out.understood.add(keyed.label)
            return
        runs = as_one(self.words.lines(bodies[-1]))
        label = [Run(f"{keyed.label}: ")] if keyed.label and len(bodies) > 1 else []
        people.line(self.draft, [*label, *runs], place)

    def go_on(self, command: Command, bodies: list[list[Any]], place: Span) -> list[Any]:
        """Add arguments to the entry that is being read; one that has them already is over.

        Returns nodes that are none: the label of the paragraph that comes.
        """
        slots = list(zip(command.slots, bodies, strict=False))
        is_open = command.slots[0] in ("facts", "label")
        last = self.out.last(Prose) if is_open else self.out.last()
        if command.slots[:1] == ("facts",) and bodies and self.words.plain(bodies[0]).endswith(":"):
            return bodies[0]
        if self.out.is_open and self.out.group:
            title, self.out.group = self.out.group, ""
            last = self.out.made = Entry([title], place, is_sorted=False)
            self.out.add(last)
        if command.makes == "under":
            self._under(last, slots, place)
            return []
        if last is None or any(
            (slot in ("date", "location") and getattr(last, slot))
            or (slot == "title" and last.is_sorted and last.texts[0])
            or (slot == "organization" and last.is_sorted and last.texts[1])
            for slot, _ in slots
        ):
            last = self.out.made = Entry([], place, is_sorted=False)
            self.out.add(last)
        self.parts.fill(last, slots)
        return []

    def _under(self, last: Entry | None, slots: list[tuple[str, Any]], place: Span) -> None:
        """Add a line with or without a label: the employer of an entry, then its description."""
        label = self.words.line(slots[0][1]) if len(slots) > 1 else ""
        nodes = slots[-1][1] if slots else []
        folded = label.lower().strip(" *:")
        what = next((slot for slot, words in _LABELS.items() if folded in words), "")
        if what:
            self.out.understood.add(label)
        if self.out.sections and what == "date":
            self.out.made = Entry([], place, is_sorted=False)
            self.out.add(self.out.made)
        if what and self.out.last() is self.out.made and self.out.made is not None:
            self.parts.fill(self.out.made, [(what, nodes)])
            return
        if last is None or self.out.group != last.group:
            keyed = Keyed(label, self.words.line(nodes), place)
            self._contact(keyed, [nodes] * 2, place) if not self.out.sections else self.out.add(
                keyed
            )
            return
        text = self.words.line(nodes)
        has_list = any(kind(one) == "Environment" for one in nodes)
        has_place = has_list or any(last.texts[1:]) or last.location
        if not label and not has_place and 0 < len(text) < 100:
            self.parts.fill(last, [("text", nodes)])
            return
        paragraphs, points = self.description(nodes)
        if label:
            paragraphs[:1] = [f"{label.rstrip(':')}: {' '.join(paragraphs[:1])}".strip()]
        last.paragraphs += paragraphs
        last.points += points
