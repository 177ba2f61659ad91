"""What a document must show, taken from the person's data and not from the view.

The walk goes over every field of every model, so that a new field is expected as soon as it is
there; only ``NOT_SHOWN`` is skipped. How a field is printed is repeated here, independently of the
view and the templates:

- rich text without its styles; straight quotes as the locale has them (not in addresses and code);
- a date as ``locales.dates`` has it; a publication’s lone year not where its venue has it;
- an e-mail address and a phone number exactly; a web address without scheme, www and slash;
- an author with the marks after the name; a mark's meaning after the mark;
- the label of a link with an address in brackets, ``[doi:…]`` and ``[arXiv:…]`` too;
- the address of a project, a talk or an entry in words; any other only as the link of its title;
- a link in a sentence is followed by its address in parentheses, unless the option says otherwise,
  the words are the address, or it has more than ``LONGEST`` characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from cvbuild.common.diagnostics import FieldPath
from cvbuild.model.base import FrozenMap, Prose
from cvbuild.model.contact import NETWORKS
from cvbuild.model.kinds.publications import Publication
from cvbuild.model.locales import date_text, table
from cvbuild.model.locales.dates import Date
from cvbuild.model.profile import Profile
from cvbuild.model.sections import Author, Link
from cvbuild.model.text import lines, rich_text
from cvbuild.selection.select import select
from cvbuild.selection.selected import Selected, SelectedGroup, SelectedSection

#: Fields that are no text of the page: they choose, sort or mark.
NOT_SHOWN = frozenset({"keep", "tags", "priority", "private", "roles"})
#: Kinds whose address is printed on the page.
SPELT_OUT = frozenset({"project", "talk", "entry"})
#: A longer address isn't printed after a link's words.
LONGEST = 44
#: What an item's head says first, by kind: the first of these that it has.
TITLES = {
    "education": ("degree", "area", "institution"),
    "experience": ("title", "employer"),
    "project": ("name",),
    "skill": ("name",),
    "certificate": ("name",),
    "reference": ("name",),
    "teaching": ("course",),
    "service": ("role",),
    "language": ("language",),
    "text": ("text",),
    "bullets": ("text",),
    "keywords": ("text",),
}


@dataclass(frozen=True, slots=True)
class Fact:
    """A text that the document must show, and the field that it comes from."""

    path: FieldPath
    text: str


@dataclass(frozen=True, slots=True)
class Block:
    """The head, a heading, or an item or role (``entry``): its facts; ``aside`` are its dates."""

    title: Fact
    facts: tuple[Fact, ...]
    aside: tuple[str, ...] = ()
    entry: bool = False


#: What must be found at the top: facts by "name", "email", "phone" and "url".
Contact = Mapping[str, tuple[Fact, ...]]


def expected(
    profile: Profile, options: Mapping[str, Any], left_out: frozenset[FieldPath]
) -> tuple[Block, ...]:
    """Return the blocks of a document in their order.

    ``options`` are the template's; ``left_out`` are the fields that one page had no room for.
    """
    selected = select(profile, options)
    return tuple(_Walk(selected, left_out, addresses=options.get("links") == "address").blocks())


def contact(profile: Profile) -> Contact:
    """Return name, e-mail addresses, phone numbers and web addresses that are public."""
    data = profile.contact
    texts = {
        "email": [item.address for item in data.email],
        "phone": [item.number for item in data.phone],
        "url": [lines.short_url(url) for url in data.website],
    }
    name = rich_text.curl(profile.name.display, table(profile.locale).quotes)
    return {"name": (Fact(("name",), name),)} | {
        kind: tuple(Fact(("contact", kind, n), text) for n, text in enumerate(each))
        for kind, each in texts.items()
    }


class _Walk:
    """Through what was selected of a person's file."""

    def __init__(
        self, selected: Selected, left_out: frozenset[FieldPath], *, addresses: bool
    ) -> None:
        self.profile = selected.profile
        self.sections = selected.sections
        self.left_out = selected.left_out | left_out
        self.locale = selected.profile.locale
        self.quotes = table(self.locale).quotes
        self.addresses = addresses

    def blocks(self) -> Iterator[Block]:
        yield self.head()
        for section in self.sections:
            groups = [(group, items) for group in section.groups if (items := self.items(group))]
            if groups:
                yield self.heading(section)
            for group, items in groups:
                if group.title:
                    facts = (
                        *self.texts(group.title, (*group.path, "title")),
                        *self.texts(group.note, (*group.path, "note")),
                    )
                    yield Block(facts[0], facts)
                for path, item in items:
                    yield self.block(section.kind, path, item)
                    for number, role in enumerate(getattr(item, "roles", ())):
                        place = (*path, "roles", number)
                        if place not in self.left_out:
                            yield self.block("role", place, role)

    def items(self, group: SelectedGroup) -> list[tuple[FieldPath, Any]]:
        if group.run_path in self.left_out:
            return []
        return [(path, item) for path, item in group.items if path not in self.left_out]

    def head(self) -> Block:
        who = contact(self.profile)
        name, data = self.profile.name, self.profile.contact
        facts = [fact for each in who.values() for fact in each]
        words = table(self.locale).words
        for key, value in (("birth-date", data.birth_date), ("nationality", data.nationality)):
            facts += [Fact(("contact", key), words[key])] if value else []
        for key in ("email", "phone"):
            for number, item in enumerate(getattr(data, key)):
                if ("contact", key, number) not in self.left_out:
                    facts += self.texts(item.label, ("contact", key, number, "label"))
        for label, text in data.other.items():
            place: FieldPath = ("contact", "other", label)
            facts += [Fact(place, self.curl(label)), Fact(place, self.plain(text))]
        for key, info in type(data.profiles).model_fields.items():
            network = NETWORKS[info.alias or key]
            for number, handle in enumerate(getattr(data.profiles, key)):
                place = ("contact", "profiles", key, number)
                facts.append(Fact(place, network.shown(handle, network.address(handle))))
        plain: tuple[tuple[FieldPath, Any], ...] = (
            (("name", "native"), name.native),
            (("name", "others"), name.others),
            (("headline",), self.profile.headline),
            (("contact", "address"), data.address),
            (("contact", "birth-date"), data.birth_date),
            (("contact", "nationality"), data.nationality),
        )
        facts += [fact for path, value in plain for fact in self.texts(value, path)]
        return Block(who["name"][0], tuple(facts))

    def heading(self, section: SelectedSection) -> Block:
        source = section.source
        title = source.title if source is not None else None
        place = (*section.path, "title")
        text = self.plain(title) if title else table(self.locale).words[section.kind]
        fact = Fact(place, text)
        note = source.note if source is not None else None
        return Block(fact, (fact, *self.texts(note, (*section.path, "note"))))

    def block(self, kind: str, path: FieldPath, item: Any) -> Block:
        facts = tuple(self.texts(item, path, kind))
        keys = TITLES.get(kind, ("title",))
        title = next(
            (fact for key in keys for fact in facts if fact.path == (*path, key)), facts[0]
        )
        date = getattr(item, "date", None)
        return Block(title, facts, (date_text(date, self.locale),) if date else (), entry=True)

    def texts(self, value: Any, path: FieldPath, kind: str = "") -> Iterator[Fact]:
        """Yield the texts in any value of the model; ``kind`` is that of the item, if it is one."""
        if path in self.left_out or value is None:
            return
        match value:
            case Link(url=None):
                return
            case FrozenMap():
                for mark, text in value.items():
                    yield Fact((*path, mark), self.curl(mark) + self.plain(text))
            case BaseModel() if not isinstance(value, Author | Date | Link | Prose):
                for name, info in type(value).model_fields.items():
                    if name not in NOT_SHOWN:
                        yield from self.field(value, name, (*path, info.alias or name), kind)
            case tuple():
                for number, item in enumerate(value):
                    yield from self.texts(item, (*path, number), kind)
            case _:
                yield Fact(path, self.text(value))

    def text(self, value: Any) -> str:
        match value:
            case Link(label=label):
                return f"[{self.curl(label)}]"
            case Author(name=name, marks=marks):
                return self.curl(name) + self.curl(marks)
            case Prose():
                return self.plain(value)
            case Date():
                return date_text(value, self.locale)
            case str():
                return self.curl(value)
        raise TypeError(f"no rule how {type(value).__name__} is shown")

    def field(self, model: BaseModel, name: str, path: FieldPath, kind: str) -> Iterator[Fact]:
        value = getattr(model, name)
        if name == "url":
            if value is not None and kind in SPELT_OUT:
                yield Fact(path, lines.short_url(value))
        elif name in ("doi", "arxiv"):
            if value is not None:
                yield Fact(path, f"[{'doi' if name == 'doi' else 'arXiv'}:{value}]")
        elif not (name == "date" and isinstance(model, Publication) and _is_in_venue(model)):
            yield from self.texts(value, path, kind)

    def plain(self, prose: Prose) -> str:
        return "".join(self.words(rich_text.parse(prose.source, self.quotes)))

    def words(self, nodes: Iterable[rich_text.Node]) -> Iterator[str]:
        for node in nodes:
            match node:
                case rich_text.Span(_, children):
                    yield from self.words(children)
                case rich_text.Link(url, children):
                    words, address = rich_text.plain(children), lines.short_url(url)
                    added = self.addresses and len(address) <= LONGEST and address not in words
                    yield f"{words} ({address})" if added else words
                case _:
                    yield rich_text.plain([node])

    def curl(self, text: str) -> str:
        return rich_text.curl(text, self.quotes)


def _is_in_venue(item: Publication) -> bool:
    """Return whether the venue has the lone year of a publication, as in OSDI 2022 or OSDI ’22."""
    year = item.date.lone_year if item.date else None
    venues = f"{item.venue or ''} {item.short_venue or ''}"
    return bool(year) and bool(re.search(rf"{year}|['’]{(year or 0) % 100:02}(?!\d)", venues))
