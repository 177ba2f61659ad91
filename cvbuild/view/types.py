"""What templates see: strings ready for a reader, each with the field that it came from.

An item of the view has the keys of the schema: ``item.title``, ``item.date``, ``item.bullets``.
Prose and lines are Content, dates are Content in the locale, lists are tuples, absent is None.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Self

from msgspec import Struct

from cvbuild.common.diagnostics import FieldPath, id_of
from cvbuild.model.locales import writing
from cvbuild.model.text import rich_text


class UseError(TypeError):
    """What a template does and may not, in words for its author."""


class Word(str):
    """A name that cvbuild itself made, such as an id: letters, digits, full stops and hyphens."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        """Make the text; raise ValueError for anything else."""
        if not re.fullmatch(r"[A-Za-z0-9._-]+", text):
            raise ValueError(f"not a word: {text!r}")
        return super().__new__(cls, text)


class Id(Word):
    """The name of a block: everything printed after it, up to the next one, belongs together."""

    __slots__ = ()


class Content(Struct, frozen=True):
    """A text with its style, and the field that it came from.

    ``language`` is the BCP 47 tag of its language, None if that is the document's. ``points`` are
    the list below it, with ``text``, ``bullets`` and ``number`` each; then it may have no nodes.
    """

    nodes: tuple[rich_text.Node, ...]
    path: FieldPath
    language: str | None = None
    points: tuple[Item, ...] = ()

    def __hash__(self) -> int:
        # Without the points, whose fields are mappings.
        return hash((self.nodes, self.path, self.language))

    @property
    def id(self) -> Id:
        """The id of a block that is this text alone."""
        return Id(id_of(self.path))

    def __str__(self) -> str:
        return rich_text.plain(self.nodes)

    def __html__(self) -> str:
        """Refuse Jinja's call when a template joins a text to LaTeX: it would not be escaped."""
        raise UseError("a template may print a text of the view, not join it to another")


class Address(Struct, frozen=True):
    """The target of a link: an absolute URL in ASCII."""

    url: str


class Item(Struct, frozen=True):
    """An item, a role, a bullet or a link: the keys of its model, and ``id``."""

    path: FieldPath
    fields: Mapping[str, Any]

    @property
    def id(self) -> Id:
        """The id of the item's head."""
        return Id(id_of(self.path))

    def sub(self, name: str) -> Id:
        """Return the id of a further block of the item, such as its advisor's line."""
        return Id(id_of((*self.path, name)))

    def __getattr__(self, name: str) -> Any:
        try:
            # While an item is copied or unpacked it has no fields yet.
            return None if name == "fields" else self.fields[name]
        except (KeyError, TypeError):
            raise AttributeError(name) from None


class ContactLine(Struct, frozen=True):
    """One way to reach the person; ``text`` is always visible.

    ``label`` is the person's own word for it, ``network`` the name of the site that an account is
    on; ``unclear`` says that the text doesn't tell that.
    """

    kind: Word
    text: Content
    label: Content | None = None
    url: Address | None = None
    network: Content | None = None
    unclear: bool = False


class Header(Struct, frozen=True):
    """The head of the document."""

    name: Content
    alt: Content
    """What a photo shows: the person's name, which is the same in all languages."""
    native: Content | None
    others: tuple[Item, ...]
    headline: Content | None
    contacts: tuple[ContactLine, ...]
    given: Word
    """How many words of the name come before the family name; 0 if that can't be known."""


class Group(Struct, frozen=True):
    """Items under a sub-heading, or a section's own items when ``title`` is None."""

    id: Id
    title: Content | None
    note: Content | None
    items: tuple[Any, ...]
    run: Id | None = None
    """The id of the run, where the items are set as one run of words."""


#: Letters that a line has room for beside a date, about.
_LINE = 95


class Section(Struct, frozen=True):
    """A section; ``kind`` names the template that sets it."""

    id: Id
    kind: Word
    title: Content
    note: Content | None
    groups: tuple[Group, ...]
    column: int = 0
    """0 as wide as the page, 1 in the main column, 2 in the narrow one."""

    @property
    def items(self) -> tuple[Any, ...]:
        """Its items, in all groups."""
        return tuple(item for group in self.groups for item in group.items)

    @property
    def size(self) -> Word:
        """The number of its items."""
        return Word(str(len(self.items)))

    @property
    def is_short(self) -> bool:
        """Whether each of its items is a line: few words, and nothing below them."""
        for item in self.items:
            below = any(item.fields.get(name) for name in ("bullets", "links", "keywords"))
            summary = item.fields.get("summary")
            texts = (value for value in item.fields.values() if isinstance(value, Content))
            length = sum(len(rich_text.plain(text.nodes)) + 2 for text in texts)
            if below or (summary and summary.points) or length > _LINE:
                return False
        return True


class LetterBlock(Struct, frozen=True):
    """A paragraph, of one text, or a list; its texts have ``id``, ``text`` and ``number``."""

    kind: Word
    """paragraph, bullets or numbers."""
    texts: tuple[Item, ...]


class Letter(Struct, frozen=True):
    """What a letter shows besides the head."""

    title: Content
    """What the file is called; not on the page."""
    head: Id
    recipient: tuple[Content, ...]
    date: Content
    subject: Content | None
    opening: Content
    body: tuple[LetterBlock, ...]
    closing: Content
    signature: Content
    """What a picture of a signature shows."""
    enclosed: Id
    label: Content
    enclosures: tuple[Content, ...]


class Closing(Struct, frozen=True):
    """The end of a CV, above the name: the place and the date of the signature."""

    id: Id
    texts: tuple[Content, ...]
    signature: Content
    """What a picture of the signature shows."""


class Labels(dict[str, Content]):
    """The labels of a language, and the marks that it writes between texts."""

    def __init__(self, labels: Mapping[str, Content], language: str) -> None:
        super().__init__(labels)
        self.writing = writing(language)


class Document(Struct, frozen=True):
    """Everything that a document shows."""

    header: Header
    sections: tuple[Section, ...]
    words: Labels
    keywords: tuple[Content, ...]
    language: str
    closing: Closing | None = None
    letter: Letter | None = None

    @property
    def signature(self) -> Content | None:
        """What a picture of a signature shows, where one may be."""
        signed = self.letter or self.closing
        return signed.signature if signed else None


#: The path of the text at the foot of every page.
FOOTER: FieldPath = ("options", "footer")
#: The paths of the texts that say what a picture shows: for screen readers, not on the page.
PICTURE: FieldPath = ("photo",)
SIGNATURE: FieldPath = ("letter", "signature")
