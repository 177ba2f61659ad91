"""``--format docx``: a document for Word, from the same view as the PDF."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cvbuild.common.plugins import missing
from cvbuild.outputs.at_once import AtOnce
from cvbuild.outputs.checks import view_texts
from cvbuild.outputs.docx import looks, package, paragraphs, write
from cvbuild.outputs.docx.measure import Ruler
from cvbuild.outputs.docx.package import Picture, aspect
from cvbuild.outputs.task import Settings
from cvbuild.outputs.types import Made, Prepared, Shown

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
        from cvbuild.outputs.docx.as_in_pdf import AsInPdf
        from cvbuild.outputs.pdf import output as pdf

        return AsInPdf(pdf.Format().prepare(shown, settings, keep), Format)

    def make(self, shown: Shown) -> Made:
        """Return the file; raise DocumentError if a text of the view is missing from it.

        Raises UsageError if python-docx is not installed.
        """
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
