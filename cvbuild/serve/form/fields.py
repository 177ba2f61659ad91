"""The fields of one part of a file: what it has, what it may have, and where each is."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from pydantic_core import PydanticCustomError

from cvbuild.common.diagnostics import FieldPath
from cvbuild.inputs.person import privacy
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml import writer
from cvbuild.inputs.yaml.tree import Source
from cvbuild.model import locales
from cvbuild.model.application import Application
from cvbuild.model.base import Model, Shorthand
from cvbuild.model.letter import Letter
from cvbuild.model.locales.dates import PRESENT, Date
from cvbuild.model.profile import Profile
from cvbuild.model.text import language_tags
from cvbuild.model.text.paragraphs import LIST_MARK
from cvbuild.serve.form import outline, shapes
from cvbuild.serve.form.shapes import SELECTING, Key, Shape, in_languages
from cvbuild.serve.messages import Json

Names = Mapping[str, Mapping[str, str]]
#: A day, as a browser's control for one has it.
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
#: A range, as it is written: its dates, and what is between them.
_RANGE = re.compile(
    r"(?P<start>.+?)(?P<between> to | until | till | through | ?[–—] ?| -{1,3} )(?P<end>.+)"
)
#: The option without which no document shows the photo.
_PRINTED = Key(
    "photo", "Print the photo", "In all documents of this file.", Shape("switch"), usual=True
)
#: Steps of the path of a key of a section.
SECTION = 3


def read(
    text: str, path: FieldPath, root: type[Model] = Profile, names: Names = MappingProxyType({})
) -> Json:
    """Return the fields of a path; ``names`` has what keys may name. Raises ProfileError."""
    guesses = {(doubt.line, doubt.key): doubt.words for doubt in writer.doubts(text)}
    return _Form(source_stage.parse(text, "text"), root, names, guesses).of(path)


class Value(Struct, frozen=True):
    """A value without its wrapper ``{value: …, private: true}``, and its path in it."""

    data: Any
    path: FieldPath
    private: bool = False

    @classmethod
    def of(cls, data: Any, path: FieldPath) -> Value:
        """Take off the wrapper, if there is one."""
        if isinstance(data, dict) and set(data) == {"value", "private"}:
            return cls(data["value"], (*path, "value"), privacy.says_yes(data["private"]))
        return cls(data, path)


class _Form(Struct, frozen=True):
    source: Source
    root: type[Model]
    names: Names
    guesses: Mapping[tuple[int, str], str]

    def of(self, path: FieldPath) -> Json:
        """Return the form of a path: its title, and its fields."""
        data, shape = self._find(path), shapes.at(self.source.data, path, self.root)
        title, fields = outline.title(self.source.data, path), list[Json]()
        if self.root is not Profile:
            keys = (key.title for key in shapes.keys(self.root) if (key.name,) == path)
            title = next(keys, self.root.__name__)
        if shape and shape.model is Profile:
            # The name, the line below it, and the contact.
            for key in shapes.keys(Profile):
                value = self._find((key.name,))
                if key.shape.model and key.name in ("name", "contact"):
                    fields += self._mapping(key.shape.model, value, (key.name,))
                elif key.name in ("headline", "photo", "locale", "updated"):
                    fields.append(self._field(key, value, (key.name,)))
                is_on = self._find(("options", "photo"))
                if key.name == "photo" and (value is not None or is_on is not None):
                    fields.append(self._field(_PRINTED, is_on, ("options", "photo")))
        elif shape and shape.control == "model" and shape.model:
            fields = [*self._mapping(shape.model, data, path)]
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
            **self._place(path),
        }

    def _find(self, path: FieldPath) -> Any:
        part = self.source.find(path)
        return part.data if part else None

    def _mapping(self, model: type[Model], data: Any, path: FieldPath) -> Iterator[Json]:
        """Yield the fields of a mapping, or of the one text that stands for it."""
        short = shapes.short_key(model, data)
        values = {short: data} if short else data if isinstance(data, dict) else {}
        elsewhere = ["body"] if model is Letter and values.get("file") else []
        section = self._find(path[:2])
        if path[:1] == ("sections",) and len(path) in (2, 4) and isinstance(section, dict):
            # A matter of the outline.
            rows = [] if section.get("kind") in shapes.ROWS else ["items"]
            elsewhere += ["groups", "kind", *rows]
        for key in shapes.keys(model):
            own = path if key.name == short else (*path, key.name)
            if key.shape.control == "model" and (model is Application or not values.get(key.name)):
                continue  # A part of its own, or what few need.
            if key.name not in elsewhere:
                # The name stays when a text becomes a mapping: so does the control typed in.
                yield self._field(key, values.get(key.name), own, (*path, key.name))
        known = {*(key.name for key in shapes.keys(model)), *(("value",) * ("private" in values))}
        for name, value in values.items():
            if name not in known and value is not None:
                key = Key(str(name), str(name), "", Shape("lines"), usual=True)
                yield self._field(key, value, (*path, str(name)))

    def _field(self, key: Key, data: Any, path: FieldPath, name: FieldPath = ()) -> Json:
        value = Value.of(data, path)
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
            **self._place(path),
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
            entry["lines"] = self._place(path, text=True)
        return entry

    def _content(self, key: Key, value: Value) -> Json:
        """Return what a control shows of a value; lines for one that it can't show."""
        data, control = value.data, key.shape.control
        plain = data is None or isinstance(data, str)
        if control in ("text", "passage", "list") and in_languages(data):
            kind = "passage" if control == "list" else control
            return {"kind": kind, "texts": self._texts(data, value.path)}
        if control == "block" or (control == "list" and key.name == "address" and plain):
            return {"kind": "block", "value": data.strip("\n") if plain and data else data}
        if control == "day" and plain:
            is_day = data is None or _DAY.fullmatch(data)
            return {"kind": "day" if is_day else "text", "value": data}
        if control == "list" and key.name in ("summary", "items", "notes") and plain:
            return {"kind": "passage", "value": joined(data) if data else data}
        if control in ("text", "passage", "choice", "switch", "number") and plain:
            return {"value": joined(data) if data else data}
        if control == "date" and isinstance(data, dict) and isinstance(data.get("text"), str):
            # Words in place of a date.
            return {"kind": "text", "value": data["text"], "path": [*value.path, "text"]}
        # By its ends: {start: 2020, end: 2021}.
        is_range = isinstance(data, dict) and {"start"} <= {*data} <= {"start", "end"}
        is_range = is_range and all(isinstance(end, str | None) for end in data.values())
        if control == "date" and (plain or is_range):
            date = _date(data, value.path, self._find(("locale",)))
            return {"value": data if plain else None, "date": date}
        if control == "list" and (plain or isinstance(data, list)):
            return {"rows": [*self._rows(key.shape, value)], "value": None}
        if control == "links" and (data is None or isinstance(data, list)):
            return {"rows": [*self._links(data or [], value.path)]}
        if control == "pairs" and (data is None or isinstance(data, dict)):
            return self._pairs(key.shape, data or {}, value.path)
        if control == "items" and key.shape.model and (data is None or isinstance(data, list)):
            items = []
            for at, item in enumerate(data or []):
                path, day = (*value.path, at), item.get("date") if isinstance(item, dict) else None
                fields = [*self._mapping(key.shape.model, item, path)]
                sheet = self._sheet(path, item, outline.title(self.source.data, path), fields)
                items.append({**sheet, "detail": day if isinstance(day, str) else ""})
            return {"items": items}
        return {"kind": "lines"}

    # -- rows of a list ----------------------------------------------------------------------------

    def _row(self, path: FieldPath, outer: FieldPath, text: Any, **more: object) -> Json:
        """Return a text, or one in several languages, and ``more``; ``outer`` is all of it."""
        return {
            "path": list(path),
            "outer": list(outer),
            "value": joined(text) if isinstance(text, str) else None,
            "texts": self._texts(text, path) if in_languages(text) else None,
            **self._place(outer),
            **more,
        }

    def _texts(self, data: dict[str, Any], path: FieldPath) -> list[Json]:
        return [
            {
                "language": tag,
                "value": joined(text or ""),
                "path": [*path, tag],
                "line": self._place((*path, tag))["line"],
            }
            for tag, text in data.items()
        ]

    def _rows(self, shape: Shape, value: Value) -> Iterator[Json]:
        """Yield the rows of a list; one text stands for a list of one."""
        if isinstance(value.data, str):
            yield self._row(value.path, value.path, value.data)
            return
        model = shape.model if shape.model and issubclass(shape.model, Shorthand) else None
        short = model.shorthand if model else ""
        keys = shapes.keys(model) if model else ()
        key = next((key for key in keys if key.name == "bullets"), None)
        for at, item in enumerate(value.data or []):
            outer = (*value.path, at)
            inner = Value.of(item, outer)
            whole = inner.data if isinstance(inner.data, dict) and short in inner.data else {}
            text, path = (whole[short], (*inner.path, short)) if whole else (inner.data, inner.path)
            if not isinstance(text, str) and not in_languages(text):
                yield self._row(outer, outer, None, more=self._place(outer, text=True))
                continue
            below, points, own = None, whole.get("bullets"), (*inner.path, "bullets")
            if key and isinstance(points, str | list):
                rows = [*self._rows(key.shape, Value(points, own))]
                name = ".".join(map(str, own))
                below = {"name": name, "title": "Points", "path": list(own), "rows": rows}
            rest = set(whole) - {short} - ({"bullets"} if below else set())
            private = inner.private or privacy.says_yes(whole.get("private"))
            more = self._place(outer, text=True) if rest else None
            yield self._row(path, outer, text, private=private, more=more, below=below)

    def _links(self, data: list[Any], path: FieldPath) -> Iterator[Json]:
        for at, item in enumerate(data):
            own, label, address, pair = (*path, at), item, None, False
            if isinstance(item, dict):
                pair = len(item) != 1 or bool({"label", "url"} & set(item))
                named = (item.get("label"), item.get("url"))
                label, address = named if pair else next(iter(item.items()))
            if all(isinstance(part, str | None) for part in (label, address)):
                yield self._row(own, own, address, label=label, pair=pair)
            else:
                yield self._row(own, own, None, more=self._place(own, text=True))

    def _pairs(self, shape: Shape, data: dict[str, Any], path: FieldPath) -> Json:
        known = {key.name: key.title for key in shapes.keys(shape.model)} if shape.model else {}
        pairs = []
        for name, item in data.items():
            outer = (*path, name)
            value = Value.of(item, outer)
            if isinstance(value.data, list) and len(value.data) == 1:
                value = Value.of(value.data[0], (*value.path, 0))
            plain = isinstance(value.data, str | None)
            more = None if plain else self._place(outer, text=True)
            text, label = value.data if plain else None, known.get(name, name)
            pairs.append(self._row(value.path, outer, text, label=label, more=more))
        left = [[name, title] for name, title in known.items() if name not in data]
        return {"rows": pairs, "labels": left if known else None}

    def _place(self, path: FieldPath, *, text: bool = False) -> Json:
        """Return first and last line of a value, or its text too; None for what is not there."""
        if self.source.find(path) is None or not path:
            return {"line": None, "end_line": None}
        first, last = outline.lines(self.source, path)
        place: Json = {"line": first, "end_line": last}
        if text:
            rows = self.source.text.split("\n")[first - 1 : last]
            place["text"] = textwrap.dedent("\n".join(rows))
        return place


def joined(text: str) -> str:
    """Return a text with each paragraph, and each item of a list, on one line."""
    rows: list[str] = []
    for row in text.strip("\n").split("\n"):
        above = rows[-1] if rows else ""
        begins = not above.strip() or not row.strip() or above.endswith("\\")
        # What isn't indented below an item may be anything.
        if begins or LIST_MARK.match(row) or (row[0] != " " and LIST_MARK.match(above)):
            rows.append(row)
        else:
            rows[-1] = f"{above} {row.strip()}"
    return "\n".join(rows)


# -- dates -----------------------------------------------------------------------------------------


def _date(data: Any, path: FieldPath, locale: object) -> Json:
    tag = locale if isinstance(locale, str) and language_tags.is_known(locale) else "en"
    date, printed = None, ""
    with suppress(PydanticCustomError, KeyError, TypeError, ValueError):
        date = Date.of(data) if data else None
        printed = locales.date_text(date, tag) if date else ""
    if isinstance(data, dict):
        shown: Json = {"start": data["start"] or "", "end": data.get("end") or "", "between": None}
    else:
        shown = {"start": data or "", "end": "", "between": " to "}
        ends = _RANGE.fullmatch(data or "")
        if ends and date and date.start:
            shown = {name: text.strip() for name, text in ends.groupdict().items()}
            shown["between"] = ends["between"]
    present = shown["end"].lower() in PRESENT
    word = shown["end"] if present else "present"
    return {**shown, "present": present, "word": word, "printed": printed, "path": list(path)}


# -- what the keys of an application may name ------------------------------------------------------


def languages() -> Mapping[str, str]:
    """Return the languages that documents can be in, by name."""
    named = {tag: language_tags.name(tag) for tag in locales.known()}
    return dict(sorted(named.items(), key=lambda pair: pair[1]))
