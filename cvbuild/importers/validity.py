"""What the schema refuses is taken out of what was imported, each with our reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from cvbuild.common.diagnostics import FieldPath
from cvbuild.inputs.validation import errors, slots
from cvbuild.model import Profile

#: Stands for a name while the rest is checked.
_NOBODY = "Nobody"
#: How often what the schema refuses is taken out: an item may be refused after a part of it was.
_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Refused:
    """A value that the schema refused and that is no longer in the data.

    ``name`` says where it was, ``why`` what is wrong with it; ``above`` are the dicts and lists
    that it was in, from the innermost to the whole data.
    """

    path: FieldPath
    name: str
    value: Any
    why: str
    above: tuple[Any, ...]


def taken_out(data: dict[str, Any]) -> Iterator[Refused]:
    """Remove from the data what the schema refuses, and yield it; dates become words instead.

    Raises ValueError if that goes on and on, which is a bug of an importer.
    """
    for _ in range(_ROUNDS):
        try:
            Profile.model_validate({"name": _NOBODY, **data})
        except ValidationError as error:
            faults = error.errors(include_url=False)
        else:
            return
        reasons: dict[FieldPath, str] = {}
        for fault in faults:
            slot = slots.find(fault["loc"], data)
            reasons[slot.path] = errors.words(dict(fault), slot)[0]
        # What holds another refused value may be right without it: a group of one item.
        outer = {path[:end] for path in reasons for end in range(len(path))}
        # The last ones first: what is before them in a list keeps its place.
        for path in sorted(reasons.keys() - outer, key=_sortable, reverse=True):
            yield from _taken_out(data, path, reasons[path])
    raise ValueError("the data can't be made valid")


def _taken_out(data: dict[str, Any], path: FieldPath, why: str) -> Iterator[Refused]:
    """Remove the value at a path, and yield it; where it is absent, what should have had it."""
    here: Any = data
    above: list[tuple[Any, Any]] = []
    for step in path:
        if not isinstance(here, dict | list):
            break
        outer: Any = here
        try:
            here = outer[step]
        except (KeyError, IndexError):
            break
        above.append((outer, step))
    if not above:
        return
    holder, step = above[-1]
    if step == "date" and isinstance(here, str):
        # Words are shown as they are; they just have no place in the order.
        holder[step] = {"text": here}
        return
    steps = tuple(inner for _, inner in above)
    if not isinstance(here, dict) or here.keys() - {"kind"}:
        outward = tuple(outer for outer, _ in reversed(above))
        yield Refused(path, _name(data, steps), here, why, outward)
    del holder[step]
    # What is empty now goes too: a section without items is none.
    for outer, inner in reversed(above[:-1]):
        if outer[inner]:
            break
        del outer[inner]


def _name(data: Mapping[str, Any], path: FieldPath) -> str:
    """Return a path in words: education, item 2, thesis."""
    words: list[str] = []
    steps = path
    if len(path) > 1 and path[0] == "sections":
        section = data["sections"][path[1]]
        words.append(str(section.get("title") or section.get("kind") or "section"))
        steps = path[2:]
    for at, step in enumerate(steps):
        if isinstance(step, int):
            what = str(steps[at - 1]).removesuffix("s") if at else "part"
            words[len(words) - bool(at) :] = [f"{what} {step + 1}"]
        else:
            words.append(step)
    return ", ".join(words)


def _sortable(path: FieldPath) -> tuple[tuple[int, str], ...]:
    return tuple((step, "") if isinstance(step, int) else (-1, step) for step in path)
