"""The blocks of a page as TeX measured them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cvbuild.common.diagnostics import FieldPath
from cvbuild.model.field_paths import path_of


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
