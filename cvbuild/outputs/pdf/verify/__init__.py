"""Check that a PDF holds what its document should show, and nothing else; and how it looks.

Pure: from what was expected and what the PDF holds (``pdf_facts.Facts``) to diagnostics.
docs/reference/pdf.md says what is proven and what is not; ``text_folding`` defines which
texts count as the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from cvbuild.common.diagnostics import Diagnostic, FieldPath, Severity, Span
from cvbuild.outputs import checks, text_folding
from cvbuild.outputs.pdf import Expected
from cvbuild.outputs.pdf.latex import bidi
from cvbuild.outputs.pdf.verify import text_places
from cvbuild.outputs.pdf.verify.pdf_facts import Facts
from cvbuild.view.types import FOOTER

#: The code of errors of private texts.
PRIVATE = "verify-private"
#: At most this many diagnostics of a kind are shown.
_MANY = 12
#: Characters that no text has: of control, but those that readers give, ligatures, private ones.
_BAD = re.compile(
    "[\x00\x01\x03-\x08\x0b\x0e-\x1f\x7f-\x9f\ud800-\uf8ff\ufb00-\ufb06\ufffd"
    "\U000f0000-\U000ffffd\U00100000-\U0010fffd]"
)


class Verified(Struct, frozen=True):
    """What is not as it should be, and the figures by name: what was compared."""

    diagnostics: tuple[Diagnostic, ...]
    figures: dict[str, float]


def verify(facts: Facts, expected: Expected) -> Verified:
    """Return everything that is wrong."""
    diagnostics = []
    if expected.pages not in (None, len(facts.pages)):
        fact = f"the PDF has {len(facts.pages)} pages, and the template promises {expected.pages}"
        diagnostics.append(_error("pages", fact))
    diagnostics += [*_glyphs(facts), *_looks(facts, expected)]
    diagnostics += [_error("action", f"the PDF has {what}", _OF_TEMPLATE) for what in facts.active]
    texts = [page.characters for _, page in text_places.parts(facts.pages, expected)]
    pages, place = text_folding.pages(texts), expected.place
    diagnostics += text_places.missing(pages, expected.blocks, place, rtl=expected.rtl)
    diagnostics += _links(facts, expected)
    diagnostics += _preamble(facts, expected)
    diagnostics += _secrets(facts, expected)
    compared: dict[str, float] = {
        "texts": len(expected.contents),
        "links": len(facts.links),
        "fonts": len(facts.fonts),
        "pages": len(facts.pages),
    }
    # Each once, at most _MANY of a kind, and how many more there are.
    counts: Counter[tuple[Severity, str]] = Counter()
    few = []
    for item in dict.fromkeys(diagnostics):
        counts[item.severity, item.code] += 1
        few += [item] if counts[item.severity, item.code] <= _MANY else []
    for (severity, code), count in counts.items():
        if count > _MANY:
            few.append(Diagnostic(severity, code, f"and {count - _MANY} more like this"))
    return Verified(tuple(few), compared)


_OF_TEMPLATE = "the template's code does this"


def _error(
    code: str, message: str, hint: str | None = None, span: Span | None = None
) -> Diagnostic:
    return Diagnostic("error", f"verify-{code}", message, span, hint)


def _glyphs(facts: Facts) -> Iterator[Diagnostic]:
    """Yield errors for fonts, and for characters that no text has and readers can't use."""
    for font in facts.fonts:
        if font.kind == "Type3":
            fact = f"{font.name} is a Type 3 font, which readers can't search or scale"
            yield _error("font", fact, "use an outline font")
            continue
        if not font.embedded:
            yield _error("font", f"{font.name} is not embedded in the PDF", _OF_TEMPLATE)
        if not font.mapped:
            fact = f"{font.name} doesn't say which characters its glyphs are (ToUnicode)"
            yield _error("font", fact, _OF_TEMPLATE)
        for character in font.ligatures:
            fact = f"{font.name} shows {_name(character)} in place of single letters"
            yield _error("character", fact, "the font must map the ligature to its letters")
    for number, page in enumerate(facts.pages, start=1):
        for character in filter(_BAD.match, dict.fromkeys(page.text)):
            near = page.text.index(character)
            around = text_folding.short(page.text[max(0, near - 30) : near + 30])
            fact = f'{_name(character)} is on page {number}, in "{around}"'
            yield _error("character", fact, "the font doesn't map a glyph to its character")


def _name(character: str) -> str:
    return f"U+{ord(character):04X} {unicodedata.name(character, '')}".rstrip()


def _links(facts: Facts, expected: Expected) -> Iterator[Diagnostic]:
    """Yield errors for links that are missing, or fewer than were printed, and for unknown ones."""
    in_pdf = Counter(link.url for link in facts.links)
    links = [link for block in expected.blocks for link in block.links]
    printed = Counter(link.url for link in links)
    for url in printed:
        count = in_pdf[url]
        if count < printed[url]:
            how = f"{count} times in the PDF, not {printed[url]}" if count else "not in the PDF"
            fact = f"the link to {text_folding.short(url)} is {how}"
            hint = "the template prints its text without the link"
            path = next(link.path for link in links if link.url == url)
            yield _error("link", fact, hint, expected.place(path))
    # A message never shows what is private; ``_secrets`` tells of it.
    secrets = [text_folding.fold(secret.text.casefold()) for secret in expected.secrets]
    for url in (url for url in in_pdf if url not in printed):
        folded = text_folding.fold(url.casefold())
        if not any(text_folding.has_words(folded, secret) for secret in secrets):
            page = next(link.page for link in facts.links if link.url == url)
            fact = f"page {page} has a link to {text_folding.short(url)}"
            yield _error("link", f"{fact}, which is not in your file", _OF_TEMPLATE)


def _preamble(facts: Facts, expected: Expected) -> Iterator[Diagnostic]:
    """Yield errors for title, author, subject and keywords, and for the footer of every page."""
    known = [text_folding.fold(value) for _, value in facts.metadata]
    for content in expected.preamble:
        shown, place = str(content), expected.place
        text = text_folding.fold(shown)
        if content.path == FOOTER:
            reordered = expected.rtl or bidi.runs_right(shown)
            for number, page in enumerate(facts.pages, start=1):
                if not (
                    text_folding.shapes(shown) <= text_folding.shapes(page.text)
                    if reordered
                    else text_places.anywhere(text_folding.fold(page.text), text)
                ):
                    fact = f"the footer is not on page {number}"
                    yield _error("footer", fact, _OF_TEMPLATE, place(content.path))
        elif not any(text_places.anywhere(value, text) for value in known):
            fact = f'"{text_folding.short(shown)}" is not in the PDF\'s metadata'
            yield _error("metadata", fact, _OF_TEMPLATE, place(content.path))


def _secrets(facts: Facts, expected: Expected) -> Iterator[Diagnostic]:
    """Yield errors for private texts in the text, the links, the metadata or an attachment."""
    if not expected.secrets:
        return
    contents = [str(content) for content in (*expected.contents, *expected.preamble)]
    contents += [link.url for block in expected.blocks for link in block.links]
    places = [("the text", "\n".join(page.text for page in facts.pages))]
    places += [("a link", link.url) for link in facts.links]
    places += [(f"the metadata ({name})", value) for name, value in facts.metadata]
    places += [
        (f"the attachment {name}", text_folding.in_json(data.decode("utf-8", "replace")))
        for name, data in facts.attachments
    ]
    for secret, where in checks.exposed(expected.secrets, "\n".join(contents), places):
        fact = f"a private text is in {where} of the PDF"
        hint = "the template shows what was left out as private"
        yield _error("private", fact, hint, secret.span or expected.place(secret.path))


#: This many letters of a text identify it.
_SAME = 30


def _looks(facts: Facts, expected: Expected) -> Iterator[Diagnostic]:
    """Yield errors for texts outside of a page, and for two of which one is over the other."""
    for number, page in enumerate(facts.pages, start=1):
        if page.outside:
            fact = f'"{text_folding.short(page.outside)}" is outside of page {number}'
            path = _field_of(page.outside, expected)
            hint = "give long words a place to break"
            if path == FOOTER:
                hint = "a footer is one line: make it shorter"
            yield _error("box", fact, hint, expected.place(path) if path else None)
        for words in page.overlaps:
            lines = [next((line for line in page.lines if word in line), (word,)) for word in words]
            below, above = (" ".join(word.text for word in line) for line in lines)
            texts = above, below, words[1].text, words[0].text
            path = next(filter(None, (_field_of(text, expected) for text in texts)), None)
            if above == below:
                below, above = (word.text for word in words)
            above, below = text_folding.short(above), text_folding.short(below)
            fact = f'"{above}" is printed over "{below}" on page {number}'
            hint = "the template's code places them so; a shorter text may have room"
            yield _error("overlap", fact, hint, expected.place(path) if path else None)


def _field_of(text: str, expected: Expected) -> FieldPath | None:
    """Return the field that has the beginning of the text; None if none or several have it."""
    letters = text_folding.fold(text).letters[:_SAME]
    footers = [content for content in expected.preamble if content.path == FOOTER]
    contents = [*expected.contents, *footers]
    fields = {text.path for text in contents if letters in text_folding.fold(str(text)).letters}
    return fields.pop() if len(fields) == 1 else None
