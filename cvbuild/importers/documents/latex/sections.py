"""The sections of a LaTeX source while they are read."""

from __future__ import annotations

from cvbuild.common.diagnostics import Span
from cvbuild.importers.documents.outline import Entry, Part, Point, Section
from cvbuild.importers.words import headings


class Sections:
    """What has been read so far, and what of it goes on."""

    def __init__(self) -> None:
        self.sections: list[Section] = []
        self.group = ""
        #: Whether the group's title is the first text of an entry that a command goes on with.
        self.is_open = False
        #: The last entry that a command made.
        self.made: Entry | None = None
        #: The label of the paragraph that comes.
        self.label = ""
        #: Whether lines end as in the source.
        self.has_lines = False
        self.opened = Span("")
        #: Titles and labels that nothing followed, each with what it is and its place.
        self.unused: list[tuple[str, str, Span]] = []
        #: Labels and titles that are no texts in the person's file: a key says the same.
        self.understood: set[str] = set()

    def add(self, part: Part) -> None:
        """Add a part to the section."""
        if not self.sections:
            self.sections.append(Section("", part.place))
        part.group = self.group
        self.is_open = False
        self.sections[-1].parts.append(part)

    def last(self, *over: type[Part]) -> Entry | None:
        """Return the entry that is being read, if there is one; parts ``over`` it may follow it."""
        for last in reversed(self.sections[-1].parts if self.sections else []):
            if isinstance(last, Entry) or not isinstance(last, over):
                return last if isinstance(last, Entry) and last.group == self.group else None
        return None

    def add_points(self, points: list[Point]) -> None:
        """Add points to the entry that a command has just made, else to the section."""
        last = self.last()
        if last is None or last is not self.made:
            for point in points:
                self.add(point)
            return
        (last.roles[-1] if last.roles else last).points += points

    def title(self, what: str, title: str, place: Span) -> None:
        """Begin a section or a group."""
        self.end(place)
        self.group, self.is_open, self.opened = (
            (title, True, place) if what == "group" else ("", False, place)
        )
        if what != "group":
            title = _small(title) if title.isupper() and len(title) > 4 else title
            self.sections.append(Section(title, place))

    def end(self, place: Span) -> None:
        """End a group: remember its title, and the label of a paragraph, if nothing followed."""
        if self.is_open and self.group:
            self.unused.append(("section without a text", self.group, self.opened))
        if self.label:
            self.unused.append(("label without a text", self.label, place))
        self.label = ""

    def is_contact(self, section: Section | None = None) -> bool:
        """Return whether a section, the last one by default, belongs to the head."""
        section = section or (self.sections[-1] if self.sections else None)
        title = headings.folded(section.title) if section else ""
        if headings.is_contact(title) or title == "links" or (title == "about" and self.has_lines):
            self.understood.add(section.title if section else "")
            return True
        return False


def _small(title: str) -> str:
    """Return a title in capitals with only the first letter as one, and those of short words."""
    words = title.split()
    return " ".join(word if len(word) < 4 and at else word.capitalize() if not at else word.lower()
                    for at, word in enumerate(words))  # fmt: skip
