"""Choose what fits on one page: what weighs least is left out, by the heights TeX measured.

An item counts what its kind does, less for each item of the kind before it, more or less for its
priority, and much more if it is among the least number of its kind; docs/explanation/one-page.md
explains it.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.common.diagnostics import CvbuildError, DocumentError, FieldPath, path_of
from cvbuild.inputs.yaml.tree import Source
from cvbuild.model import kinds
from cvbuild.selection.selected import (
    DEFAULT_PRIORITY,
    DateKey,
    Selected,
    dates_of_group,
    middle_date,
    parts_of,
    rank_of,
)


class MeasuredBlock(Struct, frozen=True):
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
    pt of each unit and head, without what is in it; ``height`` is that of the page.
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
        heads = {head for pair in self._heads.values() for head in pair}
        self.own: dict[FieldPath, float] = defaultdict(float)
        for block in measured:
            starts = [block.path[:length] for length in range(len(block.path), 0, -1)]
            owners = (start for paths in (self._item, heads) for start in starts if start in paths)
            self.own[next(owners, HEAD)] += block.height
        self._below: dict[FieldPath, list[FieldPath]] = defaultdict(list)
        for path, item in self._item.items():
            if path != item:
                self._below[item].append(path)
        self.out: set[FieldPath] = self._item.keys() & selected.left_out
        self._items_under: Counter[FieldPath] = Counter()
        self.height = self.own[HEAD]
        for place in self._heads.keys() - self.out:
            self._count(place, 1)

    def turn(self, path: FieldPath) -> None:
        """Take the unit off the page, and each head that has no other item; or put it back."""
        self.out ^= {path}
        self._count(path, -1 if path in self.out else 1)

    def _count(self, path: FieldPath, sign: int) -> None:
        bullets = [below for below in self._below[path] if below not in self.out]
        self.height += sign * sum(self.own[part] for part in (path, *bullets))
        for head in self._heads.get(path, ()):
            before = self._items_under[head]
            self._items_under[head] = before + sign
            if not before or not self._items_under[head]:
                self.height += sign * self.own[head]


#: Points of TeX in a millimetre.
MM = 72.27 / 25.4


class Choice(Struct, frozen=True):
    """What one page shows, and how dense; ``room`` is the height of its text in pt."""

    density: Mapping[str, float]
    selected: Selected
    blocks: tuple[MeasuredBlock, ...]
    room: float


def total(selected: Selected, measured: Sequence[MeasuredBlock]) -> float:
    """Return the height in pt of the blocks that are shown, with the heads of non-empty parts."""
    return Page(selected, units(selected), measured).height


def fit(selected: Selected, measured: Sequence[MeasuredBlock], available: float) -> Selected:
    """Return the same document without what does not fit into ``available`` pt.

    What weighs least is left out first, but nothing that says ``keep: true``; then units are
    restored, the last one first, as long as they fit. This never fails: if nothing more can be left
    out, the rest is returned.
    """
    every = units(selected)
    page = Page(selected, every, measured)
    dropped: list[Unit] = []
    for unit in every:
        if page.height <= available:
            break
        if unit.kept_by is None and not {unit.path, unit.item} & page.out:
            page.turn(unit.path)
            dropped.append(unit)
    # The room that is left is filled, the heaviest first. What counts little stays out if anything
    # else does: references don't fill the room of a job, unless a priority says so.
    out: set[FieldPath] = set()
    for unit in reversed(dropped):
        is_minor = unit.weight < TAIL and kinds.of(unit.kind).weight < TAIL
        if unit.item in out or (out and is_minor):
            continue
        page.turn(unit.path)
        if page.height > available:
            page.turn(unit.path)
            out.add(unit.path)
    return replace(selected, left_out=selected.left_out | page.out)


def too_much(source: Source, choice: Choice) -> CvbuildError:
    """Return the error of a page that is too full with nothing but what must stay."""
    kept = [unit for unit in units(choice.selected) if unit.kept_by]
    if not kept:
        fact = "the head of the document alone is more than a page"
        return DocumentError.because("one-page", fact, "shorten the contact data")
    height = total(choice.selected, choice.blocks) / MM
    fact = f"what says keep: true needs {height:.0f} mm with the head of the document"
    fact += f", and one page has {choice.room / MM:.0f} mm"
    place = source.key_span((*(kept[0].kept_by or ()), "keep"))
    hint = "this counts least of it: remove keep here, or shorten the texts"
    return DocumentError.because("one-page", fact, hint, place)


# -- how much each part counts ---------------------------------------------------------------------

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


def units(selected: Selected) -> tuple[Unit, ...]:
    """Return all that may be on the page, in the order of leaving out; raises CvbuildError."""
    every: list[Unit] = []
    for kind, things in _by_kind(selected).items():
        # The one to keep longest first; items of a group without any date have the middle date of
        # their kind. Stable, so that equals keep their order.
        usual = middle_date(thing.date for thing in things)
        things.sort(key=lambda thing: (thing.priority, thing.date or usual), reverse=True)
        # Among the least number of several sections are the first item of each, then the second
        # ones, and so on.
        rounds: Counter[FieldPath] = Counter()
        turns = []
        for place, thing in enumerate(things):
            if thing.priority >= DEFAULT_PRIORITY:
                turns.append((rounds[thing.section], place))
                rounds[thing.section] += 1
        first = {place for _, place in sorted(turns)[: kinds.of(kind).least]}
        for place, thing in enumerate(things):
            every += _units(kind, thing, place, place in first, selected.left_out)
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


def _by_kind(selected: Selected) -> dict[str, list[_Thing]]:
    """Return all items by kind, in their order, of a group that is set as one run the run.

    A text before all other sections is a summary.
    """
    things: dict[str, list[_Thing]] = defaultdict(list)
    position, is_head = itertools.count(), True
    for section in selected.sections:
        # Research interests or a profile at the top are no motto.
        is_head = is_head and section.kind in (*kinds.OWN, "text")
        listed = things["summary" if is_head and section.kind == "text" else section.kind]
        for group in section.groups:
            ranks = {path: rank_of(item, path, section, group) for path, item in group.items}
            if group.run:
                kept = next((place for _, place in ranks.values() if place), None)
                level, place = max(level for level, _ in ranks.values()), group.run_path
                at = next(position)
                listed.append(_Thing(place, section.path, None, level, None, kept, at))
                continue
            dates = dates_of_group(group)
            # In the file's order: what has no date is shown last, but may have been written first.
            for path, item in sorted(group.items, key=lambda pair: pair[0]):
                rank, at = ranks[path], next(position)
                listed.append(_Thing(path, section.path, item, rank[0], dates[path], rank[1], at))
    return things


def _units(
    name: str, thing: _Thing, place: int, is_first: bool, left_out: Collection[FieldPath]
) -> Iterator[Unit]:
    whole = kinds.of(name).weight
    base = max(min(whole, TAIL), whole - STEP * place)
    weight = base + PRIORITY * (thing.priority - DEFAULT_PRIORITY) + FIRST * is_first
    parts = [*_parts(thing.item, thing.path, thing.priority, thing.kept_by, left_out)]
    # What has to stay keeps the item that it is in.
    inner = (by for path, _, by in parts if by and path not in left_out)
    keeper = thing.kept_by or next(inner, None)
    order = (weight, -place, 1, -thing.position)
    yield Unit(thing.path, thing.path, name, weight, keeper, order)
    # A bullet that the document doesn't show anyway is none of those that go before another.
    bullets = [part for part in parts if part[0][-2] != "roles"]
    bullets.sort(key=lambda bullet: (bullet[0] in left_out, -bullet[1]))
    for number, (path, level, by) in enumerate(bullets):
        # The first one stays about as long as its item does.
        stays = is_first and number == 0 and level >= DEFAULT_PRIORITY
        below = max(min(BULLET_TAIL, base), base - BULLET - STEP * number) if number else base
        own = min(weight, below + PRIORITY * (level - DEFAULT_PRIORITY) + FIRST * stays)
        order = (own, -place, 0, -number)
        yield Unit(path, thing.path, name, own, by, order)


def _parts(
    owner: Any,
    path: FieldPath,
    priority: int,
    kept_by: FieldPath | None,
    left_out: Collection[FieldPath],
) -> Iterator[tuple[FieldPath, int, FieldPath | None]]:
    """Yield path, priority and keeper of bullets and roles of an item, and of what is in these."""
    for place, part in parts_of(owner, path):
        is_role = place[-2] == "roles"
        if is_role and place in left_out:
            continue
        level = priority if part.priority is None else part.priority
        by = kept_by if part.keep is None else (place if part.keep else None)
        yield place, level, by
        if is_role:
            yield from _parts(part, place, level, by, left_out)
