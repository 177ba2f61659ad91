"""Choose what fits on one page: by priority and age, from the heights that TeX measured."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cvbuild.common.diagnostics import FieldPath
from cvbuild.outputs.pdf.measured_blocks import MeasuredBlock
from cvbuild.selection.selected import Selected, date_of, parts_of, priority

TIMELESS = ((9999, 12, 31), (9999, 12, 31))


@dataclass(frozen=True, slots=True)
class Unit:
    """A part of the document that can be left out as a whole."""

    path: FieldPath
    order: tuple[Any, ...]
    """Smaller is left out earlier: priority, date, bullets before their item, last first."""


def units(selected: Selected) -> tuple[Unit, ...]:
    """Return everything that may be left out to fit one page, in the order of leaving out."""
    found: list[Unit] = []
    for section in selected.sections:
        for group in section.groups:
            if group.run:
                highest = max(priority(item, group, section.source) for _, item in group.items)
                found.append(Unit(group.run_path, (highest, TIMELESS, 1, -len(found))))
                continue
            for place, item in group.items:
                level = priority(item, group, section.source)
                date = date_of(item)
                when = (date.sort_key if date else None) or TIMELESS
                found.append(Unit(place, (level, when, 1, -len(found))))
                for path, bullet in _bullets(item, place, selected.left_out):
                    own = level if bullet.priority is None else bullet.priority
                    found.append(Unit(path, (min(own, level), when, 0, -len(found))))
    return tuple(sorted(found, key=lambda unit: unit.order))


def _bullets(
    item: object, path: FieldPath, left_out: Collection[FieldPath]
) -> Iterator[tuple[FieldPath, Any]]:
    """Yield the bullets of an item and of the roles that it is shown with."""
    for place, part in parts_of(item, path):
        if place[-2] != "roles":
            yield place, part
        elif place not in left_out:
            yield from _bullets(part, place, left_out)


def total(selected: Selected, measured: Sequence[MeasuredBlock]) -> float:
    """Return the height in pt of the blocks that are shown, with the heads of non-empty parts."""
    return _Page(selected, measured).height


def fit(selected: Selected, measured: Sequence[MeasuredBlock], available: float) -> Selected:
    """Return the same document without what does not fit into ``available`` pt.

    The lowest priorities and oldest dates are left out first; then units are restored, the last one
    first, as long as they fit. This never fails: if nothing more can be left out, the rest is
    returned.
    """
    page = _Page(selected, measured)
    dropped: list[FieldPath] = []
    for unit in units(selected):
        if page.height <= available:
            break
        if page.shows(unit.path):
            page.drop(unit.path)
            dropped.append(unit.path)
    for path in reversed(dropped):
        if not page.has_place(path):
            continue
        page.restore(path)
        if page.height > available:
            page.drop(path)
    return replace(selected, left_out=selected.left_out | page.out)


class _Page:
    """The height of a page while units are left out and restored.

    A block belongs to the longest unit that contains its path, else to a head: a section's or
    group's title and notes, which are shown while one of their items is.
    """

    def __init__(self, selected: Selected, measured: Sequence[MeasuredBlock]) -> None:
        self._heads: dict[FieldPath, tuple[FieldPath, ...]] = {
            place: tuple({section.path, group.path})
            for section in selected.sections
            for group in section.groups
            for place in ([group.run_path] if group.run else [path for path, _ in group.items])
        }
        paths = {unit.path for unit in units(selected)}
        self._own: dict[FieldPath, float] = defaultdict(float)
        self._below: dict[FieldPath, list[FieldPath]] = defaultdict(list)
        heads = {head for pair in self._heads.values() for head in pair}
        for block in measured:
            owner = _prefix(block.path, paths) or _prefix(block.path, heads) or ()
            self._own[owner] += block.height
        for path in paths - set(self._heads):
            self._below[_prefix(path, self._heads.keys()) or ()].append(path)
        self.out: set[FieldPath] = paths & selected.left_out
        self._items_under: Counter[FieldPath] = Counter()
        self.height = self._own[()]
        for place in self._heads.keys() - self.out:
            self._count(place, 1)

    def shows(self, path: FieldPath) -> bool:
        """Return whether the unit is on the page."""
        return path not in self.out and self.has_place(path)

    def has_place(self, path: FieldPath) -> bool:
        """Return whether the item that the unit belongs to is on the page."""
        return path in self._heads or _prefix(path, self._heads.keys()) not in self.out

    def drop(self, path: FieldPath) -> None:
        """Take the unit off the page, and each head that has no other item."""
        self.out.add(path)
        self._count(path, -1)

    def restore(self, path: FieldPath) -> None:
        """Put the unit back on the page."""
        self.out.discard(path)
        self._count(path, 1)

    def _count(self, path: FieldPath, sign: int) -> None:
        bullets = [below for below in self._below[path] if below not in self.out]
        self.height += sign * sum(self._own[part] for part in (path, *bullets))
        for head in self._heads.get(path, ()):
            before = self._items_under[head]
            self._items_under[head] = before + sign
            if not before or not self._items_under[head]:
                self.height += sign * self._own[head]


def _prefix(path: FieldPath, paths: Collection[FieldPath]) -> FieldPath | None:
    """Return the longest beginning of ``path`` that is one of ``paths``; None if there is none."""
    return next((path[:n] for n in range(len(path), 0, -1) if path[:n] in paths), None)
