"""``--format docx``: a document for Word, from the same view as the PDF."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from cvbuild.common.extras import missing
from cvbuild.outputs import face_subsets
from cvbuild.outputs.checks import view_texts
from cvbuild.outputs.docx import looks, package, paragraphs, write
from cvbuild.outputs.docx.package import Picture
from cvbuild.outputs.docx.paragraphs import BETWEEN, BREAK, Paragraph, Run
from cvbuild.outputs.types import Made, Shown

#: Heights in pt: of a photo, and of a signature; what the photo takes from the lines beside it.
_PHOTO, _SIGNED, _BESIDE_PHOTO = 28 * looks.MM, 15 * looks.MM, 27 * looks.MM


class Format:
    """A Word document."""

    name = "docx"
    suffix = ".docx"
    shows_letters = has_look = fits_page = True

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
    """Return the paragraphs and how they look."""
    options, manifest, view = shown.options, shown.template.manifest, shown.view
    written = paragraphs.of(view, options, manifest.word)
    widths = Widths(options)
    columns = 2 if any(section.column for section in view.sections) else 1
    like = looks.Like(manifest.word, columns, view.letter is not None)
    design = looks.design(options, view.language, like)
    contact, title = design.look("Contact"), design.look("Heading 1")
    beside_photo = _BESIDE_PHOTO if shown.photo and columns == 1 else 0
    room = design.page.main - contact.left - beside_photo
    is_even = not any("\u0590" < letter < "\u1e00" for one in written for letter in one.text)
    fitted = list(written)
    for at, (paragraph, after) in enumerate(zip(written, [*written[1:], None], strict=True)):
        if paragraph.style == "Contact":
            fitted[at] = _broken(paragraph, widths, room / design.size)
        elif paragraph.style == "Heading 1" and title.beside and after:
            fitted[at] = _beside(paragraph, after, widths, looks.BESIDE / title.size)
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


# -- how wide texts are ----------------------------------------------------------------------------


#: Width in em of a letter that the typeface lacks, and of an East Asian one.
_UNKNOWN, _SQUARE = 0.64, 1.0
#: Bold letters are as much wider.
_BOLD = 1.1
#: How much of a line contacts may fill, as programs don't agree on its length.
_FULL = 0.98


class Widths:
    """Measures texts in the typeface of the options."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        paths = face_subsets.typeface(options)
        self.letters = _letters(paths[0], paths[0].stat().st_mtime_ns) if paths else {}

    def em(self, text: str) -> float:
        """Return the width of a text in em."""
        other = (_SQUARE if one > "\u2e80" else _UNKNOWN for one in text)
        return sum(map(self.letters.get, text, other))


@lru_cache(maxsize=16)
def _letters(path: Path, _changed: int) -> Mapping[str, float]:
    """Return the widths of letters in em; a file that changed is read anew."""
    from fontTools.ttLib import TTFont

    with TTFont(path, lazy=True) as font:
        widths, units = font["hmtx"].metrics, font["head"].unitsPerEm
        return {chr(code): widths[name][0] / units for code, name in font.getBestCmap().items()}


def _beside(title: Paragraph, after: Paragraph, widths: Widths, room: float) -> Paragraph:
    """Return a title as it stands beside its section, in ``room`` em, if it can be there."""
    lines = math.ceil(widths.em(title.text) * _BOLD / room)
    is_wide = max(map(widths.em, title.text.split()), default=0) * _BOLD > room
    is_high = lines > 1 and after.is_last
    return title if is_wide or is_high else replace(title, lines_beside=lines)


def _broken(paragraph: Paragraph, widths: Widths, room: float) -> Paragraph:
    """Return contacts in lines of ``room`` em; what is between two of them ends none."""
    runs, used = list[Run](), 0.0
    for is_between, found in groupby(paragraph.runs, lambda run: run == BETWEEN):
        part = [] if is_between else list(found)
        wide = widths.em("".join(run.text for run in part))
        if part and runs:
            used += widths.em(BETWEEN.text)
            fits = used + wide < room * _FULL
            runs.append(BETWEEN if fits else Run(BREAK))
            used = used if fits else 0.0
        runs, used = runs + part, used + wide
    return replace(paragraph, runs=tuple(runs))
