"""What a document shows of a profile, in its order: sections, groups and items; and what not.

``selection.select`` makes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct, field

from cvbuild.common.diagnostics import FieldPath
from cvbuild.model import Profile
from cvbuild.model.base import Prose
from cvbuild.model.dates import Date
from cvbuild.model.parts import Item
from cvbuild.selection.variant_rules import Names, Out

DEFAULT_PRIORITY = 5
#: The end of a date, and its start, as they are compared.
DateKey = tuple[tuple[int, int, int], tuple[int, int, int]]
_DATE_OF_NOTHING: DateKey = ((0, 0, 0), (0, 0, 0))


class SelectedGroup(Struct, frozen=True):
    """Items in the order in which they are shown; without a title, those of the section itself."""

    path: FieldPath
    items: tuple[tuple[FieldPath, Any], ...]
    title: Prose | None = None
    note: Prose | None = None
    run: bool = False
    """Whether the items are set as one run of words, and so are shown or left out together."""

    @property
    def run_path(self) -> FieldPath:
        """The path that leaves out the run."""
        return (*self.path, "run")


class SelectedSection(Struct, frozen=True):
    """A section that is shown; ``source`` is None for summary and interests.

    ``title`` is the person's own heading, or the variant's, and ``title_path`` where it is written.
    """

    path: FieldPath
    kind: str
    groups: tuple[SelectedGroup, ...]
    source: Any = None
    title: Prose | None = None
    title_path: FieldPath = ()
    column: int = 0
    """0 as wide as the page, 1 in the main column, 2 in the narrow one, which comes last."""

    @property
    def names(self) -> Names:
        """The names that variants use for it."""
        own = self.source.id if self.source is not None else None
        return (own, self.kind) if own else (self.kind,)

    @property
    def is_retitled(self) -> bool:
        """Whether the heading is the variant's."""
        return self.title is not None and self.title_path[: len(self.path)] != self.path


class Selected(Struct, frozen=True):
    """What a document shows; nothing at or below a path of ``left_out`` is in it."""

    profile: Profile
    sections: tuple[SelectedSection, ...]
    left_out: frozenset[FieldPath] = field(default_factory=frozenset)
    out: tuple[Out, ...] = ()
    """What the selection left out and why, by its path."""
    variant: str | None = None
    """The name of the variant that it shows."""

    def items(self, *kinds: str) -> Iterator[tuple[FieldPath, Any]]:
        """Yield the items in its sections, or in those of some kinds, each with its path."""
        for section in self.sections:
            if not kinds or section.kind in kinds:
                for group in section.groups:
                    yield from group.items

    @property
    def limited(self) -> tuple[FieldPath, ...]:
        """The items that only a limit of the template left out."""
        return tuple(one.path for one in self.out if one.reason == "limit" and not one.rule)


def parts_of(item: object, path: FieldPath) -> Iterator[tuple[FieldPath, Item]]:
    """Yield the roles, bullets and notes of an item or a role."""
    for name in ("roles", "bullets", "notes"):
        for index, part in enumerate(getattr(item, name, ())):
            yield (*path, name, index), part


def newest(item: object) -> DateKey:
    """Return a sort key, larger for newer items; those without a date, or with words, come last."""
    date = date_of(item)
    return (date.sort_key if date else None) or _DATE_OF_NOTHING


def date_of(item: object) -> Date | None:
    """Return the item's date; if only its roles have dates, the newest of these."""
    date = getattr(item, "date", None)
    if date is not None:
        return date if isinstance(date, Date) else None
    roles = [role.date for role in getattr(item, "roles", ()) if role.date and role.date.sort_key]
    return max(roles, key=lambda d: d.sort_key or _DATE_OF_NOTHING, default=None)


def priority(item: Any, group: Any, source: Any) -> int:
    """Return the item's own priority, else its group's, else its section's, else 5."""
    own = getattr(item, "priority", None)
    if own is None and source is not None and len(group.path) > 2:
        own = source.groups[group.path[-1]].priority
    if own is None and source is not None:
        own = source.priority
    return DEFAULT_PRIORITY if own is None else int(own)


def kept_by(
    item: Any, path: FieldPath, section: SelectedSection, group: SelectedGroup
) -> FieldPath | None:
    """Return the path of the ``keep: true`` that counts: of item, group or section; or None."""
    owners = [(path, item)]
    if section.source is not None:
        if len(group.path) > len(section.path):
            owners.append((group.path, section.source.groups[group.path[-1]]))
        owners.append((section.path, section.source))
    for place, owner in owners:
        says = getattr(owner, "keep", None)
        if says is not None:
            return place if says else None
    return None


# -- the dates by which items are ranked where there is no room for all of them ------------------


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


def middle_date(dates: Iterable[DateKey | None]) -> DateKey:
    """Return the middle one of the dates: items of a group without any are ranked there."""
    known: Sequence[DateKey] = sorted(date for date in dates if date)
    return known[len(known) // 2] if known else _DATE_OF_NOTHING
