"""A CV that exists only as a PDF: its pages by their layout, as the blocks of a document."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from cvbuild.common import separate
from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import CvbuildError
from cvbuild.importers.documents import rough
from cvbuild.importers.documents.pdf import (
    blocks,
    columns,
    name,
    paragraphs,
    pdfium,
    pieces,
    references,
    running,
    titles,
)
from cvbuild.importers.documents.pdf.glyphs import Paper
from cvbuild.importers.documents.pdf.letters import cleaned
from cvbuild.importers.documents.pdf.lines import Line
from cvbuild.importers.draft import Draft
from cvbuild.importers.types import Given, Imported
from cvbuild.importers.words.blocks import Block
from cvbuild.importers.words.runs import Run

#: Letters of a CV, at least: a page with fewer is a picture.
_LEAST = 80
#: Distance (pt) of left edges that are one.
_EDGE = 3.0
#: Part of the letters that may be written from right to left: names.
_MOST_RIGHT = 0.2


class Format:
    """A PDF of any origin."""

    name = "pdf"
    title = "PDF"

    def recognises(self, given: Given) -> bool:
        """Return whether it is a PDF; those that carry their facts are asked for before."""
        return given.data.startswith(b"%PDF-")

    def read(self, given: Given) -> Imported:
        """Read the pages; raises CvbuildError for one that can't be read, or has no text."""
        draft = Draft(given.name, is_rough=True)
        paper = _paper(given)
        rough.fill(draft, outline(paper, given.name))
        for sheet in paper.sheets:
            draft.lose(f"white on white, page {sheet.number + 1}", sheet.hidden.strip())
        return draft.done()


def _paper(given: Given) -> Paper:
    """Return the characters of a PDF, which a process of its own reads."""
    try:
        made = separate.call(pdfium.__name__, "child", given.data)
    except separate.FailedError as error:
        raise _refused(
            given.name, str(error), "is it the right file? print it to a new PDF"
        ) from None
    match made.get("refused"):
        case None:
            return pdfium.paper(made)
        case "locked":
            hint = "unlock it first: qpdf --decrypt"
            raise _refused(given.name, "it is encrypted and needs a password", hint)
        case "damaged":
            raise _refused(given.name, "it is damaged", "is it a whole PDF? print it to a new PDF")
        case why:
            raise _refused(given.name, str(why), "is it the right file?")


def _refused(file: str, fact: str, hint: str) -> CvbuildError:
    return CvbuildError.because("pdf", fact, hint, Span(file))


def outline(paper: Paper, file: str) -> list[Block]:
    """Return the name, the head and the sections of a document; ``file`` is its name in messages.

    Raises CvbuildError if it has no text.
    """
    for sheet in paper.sheets:
        sheet.chars = cleaned(sheet.chars)
    if sum(len(sheet.chars) for sheet in paper.sheets) < _LEAST:
        hint = "recognise its text first, such as with: ocrmypdf scan.pdf cv.pdf"
        raise _refused(file, "there is no text in it: its pages are pictures, or empty", hint)
    if _from_right(paper) > _MOST_RIGHT:
        hint = "import the file that it was printed from, such as the Word file"
        raise _refused(file, "most of it is written from right to left, which isn't read yet", hint)
    pages = [(sheet, pieces.of_sheet(sheet)) for sheet in paper.sheets]
    parts = name.find(pages[0][1], pages[0][0], paper.author)
    text = name.text_of(parts)
    taken = {id(one) for one in parts}
    main: list[Line] = []
    side: list[Line] = []
    for page in running.without(pages, text):
        order = columns.ordered([one for one in page if id(one) not in taken])
        if (
            side
            and not order.side
            and _is_under(order.main, side)
            and not _is_under(order.main, main)
        ):
            # The other column goes on.
            side += order.main
            continue
        main += order.main
        side += order.side
    titles.add_tags([*main, *side], {sheet.number: sheet.tags for sheet in paper.sheets})
    # A name as small as the text is a guess, which a plain line says.
    is_large = bool(parts) and parts[0].size > name.LARGE * name.usual_size(pages[0][1])
    named = [Block("heading" if is_large else "paragraph", [[Run(text)]], 1)] if text else []
    return [*named, *_blocks(main, side)]


def _is_under(lines: Sequence[Line], others: Sequence[Line]) -> bool:
    """Return whether lines begin where the last of others do."""
    return bool(lines and others) and abs(lines[0].left - others[-1].left) < _EDGE


def _from_right(paper: Paper) -> float:
    """Return the part of the letters that are written from right to left."""
    letters = [one.text for sheet in paper.sheets for one in sheet.chars if one.text.isalpha()]
    right = sum(unicodedata.bidirectional(one[0]) in ("R", "AL") for one in letters)
    return right / max(1, len(letters))


def _blocks(main: Sequence[Line], side: Sequence[Line]) -> list[Block]:
    both = [*main, *side]
    found, known = titles.find(both), paragraphs.words_of(both)
    one, other = (blocks.write(part, found, known) for part in (main, side))
    return references.quoted([*one.head, *other.head, *one.body, *other.body])
