"""What the page changes in a text: a control, or what files of other programs add to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Any

from cvbuild.building.texts import in_languages
from cvbuild.common.diagnostics import FieldPath
from cvbuild.common.errors import UsageError
from cvbuild.importers import adverts, merging
from cvbuild.inputs import changes, people
from cvbuild.inputs.references import bibliography, identity
from cvbuild.inputs.yaml import edit, source, writer
from cvbuild.inputs.yaml.entries import EditError
from cvbuild.model import Profile, language_tags
from cvbuild.model.base import Model, Shorthand
from cvbuild.model.letter import Letter
from cvbuild.serve.form import shapes
from cvbuild.serve.messages import Change, Json, Original

_DATE_IN_WORDS = re.compile(r"\{\s*text:\s*([^\s{}][^{}]*?)\s*\}")


def applied(
    text: str, wanted: Sequence[Change], root: type[Model] = Profile
) -> tuple[str, FieldPath]:
    """Return the text after the changes, and where the first value, or what is next to it, is."""
    for change in wanted:
        try:
            text = _changed(text, tuple(change.path), change, root)
        except EditError:
            where = ".".join(map(str, change.path))[:200]
            fact = f"{where} can't be set without changing other lines"
            raise UsageError.because("set", fact, "write it into the text yourself") from None
    parsed, path = source.parse(text, "text"), _moved(tuple(wanted[0].path), wanted[0])
    while path and parsed.find(path) is None:
        last = path[-1]
        path = (*path[:-1], last - 1) if isinstance(last, int) and last else path[:-1]
    return text, path


def _changed(text: str, path: FieldPath, change: Change, root: type[Model]) -> str:
    if change.read:
        return adverts.put(text, path, str(change.value), shapes.before({}, path, root))
    if change.sure:
        return _unmarked(text, path)
    if change.to is not None:
        return edit.move(text, path, change.to)
    parsed = source.parse(text, "text")
    above = parsed.find(path[:-1])
    is_in_language = above and shapes.in_languages(above.data) and language_tags.is_key(path[-1])
    value: object = change.value
    if isinstance(value, str) and not is_in_language:
        # Texts by language, and words for a date, are mappings where they are written as in YAML.
        words = _DATE_IN_WORDS.fullmatch(value.strip()) if "date" in path[-2:] else None
        value = {"text": words[1]} if words else in_languages(value) or value
    path = _of_short(parsed, path, value, root)
    for at in range(1, len(path)) if value is not None and not change.translates else ():
        holder, there = shapes.at(parsed.data, path[:at], root), parsed.find(path[:at])
        if not (holder and holder.model and there) or language_tags.is_key(path[at]):
            continue
        short = shapes.short_key(holder.model, there.data)
        if short and shapes.at(parsed.data, path[: at + 1], root):
            # One text stood for a mapping.
            for step in reversed(path[at + 1 :]):
                value = [value] if isinstance(step, int) else {step: value}
            return edit.put(text, path[:at], {short: there.data, str(path[at]): value})
    if change.insert:
        return edit.insert(text, path, value)
    if change.is_copy:
        there = parsed.find(path)
        if there is None or not isinstance(path[-1], int):
            raise EditError
        return edit.insert(text, _moved(path, change), there.data)
    if change.translates:
        return _translated(text, path, change.translates, change.value)
    return edit.put(_unmarked(text, path), path, value, shapes.before(parsed.data, path, root))


def _of_short(
    parsed: source.Source, path: FieldPath, value: object, root: type[Model]
) -> FieldPath:
    """Return where a text goes that stood for a mapping when it was typed."""
    shape, there = shapes.at(parsed.data, path, root), parsed.find(path)
    model, data = shape.model if shape else None, there.data if there else None
    if not (isinstance(value, str) and isinstance(data, dict)) or {"value", "private"} & {*data}:
        return path
    if model is None or not issubclass(model, Shorthand) or model.is_short(data):
        return path
    return (*path, "body" if model is Letter and "file" not in data else model.shorthand)


def _unmarked(text: str, path: FieldPath) -> str:
    """Return the text without the mark of a guess behind the value at a path."""
    parsed = source.parse(text, "text")
    line = parsed.key_span(path).line if parsed.find(path) else None
    rows = text.split("\n")
    for doubt in writer.doubts(text) if line else ():
        if doubt.kind == "guess" and doubt.line == line and doubt.key == str(path[-1]):
            rows[line - 1] = rows[line - 1][: doubt.column - 1].rstrip()
    return "\n".join(rows)


def _translated(text: str, path: FieldPath, original: Original, value: object) -> str:
    above = source.parse(text, "text").find(path[:-1])
    there: Any = above.data if above else None
    texts = there if isinstance(there, dict) else {original.language: there}
    if texts.get(original.language) != original.text or not language_tags.is_key(path[-1]):
        fact = "the text that is translated has changed meanwhile"
        raise UsageError.because("set", fact, "open it again")
    if texts is there:
        return edit.put(text, path, value)
    return edit.put(text, path[:-1], {**texts, str(path[-1]): value})


def _moved(path: FieldPath, change: Change) -> FieldPath:
    """Return where what is at a path, or its copy, is after a change."""
    last = path[-1]
    if change.to is not None and isinstance(last, int):
        return (*path[:-1], change.to)
    return (*path[:-1], last + 1) if change.is_copy and isinstance(last, int) else path


# -- what files add --------------------------------------------------------------------------------


class Import:
    """The facts of an import that a person's text lacks, each of which can be chosen."""

    def __init__(self, person: people.Person, there: source.Source, new: source.Source) -> None:
        self._there, self._new = there, new
        overlay = people.overlay(person.path)
        # What the private file has is never added.
        self._known = source.load(overlay).data if overlay.exists() else None
        self._expanded: Any = bibliography.expanded(there, person.path.parent).data
        added = ((path, self._merged({path}).additions) for path in _choices(new.data))
        self._rows = [(path, additions) for path, additions in added if additions]

    def _merged(self, paths: Set[FieldPath]) -> merging.Merged:
        there: Any = self._there.data
        part = _part(self._new.data, paths)
        return merging.merge(there, part, self._known, self._expanded, by_date=True)

    def in_words(self) -> tuple[list[Json], list[str]]:
        """Return where each fact goes and what it says, and notes on what stays as it is."""
        rows, before = list[Json](), self._there.data
        for path, additions in self._rows:
            after = edit.apply(before, additions)
            first, *more = changes.compare(before, after)
            words = [text for change in (first, *more) for _, text in changes.words(change)[-1:]]
            if "items" in path and "items" not in first.target:
                # The section is new: its first item.
                words = [identity.first_text(edit.value_at(self._new.data, path))]
            place = changes.place(first, before, after)
            rows.append({"place": place, "words": " · ".join(words)})
        notes = self._merged({*_choices(self._new.data)}).notes
        return rows, [note.message for _, note in notes]

    def added_to(self, text: str, chosen: Iterable[int]) -> str:
        """Return the text with the facts of these numbers; raises EditError."""
        numbers = {*chosen}
        paths = {path for number, (path, _) in enumerate(self._rows) if number in numbers}
        return edit.add(text, self._merged(paths).additions)


def _choices(data: Any, path: FieldPath = ()) -> Iterator[FieldPath]:
    """Yield the path of each thing of an import that is chosen as one, such as an item."""
    match path:
        case ("sections", _, "items", _) | ("sections", _, "groups") | ("contact", _):
            yield path
        case (step,) if step not in ("sections", "contact"):
            yield path
        case _:
            for step, value in shapes.inside(data):
                yield from _choices(value, (*path, step))


def _part(data: Any, chosen: Set[FieldPath], path: FieldPath = ()) -> Any:
    """Return data without the choices that aren't chosen; what is beside them stays, as titles."""
    if path in _choices(None, path):
        return data if path in chosen else None
    parts = ((step, _part(value, chosen, (*path, step))) for step, value in shapes.inside(data))
    kept = {step: part for step, part in parts if part is not None}
    return [*kept.values()] if isinstance(data, list) else kept if isinstance(data, dict) else data
