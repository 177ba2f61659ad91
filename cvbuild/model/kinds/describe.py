"""How a kind of section is described, once for all outputs: plain data, no code that writes.

A field of an item has the name that the model gives it; ``SELF`` is the item, if it is a text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from msgspec import Struct, field

from cvbuild.model import sections
from cvbuild.model.sections import Item, SectionOf

#: The item itself, of kinds whose items are texts.
SELF = "."

# Why without eq, repr and slots: with them, making these classes at each start takes twice as long.


# -- words of a line -----------------------------------------------------------------------------


class Apart(Struct, frozen=True, eq=False):
    """The texts of a list, with commas or, if one of them has a comma, with semicolons."""

    field: str


class Meanings(Struct, frozen=True, eq=False):
    """The keys of a mapping, each with its text after it: *equal contribution."""

    field: str


class Pair(Struct, frozen=True, eq=False):
    """A text and another one in brackets after it; where one of them is absent, the other."""

    field: str
    aside: str
    between: str = " "


class Worded(Struct, frozen=True, eq=False):
    """A text after a word in the document's language; the kind lists it in labels: edited by."""

    label: str
    field: str


class _Several:
    __match_args__ = ("parts", "between")

    def __init__(self, *parts: Words, between: str = ", ") -> None:
        self.parts = parts
        self.between = between


class Joined(_Several):
    """Several texts, joined; absent ones are skipped."""


#: A field, whose texts are joined by commas if it has several, or one of the above.
Words = str | Apart | Meanings | Pair | Worded | Joined


# -- lines of an item ----------------------------------------------------------------------------


class Head(_Several):
    """What, then where and when (``location``, ``date``) on one line; its ``url`` on the next."""


class Cited(_Several):
    """Sentences on one line, after the item's number; its ``url`` on the next."""


class Row(Struct, frozen=True, eq=False):
    """A line of its own; ``label`` is the field of the view's item that is its label."""

    words: Words
    label: str = ""


class Labelled(Struct, frozen=True, eq=False):
    """A line that begins with a label in the document's language; the kind lists it in labels.

    ``several`` is the label where the field has more than one text.
    """

    label: str
    words: Words
    several: str = ""


class Bullets(Struct, frozen=True, eq=False):
    """A line for each bullet of a field, or of the list in a text; the item is one for ``SELF``."""

    field: str


class Links(Struct, frozen=True, eq=False):
    """The item's ``links`` on one line."""


class Each(Struct, frozen=True, eq=False):
    """Lines for each part of a list, such as the roles at an employer."""

    field: str
    lines: tuple[Line, ...]


Line = Head | Cited | Row | Labelled | Bullets | Links | Each

#: How several kinds end.
DETAILS: tuple[Line, ...] = (
    Row("summary"),
    Bullets("bullets"),
    Labelled("keywords", "keywords"),
    Links(),
)


# -- JSON Resume ---------------------------------------------------------------------------------


class Listed(Struct, frozen=True, eq=False):
    """Each item is an object of a list.

    ``keys`` has the item's keys that are named differently there; the others keep their names, in
    camel case. ``date`` is the key of the one date that the list has; empty: startDate and endDate.
    ``fixed`` is added to every item. ``parts`` names a list in the item, each of which becomes an
    object of its own, with the ``shared`` keys of the item.
    """

    list: str
    keys: Mapping[str, str] = field(default_factory=dict)
    date: str = ""
    fixed: Mapping[str, str] = field(default_factory=dict)
    parts: str = ""
    shared: tuple[str, ...] = ()


#: What keys of items are called among projects.
IN_PROJECTS = {"summary": "description", "bullets": "highlights"}


class UnderHeading(Struct, frozen=True, eq=False):
    """The items are texts, which belong to the heading above them; ``fixed`` is as in Listed."""

    list: str
    fixed: Mapping[str, str] = field(default_factory=dict)


class Outlined(Struct, frozen=True, eq=False):
    """The items are prose, for which there is no list."""


class InBasics(Struct, frozen=True, eq=False):
    """The items are part of ``basics``."""


Json = Listed | UnderHeading | Outlined | InBasics


# -- a kind --------------------------------------------------------------------------------------


class Run(Struct, frozen=True, eq=False):
    """The items of a group are set as one run of words; not if an item has one of ``unless``."""

    word: Words
    unless: tuple[str, ...] = ()


class Kind(Struct, frozen=True, eq=False, dict=True):
    """A kind of section: everything about it except its words and its LaTeX.

    ``model`` is that of its items, or that of its section if this has keys of its own; None for a
    key of the profile that is shown as a section. ``about`` says what such a section holds.
    ``labels`` are the words it needs besides its heading, whose key is its name. ``search`` is the
    field whose texts are added to the document's keywords for search. ``least`` is how many of its
    items go last when one page has no room for all.
    """

    name: str
    model: type[SectionOf | Item] | None = None
    about: str = ""
    labels: tuple[str, ...] = ()
    text: tuple[Line, ...] = ()
    """How formats of plain lines show an item; not needed if items are always a run."""
    json: Json | None = None
    """How JSON Resume has its items."""
    run: Run | None = None
    search: str | None = None
    weight: int = 0
    """How much its first item counts for one page, 0 to 100: 100 for a job, 10 for keywords."""
    least: int = 0

    @property
    def example(self) -> str:
        """YAML with a section of the kind, for docs/reference/schema.md; empty if there is none."""
        text = Path(__file__).with_name("examples.yaml").read_text(encoding="utf-8")
        head, block = "sections:\n", rf"(?m)^  - kind: {self.name}\n(?:(?!  - kind:).*\n)*"
        found = re.search(block, text)
        return head + found[0] if found else ""

    @cached_property
    def section(self) -> type[SectionOf] | None:
        """The model of a section, made when it is first needed; None as for ``model``."""
        if self.model is None or issubclass(self.model, SectionOf):
            return self.model
        return sections.of_items(self.name, self.model, self.about, __package__)
