"""The height of a page while parts are left out and restored."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from cvbuild.common.diagnostics import FieldPath
from cvbuild.model.field_paths import path_of
from cvbuild.selection.one_page.weights import Unit
from cvbuild.selection.selected import Selected


@dataclass(frozen=True, slots=True)
class MeasuredBlock:
    """A block of the page as TeX measured it: its field and its height in pt."""

    path: FieldPath
    height: float


def blocks(measured: Iterable[tuple[str, int, float]]) -> tuple[MeasuredBlock, ...]:
    """Return each block's height, from (id, page, total height on that page in pt) in order."""
    result, page, total = [], 0, 0.0
    for name, on_page, total_here in measured:
        if name == "textheight":
            continue
        height = total_here - (total if on_page == page else 0.0)
        page, total = on_page, total_here
        result.append(MeasuredBlock(path_of(name), height))
    return tuple(result)


#: Whatever belongs to no part: the head of the document.
HEAD: FieldPath = ()


class Page:
    """The height of a page while units are left out and restored.

    A block belongs to the longest unit that contains its path, else to a head: a section's or
    group's title and notes, which are shown while one of their items is. ``own`` has the height in
    pt of each unit and head, without what is in it.
    """

    def __init__(
        self, selected: Selected, units: Iterable[Unit], measured: Sequence[MeasuredBlock]
    ) -> None:
        self._heads: dict[FieldPath, tuple[FieldPath, ...]] = {
            place: tuple({section.path, group.path})
            for section in selected.sections
            for group in section.groups
            for place in ([group.run_path] if group.run else [path for path, _ in group.items])
        }
        self._item = {unit.path: unit.item for unit in units}
        self._columns = {section.path: section.column for section in selected.sections}
        heads = {head for pair in self._heads.values() for head in pair}
        self.own: dict[FieldPath, float] = defaultdict(float)
        for block in measured:
            owner = _prefix(block.path, self._item) or _prefix(block.path, heads) or HEAD
            self.own[owner] += block.height
        self._below: dict[FieldPath, list[FieldPath]] = defaultdict(list)
        for path, item in self._item.items():
            if path != item:
                self._below[item].append(path)
        self.out: set[FieldPath] = self._item.keys() & selected.left_out
        self._items_under: Counter[FieldPath] = Counter()
        self._heights: dict[int, float] = defaultdict(float)
        for place in self._heads.keys() - self.out:
            self._count(place, 1)

    def shows(self, path: FieldPath) -> bool:
        """Return whether the unit is on the page."""
        return path not in self.out and self._item[path] not in self.out

    @property
    def height(self) -> float:
        """The height of the page in pt; its columns are beside each other."""
        heights = self._heights
        return self.own[HEAD] + heights[0] + max(heights[1], heights[2])

    def is_over(self, path: FieldPath, available: float) -> bool:
        """Return whether the unit is in a column that is higher than ``available`` pt."""
        column = self._column(path)
        both = self._heights[column] if column else max(self._heights[1], self._heights[2])
        return self.own[HEAD] + self._heights[0] + both > available

    def _column(self, path: FieldPath) -> int:
        return self._columns[_prefix(path, self._columns) or path]

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
        column = self._column(path)
        self._heights[column] += sign * sum(self.own[part] for part in (path, *bullets))
        for head in self._heads.get(path, ()):
            before = self._items_under[head]
            self._items_under[head] = before + sign
            if not before or not self._items_under[head]:
                self._heights[column] += sign * self.own[head]


def _prefix(path: FieldPath, paths: Collection[FieldPath]) -> FieldPath | None:
    """Return the longest beginning of ``path`` that is one of ``paths``; None if there is none."""
    return next((path[:n] for n in range(len(path), 0, -1) if path[:n] in paths), None)
