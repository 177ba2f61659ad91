"""``--format docx``: a document for Word, from the same view as the PDF."""

from __future__ import annotations

from msgspec.structs import replace

from cvbuild.common.plugins import missing
from cvbuild.outputs.checks import view_texts
from cvbuild.outputs.docx import looks, measure, package, paragraphs, write
from cvbuild.outputs.docx.measure import Widths
from cvbuild.outputs.docx.package import Picture
from cvbuild.outputs.docx.paragraphs import Paragraph
from cvbuild.outputs.types import Made, Shown

#: What is denser than TeX's densest page.
_DENSEST = {"size": 9.5, "leading": 0.93, "gap": 0.5}
#: Heights in pt: of a photo, and of a signature; what the photo takes from the lines beside it.
_PHOTO, _SIGNED, _BESIDE_PHOTO = 28 * looks.MM, 15 * looks.MM, 27 * looks.MM


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
            written, design = _written(shown)
            faces = package.faces(shown.options, "".join(one.text for one in written))
            content = write.to_bytes(written, design, _about(shown), faces)
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


def _written(shown: Shown) -> tuple[list[Paragraph], looks.Design]:
    """Return the paragraphs and how they look; on one page if there is room for them."""
    options, manifest, view = shown.options, shown.template.manifest, shown.view
    written = paragraphs.of(view, options, manifest.word)
    widths = Widths(options)
    columns = 2 if any(section.column for section in view.sections) else 1
    like = looks.Like(manifest.word, columns, view.letter is not None)
    levels = [looks.density(options)]
    if manifest.tex.density:
        levels = [
            looks.Density(one["size"] * 0.95, looks.LEADING * one["leading"], one["gap"])
            for one in (*manifest.tex.density, _DENSEST)
        ]
    is_even = not any("\u0590" < letter < "\u1e00" for one in written for letter in one.text)
    beside_photo = _BESIDE_PHOTO if shown.photo and columns == 1 else 0
    for level in levels:
        design = looks.design(options, level, view.language, like)
        contact, title = design.look("Contact"), design.look("Heading 1")
        room = design.page.main - contact.left - beside_photo
        fitted = list(written)
        for at, (paragraph, after) in enumerate(zip(written, [*written[1:], None], strict=True)):
            if paragraph.style == "Contact":
                fitted[at] = measure.broken(paragraph, widths, room / level.size)
            elif paragraph.style == "Heading 1" and title.beside and after:
                beside = looks.BESIDE / title.size
                fitted[at] = measure.beside(paragraph, after, widths, beside)
        if measure.height(fitted, design, widths) < design.page.high:
            break
    return fitted, replace(design, has_even_lines=is_even)


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
