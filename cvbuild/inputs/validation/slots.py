"""The part of a file that an error of pydantic is about, and what an unknown key was meant to be.

Pydantic's ``loc`` has steps that are not in the file: the number of an item that is written without
a list, the key that a shorthand leaves out. ``other_tools.toml`` has the keys of other tools.
"""

from __future__ import annotations

import re
import tomllib
import types
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Union, get_args, get_origin

from annotated_types import Ge, Le
from msgspec import Struct
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from cvbuild.common.diagnostics import LONGEST, FieldPath, nearest, shown_value, suggest
from cvbuild.inputs.yaml.tree import FLAG
from cvbuild.model import kinds
from cvbuild.model import locales as own_words
from cvbuild.model.base import FrozenMap, Shorthand, bare, fields_of
from cvbuild.model.contact import Profiles
from cvbuild.model.kinds import KINDS
from cvbuild.model.profile import EVERY, Profile
from cvbuild.model.sections import Group, Link, SectionOf, SubBullet
from cvbuild.model.text import language_tags


class Slot(Struct, frozen=True):
    """A field of the schema and its path in the file.

    ``owner`` is the model whose field ``name`` is; ``target`` the type that the value should have;
    ``present`` whether the file has something there, even if only a key without a value; ``on_key``
    whether the key is wrong and not its value; ``item`` whether it is an element of a list;
    ``required`` whether the owner needs it; ``beside`` has the keys of the owner that its mapping
    has, and ``alone`` says that there are none.
    """

    path: FieldPath
    name: str
    owner: type[BaseModel] | None
    target: Any
    present: bool
    on_key: bool = False
    item: bool = False
    required: bool = False
    alone: bool = False
    beside: frozenset[str] = frozenset()


def find(loc: tuple[str | int, ...], data: object, model: type[BaseModel] = Profile) -> Slot:
    """Return the slot of pydantic's ``loc`` in the data of a file that has a ``model``."""
    path: list[str | int] = []
    here: Any = model
    owner: type[BaseModel] | None = None
    name, present, on_key, item, required, alone = "this", True, False, False, False, False
    beside: frozenset[str] = frozenset()
    for step in loc:
        if here is SectionOf and isinstance(data, dict):
            here = kinds.model_of(data.get("kind")) or here
        if step == "[key]":
            on_key, name = True, str(path[-2])
            continue
        if step == EVERY and get_origin(here) is FrozenMap:
            # One value for all sections, which has no key in the file.
            here = _into(here, step)
            if isinstance(data, dict):
                path.append(step)
                data, present = _child(data, step)
            continue
        if get_origin(here) in (Union, types.UnionType) and not _child(data, step)[1]:
            continue  # It names one of the types that the value may have.
        owner = here if isinstance(here, type) and issubclass(here, BaseModel) else None
        here = _into(here, step)
        if isinstance(step, int):
            # One value written for a list of one has no number in the file.
            item = isinstance(data, list)
            if item:
                path.append(step)
                data, present = _child(data, step)
            continue
        short = (
            owner if owner and issubclass(owner, Shorthand) and step == owner.shorthand else None
        )
        by_language = short and language_tags.in_short(data, short.languages)
        written_short = short and not isinstance(data, dict)
        if not written_short:
            name, item = step, False
            field = fields_of(owner).get(step)
            required = field is not None and field.is_required()
        if by_language:
            continue  # In the file the languages are in place of the key.
        mapping = data if isinstance(data, dict) else {}
        beside = frozenset(fields_of(owner).keys() & mapping)
        alone = isinstance(data, dict) and not beside
        if owner is Link and isinstance(data, dict) and len(data) == 1 and alone:
            # - PDF: https://… is label and url.
            on_key = step == "label"
            key = next(iter(data))
        else:
            key = step
        path.append(key)
        data, present = _child(data, key)
    return Slot(tuple(path), name, owner, here, present, on_key, item, required, alone, beside)


def limits(slot: Slot) -> tuple[int, int]:
    """Return the smallest and the largest number that a slot takes."""
    field = fields_of(slot.owner).get(slot.name)
    rules = [*field.metadata, *_rules(field.annotation)] if field else []
    least = [rule.ge for rule in rules if isinstance(rule, Ge)]
    most = [rule.le for rule in rules if isinstance(rule, Le)]
    if least and most:
        return int(str(least[0])), int(str(most[0]))
    # A limit by section isn't a field of a model.
    return 0, 999 if slot.path[:1] == ("variants",) else 9


def _rules(annotation: Any) -> Iterator[Any]:
    """Yield the metadata in ``Annotated`` of the parts of an annotation."""
    for part in get_args(annotation):
        if isinstance(part, FieldInfo):
            yield from part.metadata
        yield from _rules(part)


def _child(data: object, step: str | int) -> tuple[object, bool]:
    if isinstance(data, dict) and step in data:
        return data[step], True
    if isinstance(data, list) and isinstance(step, int) and step < len(data):
        return data[step], True
    return None, False


def _into(annotation: Any, step: str | int) -> Any:
    annotation = bare(annotation)
    origin = get_origin(annotation)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        field = fields_of(annotation).get(str(step))
        return bare(field.annotation) if field else None
    if origin is tuple:
        return bare(get_args(annotation)[0])
    return bare(get_args(annotation)[1]) if origin is FrozenMap else None


# -- unknown keys: by their meaning in other tools, else by their spelling -------------------------

_TABLE = Path(__file__).with_name("other_tools.toml")
_KIND = "kind:"
#: Keys of a person that show like sections.
NO_KINDS = ("interests", "summary")


def unknown_key(slot: Slot) -> tuple[str, str | None]:
    """Return what is wrong with a slot whose key is unknown, and what to do."""
    name = str(slot.path[-1])
    known = [*fields_of(slot.owner)]
    message = f"unknown key {shown_value(name)}"
    if (bare := name.strip()) != name and bare:
        plain = "write plain spaces in their place"
        return f"before {shown_value(bare)} are spaces that are not YAML's", plain
    if name == FLAG:
        return f"{message} here", "write the values in it as {value: …, private: true}"
    if slot.owner is SubBullet and name == "bullets":
        return "bullets are two levels deep at most", "make these bullets of the one above"
    if (same := intended(name, slot.owner)) in slot.beside:
        return message, f"{same} is there already: leave one of them out"
    if meant := key_hint(name, slot.owner):
        noun = "network" if slot.owner is Profiles else "key"
        return f"unknown {noun} {shown_value(name)}", meant
    close = nearest(name, known)
    if slot.owner is Profiles:
        other = "put its page into links of contact: - Label: https://…"
        return (
            f"unknown network {shown_value(name)}",
            f'did you mean "{close}"?' if close else other,
        )
    if slot.alone and slot.owner is Link:
        return message, "write each link after its own dash: - PDF: https://…"
    short = slot.owner if slot.owner and issubclass(slot.owner, Shorthand) else None
    if slot.alone and short and short.by_language and language_tags.is_key(name):
        alone = f"a text in only one language is {short.shorthand}: {{{name}: …}}"
        return message, f'put the text in quotes if ": " is part of it; {alone}'
    if short and short.by_language and language_tags.is_key(name):
        text = f"{short.shorthand}: {{{name}: …}}"
        return message, f"beside other keys, languages stand under {short.shorthand}: {text}"
    if slot.alone and short and not close:
        names = ", ".join(known)
        return message, f'put the text in quotes if ": " is part of it; known keys: {names}'
    return message, suggest(name, known, "known keys")


def key_hint(name: str, owner: type[BaseModel] | None) -> str | None:
    """Return what to write for a key that other tools have in this place; None for any other."""
    home = _home(name, owner)
    if home is None or " " in home:
        return home
    if home.startswith(_KIND):
        return f"write a section of kind: {home.removeprefix(_KIND)}"
    *above, last = home.split(".")
    if not above:
        return f"write {last}"
    place = f"it belongs under {' in '.join(reversed(above))}"
    return place if last == name else f"{place}, as {last}"


def intended(name: str, owner: type[BaseModel] | None) -> str | None:
    """Return the key of the model that an unknown one was probably meant to be."""
    home = _home(name, owner)
    if owner and issubclass(owner, Shorthand) and owner.by_language and language_tags.is_key(name):
        return owner.shorthand
    return home or nearest(name, fields_of(owner))


def kind_called(name: str) -> str | None:
    """Return the kind that has this name in other tools or in some language."""
    homes = _tables()["profile"].get(_folded(name), ()) if len(name) <= LONGEST else ()
    for home in homes:
        if home.startswith(_KIND):
            return home.removeprefix(_KIND)
    for tag in sorted(own_words.known()):
        headings = own_words.table(tag).words
        for kind in KINDS:
            if kind in headings and _folded(headings[kind]) == _folded(name):
                return kind
    return None


def _home(name: str, owner: type[BaseModel] | None) -> str | None:
    """Return the entry of a key, or the key of the model that it is but for case and hyphens."""
    if owner is None or len(name) > LONGEST:
        return None
    folded, known = _folded(name), fields_of(owner)
    same = next((key for key in known if _folded(key) == folded), None)
    if same is not None:
        return same
    # The tables of foreign keys, the most specific first.
    tables = [one.__name__.lower() for one in owner.__mro__ if issubclass(one, BaseModel)]
    if issubclass(owner, SectionOf | Group):
        tables = ["section" if issubclass(owner, SectionOf) else "group"]
    for table in tables:
        for home in _tables().get(table, {}).get(folded, ()):
            elsewhere = " " in home or "." in home
            if elsewhere or home in known or home.removeprefix(_KIND) in KINDS:
                return home
    return None


@cache
def _tables() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    data = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    return {
        model: {
            _folded(key): (homes,) if isinstance(homes, str) else tuple(homes)
            for key, homes in table.items()
        }
        for model, table in data.items()
    }


def _folded(name: str) -> str:
    return re.sub(r"[-_ ]", "", name).casefold()
