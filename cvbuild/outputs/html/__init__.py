"""``--format html``: a document as a web page, for a site of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from html.parser import HTMLParser

from cvbuild.outputs import checks
from cvbuild.outputs.html import page, style_sheet
from cvbuild.outputs.html.page import Link, Page, Picture
from cvbuild.outputs.types import Made, Output, Shown


class Format(Output):
    """One file of HTML that loads nothing."""

    name = "html"
    suffix = ".html"
    shows_letters = has_look = True

    def make(self, shown: Shown) -> Made:
        """Return the page; raises DocumentError if it lacks a text, else as ``html``."""
        text = html(shown)
        expected = tuple(checks.contents(shown.view))
        figures = checks.require(text_of(text), expected, shown.source)
        return Made(text.encode(), figures)

    def text_of(self, content: bytes) -> str:
        """Return all that the page says, to people or to programs."""
        return all_of(content.decode())


def html(shown: Shown, links: Sequence[Link] = ()) -> str:
    """Return the page of a document, with links above it; raises ProfileError and TemplateError."""
    view = shown.view
    texts = "".join(map(str, checks.contents(view)))
    sheet = style_sheet.of(shown.template, shown.options, texts)
    letter = view.letter
    name, headline = str(view.header.name), str(view.header.headline or "")
    frame = Page(
        language=view.language,
        title=str(letter.title) if letter else ", ".join(filter(None, (name, headline))),
        sheet=sheet,
        description=" – ".join(filter(None, (name, headline))),
        classes=sheet.classes,
    )
    return page.render(
        "letter.html.j2" if letter else "cv.html.j2",
        frame,
        view=view,
        blocks=page.blocks(view),
        links=links,
        photo=Picture(shown.photo) if shown.photo else None,
        logo=Picture(shown.logo) if shown.logo else None,
        signature=Picture(shown.signature) if shown.signature else None,
        footer=shown.options.get("footer"),
    )


# -- reading a page back -------------------------------------------------------------------------


#: Elements whose content is no text of the page.
_SILENT = frozenset(("style", "script", "title"))
#: Attributes that readers meet: where a link leads to, what a picture shows.
_SPOKEN = ("href", "alt")
#: Elements in a line; others end one.
_INLINE = frozenset(("a", "bdi", "code", "em", "span", "strong", "sub", "sup"))


def text_of(page: str) -> str:
    """Return the texts of a page, and the addresses of its links after their words."""
    return "".join(_read(page).texts)


def all_of(page: str) -> str:
    """Return all that is in a page for people or programs: attributes as well."""
    reader = _read(page)
    return "\n".join((*reader.values, *reader.lines))


def _read(page: str) -> _Reader:
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return reader


class _Reader(HTMLParser):
    """Gathers what readers meet as ``texts``, all texts as ``lines``, attributes as ``values``."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self.lines: list[str] = [""]
        self.values: list[str] = []
        self._silent = 0
        self._links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in _SILENT
        self.values += [value for _, value in attrs if value and not value.startswith("data:")]
        spoken = " ".join(value for name, value in attrs if name in _SPOKEN and value)
        self._end_line(tag)
        if tag == "a":
            self._links.append(spoken)
        elif spoken and tag != "link":
            self.texts.append(spoken)

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in _SILENT and self._silent > 0
        if tag == "a" and self._links:
            self.texts.append(f" ({self._links.pop()})")
        self._end_line(tag)

    def _end_line(self, tag: str) -> None:
        if tag not in _INLINE:
            self.texts.append("\n")
            self.lines.append("")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.texts.append(data)
        self.lines[-1] += data
