"""The kinds of sections, each described once.

A new kind is its models and a ``Kind``, called as it is in capitals (``-`` becomes ``_``), in a
module here with its name, or in another that the table below names; a section in ``examples.yaml``;
its heading (and ``labels``) in ``locales/tables/en.toml``, and in the tables of the languages that
have a word for it; and ``templates/_core/sections/<kind>.tex.j2``. ``tests/test_kinds.py`` says
what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Union

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticKnownError, core_schema

from cvbuild.common.errors import CvbuildError
from cvbuild.model.kinds.describe import SELF, InBasics, Kind, Listed, Pair, Row, Run
from cvbuild.model.sections import SectionOf

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
    "award": "academia",
    "grant": "academia",
    "talk": "academia",
    "teaching": "academia",
    "service": "work",
    "skill": "abilities",
    "language": "abilities",
    "certificate": "abilities",
    "reference": "abilities",
    "entry": "prose",
}
for _path in sorted(Path(__file__).parent.glob("[a-z]*.py")):
    if _path.stem not in {*_MODULES.values(), "describe"}:
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


def __getattr__(name: str) -> type[SectionOf]:
    """Return the model of a section by its name, for pickle: most are made when they are needed."""
    if name.endswith("Section"):
        for kind in KINDS.values():
            if kind.section and kind.section.__name__ == name:
                return kind.section
    raise AttributeError(name)


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

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(_read)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        from pydantic import TypeAdapter

        models = tuple(kind.section for kind in KINDS.values())
        union: Any = Union[models]  # noqa: UP007 - they are computed
        whole: Any = TypeAdapter(Annotated[union, Field(discriminator="kind")])
        return handler(whole.core_schema)


#: A section of any kind: its ``kind`` says which model it is read with.
Section = Annotated[SectionOf, _OfKind()]
