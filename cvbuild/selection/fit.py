"""Choose what fits on one page: what weighs least is left out, by the heights TeX measured."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.common.diagnostics import FieldPath, path_of
from cvbuild.common.errors import CvbuildError, DocumentError
from cvbuild.inputs.yaml.source import Source
from cvbuild.selection.selected import Selected
from cvbuild.selection.weights import Unit, units


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


# -- the choice ----------------------------------------------------------------------------------


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
        if unit.kept_by is None and page.shows(unit.path) and page.is_over(unit.path, available):
            page.drop(unit.path)
            dropped.append(unit)
    _restore(page, dropped, available)
    return replace(selected, left_out=selected.left_out | page.out)


def _restore(page: Page, dropped: Sequence[Unit], available: float) -> None:
    """Fill the room that is left, the heaviest first.

    What counts little stays out if anything else does: references don't fill the room of a job.
    """
    out: set[FieldPath] = set()
    for unit in reversed(dropped):
        if unit.item in out or (out and unit.is_minor):
            continue
        page.restore(unit.path)
        if page.height > available:
            page.drop(unit.path)
            out.add(unit.path)


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
