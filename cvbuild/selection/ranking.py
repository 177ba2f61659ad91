"""The dates by which items are ranked where there is no room for all of them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cvbuild.common.diagnostics import FieldPath
from cvbuild.selection.selected import SelectedGroup, SelectedSection, date_of

#: The end of a date, and its start, as they are compared.
DateKey = tuple[tuple[int, int, int], tuple[int, int, int]]


def dates_of_group(group: SelectedGroup) -> dict[FieldPath, DateKey | None]:
    """Return the date by which each item is ranked, in the file's order.

    An item without one has that of the item before it in the file, else of the first that has one.
    """
    dates: dict[FieldPath, DateKey | None] = {}
    before: DateKey | None = None
    for path, item in sorted(group.items, key=lambda pair: pair[0]):
        date = date_of(item)
        before = (date.sort_key if date else None) or before
        dates[path] = before
    first = next((date for date in dates.values() if date), None)
    return {path: date or first for path, date in dates.items()}


def dates_of_section(section: SelectedSection) -> dict[FieldPath, DateKey | None]:
    """Return the same for a section; if the person orders it, what comes first is the newest."""
    dates = {path: date for group in section.groups for path, date in dates_of_group(group).items()}
    if section.source is not None and section.source.order == "file":
        newest = sorted((date for date in dates.values() if date), reverse=True)
        rest = newest[-1:] * (len(dates) - len(newest))
        return dict(zip(dates, [*newest, *rest] or dates.values(), strict=True))
    return dates


def middle(dates: Iterable[DateKey | None]) -> DateKey:
    """Return the middle one of the dates: items of a group without any are ranked there."""
    known: Sequence[DateKey] = sorted(date for date in dates if date)
    return known[len(known) // 2] if known else ((0, 0, 0), (0, 0, 0))
