"""``--format docx``: a document for Word, from the same view as the PDF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cvbuild.common.plugins import missing
from cvbuild.outputs.checks import view_texts
from cvbuild.outputs.docx import looks, package, paragraphs, write
from cvbuild.outputs.docx.package import Picture
from cvbuild.outputs.types import Made, Shown

#: How Word's page differs from TeX's densest: titles of sections have lines of their own there.
_DENSER = {"size": 0.92, "leading": 0.95, "gap": 0.5}
#: Heights in pt: of a photo, and of a signature.
_PHOTO, _SIGNED = 28 * looks.MM, 15 * looks.MM


class Format:
    """A Word document."""

    name = "docx"
    suffix = ".docx"
    shows_letters = has_look = True

    def make(self, shown: Shown) -> Made:
        """Return the file; raises DocumentError for a lost text, UsageError without python-docx."""
        view = shown.view
        blocks = view.letter.body if view.letter else ()
        try:
            dense = shown.template.manifest.word.entries == "one-line" or _levels(shown)
            written = list(paragraphs.of(view, shown.options, dense=bool(dense)))
            faces = package.faces(shown.options, "".join(one.text for one in written))
            content = write.to_bytes(written, _design(shown), _about(shown), faces)
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


def _design(shown: Shown) -> looks.Design:
    """Return how the document looks."""
    options, manifest = shown.options, shown.template.manifest
    density = looks.density(options)
    if levels := _levels(shown):
        density = looks.Density(*(levels[-1][name] * less for name, less in _DENSER.items()))
    columns = manifest.columns if levels else 1
    return looks.design(options, density, shown.view.language, looks.Like(manifest.word, columns))


def _levels(shown: Shown) -> Sequence[Mapping[str, float]]:
    """Return the densities of a style of one page, the densest last; nothing for others."""
    return shown.template.manifest.tex.density


def _about(shown: Shown) -> write.About:
    view, options = shown.view, shown.options
    head, letter = view.header, view.letter
    subject = letter.subject if letter else head.headline
    photo = signature = None
    if shown.photo:
        side, shape = (str(options[f"photo-{name}"]) for name in ("side", "shape"))
        photo = Picture(shown.photo, _PHOTO, str(head.alt), side, shape)
    if shown.signature:
        signature = Picture(shown.signature, _SIGNED, str(view.signature))
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
