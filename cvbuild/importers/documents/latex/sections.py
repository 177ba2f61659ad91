"""The sections of a LaTeX source while they are read."""

from __future__ import annotations

from cvbuild.common.diagnostics import Span
from cvbuild.importers.documents.outline import Entry, Part, Point, Section
from cvbuild.importers.words import headings

#: Headings, folded, of what belongs to the head.
_CONTACT = frozenset(
    ("contact", "contacts", "contact information", "contact details", "contact info", "kontakt",
     "personal data", "personal information", "personal details", "personal info", "coordonnees",
     "personliche daten", "datos personales", "contacto", "personalia", "links", "find me online")
)  # fmt: skip


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
        if what == "group":
            self.group, self.is_open = title, True
        else:
            self.group, self.label = "", ""
            title = _small(title) if title.isupper() and len(title) > 4 else title
            self.sections.append(Section(title, place))

    def is_contact(self, section: Section | None = None) -> bool:
        """Return whether a section, the last one by default, belongs to the head."""
        section = section or (self.sections[-1] if self.sections else None)
        title = headings.folded(section.title) if section else ""
        if title in _CONTACT or (title == "about" and self.has_lines):
            self.understood.add(section.title if section else "")
            return True
        return False


def _small(title: str) -> str:
    """Return a title in capitals with only the first letter as one, and those of short words."""
    words = title.split()
    return " ".join(word if len(word) < 4 and at else word.capitalize() if not at else word.lower()
                    for at, word in enumerate(words))  # fmt: skip
