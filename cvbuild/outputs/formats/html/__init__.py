"""``--format html`` and ``site``: a document as a web page; the page of all people of a site.

Pages are made from templates of Jinja: the frame that all have in common, a document's, those of a
site. Every text is escaped once, by Jinja.
"""

from __future__ import annotations

import base64
import io
import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from html.parser import HTMLParser
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from anyascii import anyascii
from msgspec import Struct

from cvbuild.common.diagnostics import DocumentError
from cvbuild.model.locales import table
from cvbuild.model.text import language_tags, rich_text
from cvbuild.model.text.lines import short_url, url_beside
from cvbuild.outputs import checks, text_folding
from cvbuild.outputs.formats.html import style_sheet
from cvbuild.outputs.formats.html.style_sheet import StyleSheet
from cvbuild.outputs.types import Made, Output, Shown
from cvbuild.view import lines, texts
from cvbuild.view.types import Content, Document, Group, Labels, Section

if TYPE_CHECKING:
    from jinja2 import Environment

#: The templates of this package.
FOLDER = Path(__file__).parent


class Page(Struct, frozen=True):
    """What the frame of a page needs; ``images`` is where its pictures may come from."""

    language: str
    title: str
    sheet: StyleSheet
    description: str = ""
    images: str = "data:"


class Link(Struct, frozen=True):
    """A link above the document: to its PDF, to the list of all people."""

    text: str
    href: str
    language: str = ""


class Picture(Struct, frozen=True, dict=True):
    """A JPEG."""

    data: bytes

    @property
    def source(self) -> str:
        """The picture as an address that holds all of it."""
        return f"data:image/jpeg;base64,{base64.b64encode(self.data).decode()}"

    @cached_property
    def size(self) -> tuple[int, int]:
        """Its width and height in pixels."""
        import PIL.Image

        with PIL.Image.open(io.BytesIO(self.data), formats=("JPEG",)) as image:
            return image.size


@cache
def environment(folder: Path = FOLDER) -> Environment:
    """Return the environment of the templates in a folder, and of those of this package."""
    import jinja2

    jinja = jinja2.Environment(
        loader=jinja2.FileSystemLoader([folder, FOLDER]),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    jinja.filters |= {
        "address": lambda link: url_beside(rich_text.plain(link.children), link.url),
        "direction": direction,
        "has_link": lambda parts: any(map(lines.has_link, parts)),
        "heading": lambda level: f"h{min(level, 6)}",
        "kind": lambda value: type(value).__name__.lower(),
        "linkable": linkable,
        "note_lines": lines.of_text,
        "passage": passage,
        "piece_classes": piece_classes,
        "runs_against": runs_against,
        "short_url": short_url,
        "spaced": spaced,
        "plain": lines.plain,
        "tied": texts.tied,
    }
    return jinja


def direction(language: str) -> str:
    """Return where the lines of a language run to: ltr or rtl."""
    return "rtl" if language_tags.runs_right(language) else "ltr"


def runs_against(given: Content | lines.Words, page: str) -> bool:
    """Return whether texts need a direction of their own on a page that runs to ``page``."""
    text = lines.plain(given) if isinstance(given, tuple) else str(given)
    kinds = {unicodedata.bidirectional(character) for character in text}
    if page == "rtl":
        return "L" in kinds and not {"R", "AL"} & kinds
    return bool({"R", "AL"} & kinds)


class Passage(Struct, frozen=True):
    """The items of a group, each as its lines; or the words of a run, or all bullets of a list."""

    form: str
    """run, bullets, facts (a line for each item), cited, rows (lines without a head) or entries."""
    items: tuple[tuple[lines.Line, ...], ...] = ()
    run: lines.Words = ()
    bullets: lines.BulletList | None = None


def blocks(document: Document) -> Iterator[list[list[Section]]]:
    """Yield sections one below the other, as one column; or in two, the main one first."""
    for is_wide, run in groupby(document.sections, key=lambda section: section.column == 0):
        sections = list(run)
        narrow = [section for section in sections if section.column == 2]
        main = [section for section in sections if section.column != 2]
        yield [sections] if is_wide else [main, narrow]


def passage(group: Group, section: Section, labels: Labels) -> Passage:
    """Return the items of a group as a page shows them."""
    if run := lines.run_of(section, group, labels):
        return Passage("run", run=run)
    items = tuple(lines.of_item(section, item, labels) for item in group.items)
    if lines.is_list(section):
        lists = [line for item in items for line in item if isinstance(line, lines.BulletList)]
        every = tuple(bullet for line in lists for bullet in line.bullets)
        return Passage("bullets", bullets=lines.BulletList(every))
    form, firsts = "facts", [item[0] for item in items if item]
    if any(isinstance(first, lines.CitedLine) for first in firsts):
        form = "cited"
    elif not any(isinstance(first, lines.HeadLine) for first in firsts):
        form = "rows"
    elif any(len(item) > 1 for item in items):
        form = "entries"
    return Passage(form, items)


def piece_classes(piece: lines.Piece) -> str:
    """Return the classes of a text in a line: its field, and whether it is the person."""
    name = f"f-{piece.field.replace('_', '-')}" if piece.field else ""
    return " ".join(filter(None, (name, "me" if piece.me else "")))


def spaced(sentences: Iterable[lines.Words]) -> lines.Words:
    """Return sentences as the words of one line, with a space between them."""
    whole: list[lines.Piece | str] = []
    for sentence in sentences:
        whole += [" ", *sentence] if whole else sentence
    return tuple(whole)


def linkable(sentences: Iterable[lines.Words]) -> lines.Piece | None:
    """Return the title among the texts of a reference; None if it has a link of its own."""
    words = (word for sentence in sentences for word in sentence if isinstance(word, lines.Piece))
    title = next((word for word in words if word.field == "title"), None)
    return None if title is None or lines.has_link((title,)) else title


class Format(Output):
    """One file of HTML that loads nothing."""

    name = "html"
    suffix = ".html"
    shows_letters = has_look = True

    def make(self, shown: Shown) -> Made:
        """Return the page; raises DocumentError if it lacks a text, else as ``html``."""
        text = html(shown)
        expected = tuple(checks.contents(shown.view))
        return Made(text.encode(), checks.require(text_of(text), expected, shown.source))

    def text_of(self, content: bytes) -> str:
        """Return all that the page says, to people or to programs: attributes as well."""
        reader = _Reader(content.decode())
        return "\n".join((*reader.values, *reader.lines))


def html(shown: Shown, links: Sequence[Link] = ()) -> str:
    """Return the page of a document, with links above it; raises ProfileError and TemplateError."""
    view, letter = shown.view, shown.view.letter
    texts = "".join(map(str, checks.contents(view)))
    sheet = style_sheet.of(shown.template, shown.options, texts)
    who = [str(text) for text in (view.header.name, view.header.headline) if text]
    frame = Page(
        language=view.language,
        title=str(letter.title) if letter else ", ".join(who),
        sheet=sheet,
        description=" – ".join(who),
    )
    pictures = {"photo": shown.photo, "logo": shown.logo, "signature": shown.signature}
    template = environment().get_template("letter.html.j2" if letter else "cv.html.j2")
    return template.render(
        page=frame,
        view=view,
        blocks=blocks(view),
        links=links,
        footer=shown.options.get("footer"),
        **{name: Picture(data) if data else None for name, data in pictures.items()},
    )


#: Elements whose content is no text of the page.
_SILENT = frozenset(("style", "script", "title"))
#: Attributes that readers meet: where a link leads to, what a picture shows.
_SPOKEN = ("href", "alt")
#: Elements in a line; others end one.
_INLINE = frozenset(("a", "bdi", "code", "em", "span", "strong", "sub", "sup"))


def text_of(page: str) -> str:
    """Return the texts of a page, and the addresses of its links after their words."""
    return "".join(_Reader(page).texts)


class _Reader(HTMLParser):
    """Gathers what readers meet as ``texts``, all texts as ``lines``, attributes as ``values``."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self.lines: list[str] = [""]
        self.values: list[str] = []
        self._silent = 0
        self._links: list[str] = []
        self.feed(page)
        self.close()

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


# -- ``--format site``: one person's part of a site, a folder with page, facts and photo -----------


PAGE, FACTS, PHOTO = "index.html", "facts.json", "photo.jpg"
#: Longest side of the photo in pixels: a card shows half of it.
_SIDE = 320


@dataclass(frozen=True, slots=True)
class Facts:
    """What the index shows of a person: nothing but what the public document shows."""

    name: str
    native: str
    headline: str
    language: str
    sort: str
    """What people are sorted by: the family name, then the others, without accents."""


class Site(Output):
    """The page of a person with its links, and what the index shows."""

    name = "site"
    suffix = ".site"
    has_look = True

    def make(self, shown: Shown) -> Made:
        """Return page, facts and photo; raise DocumentError for what a site can't show."""
        view = shown.view
        if shown.private:
            fact = f"the document {shown.name}, which is private, can't be on a site"
            hint = "name a public template: -t TEMPLATE"
            raise DocumentError.because("site", fact, hint, shown.source.span(()))
        words = table(view.language)
        code = "" if words.language.partition("-")[0] == view.language.partition("-")[0] else "en"
        links = [
            Link(words.words["site-people"], f"../../{PAGE}", code),
            Link("PDF", quote(f"{shown.person.name}.pdf")),
        ]
        page = html(shown, links)
        figures = checks.require(text_of(page), tuple(checks.contents(view)), shown.source)
        header, name = view.header, shown.profile.name
        sort = f"{name.family or name.display.rpartition(' ')[2]} {name.display}"
        texts = str(header.name), str(header.native or ""), str(header.headline or "")
        facts = asdict(Facts(*texts, view.language, anyascii(sort).casefold()))
        files = {PAGE: page, FACTS: json.dumps(facts, ensure_ascii=False, indent=1)}
        content = {name: text.encode() for name, text in files.items()}
        if shown.photo:
            import PIL.Image

            with PIL.Image.open(io.BytesIO(shown.photo), formats=("JPEG",)) as picture:
                picture.thumbnail((_SIDE, _SIDE))
                stream = io.BytesIO()
                picture.save(stream, "JPEG", quality=85, optimize=True)
            content[PHOTO] = stream.getvalue()
        return Made(content, figures)

    def text_of(self, content: Mapping[str, bytes]) -> str:
        """Return all that the page and the facts say."""
        page = Format().text_of(content[PAGE])
        return f"{page}\n{text_folding.in_json(content[FACTS].decode())}"


# -- the page of all people, with links to the page and the PDF of each ----------------------------


#: The colour of links and lines.
_ACCENT = "1F4E79"


class Card(Struct, frozen=True):
    """A person on the page; ``name`` is that of the folder."""

    name: str
    facts: Facts
    photo: Picture | None

    @property
    def initials(self) -> str:
        """The first letters of the first and last word of the name."""
        letters = [word[0] for word in self.facts.name.split() if word[0].isalpha()]
        return "".join(dict.fromkeys((*letters[:1], *letters[-1:])))


class People(NamedTuple):
    """People below one heading, which has a language; without words they come first."""

    people: list[Card]
    heading: str = ""
    language: str = ""


def people_page(title: str, language: str, groups: Sequence[People]) -> bytes:
    """Return the page in a language."""
    words = table(language)
    sheet = StyleSheet(
        f"\n:root {{ {style_sheet.written(style_sheet.palette(_ACCENT))} }}\n"
        f"{FOLDER.joinpath('site.css').read_text(encoding='utf-8')}"
    )
    heading = words.words["site-people"]
    whole = f"{heading}, {title}" if title else heading
    # Words that the language lacks are English.
    frame = Page(words.language, whole, sheet, images="'self'")
    template = environment().get_template("people.html.j2")
    return template.render(
        page=frame, photo=PHOTO, title=title, heading=heading, groups=groups
    ).encode()
