"""Choose what fits on one page: what weighs least is left out, by the heights TeX measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cvbuild.common.diagnostics import FieldPath
from cvbuild.outputs.pdf.measured_blocks import MeasuredBlock
from cvbuild.outputs.pdf.one_page.page import Page
from cvbuild.outputs.pdf.one_page.weights import Unit, units
from cvbuild.selection.selected import Selected


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
