"""The figures that each document and reader must reach, and each exemption with its reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cvbuild.outputs.styles.templates import Library
from tools.ats.figures import Figures
from tools.ats.readers import READERS

#: Least figures of every document and reader that nothing below exempts.
REQUIRED = {"recall": 1.0, "order": 0.99, "placed": 1.0, "contact": 1.0}
TEMPLATES = Library.at().names()
#: Scripts that are written from right to left: their readers but poppler give what is seen.
RIGHT_TO_LEFT = ("arabic", "hebrew-mixed")
_VISUAL = ("pdfium", "pypdf", "pdfminer")
_NONE = dict.fromkeys(REQUIRED, 0.0)


@dataclass(frozen=True)
class Exemption:
    """Lower figures for some documents and readers; empty ``cvs`` or ``templates`` mean all."""

    why: str
    readers: tuple[str, ...]
    least: Mapping[str, float]
    cvs: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()
    reported: bool = False
    """Whether it may turn out not to be needed: a reader of which less is asked in general."""

    def covers(self, cv: str, template: str, reader: str) -> bool:
        """Return whether it applies to a document and reader."""
        return (
            reader in self.readers
            and (not self.cvs or cv in self.cvs)
            and (not self.templates or template in self.templates)
        )


EXEMPTIONS = (
    Exemption(
        "pdfminer's layout analysis puts the column of dates, and the column of section titles in "
        "one-page, into boxes of their own, so that they come after the entries beside them. "
        "Nothing is lost; where it is put is reported and not required.",
        ("pdfminer",),
        {"placed": 0.0},
        reported=True,
    ),
    Exemption(
        "Right to left: these readers may give the order in which letters are seen, pdfminer also "
        "scatters lines. The better of both orders counts. Reported only.",
        _VISUAL,
        _NONE,
        cvs=RIGHT_TO_LEFT,
        reported=True,
    ),
    Exemption(
        "Right to left: in raw mode poppler takes parts of a line for lines of their own; in "
        "layout mode it reads them well. Reported only.",
        ("poppler raw",),
        _NONE,
        cvs=RIGHT_TO_LEFT,
        reported=True,
    ),
    Exemption(
        "Right to left: in one-page the titles of sections stand in a column on the "
        "right, on the line of what they head; layout mode reads some of them into it.",
        ("poppler layout",),
        {"recall": 0.96, "order": 0.81, "placed": 0.4},
        cvs=RIGHT_TO_LEFT,
        templates=("one-page",),
        reported=True,
    ),
    Exemption(
        "In margin and grid dates that are wider than their column have two lines of it. Layout "
        "mode prints the page row by row, so each of them stands before a line of the entry.",
        ("poppler layout",),
        {"recall": 0.94, "placed": 0.93},
        cvs=("career-changer", "cyrillic", "diacritics"),
        templates=("grid", "margin"),
    ),
    Exemption(
        "sidebar has two columns, and layout mode prints the page row by row, as it looks: lines "
        "of both stand side by side. The other modes read one column after the other.",
        ("poppler layout",),
        {"recall": 0.89, "order": 0.41, "placed": 0.63},
        templates=("sidebar",),
        reported=True,
    ),
    Exemption(
        "sidebar goes on on the next page in both of its columns, and each page has its part of "
        "the main one before that of the narrow one: a text that goes on is parted by the latter.",
        ("pdfium", "pypdf", "poppler raw", "poppler"),
        {"recall": 0.97, "order": 0.77, "placed": 0.9},
        templates=("sidebar",),
        reported=True,
    ),
    Exemption(
        "pdfminer orders blocks by their place on the page: it puts the narrow column of sidebar "
        "between or before the entries of the main one, at times into one, or before the contacts.",
        ("pdfminer",),
        {"recall": 0.96, "order": 0.5, "contact": 0.0},
        templates=("sidebar",),
        reported=True,
    ),
    Exemption(
        "In grid dates stand in a column of their own. Where lines are set close, pdfminer puts "
        "the date of an entry before the last line of the one above.",
        ("pdfminer",),
        {"recall": 0.98, "order": 0.9, "placed": 0.9},
        templates=("grid",),
        reported=True,
    ),
    Exemption(
        "In one-page lines are set close: pdfminer takes two columns of a line for one.",
        ("pdfminer",),
        {"recall": 0.98, "order": 0.98, "placed": 0.98},
        cvs=("diacritics",),
        templates=("one-page",),
        reported=True,
    ),
    Exemption(
        "In one-page the titles of sections stand in a column. Where one has two lines, layout "
        "mode has the entry beside it between them.",
        ("poppler layout",),
        {"recall": 0.96, "placed": 0.96},
        templates=("one-page",),
        reported=True,
    ),
    Exemption(
        "Devanagari: a conjunct is one glyph for several letters, placed apart from its vowel "
        "sign; these readers have no text for some of them. Reported only.",
        ("pypdf", "pdfminer"),
        _NONE,
        cvs=("devanagari",),
        reported=True,
    ),
    Exemption(
        "XCharter and Gentium keep so much room between f and a closing quotation mark that these "
        'readers see a space: "Best of" becomes "Best of ".',
        ("poppler layout", "pdfium", "pypdf", "pdfminer"),
        {"recall": 0.98, "order": 0.91, "placed": 0.94},
        cvs=("hostile-punctuation",),
        templates=("academic", "one-page", "plain"),
    ),
    Exemption(
        "pdfminer takes the second line of a long paragraph for a paragraph of its own where the "
        "type of a further script makes the lines unlike in height.",
        ("pdfminer",),
        {"recall": 0.96, "order": 0.92},
        cvs=("chinese", "cyrillic", "greek", "japanese", "korean"),
        reported=True,
    ),
    Exemption(
        "In a justified line with wide spaces pdfminer sees two columns, and puts the lines' "
        "halves apart.",
        ("pdfminer",),
        {"recall": 0.97, "order": 0.96},
        cvs=("long-academic",),
        templates=("academic",),
    ),
    Exemption(
        "Dates beside lines that nearly touch them: pdfminer takes them into the paragraph.",
        ("pdfminer",),
        {"recall": 0.99, "order": 0.97},
        cvs=("long-academic",),
        templates=("margin",),
    ),
    Exemption(
        "An address that goes on in the next line: pdfminer takes the short second line for a "
        "paragraph of its own.",
        ("pdfminer",),
        {"recall": 0.97},
        cvs=("many-links",),
        templates=("academic", "banking", "bold", "industry", "one-page", "plain"),
    ),
    Exemption(
        "An e-mail address of 86 letters is longer than a line of contacts: it goes on in the next "
        "one, where a plain expression doesn't follow it.",
        tuple(READERS),
        {"contact": 0.83},
        cvs=("many-links",),
        templates=("bold", "grid", "industry", "margin", "plain"),
    ),
    Exemption(
        "In sidebar the contacts stand in the narrow column: an address that is wider than it goes "
        "on in the next line, where a plain expression doesn't follow it.",
        tuple(READERS),
        {"contact": 0.66},
        cvs=("hostile-punctuation", "many-links"),
        templates=("sidebar",),
    ),
    Exemption(
        "PDFium joins lines where a word of 84 letters or an address is parted at a hyphen, and "
        "then the end of the second line with the date, which stands on the first.",
        ("pdfium",),
        {"recall": 0.97, "placed": 0.97},
        cvs=("hostile-punctuation", "many-links"),
        templates=("academic", "banking", "bold", "industry", "one-page", "plain"),
        reported=True,
    ),
    Exemption(
        "On a page of few short lines PDFium takes a digit that stands alone for the start of a "
        "line.",
        ("pdfium",),
        {"recall": 0.99, "order": 0.97, "placed": 0.99},
        cvs=("full",),
        templates=("industry",),
        reported=True,
    ),
    Exemption(
        "The heading of publications says that they are a selection.",
        tuple(READERS),
        {"recall": 0.99, "placed": 0.99},
        cvs=("long-academic",),
        templates=("industry", "one-page", "sidebar"),
    ),
    Exemption(
        "PDFium begins a new line with a raised figure that is small beside its letter: x² "
        "becomes x and, in the next line, 2.",
        ("pdfium",),
        {"recall": 0.98, "placed": 0.98},
        cvs=("hostile-punctuation",),
        templates=("margin",),
    ),
)


def exemptions(cv: str, template: str, reader: str) -> Iterator[Exemption]:
    """Return the exemptions of a document and reader."""
    return (one for one in EXEMPTIONS if one.covers(cv, template, reader))


def least(cv: str, template: str, reader: str) -> dict[str, float]:
    """Return the lowest figures allowed for a document and reader."""
    required = dict(REQUIRED)
    for one in exemptions(cv, template, reader):
        required |= {name: min(number, required[name]) for name, number in one.least.items()}
    return required


def short_of(figures: Figures, required: Mapping[str, float]) -> list[str]:
    """Return the figures that are too low, in words, with what is missing; empty if none is."""
    below = [
        f"{name} {getattr(figures, name):.3f} < {number:g}"
        for name, number in required.items()
        if getattr(figures, name) < number
    ]
    detail = {"missing": figures.missing, "misplaced": figures.misplaced, "unread": figures.unread}
    return [*below, *(f"{name}: {texts[:8]}" for name, texts in detail.items() if texts and below)]
