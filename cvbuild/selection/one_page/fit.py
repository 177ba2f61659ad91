"""Choose what fits on one page: what weighs least is left out, by the heights TeX measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from cvbuild.common.diagnostics import Diagnostic, FieldPath
from cvbuild.common.errors import DocumentError
from cvbuild.inputs.yaml.source import Source
from cvbuild.selection.one_page.page import MeasuredBlock, Page
from cvbuild.selection.one_page.weights import Unit, units
from cvbuild.selection.selected import Selected

#: Points of TeX in a millimetre.
MM = 72.27 / 25.4


@dataclass(frozen=True, slots=True)
class Choice:
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


def too_much(source: Source, choice: Choice) -> DocumentError:
    """Return the error of a page that is too full with nothing but what must stay."""
    kept = [unit for unit in units(choice.selected) if unit.kept_by]
    if not kept:
        fact, hint = (
            "the head of the document alone is more than a page",
            "shorten the contact data",
        )
        return DocumentError([Diagnostic("error", "one-page", fact, hint=hint)])
    height = total(choice.selected, choice.blocks) / MM
    fact = f"what says keep: true needs {height:.0f} mm with the head of the document"
    fact += f", and one page has {choice.room / MM:.0f} mm"
    place = source.key_span((*(kept[0].kept_by or ()), "keep"))
    hint = "this counts least of it: remove keep here, or shorten the texts"
    return DocumentError([Diagnostic("error", "one-page", fact, place, hint)])
