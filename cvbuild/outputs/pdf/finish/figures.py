"""Where images and forms are drawn on a page."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import pikepdf

_Box = tuple[float, float, float, float]


class Figures:
    """The boxes of what a page draws with ``Do``, in pt; they are found when one is asked for."""

    def __init__(self, page: pikepdf.Page) -> None:
        self._page = page

    def box(self, number: int) -> _Box:
        """Return left, bottom, right and top of the image or form that is drawn as ``number``th."""
        return self._boxes[number]

    @cached_property
    def _boxes(self) -> list[_Box]:
        found = []
        matrix, saved = pikepdf.Matrix(), []
        for step in pikepdf.parse_content_stream(self._page, "q Q cm Do"):
            match str(step.operator):
                case "q":
                    saved.append(matrix)
                case "Q":
                    matrix = saved.pop() if saved else pikepdf.Matrix()
                case "cm":
                    matrix = pikepdf.Matrix(*map(float, step.operands)) @ matrix
                case "Do":
                    found.append(self._box(matrix, step.operands[0]))
        return found

    def _box(self, matrix: pikepdf.Matrix, name: Any) -> _Box:
        drawn: Any = self._page.resources.get("/XObject", {}).get(name, {})
        left, bottom, right, top = 0.0, 0.0, 1.0, 1.0
        if drawn.get("/Subtype") == "/Form":
            left, bottom, right, top = map(float, drawn.BBox)
            own = drawn.get("/Matrix")
            if own is not None:
                matrix = pikepdf.Matrix(*map(float, own)) @ matrix
        corners = [matrix.transform((x, y)) for x in (left, right) for y in (bottom, top)]
        across, up = zip(*corners, strict=True)
        return (min(across), min(up), max(across), max(up))
