"""The fields of one part of a file: what it has, what it may have, and where each is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from cvbuild.common.diagnostics import FieldPath
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs import person_file
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml import writer
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import Profile, language_tags, locales
from cvbuild.model.application import Application
from cvbuild.model.base import Model
from cvbuild.model.letter import Letter
from cvbuild.serve.desk import Desk
from cvbuild.serve.form import outline, rows, shapes
from cvbuild.serve.form.rows import Value
from cvbuild.serve.form.shapes import SELECTING, Key, Shape
from cvbuild.serve.messages import Json

Names = Mapping[str, Mapping[str, str]]
#: A day, as a browser's control for one has it.
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
#: The option without which no document shows the photo.
_PRINTED = Key(
    "photo", "Print the photo", "In all documents of this file.", Shape("switch"), usual=True
)
#: Steps of the path of a key of a section.
SECTION = 3


def read(
    text: str, path: FieldPath, root: type[Model] = Profile, names: Names = MappingProxyType({})
) -> Json:
    """Return the fields of what is at a path; raises ProfileError for a text with errors.

    ``names`` has what keys of the file may name, and a title of each.
    """
    guesses = {(one.line, one.key): one.words for one in writer.doubts(text)}
    return _Reading(source_stage.parse(text, "text"), root, names, guesses).form(path)


class _Reading(Struct, frozen=True):
    source: Source
    root: type[Model]
    names: Names
    guesses: Mapping[tuple[int, str], str]

    def form(self, path: FieldPath) -> Json:
        """Return the form of a path: its title, and its fields."""
        data, is_person = self._find(path), self.root is Profile
        shape = shapes.at(self.source.data, path, self.root)
        title, fields = outline.title(self.source.data, path), list[Json]()
        if not is_person:
            keys = (key.title for key in shapes.keys(self.root) if (key.name,) == path)
            title = next(keys, self.root.__name__)
        if not path and is_person:
            fields = [*self._head()]
        elif shape and shape.control == "model" and shape.model:
            fields = [*self._of(shape.model, data, path)]
        elif shape:
            name = str(path[-1])
            fields = [self._field(Key(name, name.capitalize(), "", shape, usual=True), data, path)]
        return self._sheet(path, data, title, fields)

    def _sheet(self, path: FieldPath, data: Any, title: str, fields: list[Json]) -> Json:
        return {
            "path": list(path),
            "title": title,
            "fields": fields,
            "selecting": bool(path) and self.root is Profile and isinstance(data, dict),
            **rows.place(self.source, path),
        }

    def _find(self, path: FieldPath) -> Any:
        part = self.source.find(path)
        return part.data if part else None

    def _head(self) -> Iterator[Json]:
        """Yield the fields of the name, of the line below it, and of the contact."""
        for key in shapes.keys(Profile):
            value = self._find((key.name,))
            if key.shape.model and key.name in ("name", "contact"):
                yield from self._of(key.shape.model, value, (key.name,))
            elif key.name in ("headline", "photo", "locale", "updated"):
                yield self._field(key, value, (key.name,))
            is_on = self._find(("options", "photo"))
            if key.name == "photo" and (value is not None or is_on is not None):
                yield self._field(_PRINTED, is_on, ("options", "photo"))

    def _of(self, model: type[Model], data: Any, path: FieldPath) -> Iterator[Json]:
        """Yield the fields of a mapping, or of the one text that stands for it."""
        short = shapes.short_key(model, data)
        values = {short: data} if short else data if isinstance(data, dict) else {}
        for key in shapes.keys(model):
            own = path if key.name == short else (*path, key.name)
            if key.shape.control == "model" and (model is Application or not values.get(key.name)):
                continue  # A part of its own, or what few need.
            if model is Letter and key.name == "body" and values.get("file"):
                continue
            if key.name in ("items", "groups", "kind") and self._is_elsewhere(key.name, path):
                continue
            # The name stays when a text becomes a mapping: so does the control that is typed in.
            yield self._field(key, values.get(key.name), own, (*path, key.name))
        known = {key.name for key in shapes.keys(model)}
        for name, value in values.items():
            if (
                name not in known
                and value is not None
                and not (name == "value" and "private" in values)
            ):
                key = Key(str(name), str(name), "", Shape("lines"), usual=True)
                yield self._field(key, value, (*path, str(name)))

    def _is_elsewhere(self, name: str, path: FieldPath) -> bool:
        """Return whether a key of a section or of its groups is a matter of the outline."""
        section = self._find(path[:2])
        if path[:1] != ("sections",) or len(path) not in (2, 4) or not isinstance(section, dict):
            return False
        return name != "items" or section.get("kind") not in shapes.ROWS

    def _field(self, key: Key, data: Any, path: FieldPath, name: FieldPath = ()) -> Json:
        value = rows.unwrapped(data, path)
        entry: Json = {
            "name": ".".join(map(str, name or path)),
            "key": key.name,
            "title": key.title,
            "about": key.about,
            "kind": key.shape.control,
            "path": list(value.path),
            "outer": list(path),
            "value": None,
            "usual": key.usual or data is not None,
            "selecting": key.name in SELECTING and self.root is Profile,
            "private": value.private,
            "prose": key.shape.prose,
            "choices": list(key.shape.choices),
            **rows.place(self.source, path),
        }
        guess = self.guesses.get((entry["line"], key.name))
        if guess is not None and not isinstance(data, list):
            entry["guess"] = guess or "guessed"
        if path[:1] == ("sections",) and len(path) == SECTION and key.name in ("title", "order"):
            entry["unset"] = outline.unset(self.source.data, path)
        entry |= self._content(key, value)
        names = self.names.get(key.name) if len(path) == 1 else None
        if names and entry["kind"] == "text" and isinstance(value.data, str | None):
            own = [] if value.data is None or value.data in names else [value.data]
            entry |= {"kind": "choice", "choices": [*own, *names], "words": names, "usual": True}
        if entry["kind"] == "lines" and data is not None:
            entry["lines"] = rows.lines_of(self.source, path)
        return entry

    def _content(self, key: Key, value: Value) -> Json:
        """Return what a control shows of a value; lines for one that it can't show."""
        data, control = value.data, key.shape.control
        plain = data is None or isinstance(data, str)
        if control in ("text", "passage", "list") and rows.in_languages(data):
            kind = "passage" if control == "list" else control
            return {"kind": kind, "texts": rows.texts(self.source, data, value.path)}
        if control == "block" or (control == "list" and key.name == "address" and plain):
            return {"kind": "block", "value": data.strip("\n") if plain and data else data}
        if control == "day" and plain:
            is_day = data is None or _DAY.fullmatch(data)
            return {"kind": "day" if is_day else "text", "value": data}
        if control == "list" and key.name in ("summary", "items", "notes") and plain:
            return {"kind": "passage", "value": rows.joined(data) if data else data}
        if control in ("text", "passage", "choice", "switch", "number") and plain:
            return {"value": rows.joined(data) if data else data}
        if control == "date" and isinstance(data, dict) and isinstance(data.get("text"), str):
            # Words in place of a date.
            return {"kind": "text", "value": data["text"], "path": [*value.path, "text"]}
        if control == "date" and (plain or rows.is_range(data)):
            date = rows.read(data, value.path, self._find(("locale",)))
            return {"value": data if plain else None, "date": date}
        if control == "list" and (plain or isinstance(data, list)):
            return {"rows": [*rows.of(self.source, key.shape, value)], "value": None}
        if control == "links" and (data is None or isinstance(data, list)):
            return {"rows": [*self._links(data or [], value.path)]}
        if control == "pairs" and (data is None or isinstance(data, dict)):
            return self._pairs(key.shape, data or {}, value.path)
        if control == "items" and key.shape.model and (data is None or isinstance(data, list)):
            parts = (((*value.path, at), one) for at, one in enumerate(data or []))
            return {"items": [self._part(key.shape.model, one, path) for path, one in parts]}
        return {"kind": "lines"}

    def _part(self, model: type[Model], data: Any, path: FieldPath) -> Json:
        """Return one of the parts of an item, such as a role."""
        detail = data.get("date") if isinstance(data, dict) else None
        title, fields = outline.title(self.source.data, path), [*self._of(model, data, path)]
        sheet = self._sheet(path, data, title, fields)
        return {**sheet, "detail": detail if isinstance(detail, str) else ""}

    def _links(self, data: list[Any], path: FieldPath) -> Iterator[Json]:
        """Yield labels and addresses, however they are written."""
        for at, one in enumerate(data):
            own, label, address, pair = (*path, at), one, None, False
            if isinstance(one, dict):
                pair = len(one) != 1 or bool({"label", "url"} & set(one))
                named = (one.get("label"), one.get("url"))
                label, address = named if pair else next(iter(one.items()))
            if all(isinstance(part, str | None) for part in (label, address)):
                yield rows.row(self.source, own, own, address, label=label, pair=pair)
            else:
                yield rows.row(self.source, own, own, None, more=rows.lines_of(self.source, own))

    def _pairs(self, shape: Shape, data: dict[str, Any], path: FieldPath) -> Json:
        known = {key.name: key.title for key in shapes.keys(shape.model)} if shape.model else {}
        pairs = []
        for name, one in data.items():
            outer = (*path, name)
            value = rows.unwrapped(one, outer)
            if isinstance(value.data, list) and len(value.data) == 1:
                value = rows.unwrapped(value.data[0], (*value.path, 0))
            plain = isinstance(value.data, str | None)
            more = None if plain else rows.lines_of(self.source, outer)
            text, label = value.data if plain else None, known.get(name, name)
            pairs.append(rows.row(self.source, value.path, outer, text, label=label, more=more))
        left = [[name, title] for name, title in known.items() if name not in data]
        return {"rows": pairs, "labels": left if known else None}


# -- what the keys of an application may name ------------------------------------------------------


def names_in(text: str, desk: Desk) -> Names:
    """Return what each key may name, and a title of each."""
    profile: Profile | None = None
    with suppress(CvbuildError):
        data: Any = source_stage.parse(text, "text").data
        profile = person_file.read(desk.person(str(data.get("person")))).profile
    return {
        "person": {str(one["name"]): str(one["title"]) for one in desk.titles()},
        "variant": {name: name for name in profile.variants} if profile else {},
        "template": {name: one.manifest.title for name, one in desk.templates.items()},
        "locale": languages(),
    }


def languages() -> Mapping[str, str]:
    """Return the languages that documents can be in, by name."""
    named = {tag: language_tags.name(tag) for tag in locales.known()}
    return dict(sorted(named.items(), key=lambda one: one[1]))
