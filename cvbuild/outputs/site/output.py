"""``--format site``: one person's part of ``cvbuild site``, a folder with their page and facts."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping

from cvbuild.common.errors import DocumentError
from cvbuild.model.locales.words import table
from cvbuild.outputs.checks import text_folding, view_texts
from cvbuild.outputs.html import output as html_output
from cvbuild.outputs.html.page import Link
from cvbuild.outputs.site import facts
from cvbuild.outputs.types import Made, Shown

PAGE, FACTS, PHOTO = "index.html", "facts.json", "photo.jpg"
#: The pages of everybody, which are two folders above that of a person.
PEOPLE, PUBLICATIONS = "index.html", "publications.html"
UP = "../../"
#: The formats of a document that are beside the page, and what their links say.
BESIDE = {"pdf": "PDF"}
#: Longest side of the photo in pixels: a card shows half of it.
_SIDE = 320


class Format:
    """The page of a person with its links, and what the pages of everybody show."""

    name = "site"
    suffix = ".site"
    has_look = True

    def make(self, shown: Shown) -> Made:
        """Return page, facts and photo; raise DocumentError for what a site can't show."""
        _refuse(shown)
        name = shown.task.person.name
        words = table(shown.view.language)
        own = "" if words.language.partition("-")[0] == _base(shown.view.language) else "en"
        links = [Link(words.words["site-people"], f"{UP}{PEOPLE}", own)]
        links += [Link(text, beside(name, output)) for output, text in BESIDE.items()]
        page = html_output.html(shown, links)
        expected = tuple(view_texts.contents(shown.view))
        figures = view_texts.require(html_output.text_of(page), expected, shown.task.source)
        files = {PAGE: page.encode(), FACTS: facts.written(facts.of(shown))}
        return Made(files | dict(_photo(shown)), figures)

    def text_of(self, content: bytes | Mapping[str, bytes]) -> str:
        """Return all that the page and the facts say."""
        files = content if isinstance(content, Mapping) else {}
        page = html_output.all_of(files[PAGE].decode())
        return f"{page}\n{text_folding.in_json(files[FACTS].decode())}"


def beside(person: str, output: str) -> str:
    """Return the name of another file in a person's folder of the site, as a link has it."""
    from urllib.parse import quote

    return quote(f"{person}.{output}")


def _base(language: str) -> str:
    return language.partition("-")[0]


def _refuse(shown: Shown) -> None:
    """Raise DocumentError for what shows private texts."""
    task = shown.task
    if task.private:
        fact = f"the document {task.name}, which is private, can't be on a site"
        hint = "name a public template: -t TEMPLATE"
        raise DocumentError.because("site", fact, hint, task.source.span(()))


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
