"""Random edits of real files: only the lines meant change, and undo gives the same bytes."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cvbuild.inputs.yaml import edit, source
from cvbuild.inputs.yaml.entries import EditError
from cvbuild.inputs.yaml.source import Source

ROOT = Path(__file__).parents[2]
FILES = [
    *sorted((ROOT / "people").glob("*.yaml")),
    ROOT / "docs/gallery/nora-lindqvist.yaml",
    ROOT / "tests/outputs/cases/every-field/person.yaml",
    ROOT / "tests/accessible/ada-example.yaml",
    *sorted((ROOT / "tests/shapes").glob("*.yaml")),
    *sorted((ROOT / "tests/importers/examples").glob("*/person.yaml")),
]
WORDS = [
    "short", "*slanted* words", "- a dash", "key: value", "a # b", "#tag", "no", "1.10",
    "Zoë – “x”", "it's", 'say "yes"', "[link](https://example.org/a_b)", "{braces}, [brackets]",
    "@at", "100 %",
    "word " * 40 + "end", "a: b, " * 25 + "c", "a-long-word" * 12, "𝒳 " * 50 + "y",
    "First paragraph.\n\nSecond one.", "One.\n\n" + "Two words " * 20 + "end.", "- a\n- b\n- c",
]  # fmt: skip
Step = str | int
Path_ = tuple[Step, ...]


def test_random_edits_of_real_files() -> None:
    _edit_at_random(20, seed=0)


@pytest.mark.deep
def test_many_random_edits_of_real_files() -> None:
    _edit_at_random(200, seed=1)


def _edit_at_random(count: int, seed: int) -> None:
    chance = random.Random(seed)
    refused = []
    for number in range(count):
        file = chance.choice(FILES)
        text = file.read_text("utf-8")
        for _ in range(3):
            parsed = source.parse(text, file.name)
            action = chance.choice([_set, _set, _insert, _move, _remove])
            wanted = action(chance, parsed)
            if wanted is None:
                continue
            told = (file.name, number, action.__name__, *wanted[1:])
            try:
                text = _checked(text, parsed, *wanted)
            except EditError:
                refused.append(told)
            except AssertionError as error:
                raise AssertionError(told) from error
    assert len(refused) <= count // 50, refused


def _checked(text: str, before: Source, after: Any, change: Any, path: Path_, *more: Any) -> str:
    """Make a change; compare it with the data expected, and every line and comment elsewhere."""
    made: str = change(text, path, *more)
    assert _words(source.parse(made, "text").data) == _words(after), "other data"
    if made == text:
        return made
    first, last = _region(before, path, change)
    old, new = text.split("\n"), made.split("\n")
    assert old[:first] == new[:first], "a line before it changed"
    assert old[len(old) - last :] == new[len(new) - last :], "a line after it changed"
    kept = [one for one in _comments(old) if one not in _comments(old[first : len(old) - last])]
    assert [one for one in _comments(new) if one in kept] == kept
    if change is not edit.put or more[0] is not None:
        gone = [
            one for one in _comments(old) if _comments(old).count(one) > _comments(new).count(one)
        ]
        assert gone == [], "a comment is lost"
    return made


def _region(before: Source, path: Path_, change: Any) -> tuple[int, int]:
    """Return how many lines at the beginning and at the end a change must not touch."""
    rows = before.text.split("\n")
    part = path if change is edit.put else path[:-1]
    while before.find(part) is None or (change is edit.put and _is_alone(before, part)):
        part = part[:-1]
    if change is edit.put and before.find(path) is None:
        part = part[:-1] if before.find(part) is None else part
    key, value = before.key_span(part), before.span(part)
    assert key.line is not None
    assert value.end_line is not None
    first, end = key.line - 1, value.end_line
    while first and (not rows[first - 1].strip() or rows[first - 1].lstrip().startswith("#")):
        first -= 1
    while end < len(rows) and (not rows[end].strip() or rows[end].lstrip().startswith("#")):
        end += 1
    # Without its first key, an item begins with the next one.
    end += rows[key.line - 1].lstrip().startswith("- ") and isinstance(part[-1], str)
    return first, len(rows) - end


def _is_alone(before: Source, path: Path_) -> bool:
    holder = before.part(path[:-1]).data if path else ()
    return len(holder) == 1


def _comments(rows: list[str]) -> list[str]:
    return [row.strip() for row in rows if row.strip().startswith("#")]


def _words(data: Any) -> Any:
    """Return data in which the lines of a paragraph aren't told apart."""
    if isinstance(data, dict):
        return {key: _words(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_words(one) for one in data]
    return " ".join(data.split()) if isinstance(data, str) else data


# -- actions: the data afterwards, what makes it, and what that is given ---------------------------


def _set(chance: random.Random, parsed: Source) -> tuple[Any, ...] | None:
    paths = [path for path, value in _all(parsed.data) if isinstance(value, str)]
    path, value = chance.choice(paths), chance.choice(WORDS)
    after = copy.deepcopy(parsed.data)
    _holder(after, path)[path[-1]] = value
    return after, edit.put, path, value


def _insert(chance: random.Random, parsed: Source) -> tuple[Any, ...] | None:
    lists = [(path, value) for path, value in _all(parsed.data) if isinstance(value, list)]
    if not lists:
        return None
    path, items = chance.choice(lists)
    at = chance.randint(0, len(items))
    shape = chance.choice(items)
    value = chance.choice(WORDS) if isinstance(shape, str) else copy.deepcopy(shape)
    after = copy.deepcopy(parsed.data)
    _holder(after, (*path, at)).insert(at, value)
    return after, edit.insert, (*path, at), value


def _move(chance: random.Random, parsed: Source) -> tuple[Any, ...] | None:
    many = [one for one in _all(parsed.data) if isinstance(one[1], list) and len(one[1]) > 1]
    if not many:
        return None
    path, items = chance.choice(many)
    at, to = chance.sample(range(len(items)), 2)
    after = copy.deepcopy(parsed.data)
    moved = _holder(after, (*path, at))
    moved.insert(to, moved.pop(at))
    return after, edit.move, (*path, at), to


def _remove(chance: random.Random, parsed: Source) -> tuple[Any, ...] | None:
    items = [path for path, _ in _all(parsed.data) if isinstance(path[-1], int)]
    keys = [path for path, value in _all(parsed.data) if isinstance(value, str)]
    path = chance.choice(chance.choice([items or keys, keys]))
    after = copy.deepcopy(parsed.data)
    del _holder(after, path)[path[-1]]
    gone = path[:-1]
    while gone and not _holder(after, gone)[gone[-1]]:
        del _holder(after, gone)[gone[-1]]
        gone = gone[:-1]
    return (after, edit.put, path, None) if after else None


def _all(data: Any, path: Path_ = ()) -> Iterator[tuple[Path_, Any]]:
    below = data.items() if isinstance(data, dict) else enumerate(data)
    for step, value in below:
        yield (*path, step), value
        if isinstance(value, dict | list):
            yield from _all(value, (*path, step))


def _holder(data: Any, path: Path_) -> Any:
    for step in path[:-1]:
        data = data[step]
    return data
