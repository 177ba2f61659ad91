"""``--format docx``: a document for Word, from the same view as the PDF."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from cvbuild.common import hashes
from cvbuild.common.files import safe_folders
from cvbuild.common.plugins import missing
from cvbuild.outputs import face_subsets
from cvbuild.outputs.at_once import AtOnce
from cvbuild.outputs.checks import view_texts
from cvbuild.outputs.docx import looks, package, paragraphs, write
from cvbuild.outputs.docx.measure import Ruler
from cvbuild.outputs.docx.package import Picture, aspect
from cvbuild.outputs.task import Settings
from cvbuild.outputs.types import Machine, Made, OfPdf, Prepared, Shown

if TYPE_CHECKING:
    from cvbuild.outputs.pdf.output import PreparedPdf

#: Height of a signature in pt.
_SIGNED = 15 * looks.MM
#: How a page of Word differs from TeX's, as titles of sections have lines of their own there.
_DENSER = {"size": 0.92, "leading": 0.95, "gap": 0.5}


@dataclass(frozen=True)
class Format:
    """A Word document; ``density`` is that of a page of TeX which shows the same."""

    density: Mapping[str, float] | None = None

    name = "docx"
    suffix = ".docx"
    shows_letters = has_look = True

    def prepare(self, shown: Shown, settings: Settings, keep: Path) -> Prepared:
        """Return the document before it is made; only TeX knows what fits on one page."""
        if not _is_one_page(shown):
            return AtOnce(self, shown)
        from cvbuild.outputs.pdf import output as pdf

        return _AsInPdf(pdf.Format().prepare(shown, settings, keep))

    def make(self, shown: Shown) -> Made:
        """Return the file; raises DocumentError for a lost text, UsageError without python-docx."""
        view = shown.view
        blocks = view.letter.body if view.letter else ()
        try:
            ruler = self._ruler(shown)
            manifest = shown.template.manifest
            dense = _is_one_page(shown) or manifest.word.entries == "one-line"
            written = paragraphs.of(view, shown.options, dense=dense)
            fitted = list(ruler.dates_apart(written))
            about = _about(shown, ruler.photo(fitted))
            faces = package.faces(shown.options, "".join(one.text for one in fitted))
            content = write.to_bytes(fitted, ruler.design, about, faces)
            text = self.text_of(content)
        except ImportError as error:
            raise missing("--format docx", "formats", error) from None
        except SyntaxError as error:
            # lxml has no reason for refusing XML where libxml2 had no memory for one.
            if "unknown error" in str(error):
                raise MemoryError from error
            raise
        # Word writes the numbers of a list itself.
        numbers = {one.number for block in blocks for one in block.texts}
        every = (one for one in view_texts.contents(view) if one not in numbers)
        expected = [one for one in every if one.path[-1] != "number"]
        return Made(content, view_texts.require(text, expected, shown.task.source))

    def text_of(self, content: bytes) -> str:
        """Return all text in the file."""
        return package.text_of(content)

    def _ruler(self, shown: Shown) -> Ruler:
        """Return the design of a document, with what measures it."""
        options, manifest = shown.options, shown.template.manifest
        widths, levels = package.widths(options), manifest.tex.density
        density = looks.density(options)
        if levels:
            level = self.density or levels[-1]
            density = looks.Density(*(level[name] * less for name, less in _DENSER.items()))
        columns = manifest.columns if levels else 1
        like = looks.Like(manifest.word, widths.line, columns, exact=bool(levels))
        design = looks.design(options, density, shown.view.language, like)
        return Ruler(design, widths, aspect(shown.photo))


@dataclass(frozen=True)
class _AsInPdf(OfPdf):
    """A Word document of one page, before TeX measures it: it shows what its PDF shows.

    TeX chooses, as for the PDF. Word sets its own lines, so that its page may need more room, and
    is set a bit denser than the PDF.
    """

    pdf: PreparedPdf

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
        from cvbuild.outputs.pdf import filled_page
        from cvbuild.outputs.pdf.output import outermost

        shown = self.pdf.shown
        setter = replace(self.pdf.setter, epoch=epoch, ident=ident)
        page = filled_page.typeset(setter, shown.selected)
        with safe_folders.stored(setter.keep) as kept:
            kept.remove(page.pdf.name)
        output, selected = Format(page.density), page.selected
        made = AtOnce(output, replace(shown, selected=selected)).make(epoch, ident)
        return replace(made, left_out=outermost(selected.left_out - shown.selected.left_out))


def _is_one_page(shown: Shown) -> bool:
    return bool(shown.template.manifest.tex.density)


def _about(shown: Shown, photo_height: float) -> write.About:
    view, options = shown.view, shown.options
    head, letter = view.header, view.letter
    subject = letter.subject if letter else head.headline
    photo = signature = None
    if shown.photo:
        side, shape = (str(options[f"photo-{name}"]) for name in ("side", "shape"))
        photo = Picture(shown.photo, photo_height, str(head.alt), side, shape)
    if shown.signature and letter:
        signature = Picture(shown.signature, _SIGNED, str(letter.signature))
    return write.About(
        title=str(letter.title if letter else head.name),
        author=str(head.name),
        subject=str(subject or ""),
        keywords=() if letter else tuple(map(str, view.keywords)),
        language=view.language,
        day=shown.task.day,
        footer=str(options.get("footer", "")),
        photo=photo,
        signature=signature,
    )
