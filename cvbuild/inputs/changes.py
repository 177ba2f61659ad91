"""What differs between two versions of a file's facts: by field, and in words.

Both are plain data of YAML. Items of lists are the same if they are equal, have the same ``id``,
tell of the same thing (``same_items``), or have most words in common; so an item that moved is one
that moved, and one that was reworded has changed. Pure: no file, no clock.
"""

from __future__ import annotations

import bisect
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any, Literal

from msgspec import Struct

from cvbuild.common.diagnostics import FieldPath
from cvbuild.inputs.references import same_items

Kind = Literal["changed", "added", "removed", "moved"]
Words = Literal["same", "gone", "new"]
#: Keys that say what a thing is, in the order in which they are tried for its name.
_NAMES = ("title", "name", "employer", "institution", "organization", "label", "text", "kind")
#: The most pairs of items whose words are compared: more take seconds.
_MOST = 40_000
#: The characters of a text in a line.
_SHOWN = 100


class Change(Struct, frozen=True):
    """A value that isn't the same in both.

    ``path`` is its place in the first, and ``target`` in the second. What was added has its
    container's path in the first, with its key or index in the second.
    """

    kind: Kind
    path: FieldPath
    target: FieldPath
    before: Any = None
    after: Any = None


def compare(first: Any, second: Any) -> tuple[Change, ...]:
    """Return all changes that make the second of the first."""
    return tuple(_values(first, second, (), ()))


# -- finding them ----------------------------------------------------------------------------------


def _values(first: Any, second: Any, path: FieldPath, target: FieldPath) -> Iterator[Change]:
    if first == second:
        return
    if isinstance(first, dict) and isinstance(second, dict):
        for key in first:
            if key not in second:
                yield Change("removed", (*path, key), (*target, key), first[key])
            else:
                yield from _values(first[key], second[key], (*path, key), (*target, key))
        for key in second.keys() - first.keys():
            yield Change("added", (*path, key), (*target, key), None, second[key])
    elif isinstance(first, list) and isinstance(second, list):
        yield from _lists(first, second, path, target)
    else:
        yield Change("changed", path, target, first, second)


def _lists(
    first: list[Any], second: list[Any], path: FieldPath, target: FieldPath
) -> Iterator[Change]:
    pairs = _pairs(first, second)
    for at, item in enumerate(first):
        if at not in pairs:
            yield Change("removed", (*path, at), (*target, at), item)
    for at, to in pairs.items():
        yield from _values(first[at], second[to], (*path, at), (*target, to))
    stays = _rising(pairs)
    for at, to in pairs.items():
        if at not in stays:
            yield Change("moved", (*path, at), (*target, to), first[at], second[to])
    for to in sorted(set(range(len(second))) - set(pairs.values())):
        yield Change("added", (*path, to), (*target, to), None, second[to])


def _pairs(first: list[Any], second: list[Any]) -> dict[int, int]:
    """Return the index in the second of each item of the first that is in both."""
    pairs: dict[int, int] = {}
    left, right = [*range(len(first))], [*range(len(second))]

    def join(is_same: Callable[[Any, Any], bool]) -> None:
        for at in [*left] if len(left) * len(right) <= _MOST else ():
            # Of several, the one at the same place: what was written twice stays where it is.
            same = [to for to in right if is_same(first[at], second[to])]
            if same:
                pairs[at] = min(same, key=lambda to: abs(to - at))
                left.remove(at)
                right.remove(pairs[at])

    old, new = ([json.dumps(one, sort_keys=True) for one in items] for items in (first, second))
    for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        pairs |= {block.a + n: block.b + n for n in range(block.size)}
    left = [at for at in left if at not in pairs]
    right = sorted(set(right) - set(pairs.values()))
    join(lambda one, other: one == other)
    join(_is_same)
    words = {id(item): Counter(_words(item)) for item in (*first, *second)}
    scored = (
        [
            (_alike(words[id(first[at])], words[id(second[to])]), at, to)
            for at in left
            for to in right
        ]
        if len(left) * len(right) <= _MOST
        else []
    )
    for score, at, to in sorted(scored, key=lambda one: (-one[0], abs(one[1] - one[2]))):
        if score > 0 and at in left and to in right:
            pairs[at] = to
            left.remove(at)
            right.remove(to)
    return dict(sorted(pairs.items()))


def _is_same(one: Any, other: Any) -> bool:
    if not (isinstance(one, dict) and isinstance(other, dict)):
        return False
    if "id" in one or "id" in other:
        return one.get("id") == other.get("id")
    if "items" in one or "groups" in one:
        names = [(each.get("kind"), each.get("title")) for each in (one, other)]
        return names[0] == names[1]
    kind = next((name for name in same_items.TELLING if same_items.TELLING[name][0] in one), "")
    return same_items.is_same(kind, one, other)


def _words(item: Any) -> list[str]:
    return [word for text in same_items.texts_of(item) for word in text.casefold().split()]


def _alike(one: Counter[str], other: Counter[str]) -> float:
    """Return the share of words that two items have in common; 0 if it is less than half."""
    common = 2 * sum((one & other).values()) / max(1, sum(one.values()) + sum(other.values()))
    return common if common >= 0.5 else 0


def _rising(pairs: Mapping[int, int]) -> set[int]:
    """Return the most items that keep their order: the longest rising row of indices."""
    ends: list[int] = []
    last: list[int] = []
    before: dict[int, int | None] = {}
    for at, to in pairs.items():
        size = bisect.bisect_left(ends, to)
        before[at] = last[size - 1] if size else None
        ends[size : size + 1], last[size : size + 1] = [to], [at]
    row, at_end = set[int](), last[-1] if last else None
    while at_end is not None:
        row.add(at_end)
        at_end = before[at_end]
    return row


# -- in words --------------------------------------------------------------------------------------


def place(one: Change, before: Any, after: Any) -> str:
    """Return the words for a change's place: "Experience › Example Cloud › bullets 2"."""
    data, path = (after, one.target) if one.kind == "added" else (before, one.path)
    names: list[str] = []
    for step in path:
        data = data[step]
        if isinstance(step, int):
            name = _name(data)
            if name and isinstance(data, dict):
                names.append(name)
            elif names:
                names[-1] += f" {step + 1}"
            else:
                names.append(f"paragraph {step + 1}")
        elif step not in ("sections", "groups", "items"):
            names.append(step)
    return " › ".join(names) or "all"


def _name(data: Any) -> str:
    if not isinstance(data, dict):
        return ""
    text = next((same_items.first(data[key]) for key in _NAMES if data.get(key)), "")
    return _short(text.replace("-", " ").capitalize() if text == data.get("kind") else text, 50)


def words(one: Change) -> list[tuple[Words, str]]:
    """Return what a change is in words: those of both, those that are gone, those that are new."""
    match one.kind:
        case "moved":
            return [("same", f"was number {int(one.path[-1]) + 1}, is {int(one.target[-1]) + 1}")]
        case "removed":
            return [("gone", _short(_text(one.before)))]
        case "added":
            return [("new", _short(_text(one.after)))]
    return [*_marked(_text(one.before), _text(one.after))]


def _text(value: Any) -> str:
    """Return the texts of a value, in one line."""
    return ", ".join(same_items.texts_of(value)) or "nothing"


def _short(text: str, most: int = _SHOWN) -> str:
    """Return the beginning of a text."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _marked(before: str, after: str) -> Iterator[tuple[Words, str]]:
    old, new = before.split(), after.split()
    for what, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what == "equal":
            yield "same", " ".join(old[a:b])
            continue
        if b > a:
            yield "gone", " ".join(old[a:b])
        if d > c:
            yield "new", " ".join(new[c:d])
