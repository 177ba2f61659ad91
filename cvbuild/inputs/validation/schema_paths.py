"""Find the part of a file that an error of pydantic is about.

Pydantic's ``loc`` has steps that are not in the file: the number of an item that is written without
a list, the key that a shorthand leaves out.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Annotated, Any, Union, get_args, get_origin

from annotated_types import Ge, Le
from msgspec import Struct
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from cvbuild.common.diagnostics import FieldPath
from cvbuild.model import Profile, kinds, language_tags
from cvbuild.model.base import FrozenMap, Shorthand
from cvbuild.model.parts import Link
from cvbuild.model.sections import SectionOf
from cvbuild.model.variant import EVERY


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
        required = _is_required(owner, step) if not written_short else required
        if by_language:
            continue  # In the file the languages are in place of the key.
        mapping = data if isinstance(data, dict) else {}
        beside = frozenset(key for key in keys(owner) if key in mapping)
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


def keys(owner: type[BaseModel] | None) -> list[str]:
    """Return the keys of a model as a file has them."""
    if owner is None:
        return []
    return [field.alias or name for name, field in owner.model_fields.items()]


def main_key(model: type[BaseModel]) -> str | None:
    """Return the key that a model written in short stands for."""
    return model.shorthand if issubclass(model, Shorthand) else "label" if model is Link else None


def _is_required(owner: type[BaseModel] | None, key: str) -> bool:
    """Return whether a model requires a key."""
    fields = owner.model_fields.items() if owner else ()
    return any(field.is_required() for name, field in fields if key in (name, field.alias))


def limits(slot: Slot) -> tuple[int, int]:
    """Return the smallest and the largest number that a slot takes."""
    fields = slot.owner.model_fields.items() if slot.owner else ()
    same = [field for name, field in fields if slot.name in (name, field.alias)]
    rules = [rule for field in same for rule in (*field.metadata, *_rules(field.annotation))]
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


def first_required(model: Any) -> str | None:
    """Return the first key that a model requires."""
    if not (isinstance(model, type) and issubclass(model, BaseModel)):
        return None
    required = [f.alias or name for name, f in model.model_fields.items() if f.is_required()]
    return required[0] if required else None


def _child(data: object, step: str | int) -> tuple[object, bool]:
    """Return the value at ``step`` and whether there is one."""
    if isinstance(data, dict) and step in data:
        return data[step], True
    if isinstance(data, list) and isinstance(step, int) and step < len(data):
        return data[step], True
    return None, False


def bare(annotation: Any) -> Any:
    """Return the annotation without Annotated and None."""
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) in (Union, types.UnionType):
        parts = [part for part in get_args(annotation) if part is not type(None)]
        if len(parts) == 1:
            return bare(parts[0])
    return annotation


def _into(annotation: Any, step: str | int) -> Any:
    """Return the annotation of the value at ``step``."""
    annotation = bare(annotation)
    origin = get_origin(annotation)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        for name, field in annotation.model_fields.items():
            if step in (name, field.alias):
                return bare(field.annotation)
    elif origin is tuple:
        return bare(get_args(annotation)[0])
    elif origin is FrozenMap:
        return bare(get_args(annotation)[1])
    return None
