"""A person's file as an importer fills it: values where they belong, and what has no key there.

What the schema refuses is taken out and listed: what an importer returns is always valid.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from pydantic import BaseModel, ValidationError

from cvbuild.common.diagnostics import CvbuildError, Diagnostic, FieldPath, Span
from cvbuild.importers import dates, descriptions
from cvbuild.importers.types import Imported, Lost, paths_of
from cvbuild.inputs.validation import date_hints, errors, slots
from cvbuild.model import kinds
from cvbuild.model.base import fields_of
from cvbuild.model.profile import Profile
from cvbuild.model.text import texts

_DIRECTIONS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_EMPTY: tuple[object, ...] = (None, "", [], {})


class Draft:
    """What has been read so far; items are dicts that the importer goes on filling."""

    def __init__(self, file: str, *, is_rough: bool = False) -> None:
        self.data: dict[str, Any] = {}
        self.file = file
        self.sureness = 1.0
        self._is_rough = is_rough
        #: Sections by kind and title, and groups of them by theirs: there may be thousands.
        self._sections: dict[tuple[str, str | None, str | None], dict[str, Any]] = {}
        self._lost: list[tuple[Diagnostic, object]] = []
        self._guesses: list[tuple[object, str | None]] = []
        # Of dates that are kept as words, each with what it is of.
        self._warnings: list[tuple[object, Diagnostic]] = []
        # By identity: two items may be equal. The item is kept, so that its id stays its own.
        self._places: dict[int, tuple[object, Span]] = {}
        # Of texts that were put, by their path.
        self._put: dict[str, Span] = {}

    def put(self, path: str, value: Any, place: Span | None = None) -> None:
        """Set a text by its path, ``contact.address``, if there is none, or add to a list."""
        if value in _EMPTY:
            return
        if place:
            self._put.setdefault(path, place)
        *above, key = path.split(".")
        here = self.data
        for step in above:
            here = here.setdefault(step, {})
        if isinstance(value, list):
            known = here.setdefault(key, [])
            known += [one for at, one in enumerate(value) if one not in (*known, *value[:at])]
        elif key not in here:
            here[key] = value
        elif here[key] != value:
            self.lose(path, value, place)

    def section(
        self, kind: str, title: str | None = None, place: Span | None = None
    ) -> dict[str, Any]:
        """Return the section of that kind and title, a dict to fill; made at its first use."""
        if (kind, title, None) not in self._sections:
            made: dict[str, Any] = {"kind": kind, "title": title, "items": [], "groups": []}
            self._sections[kind, title, None] = made
            self.data.setdefault("sections", []).append(made)
            self.mark(made, place)
        return self._sections[kind, title, None]

    def add(
        self,
        kind: str,
        item: Any,
        place: Span | None = None,
        title: str | None = None,
        group: str | None = None,
    ) -> Any:
        """Add an item, without what is empty, to a section or a group of it, and return it."""
        if isinstance(item, dict):
            item = _pruned(item)
        if not item:
            return item
        within = self.section(kind, title, place)
        if group and (kind, title, group) not in self._sections:
            self._sections[kind, title, group] = {"title": group, "items": []}
            within["groups"].append(self._sections[kind, title, group])
        self._sections[kind, title, group or None]["items"].append(item)
        self.mark(item, place)
        return item

    def keep_order(self) -> None:
        """Give sections ``order: file`` whose items aren't the newest first."""
        for section in self.data.get("sections", ()):
            for items in (section["items"], *(group["items"] for group in section["groups"])):
                keys = [*map(dates.sort_key_of, items)]
                if keys != sorted(keys, reverse=True):
                    section["order"] = "file"

    def mark(self, part: object, place: Span | None) -> None:
        """Remember where a part of the data, a dict or a list, is in the source."""
        if place:
            self._places[id(part)] = (part, place)

    def lose(
        self, what: str, value: object, place: Span | None = None, near: object = None
    ) -> None:
        """List a value that has no key; ``near`` is the dict that it belongs to."""
        if value in _EMPTY:
            return
        # It goes to a terminal and into a comment: no control characters, no change of direction.
        message = texts.line(_DIRECTIONS.sub("", f"{what}: {_words(value)}"))
        note = Diagnostic("note", "homeless", message, place or Span(self.file))
        self._lost.append((note, near))

    def guess(self, part: object, key: str | None = None) -> None:
        """Remember that a part of the data, or its value at a key, is a guess: ``# ?``."""
        self._guesses.append((part, key))

    def texts(self) -> Iterator[str]:
        """Yield all texts so far: keys and values, and the notes of what is lost."""
        yield _words(self.data)
        yield from (note.message for note, _ in self._lost)

    def done(self) -> Imported:
        """Return the result, valid and in the schema's order; an error is the importer's bug."""
        data: dict[str, Any] = _pruned(self.data)
        for _ in range(_ROUNDS):
            if not (reasons := _refused(data)):
                break
            # The last ones first: what is before them in a list keeps its place.
            for path in sorted(reasons, key=lambda one: [(type(s) is str, s) for s in one])[::-1]:
                if path:
                    self._take_out(data, path, reasons[path])
        else:
            fact = f"{self.file} can't be made valid"
            raise CvbuildError.because("import", fact, "please report it")
        written = [key for key in data if key in ("interests", "sections")]
        _order(data, Profile)
        if written == ["sections", "interests"]:
            # The document has them below its sections, where they are printed.
            data["interests"] = data.pop("interests")
        for section in data.get("sections", ()):
            if model := kinds.model_of(section["kind"]):
                _order(section, model)
        paths = paths_of(data)
        whole = {id(part) for part, key in self._guesses if key is None}
        guesses = [
            paths[id(part)] if key is None else (*paths[id(part)], key)
            for part, key in self._guesses
            if id(part) in paths
            and (key is None or (id(part) not in whole and isinstance(part, dict) and key in part))
        ]
        return Imported(
            data,
            tuple(Lost(note, paths.get(id(near), ())) for note, near in self._lost),
            self._is_rough,
            tuple(note for part, note in self._warnings[::-1] if id(part) in paths),
            tuple(dict.fromkeys(guesses)),
            sureness=self.sureness,
        )

    def _take_out(self, data: dict[str, Any], path: FieldPath, why: str) -> None:
        """Remove the value at a path, and list it; dates become words instead."""
        above = _above(data, path)
        holder, step = above[-1]
        here, outward = holder[step], [outer for outer, _ in reversed(above)]
        names = (".".join(map(str, path[:end])) for end in range(len(path), 0, -1))
        parts = filter(None, (self._places.get(id(one)) for one in (here, *outward)))
        known = [*(place for _, place in parts), *filter(None, map(self._put.get, names))]
        place = known[0] if known else Span(self.file)
        if step == "date" and isinstance(here, str):
            # Words are shown as they are; they just have no place in the order.
            holder[step] = {"text": here}
            if told := date_hints.kept(here):
                warning = Diagnostic("warning", "date", told[0], place, told[1])
                self._warnings.append((holder, warning))
            return
        if not isinstance(here, dict) or here.keys() - {"kind"}:
            near = next((one for one in outward if isinstance(one, dict)), None)
            self.lose(f"{_name(data, path)} ({why})", here, place, near)
        del holder[step]
        # What is empty now goes too: a section without items is none.
        for outer, inner in reversed(above[:-1]):
            if outer[inner]:
                break
            del outer[inner]


def _above(data: Any, path: FieldPath) -> list[tuple[Any, Any]]:
    """Return each step of a path that there is, with the list or mapping that it is in."""
    above: list[tuple[Any, Any]] = []
    with suppress(KeyError, IndexError):
        for step in path:
            if not isinstance(data, dict | list):
                break
            outer: Any = data
            data = outer[step]
            above.append((outer, step))
    return above


def _pruned(value: Any) -> Any:
    """Return the same dict or list without what is empty in it, at any depth."""
    if isinstance(value, dict):
        for key in list(value):
            _pruned(value[key])
            if value[key] in _EMPTY:
                del value[key]
    elif isinstance(value, list):
        for inner in value:
            _pruned(inner)
        value[:] = [inner for inner in value if inner not in _EMPTY]
    return value


def _order(value: Any, model: type[BaseModel]) -> None:
    """Bring the keys of a mapping, and of those in it, into the order of their model."""
    if not isinstance(value, dict):
        return
    fields = fields_of(model)
    # The kind first.
    places = {key: at for at, key in enumerate(sorted(fields, key="kind".__ne__))}
    ordered = sorted(value.items(), key=lambda one: places.get(one[0], len(places)))
    value.clear()
    value.update(ordered)
    for key, inner in ordered:
        for inside in descriptions.leaves(fields[key].annotation if key in fields else None):
            if not (isinstance(inside, type) and issubclass(inside, BaseModel)):
                continue
            for one in inner if isinstance(inner, list) else [inner]:
                _order(one, inside)


def _words(value: Any) -> str:
    """Return the texts of a value on one line, for a note."""
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_words(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return "; ".join(map(_words, value))
    return str(value)


# -- what the schema refuses is taken out, each with our reason -----------------------------------

#: Stands for a name while the rest is checked.
_NOBODY = "Nobody"
#: How often what the schema refuses is taken out: an item may be refused after a part of it was.
_ROUNDS = 20


def _refused(data: dict[str, Any]) -> dict[FieldPath, str]:
    """Return what the schema refuses, or what lacks it, by its path, and what is wrong with it."""
    try:
        Profile.model_validate({"name": _NOBODY, **data})
    except ValidationError as error:
        faults = error.errors(include_url=False)
    else:
        return {}
    reasons: dict[FieldPath, str] = {}
    for fault in faults:
        slot = slots.find(fault["loc"], data)
        there = tuple(step for _, step in _above(data, slot.path))
        reasons[there] = errors.words(dict(fault), slot)[0]
    # What holds another refused value may be right without it: a group of one item.
    outer = {path[:end] for path in reasons for end in range(len(path))}
    return {path: why for path, why in reasons.items() if path not in outer}


def _name(data: Mapping[str, Any], path: FieldPath) -> str:
    """Return a path in words: education, item 2, thesis."""
    words: list[str] = []
    if len(path) > 1 and path[0] == "sections":
        section = data["sections"][path[1]]
        words, path = [str(section.get("title") or section.get("kind") or "section")], path[2:]
    for at, step in enumerate(path):
        if isinstance(step, int):
            what = str(path[at - 1]).removesuffix("s") if at else "part"
            words[len(words) - bool(at) :] = [f"{what} {step + 1}"]
        else:
            words.append(step)
    return ", ".join(words)
