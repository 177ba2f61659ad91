"""A document of one page: it leaves out what its PDF leaves out, and is set so that it fits.

TeX chooses what is shown, as for the PDF. How dense Word's page is comes from its own paragraphs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from cvbuild.common import hashes
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.files import safe_folders
from cvbuild.outputs import face_subsets
from cvbuild.outputs.at_once import AtOnce
from cvbuild.outputs.docx import fonts as faces
from cvbuild.outputs.docx import looks, paragraphs
from cvbuild.outputs.docx.looks import Density, Like
from cvbuild.outputs.docx.measure import Ruler, Widths
from cvbuild.outputs.docx.pictures import aspect
from cvbuild.outputs.pdf import one_page
from cvbuild.outputs.pdf.output import PreparedPdf, outermost
from cvbuild.outputs.pdf.typeset import Typesetter
from cvbuild.outputs.types import Machine, Made, Output, Shown
from cvbuild.selection.one_page import fit
from cvbuild.selection.selected import Selected

#: Denser than any PDF, for a page on which titles of sections have lines of their own.
_TIGHTER = ((9.5, 0.96, 0.6), (9.25, 0.95, 0.5), (9.0, 0.94, 0.45), (9.0, 0.92, 0.35))
#: The part of a page that may be filled, as programs differ.
_FULL = 0.97
#: How often to leave out more, and how many pt less of the page are used each time.
_TRIES, _STEP = 15, 30.0


@dataclass(frozen=True)
class OnePage:
    """A Word document of one page, before TeX measures it."""

    output: Output
    pdf: PreparedPdf

    @property
    def engine(self) -> str:
        """The engine that measures, and its version."""
        return self.pdf.engine

    @property
    def fonts(self) -> str:
        """The typeface."""
        return self.pdf.fonts

    @property
    def machine(self) -> Machine:
        """The files of TeX and the fonts that the choice depends on."""
        extra = face_subsets.typeface(self.pdf.shown.options)
        machine = self.pdf.machine
        return replace(machine, fonts=tuple(dict.fromkeys((*machine.fonts, *extra))))

    @property
    def notes(self) -> tuple[Diagnostic, ...]:
        """What is to be said of the machine."""
        return self.pdf.notes

    def parts(self) -> dict[str, str]:
        """Return all that the file is made from."""
        shown = self.pdf.shown
        own = repr((shown.view, sorted(shown.options.items(), key=str), shown.task.day))
        fonts = {"fonts": hashes.tree(dict.fromkeys(self.machine.fonts))}
        return {**self.pdf.parts(), "shown": hashes.digest(own), **fonts}

    def details(self) -> dict[str, str]:
        """Return what the text consists of."""
        return self.pdf.details()

    def make(self, epoch: int, ident: str) -> Made:
        """Show what the PDF shows, or less if Word has less room; raises DocumentError."""
        shown = self.pdf.shown
        setter = replace(self.pdf.setter, epoch=epoch, ident=ident)
        page = one_page.typeset(setter, shown.selected)
        with safe_folders.stored(setter.keep) as kept:
            kept.remove(page.pdf.name)
        selected = page.selected
        if not fits(replace(shown, selected=selected)):
            selected = _less(setter, shown, selected)
        made = AtOnce(self.output, replace(shown, selected=selected)).make(epoch, ident)
        return replace(made, left_out=outermost(selected.left_out - shown.selected.left_out))


def _less(setter: Typesetter, shown: Shown, selected: Selected) -> Selected:
    """Return what fits on a page of Word, of what fits on the PDF's."""
    blocks, room = setter.measure(selected, shown.template.manifest.tex.density[-1])
    fitted = selected
    for attempt in range(1, _TRIES + 1):
        fitted = fit.fit(selected, blocks, min(room, fit.total(selected, blocks)) - attempt * _STEP)
        if fits(replace(shown, selected=fitted)):
            break
    return fitted


def fits(shown: Shown) -> bool:
    """Return whether what is shown has room on a page."""
    return next(_rulers(shown), None) is not None


def ruler(shown: Shown) -> Ruler:
    """Return what measures the loosest design in which the document fits, else the tightest."""
    return next(_rulers(shown), None) or _ruler(
        shown, Density(*_TIGHTER[-1]), faces.widths(shown.options)
    )


def _rulers(shown: Shown) -> Iterator[Ruler]:
    """Yield what measures the designs in which the document fits, from loose to tight."""
    tex = shown.template.manifest.tex
    levels = [(one["size"], one["leading"], one["gap"]) for one in tex.density]
    found = paragraphs.of(shown.view, shown.options, dense=True)
    widths = faces.widths(shown.options)
    for level in (*levels, *_TIGHTER):
        one = _ruler(shown, Density(*level), widths)
        if one.height(one.dates_apart(found)) <= one.design.page.room * _FULL:
            yield one


def _ruler(shown: Shown, density: Density, widths: Widths) -> Ruler:
    style, language = shown.template.manifest, shown.view.language
    like = Like(style.word, widths.line, style.columns, exact=True)
    design = looks.design(shown.options, density, language, like)
    return Ruler(design, widths, aspect(shown.photo))
