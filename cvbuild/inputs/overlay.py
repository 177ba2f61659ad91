"""A person's overlay, ``people/<person>.private.yaml``, merged into the person's file.

Mappings merge key by key. A list, or a value that may be written for one, is added at the end of
the list. A section of the overlay adds to the one section of its kind and title, or of its kind and
id; else it is a new section. Any other value replaces the person's. Pure: no file, no clock.
"""

from __future__ import annotations

from typing import Any, get_args, get_origin

from msgspec.structs import replace
from pydantic import BaseModel, BeforeValidator
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from cvbuild.inputs.validation.slots import bare
from cvbuild.inputs.yaml.builder import Node
from cvbuild.inputs.yaml.source import Part, Source
from cvbuild.model import Profile
from cvbuild.model.base import FrozenMap, Shorthand
from cvbuild.model.dates import Date
from cvbuild.model.kinds import model_of


def merge(source: Source, overlay: Source) -> Source:
    """Return the source with all of the overlay; each value keeps the position in its own file.

    Both have no flags (``privacy.everything``). A value that doesn't fit the model is put where the
    model finds it, so that validation reports it.
    """
    added = Part(overlay.data, _from(overlay.name, overlay.tree))
    merged = _Over(overlay.name).mapping(Part(source.data, source.tree), added, Profile)
    return replace(source, text="", data=merged.data, tree=merged.node)


def _from(file: str, node: Node) -> Node:
    return node if node.file else replace(node, file=file, private=True)


class _Over:
    def __init__(self, file: str) -> None:
        self.file = file

    def value(self, base: Part, added: Part, field: FieldInfo | None) -> Part:
        """Return the value of ``field`` (None: of no model) when both have one."""
        target = bare(field.annotation) if field else None
        if field is not None and get_origin(target) is tuple:
            return self.many(base, added, field)
        if target is None and isinstance(base.data, list) and isinstance(added.data, list):
            return self.joined(base, self.parts(base, None) or [], self.parts(added, None) or [])
        if isinstance(target, type) and issubclass(target, Shorthand):
            base, added = _in_full(base, target), _in_full(added, target)
        if isinstance(base.data, dict) and isinstance(added.data, dict) and target is not Date:
            return self.mapping(base, added, target)
        return added

    def mapping(self, base: Part, added: Part, target: Any) -> Part:
        """Merge two mappings key by key; an empty value of the overlay counts as absent."""
        here: Any = base.node.children
        below: Any = added.node.children
        data, nodes = dict(base.data), dict(here)
        for key, value in added.data.items():
            part = Part(value, _from(self.file, below[key]))
            if data.get(key) is not None:
                if value is None:
                    continue
                old = Part(data[key], nodes[key])
                if key == "sections" and target is Profile:
                    part = self.sections(old, part)
                else:
                    part = self.value(old, part, _field(target, key))
            data[key], nodes[key] = part
        return Part(data, replace(base.node, children=nodes))

    def many(self, base: Part, added: Part, field: FieldInfo) -> Part:
        """Merge two lists, or values that may be written for lists."""
        before, after = self.parts(base, field), self.parts(added, field)
        if before is None or after is None:
            return added if after is None else base
        return self.joined(base, before, after)

    def parts(self, part: Part, field: FieldInfo | None) -> list[Part] | None:
        """Return the elements of a list of the model; None for a value that can't be one."""
        data, node = part
        if isinstance(data, list):
            below: Any = node.children
            return [Part(*one) for one in zip(data, below, strict=True)]
        for mark in field.metadata if field else ():
            if isinstance(mark, BeforeValidator):
                try:
                    data = mark.func(data)  # type: ignore[call-arg]
                except PydanticCustomError:
                    return None
        if not isinstance(data, list):
            return None
        alone = replace(node, key=None)
        return [Part(one, _under(one, part.data, alone)) for one in data]

    def joined(self, base: Part, before: list[Part], after: list[Part]) -> Part:
        """Return the elements of both as one list at the position of the first."""
        parts = [*before, *(Part(one.data, _from(self.file, one.node)) for one in after)]
        nodes = [one.node for one in parts]
        return Part([one.data for one in parts], replace(base.node, children=nodes))

    def sections(self, base: Part, added: Part) -> Part:
        """Merge the sections; one of the overlay that matches one of the person's extends it."""
        before, after = self.parts(base, None), self.parts(added, None)
        if before is None or after is None:
            return added if after is None else base
        new = []
        for section in after:
            same = [at for at, old in enumerate(before) if _is_same(old.data, section.data)]
            if len(same) == 1:
                old = before[same[0]]
                part = Part(section.data, _from(self.file, section.node))
                before[same[0]] = self.mapping(old, part, model_of(section.data["kind"]))
            else:
                new.append(section)
        return self.joined(base, before, new)


def _field(target: Any, key: str) -> FieldInfo | None:
    """Return the field for a key of a mapping; of a mapping by name, the type of its values."""
    if isinstance(target, type) and issubclass(target, BaseModel):
        for name, field in target.model_fields.items():
            if key == (field.alias or name):
                return field
    if get_origin(target) is FrozenMap:
        inner = bare(get_args(target)[1])
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            return FieldInfo(annotation=inner)
    return None


def _is_same(old: Any, new: Any) -> bool:
    """Return whether two sections are the same: by kind, and by title or id."""
    if not (isinstance(old, dict) and isinstance(new, dict)) or old.get("kind") != new.get("kind"):
        return False
    if new.get("id") is not None:
        return old.get("id") == new["id"] and new.get("title") in (None, old.get("title"))
    return old.get("title") == new.get("title")


def _in_full(part: Part, model: type[Shorthand]) -> Part:
    """Return a value written in short as a mapping of its one key."""
    if not model.is_short(part.data):
        return part
    node = replace(part.node, children={model.shorthand: part.node})
    return Part({model.shorthand: part.data}, node)


def _under(element: Any, whole: Any, node: Node) -> Node:
    """Return the node of an element of a value written for a list: the value's own position."""
    if element is whole:
        return node
    if isinstance(element, dict) and element.keys() == {"text"}:
        return replace(node, children={"text": node})
    return node if isinstance(element, dict) else replace(node, children=None)
