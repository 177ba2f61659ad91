"""Check that a PDF holds what its document should show, and nothing else; and how it looks.

Pure: from what was expected and what the PDF holds (``pdf_facts.Facts``) to diagnostics.
docs/reference/pdf.md says what is proven and what is not; ``text_folding`` defines which
texts count as the same.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct

from cvbuild.common.diagnostics import Diagnostic, FieldPath, Severity, Span
from cvbuild.outputs import checks, text_folding
from cvbuild.outputs.pdf import Expected, PrintedLink
from cvbuild.outputs.pdf.latex import bidi
from cvbuild.outputs.pdf.verify import find_texts, text_places
from cvbuild.outputs.pdf.verify.pdf_facts import Facts
from cvbuild.view.types import FOOTER

#: The code of errors of private texts.
PRIVATE = "verify-private"
#: At most this many diagnostics of a kind are shown.
_MANY = 12
#: Control characters that readers give in a text.
_IN_READERS = {"\r", "\n", "\t", "\f", "\x02", "\ufffe"}


class Verified(Struct, frozen=True):
    """What is not as it should be, and the figures by name: what was compared."""

    diagnostics: tuple[Diagnostic, ...]
    figures: dict[str, float]

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The diagnostics for which a document is refused."""
        return tuple(item for item in self.diagnostics if item.severity == "error")


def verify(facts: Facts, expected: Expected) -> Verified:
    """Return everything that is wrong."""
    diagnostics = []
    if expected.pages not in (None, len(facts.pages)):
        fact = f"the PDF has {len(facts.pages)} pages, and the template promises {expected.pages}"
        diagnostics.append(_error("pages", fact))
    diagnostics += [*_fonts(facts), *_characters(facts)]
    diagnostics += [*_outside(facts, expected), *_overlaps(facts, expected)]
    diagnostics += [_error("action", f"the PDF has {what}", _OF_TEMPLATE) for what in facts.active]
    diagnostics += _texts(facts, expected)
    diagnostics += _links(facts, expected)
    diagnostics += _preamble(facts, expected)
    diagnostics += _secrets(facts, expected)
    compared: dict[str, float] = {
        "texts": len(expected.contents),
        "links": len(facts.links),
        "fonts": len(facts.fonts),
        "pages": len(facts.pages),
    }
    return Verified(tuple(_few(diagnostics)), compared)


def _texts(facts: Facts, expected: Expected) -> list[Diagnostic]:
    """Return errors for texts that the PDF lacks."""
    texts = [page.characters for _, page in text_places.parts(facts.pages, expected)]
    pages = text_folding.pages(texts)
    return find_texts.missing(pages, expected.blocks, expected.place, rtl=expected.rtl)


_OF_TEMPLATE = "the template's code does this"


def _error(
    code: str, message: str, hint: str | None = None, span: Span | None = None
) -> Diagnostic:
    return Diagnostic("error", f"verify-{code}", message, span, hint)


def _few(diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield each diagnostic once, at most _MANY of a kind, and how many more there are."""
    counts: Counter[tuple[Severity, str]] = Counter()
    for item in dict.fromkeys(diagnostics):
        kind = item.severity, item.code
        counts[kind] += 1
        if counts[kind] <= _MANY:
            yield item
    for (severity, code), count in counts.items():
        if count > _MANY:
            yield Diagnostic(severity, code, f"and {count - _MANY} more like this")


def _fonts(facts: Facts) -> Iterator[Diagnostic]:
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


def _characters(facts: Facts) -> Iterator[Diagnostic]:
    """Yield errors for characters that no text has and readers can't use."""
    for number, page in enumerate(facts.pages, start=1):
        bad = {character: None for character in page.text if _is_bad(character)}
        for character in bad:
            near = page.text.index(character)
            around = text_folding.short(page.text[max(0, near - 30) : near + 30])
            fact = f'{_name(character)} is on page {number}, in "{around}"'
            yield _error("character", fact, "the font doesn't map a glyph to its character")


def _is_bad(character: str) -> bool:
    if character in _IN_READERS:
        return False
    return (
        character < " "
        or character == "\N{REPLACEMENT CHARACTER}"
        or "\ufb00" <= character <= "\ufb06"
        or (character >= "\x7f" and unicodedata.category(character) in ("Cc", "Co", "Cs"))
    )


def _name(character: str) -> str:
    return f"U+{ord(character):04X} {unicodedata.name(character, '')}".rstrip()


def _links(facts: Facts, expected: Expected) -> Iterator[Diagnostic]:
    """Yield errors for links that are missing, or fewer than were printed, and for unknown ones."""
    in_pdf = Counter(link.url for link in facts.links)
    links = [link for block in expected.blocks for link in block.links]
    printed = Counter(link.url for link in links)
    known: set[str] = set()
    for item in links:
        if item.url not in known and in_pdf[item.url] < printed[item.url]:
            yield _missing_link(item, in_pdf[item.url], printed[item.url], expected)
        known.add(item.url)
    # A message never shows what is private; ``_secrets`` tells of it.
    secrets = [text_folding.fold_caseless(secret.text) for secret in expected.secrets]
    for link in facts.links:
        if link.url not in known:
            known.add(link.url)
            url = text_folding.fold_caseless(link.url)
            if any(text_folding.has_words(url, secret) for secret in secrets):
                continue
            fact = f"page {link.page} has a link to {text_folding.short(link.url)}"
            yield _error("link", f"{fact}, which is not in your file", _OF_TEMPLATE)


def _missing_link(link: PrintedLink, in_pdf: int, printed: int, expected: Expected) -> Diagnostic:
    how = f"is {in_pdf} times in the PDF, not {printed}" if in_pdf else "is not in the PDF"
    fact = f"the link to {text_folding.short(link.url)} {how}"
    hint = "the template prints its text without the link"
    return _error("link", fact, hint, expected.place(link.path))


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
                    else find_texts.anywhere(text_folding.fold(page.text), text)
                ):
                    fact = f"the footer is not on page {number}"
                    yield _error("footer", fact, _OF_TEMPLATE, place(content.path))
        elif not any(find_texts.anywhere(value, text) for value in known):
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


# -- how pages look: texts outside or over each other --------------------------------------------


#: This many letters of a text identify it.
_SAME = 30


def _outside(facts: Facts, expected: Expected) -> Iterator[Diagnostic]:
    for number, page in enumerate(facts.pages, start=1):
        if page.outside:
            message = f'"{text_folding.short(page.outside)}" is outside of page {number}'
            path = _field_of(page.outside, expected)
            hint = "give long words a place to break"
            if path == FOOTER:
                hint = "a footer is one line: make it shorter"
            yield _error("box", message, hint, expected.place(path) if path else None)


def _overlaps(facts: Facts, expected: Expected) -> Iterator[Diagnostic]:
    """Yield one error for each two texts of which one is printed over the other."""
    for number, page in enumerate(facts.pages, start=1):
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
