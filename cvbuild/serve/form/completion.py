"""What may be written at a place of a text, by the schema.

The text may be half written: what counts is where a word at the cursor would be in its data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import product
from typing import Any

from msgspec import Struct

from cvbuild.common.diagnostics import FieldPath
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs.yaml import source
from cvbuild.inputs.yaml.source import Source
from cvbuild.serve.messages import Json

#: What stands at the cursor while the text is read.
_WORD = "cvbuild-cursor"
#: Keys that say how a value is selected, not what it is: offered last.
_COMMON = frozenset(("private", "tags", "priority", "keep"))
_PRIVATE = {"$ref": "#/$defs/Private"}


def complete(before: str, after: str, schema: Json) -> list[Json]:
    """Return what may stand between two halves of a text: keys, with what follows them; values."""
    above, _, line = before.rpartition("\n")
    rest, _, below = after.partition("\n")
    rest = re.sub(r"^[\w.-]*", "", rest)
    # What is below may be broken, or a part of what is being written.
    ends = dict.fromkeys(("", _closing(line)))
    for tail, key, close in product((below, ""), ("", ": x"), ends):
        text = f"{above}\n{line}{_WORD}{key}{rest}{close}\n{tail}"
        with suppress(CvbuildError):
            read = source.parse(text, "text")
            return _offers(read, line.rstrip().endswith(":"), _Schema(schema))
    return []


def _offers(read: Source, is_behind_key: bool, schema: _Schema) -> list[Json]:
    """Return what may take the place of the word at the cursor."""
    path = next(_words(read.data, ()), None)
    if path is None:
        return []
    is_key = path[-1] == _WORD
    path = path[:-1] if is_key else path
    forms, held = schema.at(read.data, path), read.part(path).data
    offers = [] if is_behind_key else schema.keys(forms, held if is_key else ())
    values = {} if is_key else schema.values(forms)
    return offers + [{"label": one, "about": values[one], "shape": None} for one in values]


def _closing(line: str) -> str:
    """Return the brackets that end what is open in a line."""
    ends = {"{": "}", "[": "]"}
    opened: list[str] = []
    for sign in re.sub(r"\"[^\"]*\"|'[^']*'", "", line):
        if sign in ends:
            opened.append(ends[sign])
        elif opened and sign == opened[-1]:
            opened.pop()
    return "".join(reversed(opened))


def _words(data: Any, path: FieldPath) -> Iterator[FieldPath]:
    """Yield the path of the word at the cursor."""
    for step, value in _inside(data):
        if _WORD in (step, value):
            yield (*path, step)
        yield from _words(value, (*path, step))


def _inside(data: Any) -> Iterable[tuple[str | int, Any]]:
    if isinstance(data, dict):
        return data.items()
    return enumerate(data) if isinstance(data, list) else ()


# -- the schema ------------------------------------------------------------------------------------


class _Schema(Struct, frozen=True):
    """A JSON Schema; a value may have one of several forms."""

    root: Json

    def at(self, data: Any, path: FieldPath) -> list[Json]:
        """Return the forms that a value at a path of a file may have."""
        forms = _fitting(self._forms(self.root), data)
        for step in path:
            data = data[step]
            inner = (self._below(form, step) for form in forms)
            forms = _fitting([one for form in inner if form for one in self._forms(form)], data)
        return forms

    def keys(self, forms: list[Json], present: Iterable[str]) -> list[Json]:
        """Return the keys of a mapping in any of the forms, without those that it has."""
        private = self._resolved(_PRIVATE)
        # Where names are free, such as those of variants, a flag is no guess.
        is_free = any(isinstance(form.get("additionalProperties"), dict)
                      and "properties" not in form for form in forms)  # fmt: skip
        known = [form for form in forms if not (is_free and form is private)]
        found: dict[str, Json] = {}
        for form in _narrowed(known, present):
            for name, inner in form.get("properties", {}).items():
                if name not in present and name not in found:
                    needed = name in form.get("required", ())
                    rank = {"is_needed": needed, "is_last": form is private or name in _COMMON}
                    about, shape = self._said(inner), self._shape(inner)
                    found[name] = {"label": name, "about": about, "shape": shape, **rank}
        return [*found.values()]

    def values(self, forms: Iterable[Json]) -> dict[str, str]:
        """Return the values of a place, as YAML, where they are a fixed few, and their words."""
        found: dict[str, str] = {}
        for form in forms:
            is_flag = form.get("type") == "boolean" and "enum" not in form
            fixed = ["true", "false"] if is_flag else form.get("enum", ())
            for value in [form["const"]] if "const" in form else fixed:
                if value is not None:
                    found.setdefault(str(value), form.get("description", ""))
        return found

    def _said(self, inner: Json) -> str:
        forms = [inner, *self._forms(inner)]
        return next((form["description"] for form in forms if "description" in form), "")

    def _shape(self, inner: Json) -> str:
        """Return what a value is, in one word."""
        private = self._resolved(_PRIVATE)
        forms = [form for form in self._forms(inner) if form is not private]
        named = (form.get("type", "string") for form in forms)
        types = {kind for one in named for kind in ([one] if isinstance(one, str) else one)}
        if types <= {"array", "object", "null"}:
            return "list" if "array" in types else "mapping"
        return "text"

    def _resolved(self, schema: Json) -> Json:
        while "$ref" in schema:
            target: Any = self.root
            for step in schema["$ref"].split("/")[1:]:
                target = target[step]
            schema = target
        return schema

    def _forms(self, schema: Json) -> list[Json]:
        plain = self._resolved(schema)
        nested = [one for key in ("anyOf", "oneOf", "allOf") for one in plain.get(key, ())]
        return [form for one in nested for form in self._forms(one)] if nested else [plain]

    def _below(self, form: Json, step: str | int) -> Json | None:
        if isinstance(step, int):
            return form.get("items")
        others = form.get("additionalProperties")
        named: Json | None = form.get("properties", {}).get(step)
        return named or (others if isinstance(others, dict) else None)


def _fitting(forms: list[Json], data: Any) -> list[Json]:
    """Leave out forms whose fixed values differ from the data's: ``kind: talk`` is no award."""

    def fits(form: Json) -> bool:
        fixed = ((data.get(key), one.get("const")) for key, one in form["properties"].items())
        return all(const is None or value in (None, const, _WORD) for value, const in fixed)

    if not isinstance(data, dict):
        return forms
    return [form for form in forms if "properties" not in form or fits(form)] or forms


def _narrowed(forms: list[Json], present: Iterable[str]) -> list[Json]:
    """While what tells many forms apart is missing, offer that alone: ``kind``."""
    kinds = [form for form in forms if "const" in form.get("properties", {}).get("kind", {})]
    if len(kinds) <= 1 or "kind" in present:
        return forms
    kind = {"description": "What the section holds."}
    return [{"properties": {"kind": kind}, "required": ["kind"]}]
