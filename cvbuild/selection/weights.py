"""How much each part of a document counts when one page has no room for all.

An item counts what its kind does, less for each item of the kind before it, more or less for its
priority, and much more if it is among the least number of its kind; docs/explanation/one-page.md
explains it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.common.diagnostics import FieldPath
from cvbuild.model import kinds
from cvbuild.selection.selected import (
    DEFAULT_PRIORITY,
    DateKey,
    Selected,
    SelectedGroup,
    SelectedSection,
    dates_of_group,
    kept_by,
    middle_date,
    parts_of,
    priority,
)

#: What an item counts less than the one before it, and a bullet too.
STEP = 5
#: What each step of priority counts.
PRIORITY = 10
#: What the least number of a kind counts more.
FIRST = 100
#: What bullets count less than their item besides, all but the first, which counts as much.
BULLET = 10
#: Items of kinds that count more never count less, nor their bullets: what counts little, such as
#: references and interests, is left out before them.
TAIL, BULLET_TAIL = 30, 25


class Unit(Struct, frozen=True):
    """A part of the document that can be left out as a whole: an item, a bullet, a run of words."""

    path: FieldPath
    item: FieldPath
    """The item that it is in; its own path for an item."""
    kind: str
    weight: int
    kept_by: FieldPath | None
    """The part that says ``keep: true`` for it: itself, or one that it is in."""
    order: tuple[int, int, int, int]
    """Smaller is left out earlier: weight, last of its kind, bullet before item, last in order."""

    @property
    def is_item(self) -> bool:
        """Whether it is an item or a run, not a bullet."""
        return self.path == self.item

    @property
    def is_minor(self) -> bool:
        """Whether its kind counts little, as references do, and no priority says otherwise."""
        return self.weight < TAIL and kinds.of(self.kind).weight < TAIL


def units(selected: Selected) -> tuple[Unit, ...]:
    """Return all that may be on the page, in the order of leaving out; raises CvbuildError."""
    every: list[Unit] = []
    for kind, things in _by_kind(selected).items():
        ranked = _ranked(things, kinds.of(kind).least)
        for place, thing in enumerate(ranked):
            every += _units(kind, thing, place, selected.left_out)
    return tuple(sorted(every, key=lambda unit: unit.order))


class _Thing(Struct, frozen=True):
    """An item, or a group that is set as one run, before it is weighed."""

    path: FieldPath
    section: FieldPath
    item: Any
    priority: int
    date: DateKey | None
    kept_by: FieldPath | None
    position: int
    is_first: bool = False


def _by_kind(selected: Selected) -> dict[str, list[_Thing]]:
    """Return all items by kind, in their order; a text before all other sections is a summary."""
    things: dict[str, list[_Thing]] = defaultdict(list)
    position, is_head = 0, True
    for section in selected.sections:
        # Research interests or a profile at the top are no motto.
        is_head = is_head and section.kind in (*kinds.OWN, "text")
        kind = "summary" if is_head and section.kind == "text" else section.kind
        for group in section.groups:
            for thing in _things(section, group, position):
                things[kind].append(thing)
                position = thing.position + 1
    return things


def _things(section: SelectedSection, group: SelectedGroup, position: int) -> Iterator[_Thing]:
    """Yield the items of a group, or the one run that they are set as."""
    source, dates = section.source, dates_of_group(group)
    pairs = [
        (priority(item, group, source), kept_by(item, path, section, group))
        for path, item in group.items
    ]
    if group.run:
        kept = next((place for _, place in pairs if place), None)
        level = max(level for level, _ in pairs)
        yield _Thing(group.run_path, section.path, None, level, None, kept, position)
        return
    # In the file's order: what has no date is shown last, but may have been written first.
    listed = zip(group.items, pairs, strict=True)
    for number, ((path, item), (level, kept)) in enumerate(
        sorted(listed, key=lambda entry: entry[0][0])
    ):
        date = dates[path]
        yield _Thing(path, section.path, item, level, date, kept, position + number)


def _ranked(things: Iterable[_Thing], least: int) -> list[_Thing]:
    """Return the items of a kind, the one to keep longest first: by priority, date and order.

    Items of a group without any date have the middle date of their kind. Among the ``least`` number
    of several sections are the first item of each, then the second ones, and so on.
    """
    listed = list(things)
    usual = middle_date(thing.date for thing in listed)
    # Stable, so that equals keep their order.
    ranked = sorted(listed, key=lambda one: (one.priority, one.date or usual), reverse=True)
    rounds: Counter[FieldPath] = Counter()
    places = []
    for place, thing in enumerate(ranked):
        if thing.priority >= DEFAULT_PRIORITY:
            places.append((rounds[thing.section], place))
            rounds[thing.section] += 1
    for _, place in sorted(places)[:least]:
        ranked[place] = replace(ranked[place], is_first=True)
    return ranked


def _units(name: str, thing: _Thing, place: int, left_out: Collection[FieldPath]) -> Iterator[Unit]:
    """Yield an item and its bullets."""
    whole = kinds.of(name).weight
    is_first, base = thing.is_first, max(min(whole, TAIL), whole - STEP * place)
    weight = base + _extra(thing.priority, is_first=is_first)
    bullets, inner = _bullets(thing, left_out)
    # What has to stay keeps the item that it is in.
    keeper = thing.kept_by or next(iter(inner), None)
    order = (weight, -place, 1, -thing.position)
    yield Unit(thing.path, thing.path, name, weight, keeper, order)
    # A bullet that the document doesn't show anyway is none of those that go before another.
    bullets.sort(key=lambda bullet: (bullet[0] in left_out, -bullet[1]))
    for number, (path, level, by) in enumerate(bullets):
        # The first one stays about as long as its item does.
        stays = is_first and number == 0 and level >= DEFAULT_PRIORITY
        below = max(min(BULLET_TAIL, base), base - BULLET - STEP * number) if number else base
        own = min(weight, below + _extra(level, is_first=stays))
        order = (own, -place, 0, -number)
        yield Unit(path, thing.path, name, own, by, order)


def _extra(level: int, *, is_first: bool) -> int:
    return PRIORITY * (level - DEFAULT_PRIORITY) + (FIRST if is_first else 0)


def _bullets(
    thing: _Thing, left_out: Collection[FieldPath]
) -> tuple[list[tuple[FieldPath, int, FieldPath | None]], list[FieldPath]]:
    """Return path, priority and keeper of bullets of an item and its roles; and its keepers."""
    bullets: list[tuple[FieldPath, int, FieldPath | None]] = []
    keepers: list[FieldPath] = []

    def collect(owner: Any, path: FieldPath, level: int, above: FieldPath | None) -> None:
        for place, part in parts_of(owner, path):
            if place in left_out and place[-2] == "roles":
                continue
            own = level if part.priority is None else part.priority
            by = above if part.keep is None else (place if part.keep else None)
            if by and place not in left_out:
                keepers.append(by)
            if place[-2] == "roles":
                collect(part, place, own, by)
            else:
                bullets.append((place, own, by))

    collect(thing.item, thing.path, thing.priority, thing.kept_by)
    return bullets, keepers
