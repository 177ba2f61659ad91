"""``--format html``: a document as a web page, for a site of one's own."""

from __future__ import annotations

from collections.abc import Sequence

from cvbuild.outputs.checks import view_texts
from cvbuild.outputs.html import groups, linked_data, page, read_back, style_sheet
from cvbuild.outputs.html.page import Link, Page, Picture
from cvbuild.outputs.types import Made, Shown


class Format:
    """One file of HTML that loads nothing."""

    name = "html"
    suffix = ".html"
    shows_letters = True

    def make(self, shown: Shown) -> Made:
        """Return the page; raise DocumentError if a text of the view is missing from it.

        Raises ProfileError for a picture that can't be read, TemplateError for a faulty style
        sheet.
        """
        text = html(shown)
        expected = tuple(view_texts.contents(shown.view))
        figures = view_texts.require(read_back.text_of(text), expected, shown.task.source)
        return Made(text.encode(), figures)

    def text_of(self, content: bytes) -> str:
        """Return all that the page says, to people or to programs."""
        return read_back.all_of(content.decode())


def html(shown: Shown, links: Sequence[Link] = ()) -> str:
    """Return the page of a document, with links above it.

    Raises ProfileError for a photo or a signature that can't be read, TemplateError for a faulty
    style sheet.
    """
    view = shown.view
    texts = "".join(map(str, view_texts.contents(view)))
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
        page.FOLDER,
        "letter.html.j2" if letter else "cv.html.j2",
        frame,
        view=view,
        profile=shown.profile,
        blocks=groups.blocks(view),
        linked_data=linked_data.of(view, shown.profile),
        links=links,
        photo=Picture(shown.photo) if shown.photo else None,
        signature=Picture(shown.signature) if shown.signature else None,
        sent=shown.task.draft.date.isoformat() if shown.task.draft else "",
        footer=shown.options.get("footer"),
    )
