"""A document of one page: it shows what its PDF shows, set as densely as the PDF and a bit more.

TeX chooses, as for the PDF. Word sets its own lines, so that its page may need more room.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from cvbuild.common import hashes
from cvbuild.common.files import safe_folders
from cvbuild.outputs import face_subsets
from cvbuild.outputs.at_once import AtOnce
from cvbuild.outputs.pdf import filled_page
from cvbuild.outputs.pdf.output import PreparedPdf, outermost
from cvbuild.outputs.types import Machine, Made, OfPdf, Output


@dataclass(frozen=True)
class AsInPdf(OfPdf):
    """A Word document of one page, before TeX measures it; ``output`` writes it so dense."""

    pdf: PreparedPdf
    output: Callable[[Mapping[str, float]], Output]

    @property
    def machine(self) -> Machine:
        """The files of TeX and the fonts that the page depends on."""
        extra = face_subsets.typeface(self.pdf.shown.options)
        machine = self.pdf.machine
        return replace(machine, fonts=tuple(dict.fromkeys((*machine.fonts, *extra))))

    def parts(self) -> dict[str, str]:
        """Return all that the file is made from."""
        shown = self.pdf.shown
        own = repr((shown.view, sorted(shown.options.items(), key=str), shown.task.day))
        fonts = {"fonts": hashes.tree(dict.fromkeys(self.machine.fonts))}
        return {**self.pdf.parts(), "shown": hashes.digest(own), **fonts}

    def make(self, epoch: int, ident: str) -> Made:
        """Show what the PDF shows; raises DocumentError."""
        shown = self.pdf.shown
        setter = replace(self.pdf.setter, epoch=epoch, ident=ident)
        page = filled_page.typeset(setter, shown.selected)
        with safe_folders.stored(setter.keep) as kept:
            kept.remove(page.pdf.name)
        output, selected = self.output(page.density), page.selected
        made = AtOnce(output, replace(shown, selected=selected)).make(epoch, ident)
        return replace(made, left_out=outermost(selected.left_out - shown.selected.left_out))
