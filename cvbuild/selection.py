"""Which parts of a profile a document shows, and in which order.

Privacy, the order of sections and dates, a template's limits. Pure: no file, no clock.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel

from cvbuild.diagnostics import FieldPath
from cvbuild.model import Profile
from cvbuild.model.base import Prose
from cvbuild.model.dates import Date
from cvbuild.model.parts import Item
from cvbuild.model.variants import Variant

DEFAULT_PRIORITY = 5
#: Sections that stand for keys of the profile itself.
OWN_SECTIONS = ("summary", "interests")
_DATE_OF_NOTHING = ((0, 0, 0), (0, 0, 0))


@dataclass(frozen=True, slots=True)
class SelectedGroup:
    """Items in the order in which they are shown; without a title, those of the section itself."""

    path: FieldPath
    items: tuple[tuple[FieldPath, Any], ...]
    title: Prose | None = None
    note: Prose | None = None
    run: bool = False
    """Whether the items are set as one run of words, and so stay or go together."""

    @property
    def run_path(self) -> FieldPath:
        """The name of the run among what can be left out."""
        return (*self.path, "run")


@dataclass(frozen=True, slots=True)
class SelectedSection:
    """A section that is shown; ``source`` is None for summary and interests."""

    path: FieldPath
    kind: str
    groups: tuple[SelectedGroup, ...]
    source: Any = None


@dataclass(frozen=True, slots=True)
class Selected:
    """What a document shows; what is below a path of ``left_out`` is not in it."""

    profile: Profile
    sections: tuple[SelectedSection, ...]
    left_out: frozenset[FieldPath] = field(default_factory=frozenset)
    limited: tuple[FieldPath, ...] = ()
    """The items that a limit of the template cut, though they are public."""


def select(
    profile: Profile,
    options: Mapping[str, Any],
    variant: Variant | None = None,  # noqa: ARG001
) -> Selected:
    """The public parts of a profile in the template's order.

    ``options`` are a template's resolved options; ``sections`` (kinds in their order) and
    ``publications`` (the largest number shown, 0 for all) count here.
    """
    hidden = frozenset(_private(profile, ()))
    shown = [
        section
        for index, source in enumerate(profile.sections)
        if (section := _section(("sections", index), source, hidden))
    ]
    cut = _beyond(shown, int(options.get("publications", 0)))
    shown = [*_own_sections(profile), *(_without(section, cut) for section in shown)]
    order = {kind: number for number, kind in enumerate(options.get("sections", ()))}
    # Python's sort is stable: kinds that are not named follow in the file's order.
    default = {"summary": -2, "interests": -1}
    shown.sort(key=lambda s: order.get(s.kind, default.get(s.kind, len(order))))
    return Selected(profile, tuple(part for part in shown if part.groups), hidden, cut)


def _private(value: object, path: FieldPath) -> Iterator[FieldPath]:
    """The paths of everything that says ``private: true``."""
    if isinstance(value, BaseModel):
        if getattr(value, "private", False):
            yield path
            return
        for name, info in type(value).model_fields.items():
            yield from _private(getattr(value, name), (*path, info.alias or name))
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from _private(item, (*path, index))


def _own_sections(profile: Profile) -> Iterator[SelectedSection]:
    """Summary and interests, which are keys of the profile."""
    for kind in OWN_SECTIONS:
        values = getattr(profile, kind)
        items = tuple(((kind, index), value) for index, value in enumerate(values))
        if items:
            group = SelectedGroup((kind,), items, run=kind == "interests")
            yield SelectedSection((kind,), kind, (group,))


def _section(path: FieldPath, source: Any, hidden: frozenset[FieldPath]) -> SelectedSection | None:
    if path in hidden:
        return None
    parts = [SelectedGroup(path, _items(path, source.items, source.order, hidden))]
    for index, group in enumerate(source.groups):
        place = (*path, "groups", index)
        items = _items(place, group.items, source.order, hidden)
        if place not in hidden:
            parts.append(SelectedGroup(place, items, group.title, group.note))
    parts = [
        replace(group, run=_is_run(source.kind, group.items)) for group in parts if group.items
    ]
    return SelectedSection(path, source.kind, tuple(parts), source) if parts else None


def _is_run(kind: str, items: Iterable[tuple[FieldPath, Any]]) -> bool:
    """Keywords and languages are set in a run, and skills that are nothing but a name."""
    if kind == "skill":
        return not any(item.level or item.keywords for _, item in items)
    return kind in ("keywords", "language")


def _items(
    path: FieldPath, items: Sequence[Item], order: str, hidden: frozenset[FieldPath]
) -> tuple[tuple[FieldPath, Any], ...]:
    """The items that are shown, newest first; equal dates keep the file's order."""
    placed = [((*path, "items", index), item) for index, item in enumerate(items)]
    shown = [(place, item) for place, item in placed if place not in hidden]
    if order == "newest":
        shown.sort(key=lambda pair: _newest(pair[1]), reverse=True)
    return tuple(shown)


def _newest(item: object) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """The larger, the newer; what has no date, or words for one, comes last."""
    date = date_of(item)
    return (date.sort_key if date else None) or _DATE_OF_NOTHING


def date_of(item: object) -> Date | None:
    """The item's date; where only its roles have dates, the newest of these."""
    date = getattr(item, "date", None)
    if date is not None:
        return date if isinstance(date, Date) else None
    roles = [role.date for role in getattr(item, "roles", ()) if role.date and role.date.sort_key]
    return max(roles, key=lambda d: d.sort_key or _DATE_OF_NOTHING, default=None)


def _beyond(sections: Iterable[SelectedSection], limit: int) -> tuple[FieldPath, ...]:
    """The publications that are not among the ``limit`` of highest priority, then newest."""
    publications = [
        (priority(item, group, section.source), _newest(item), place)
        for section in sections
        if section.kind == "publication"
        for group in section.groups
        for place, item in group.items
    ]
    # Stable, so that equals keep their order.
    ranked = sorted(publications, key=lambda entry: entry[:2], reverse=True)
    return tuple(place for _, _, place in ranked[limit:]) if limit else ()


def _without(section: SelectedSection, cut: Collection[FieldPath]) -> SelectedSection:
    """The section without the items of ``cut`` and the groups that had no others."""
    groups = (
        replace(group, items=tuple(pair for pair in group.items if pair[0] not in cut))
        for group in section.groups
    )
    return replace(section, groups=tuple(group for group in groups if group.items))


def priority(item: Any, group: Any, source: Any) -> int:
    """The item's own priority, else its group's, else its section's, else 5."""
    own = getattr(item, "priority", None)
    if own is None and source is not None and len(group.path) > 2:
        own = source.groups[group.path[-1]].priority
    if own is None and source is not None:
        own = source.priority
    return DEFAULT_PRIORITY if own is None else int(own)


def path_of(name: str) -> FieldPath:
    """``sections.3.items.2`` as a field path."""
    return tuple(int(s) if re.fullmatch("[0-9]+", s) else s for s in name.split("."))


def id_of(path: FieldPath) -> str:
    """A field path as the id of a block."""
    return ".".join(str(step) for step in path)


def words_of(profile: Profile, path: FieldPath) -> str:
    """The first words of an item, for a message: its title, name, course, text or the like."""
    here: Any = profile
    for step in path:
        here = here[step] if isinstance(step, int) else getattr(here, step)
    if isinstance(here, BaseModel):
        prose = [value for value in vars(here).values() if isinstance(value, Prose)]
        main = [getattr(here, name, None) for name in ("title", "name", "course", "role", "text")]
        here = next((value for value in (*main, *prose) if value is not None), here)
    text = ", ".join(map(str, here)) if isinstance(here, tuple) else str(here)
    return text if len(text) <= 70 else text[:69].rstrip() + "…"
