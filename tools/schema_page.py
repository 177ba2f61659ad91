"""The page of all keys of a person's file, docs/reference/schema.md, from the models."""

from __future__ import annotations

import inspect
import re
import types
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date as Day
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import AfterValidator, BaseModel, BeforeValidator
from pydantic.fields import FieldInfo

from cvbuild.inputs.json_schema import docs, models, own_docs
from cvbuild.model.base import FrozenMap, Prose, Shorthand
from cvbuild.model.contact import NETWORKS, Network
from cvbuild.model.kinds import KINDS
from cvbuild.model.locales.dates import Date
from cvbuild.model.profile import FOR_ALL, Limits, Margins, Profile, Since, Variant
from cvbuild.model.sections import Bullet, Item, Link, Rule, SectionOf
from cvbuild.model.text.lines import InLanguages
from tools.generated import filled, table

_Row = tuple[str, str, str]
#: Words for the checks that make a plain text something special, by the check's name.
_CHECKED = {
    "_url": "web address",
    "_email": "e-mail address",
    "_phone": "phone number",
    "_orcid": "ORCID iD",
    "_doi": "DOI",
    "_arxiv": "arXiv id",
    "checked": "language tag",
}
#: A key that means the same in so many kinds is described once, before them.
_MANY = 3
#: The keys of all sections.
_COMMON = [name for name in SectionOf.model_fields if name != "kind"]
PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "schema.md"


def markdown() -> str:
    """Return the whole page, as its file has it but for what is made from the models."""
    known = {model.__name__: model for model in models()}
    contact = ("Name", "OtherName", "Contact", "Email", "Phone")
    parts = ("Bullet", "SubBullet", "Role", "Author", "Link", "Bib", "Interest", "Closing")
    accounts = ((f"`{key}`", *_account(net)) for key, net in NETWORKS.items())
    plain: Any = KINDS["entry"].section
    sections: list[Any] = [kind.section for kind in KINDS.values()]
    items = [_item(section.model_fields["items"].annotation) for section in sections]
    counts = Counter(row for item in items for row in _keys(item) if "required" not in row[0])
    shared = [row for row, count in counts.items() if count >= _MANY]
    first = {row[0]: row for row in reversed(shared)}
    return filled(
        PAGE,
        file=_table(Profile),
        contact="\n".join(_part(known[name]) for name in contact),
        profiles=table(("key", "page", "in place of …"), accounts),
        sections=_table(plain, only=_COMMON),
        groups=_table(_item(plain.model_fields["groups"].annotation)),
        items=_table(Item, only=Item.model_fields),
        shared=table(("key", "takes", "for"), reversed(first.values())),
        kinds="\n".join(_kinds(sections, items, shared)),
        variant="\n".join((_part(Variant), _part(Limits), _part(Margins))),
        parts="\n".join(_part(known[name]) for name in parts),
    )


def _account(network: Network) -> tuple[str, str]:
    """Return the address of an account's page, and what the file has of it if that is not plain."""
    page = network.page.replace("{}", "…")
    plain = network.about.startswith("The part after")
    alone = network.page in ("{}", "https://{}")
    return "" if alone else f"`{page}`", "" if plain else network.about


def _kinds(
    sections: Iterable[Any], items: Iterable[Any], shared: Collection[_Row]
) -> Iterator[str]:
    """Yield the parts of the page about each kind: its keys, and an example."""
    for section, item, (name, kind) in zip(sections, items, KINDS.items(), strict=True):
        yield f"### {name}\n"
        if issubclass(item, Bullet):
            yield f"{_prose(section)} An item is a [bullet](#bullet).\n"
        else:
            yield f"{_prose(section)}{_short(item)} An item:\n"
            yield _table(item, shared=shared)
        extra = [key for key in section.model_fields if key in own_docs(section)]
        if extra:
            yield "The section has:\n" if {*extra} <= {*_COMMON} else "The section has as well:\n"
            yield _table(section, only=extra)
        yield f"```yaml\n{kind.example}```\n"


def _part(model: type[BaseModel]) -> str:
    return f"### {_title(model)}\n\n{_prose(model)}{_short(model)}\n\n{_table(model)}"


def _prose(model: type[BaseModel]) -> str:
    return (inspect.getdoc(model) or "").replace("``", "`").split("\n\n")[0].replace("\n", " ")


def _short(model: type[BaseModel]) -> str:
    """Return a sentence about a model's short form, if it has one; it begins with a space."""
    if model is Link:
        return " `- PDF` is short for a label, `- PDF: https://…` for a label with its address."
    if issubclass(model, Shorthand):
        return f" A text alone is short for `{model.shorthand}`."
    return ""


def _title(model: type[BaseModel]) -> str:
    words = re.findall("[A-Z][a-z]*", model.__name__)
    return " ".join([words[0], *(word.lower() for word in words[1:])])


def _table(
    model: type[BaseModel], only: Iterable[str] | None = None, shared: Collection[_Row] = ()
) -> str:
    """Return a table: key, value, purpose; required keys are bold, ``shared`` rows one row."""
    rows = [row for row in _keys(model, only) if row not in shared]
    if keys := [row[0] for row in _keys(model, only) if row in shared]:
        rows.append((", ".join(keys), "", "[as in other kinds](#keys-of-many-kinds)"))
    return table(("key", "takes", "for"), rows)


def _keys(model: type[BaseModel], only: Iterable[str] | None = None) -> Iterator[_Row]:
    """Yield key, value and purpose of a model's keys.

    Of an item only its own keys, unless ``only`` names others.
    """
    skip = Item.model_fields.keys() if issubclass(model, Item) else ()
    chosen = list(only) if only is not None else model.model_fields.keys() - skip
    words = docs(model)
    for name, field in model.model_fields.items():
        if name in chosen:
            key = field.alias or name
            shown = f"**`{key}`** (required)" if field.is_required() else f"`{key}`"
            yield shown, _takes(field), words.get(key, "").replace("``", "`").replace("\n", " ")


def _takes(field: FieldInfo) -> str:
    return _words(field.annotation, field.metadata)


def _words(annotation: Any, metadata: Iterable[Any] = ()) -> str:
    """Return what a value of this type is, for a reader."""
    marks = list(metadata)
    while get_origin(annotation) is Annotated:
        annotation, *more = get_args(annotation)
        marks += more
    validators = (mark for mark in marks if isinstance(mark, AfterValidator | BeforeValidator))
    checks = {getattr(mark.func, "__name__", "") for mark in validators}
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        (part,) = (part for part in inner if part is not type(None))
        return _words(part, marks)
    if origin is Literal:
        return ", ".join(f"`{value}`" for value in inner)
    if origin is tuple:
        return _list(_words(inner[0]), checks)
    if origin is FrozenMap:
        one = "one date, or a time" if inner[1] is Since else _words(inner[1])
        every = any(mark is FOR_ALL for mark in marks)
        return f"{one}, or a mapping from sections to it" if every else f"mapping to {one}"
    if annotation in (int, float):
        return f"{_edge(marks, 'ge')}–{_edge(marks, 'le')}"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "section" if annotation is SectionOf else _reference(annotation)
    if annotation is str and any(isinstance(mark, InLanguages) for mark in marks):
        return "short text"
    for name in checks & _CHECKED.keys():
        return _CHECKED[name]
    known: Mapping[Any, str] = {
        str: "text",
        Prose: "rich text",
        Date: "[date](#dates)",
        Day: "day",
        Rule: "rule",
        bool: "`true`, `false`",
    }
    return known.get(annotation, "any value")


def _edge(marks: Iterable[Any], name: str) -> int:
    """Return the smallest (``ge``) or largest (``le``) number that is allowed."""
    for mark in marks:
        for limit in mark.metadata if isinstance(mark, FieldInfo) else (mark,):
            if (edge := getattr(limit, name, None)) is not None:
                return int(edge)
    raise TypeError(f"a number without {name}")


def _list(one: str, checks: set[str]) -> str:
    if checks >= {"_as_list", "paragraphs"}:
        return f"{one}; a block with empty lines between paragraphs, or a list"
    if "_as_list" in checks:
        return f"{one}, or a list"
    if "_split" in checks:
        return "a block with empty lines between paragraphs, or a list"
    return f"list of {one}s" if re.fullmatch(r"[a-z]+", one) else f"list: {one}"


def _reference(model: type[BaseModel]) -> str:
    if "[" in model.__name__:
        return "group"
    if issubclass(model, Item) and not issubclass(model, Shorthand) and model.__name__ != "Role":
        return "item"
    title = _title(model)
    return f"[{title.lower()}](#{title.lower().replace(' ', '-')})"


def _item(annotation: Any) -> Any:
    """Return the model in ``tuple[Model, ...]``, however it is annotated."""
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    return get_args(annotation)[0]
