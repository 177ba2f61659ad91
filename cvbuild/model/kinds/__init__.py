"""The kinds of sections: how each is described, once for all outputs, and which there are.

A new kind is its models and a ``Kind``, called as it is in capitals (``-`` becomes ``_``), in a
module here with its name, or in another that the table below names; a section in ``examples.yaml``;
its heading, and the labels of its lines, in ``locales/tables/en.toml``, and in the tables of the
languages that have a word for it; and ``templates/_core/sections/<kind>.tex.j2``.
``tests/test_kinds.py`` says what is missing.

A ``Kind`` is plain data, no code that writes. A field of an item has the name that the model gives
it; ``SELF`` is the item, if it is a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Union

from msgspec import Struct, field
from pydantic import Field
from pydantic_core import CoreSchema, PydanticKnownError, core_schema

from cvbuild.common.diagnostics import CvbuildError
from cvbuild.model import sections
from cvbuild.model.sections import Item, SectionOf

#: The item itself, of kinds whose items are texts.
SELF = "."

# Why without eq, repr and slots: with them, making these classes at each start takes twice as long.


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
    """A text after a word in the document's language: edited by."""

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


class Head(_Several):
    """What, then where and when (``location``, ``date``) on one line; its ``url`` on the next."""


class Cited(_Several):
    """Sentences on one line, after the item's number; its ``url`` on the next."""


class Row(Struct, frozen=True, eq=False):
    """A line of its own; ``label`` is the field of the view's item that is its label."""

    words: Words
    label: str = ""


class Labelled(Struct, frozen=True, eq=False):
    """A line that begins with a label in the document's language.

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


class Listed(Struct, frozen=True, eq=False):
    """Each item is an object of a list.

    ``keys`` has the item's keys that are named differently there; the others keep their names, in
    camel case. ``date`` is the key of the one date that the list has; empty: startDate and endDate.
    ``type`` is that of every item. ``parts`` names a list in the item, each of which becomes an
    object of its own, with the ``shared`` keys of the item.
    """

    list: str
    keys: Mapping[str, str] = field(default_factory=dict)
    date: str = ""
    type: str = ""
    parts: str = ""
    shared: tuple[str, ...] = ()


#: What keys of items are called among projects.
IN_PROJECTS = {"summary": "description", "bullets": "highlights"}


class UnderHeading(Struct, frozen=True, eq=False):
    """The items are texts, which belong to the heading above them; ``type`` is as in Listed."""

    list: str
    type: str = ""


class Outlined(Struct, frozen=True, eq=False):
    """The items are prose, for which there is no list."""


class InBasics(Struct, frozen=True, eq=False):
    """The items are part of ``basics``."""


Json = Listed | UnderHeading | Outlined | InBasics


class Run(Struct, frozen=True, eq=False):
    """The items of a group are set as one run of words; not if an item has one of ``unless``."""

    word: Words
    unless: tuple[str, ...] = ()


class Kind(Struct, frozen=True, eq=False, dict=True):
    """A kind of section: everything about it except its words and its LaTeX.

    ``model`` is that of its items, or that of its section if this has keys of its own; None for a
    key of the profile that is shown as a section. ``about`` says what such a section holds.
    ``search`` is the field whose texts are added to the document's keywords for search. ``least``
    is how many of its items go last when one page has no room for all.
    """

    name: str
    model: type[SectionOf | Item] | None = None
    about: str = ""
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


#: The module of each, in the order of docs/reference/schema.md; further ones have their own.
_MODULES = {
    "text": "prose",
    "bullets": "prose",
    "keywords": "prose",
    "education": "work",
    "experience": "work",
    "volunteer": "work",
    "project": "prose",
    "publication": "publications",
    "patent": "publications",
    "award": "prose",
    "grant": "prose",
    "talk": "prose",
    "teaching": "prose",
    "service": "work",
    "skill": "work",
    "language": "work",
    "certificate": "work",
    "reference": "work",
    "entry": "prose",
}
for _path in sorted(Path(__file__).parent.glob("[a-z]*.py")):
    if _path.stem not in _MODULES.values():
        _MODULES[_path.stem.replace("_", "-")] = _path.stem


class _Kinds(Mapping[str, Kind]):
    """The kinds by name.

    The module of one is imported when it is first asked for: pydantic takes 4 ms for its models,
    and a person has few of the kinds.
    """

    def __getitem__(self, name: str) -> Kind:
        module = import_module(f"{__name__}.{_MODULES[name]}")
        constant = name.upper().replace("-", "_")
        kind: Kind | None = getattr(module, constant, None)
        if kind is None:
            raise LookupError(f"{module.__name__} has no {constant} for the kind {name}")
        return kind

    def __contains__(self, name: object) -> bool:
        return name in _MODULES

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


KINDS: Mapping[str, Kind] = _Kinds()
#: Keys of the profile that are shown as sections, before the others.
OWN: Mapping[str, Kind] = {
    "summary": Kind("summary", weight=60, least=1, text=(Row(SELF),), json=InBasics()),
    "interests": Kind(
        "interests",
        weight=15,
        json=Listed("interests"),
        run=Run(Pair("name", "keywords")),
        search="name",
    ),
}


def of(name: str) -> Kind:
    """Return the kind of that name, a profile's own key too; raise CvbuildError for none."""
    kind = KINDS.get(name) or OWN.get(name)
    if kind is None:
        message = f'there is no kind "{name}"'
        raise CvbuildError.because("kind", message, f"list it in {__name__.replace('.', '/')}")
    return kind


#: What an item of a kind is called, where that isn't the kind's name.
_ITEMS = MappingProxyType(
    {
        "education": "Degree",
        "entry": "Other entry",
        "experience": "Position",
        "teaching": "Course",
        "text": "Paragraph",
        "volunteer": "Volunteer work",
    }
)


def item_name(kind: str) -> str:
    """Return what an item of a kind is called: Position, Skill."""
    return _ITEMS.get(kind) or kind.removesuffix("s").capitalize()


def new_name(kind: str) -> str:
    """Return what an item is called until somebody writes it: New position."""
    return f"New {item_name(kind).lower()}"


def model_of(kind: object) -> type[SectionOf] | None:
    """Return the model of a kind of section; None if there is no such kind."""
    return KINDS[kind].section if isinstance(kind, str) and kind in KINDS else None


def _read(value: object) -> SectionOf:
    """Return the section of a mapping of a file; raise ValidationError or PydanticKnownError."""
    if isinstance(value, SectionOf):
        return value
    if not isinstance(value, dict):
        raise PydanticKnownError("model_attributes_type")
    tag = {"discriminator": "'kind'"}
    if "kind" not in value:
        raise PydanticKnownError("union_tag_not_found", tag)
    kind = value["kind"]
    model = model_of(kind)
    if model is None:
        known = ", ".join(f"'{name}'" for name in KINDS)
        tag |= {"tag": str(kind), "expected_tags": known}
        raise PydanticKnownError("union_tag_invalid", tag)
    return model.model_validate(value)


class _OfKind:
    """Reads a section with the model of its kind.

    Why not pydantic's union: it makes the schemas of all kinds, and a person has few of them.
    """

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(_read)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        from pydantic import TypeAdapter

        models = tuple(kind.section for kind in KINDS.values())
        union: Any = Union[models]  # noqa: UP007 - they are computed
        whole: Any = TypeAdapter(Annotated[union, Field(discriminator="kind")])
        return dict(handler(whole.core_schema))


#: A section of any kind: its ``kind`` says which model it is read with.
Section = Annotated[SectionOf, _OfKind()]
