"""The page of a document: a CV or a letter."""

from __future__ import annotations

from collections.abc import Sequence

from cvbuild.outputs.checks import view_texts
from cvbuild.outputs.html import groups, linked_data, page, style_sheet
from cvbuild.outputs.html.page import Link, Page, Picture
from cvbuild.outputs.types import Shown


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
