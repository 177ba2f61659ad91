"""What a PDF must hold: the texts that were printed, and what its document promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cvbuild.common.diagnostics import FieldPath, Span
from cvbuild.outputs.checks.private_texts import Secret
from cvbuild.outputs.pdf.latex.printed import PrintedBlock
from cvbuild.view.types import FOOTER, Content


@dataclass(frozen=True, slots=True)
class Expected:
    """What a PDF must hold.

    ``blocks`` in the document's order; ``preamble`` are its metadata and the footer of every page;
    ``pages`` the number of pages that the template promises, if it does; ``place`` finds a field in
    the person's file; ``rtl`` that the document runs from right to left.
    """

    blocks: tuple[PrintedBlock, ...]
    preamble: tuple[Content, ...]
    pages: int | None
    secrets: tuple[Secret, ...]
    place: Callable[[FieldPath], Span | None]
    rtl: bool = False

    @property
    def name(self) -> str:
        """The person's name, which running heads repeat."""
        first = self.blocks[0].contents[:1] if self.blocks else ()
        return "".join(map(str, first))

    @property
    def footers(self) -> list[str]:
        """The texts at the foot of every page."""
        return [str(one) for one in self.preamble if one.path == FOOTER]
