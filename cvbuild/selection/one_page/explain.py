"""Explain what one page shows: each part with its weight and height, and where the cut is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cvbuild.common.diagnostics import FieldPath
from cvbuild.selection.one_page.fit import HEAD, MM, Choice, Page
from cvbuild.selection.one_page.weights import Unit, units
from cvbuild.selection.selected import Selected, SelectedGroup


@dataclass(frozen=True, slots=True)
class Row:
    """A part of the page: a unit, or the title and notes of a section or group (no unit).

    ``height`` is in mm, without what is in it.
    """

    path: FieldPath
    height: float
    shown: bool
    unit: Unit | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """The choice in numbers; heights are in mm."""

    choice: Choice
    room: float
    used: float
    head: float
    rows: tuple[Row, ...]

    @property
    def cut(self) -> Unit | None:
        """The heaviest part that is left out though what it is in is shown; None if all fits."""
        shown = {row.path for row in self.rows if row.shown}
        out = [
            row.unit
            for row in self.rows
            if row.unit and not row.shown and (row.unit.is_item or row.unit.item in shown)
        ]
        return max(out, key=lambda unit: unit.order, default=None)


def explain(selected: Selected, choice: Choice) -> Explanation:
    """Explain a choice made from ``selected``."""
    every = {unit.path: unit for unit in units(selected)}
    # A variant has left these out before: they have no height.
    every = {path: unit for path, unit in every.items() if path not in selected.left_out}
    page = Page(choice.selected, units(choice.selected), choice.blocks)
    rows = tuple(_rows(selected, every, page))
    return Explanation(choice, choice.room / MM, page.height / MM, page.own[HEAD] / MM, rows)


def _rows(selected: Selected, every: dict[FieldPath, Unit], page: Page) -> Iterator[Row]:
    """Yield all parts in the document's order."""
    for section in selected.sections:
        parts = {group.path: [*_units(group, every)] for group in section.groups}
        heads = {
            path: any(page.shows(unit.path) for unit in members) for path, members in parts.items()
        }
        yield Row(section.path, page.own[section.path] / MM, any(heads.values()))
        for path, members in parts.items():
            if path != section.path:
                yield Row(path, page.own[path] / MM, heads[path])
            for unit in members:
                yield Row(unit.path, page.own[unit.path] / MM, page.shows(unit.path), unit)


def _units(group: SelectedGroup, every: dict[FieldPath, Unit]) -> Iterator[Unit]:
    """Yield the items of a group in their order, each with its bullets after it."""
    for path in [group.run_path] if group.run else [path for path, _ in group.items]:
        yield every[path]
        bullets = (unit for unit in every.values() if unit.item == path and not unit.is_item)
        yield from sorted(bullets, key=lambda unit: unit.path)
