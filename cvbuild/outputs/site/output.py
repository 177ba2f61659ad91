"""``--format site``: one person's part of ``cvbuild site``, a folder with page, facts and photo."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from urllib.parse import quote

from anyascii import anyascii

from cvbuild.common.errors import DocumentError
from cvbuild.model.locales.words import table
from cvbuild.outputs.checks import text_folding, view_texts
from cvbuild.outputs.html import output as html_output
from cvbuild.outputs.html.page import Link
from cvbuild.outputs.types import Made, Shown

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


class Format:
    """The page of a person with its links, and what the index shows."""

    name = "site"
    suffix = ".site"
    has_look = True

    def make(self, shown: Shown) -> Made:
        """Return page, facts and photo; raise DocumentError for what a site can't show."""
        task, view = shown.task, shown.view
        if task.private:
            fact = f"the document {task.name}, which is private, can't be on a site"
            hint = "name a public template: -t TEMPLATE"
            raise DocumentError.because("site", fact, hint, task.source.span(()))
        words = table(view.language)
        own = "" if words.language.partition("-")[0] == view.language.partition("-")[0] else "en"
        links = [
            Link(words.words["site-people"], f"../../{PAGE}", own),
            Link("PDF", quote(f"{task.person.name}.pdf")),
        ]
        page = html_output.html(shown, links)
        expected = tuple(view_texts.contents(view))
        figures = view_texts.require(html_output.text_of(page), expected, task.source)
        facts = json.dumps(asdict(_facts(shown)), ensure_ascii=False, indent=1)
        return Made({PAGE: page.encode(), FACTS: facts.encode(), **dict(_photo(shown))}, figures)

    def text_of(self, content: bytes | Mapping[str, bytes]) -> str:
        """Return all that the page and the facts say."""
        files = content if isinstance(content, Mapping) else {}
        page = html_output.all_of(files[PAGE].decode())
        return f"{page}\n{text_folding.in_json(files[FACTS].decode())}"


def _facts(shown: Shown) -> Facts:
    header, name = shown.view.header, shown.profile.name
    sort = f"{name.family or name.display.rpartition(' ')[2]} {name.display}"
    texts = str(header.name), str(header.native or ""), str(header.headline or "")
    return Facts(*texts, shown.view.language, anyascii(sort).casefold())


def _photo(shown: Shown) -> Iterator[tuple[str, bytes]]:
    """Yield a small photo, if the document shows one."""
    import PIL.Image

    if shown.photo is None:
        return
    with PIL.Image.open(io.BytesIO(shown.photo), formats=("JPEG",)) as picture:
        picture.thumbnail((_SIDE, _SIDE))
        stream = io.BytesIO()
        picture.save(stream, "JPEG", quality=85, optimize=True)
    yield PHOTO, stream.getvalue()
