"""What the page changes in a text: a control, or what files of other programs add to it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from cvbuild.building.texts import in_languages
from cvbuild.common.diagnostics import FieldPath
from cvbuild.common.errors import UsageError
from cvbuild.importers import adverts, merging
from cvbuild.importers.merging import Merged
from cvbuild.inputs import changes, people
from cvbuild.inputs.people import Person
from cvbuild.inputs.references import bibliography, identity
from cvbuild.inputs.yaml import edit, source, writer
from cvbuild.inputs.yaml.edit import Addition
from cvbuild.inputs.yaml.entries import EditError
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import Profile, language_tags
from cvbuild.model.base import Model
from cvbuild.serve.form import rows, shapes
from cvbuild.serve.messages import Change, Json, Original

_DATE_IN_WORDS = re.compile(r"\{\s*text:\s*([^\s{}][^{}]*?)\s*\}")
#: What is ticked: the number of an addition, and that of an item of the section that it is.
Choice = tuple[int, int | None]


def applied(
    text: str, wanted: Iterable[Change], root: type[Model] = Profile
) -> tuple[str, FieldPath]:
    """Return the text after the changes, one after the other, and where the first one's value is.

    After a removal that is what comes next, or before, or what held it. Raises ProfileError for a
    text with errors, UsageError for a change that would touch other lines.
    """
    paths: list[FieldPath] = []
    for change in wanted:
        path = tuple(change.path)
        try:
            if change.read:
                after = shapes.before({}, path, root)
                text = adverts.put(text, path, str(change.value), after)
            elif change.sure:
                text = _unmarked(text, path)
            else:
                text = _one(text, path, change, root)
        except EditError:
            where = ".".join(map(str, path))[:200]
            fact = f"{where} can't be set without changing other lines"
            raise UsageError.because("set", fact, "write it into the text yourself") from None
        paths.append(_moved(path, change))
    return text, _there(text, paths[0])


def _one(text: str, path: FieldPath, change: Change, root: type[Model]) -> str:
    if change.to is not None:
        return edit.move(text, path, change.to)
    parsed = source.parse(text, "text")
    above = parsed.find(path[:-1])
    is_in_language = (
        above is not None and rows.in_languages(above.data) and language_tags.is_key(path[-1])
    )
    value: object = change.value
    if isinstance(value, str) and not is_in_language:
        # Texts by language, and words for a date, are mappings where they are written as in YAML.
        words = _DATE_IN_WORDS.fullmatch(value.strip()) if "date" in path[-2:] else None
        value = {"text": words[1]} if words else in_languages(value) or value
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
    """Return the text with a translation beside what is translated."""
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


def _there(text: str, path: FieldPath) -> FieldPath:
    """Return a path, or the nearest one that a text has."""
    parsed = source.parse(text, "text")
    while path and parsed.find(path) is None:
        last = path[-1]
        path = (*path[:-1], last - 1) if isinstance(last, int) and last else path[:-1]
    return path


# -- what files add --------------------------------------------------------------------------------


def merged(person: Person, there: Source, new: Source) -> Merged:
    """Return what the facts of an import add; what the private file has is never added."""
    overlay = people.overlay(person.path)
    known = source.load(overlay).data if overlay.exists() else None
    facts = bibliography.expanded(there, person.path.parent).source.data
    return merging.merge(there.data, new.data, known, facts, by_date=True)  # type: ignore[arg-type]


def single(additions: Iterable[Addition]) -> Iterator[Addition]:
    """Yield the additions, those of a list as one for each of its items."""
    for one in additions:
        if isinstance(one.value, list):
            for at, value in enumerate(one.value):
                yield Addition((*one.path, at), value, one.after)
        else:
            yield one


def _items(addition: Addition) -> list[Any]:
    """Return the items of a section that is added; none of what is no section."""
    items = addition.value.get("items") if isinstance(addition.value, dict) else None
    return items if isinstance(items, list) else []


def choices(additions: Sequence[Addition]) -> Iterator[Choice]:
    """Yield what can be chosen: each addition, each item of a section that is added."""
    for number, one in enumerate(additions):
        items = _items(one)
        yield from ((number, at) for at in (range(len(items)) if items else (None,)))


def part(addition: Addition, number: int, picked: Collection[Choice]) -> Addition:
    """Return an addition with those of its items that were picked."""
    items = [item for at, item in enumerate(_items(addition)) if (number, at) in picked]
    if not items:
        return addition
    return Addition(addition.path, {**addition.value, "items": items}, addition.after)


def in_words(there: Source, additions: Sequence[Addition], rows: Iterable[Choice]) -> list[Json]:
    """Return of each row where it goes, and what it says."""
    places, before = list[tuple[str, str]](), there.data
    for one in additions:
        after = edit.apply(before, [one])
        (change, *_) = changes.compare(before, after)
        ((_, words), *_) = changes.words(change)[-1:]
        places.append((changes.place(change, before, after), words))
        before = after
    return [
        {
            "place": places[number][0],
            "words": places[number][1]
            if at is None
            else identity.first_text(_items(additions[number])[at]),
        }
        for number, at in rows
    ]


def chosen(additions: Sequence[Addition], numbers: Collection[int]) -> list[Addition]:
    """Return the additions with these numbers, at the places that they have without the others."""
    kept, left_out = list[Addition](), list[FieldPath]()
    for number, one in enumerate(additions):
        if number in numbers:
            kept.append(Addition(_without(one.path, left_out), one.value, one.after))
        left_out = [merging.behind(path, one.path) for path in left_out]
        if number not in numbers:
            left_out.append(one.path)
    return kept


def _without(path: FieldPath, left_out: Sequence[FieldPath]) -> FieldPath:
    """Return a path where the items at some other paths aren't there."""
    return tuple(
        step
        - sum(
            len(other) == at + 1 and other[:at] == path[:at] and int(other[at]) < step
            for other in left_out
        )
        if isinstance(step, int)
        else step
        for at, step in enumerate(path)
    )
