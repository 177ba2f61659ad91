"""The page of a document: a CV or a letter."""

from __future__ import annotations

from collections.abc import Sequence

from cvbuild.inputs import pictures
from cvbuild.outputs.html import groups, linked_data, page, style_sheet
from cvbuild.outputs.html.page import Link, Page, Picture
from cvbuild.outputs.types import Shown
from cvbuild.view.types import SIGNATURE


def html(shown: Shown, links: Sequence[Link] = ()) -> str:
    """Return the page of a document, with links above it.

    Raises ProfileError for a photo or a signature that can't be read, TemplateError for a faulty
    style sheet.
    """
    view = shown.view
    sheet = style_sheet.of(shown.template, shown.options)
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
        photo=_photo(shown),
        signature=_signature(shown),
        sent=shown.task.draft.date.isoformat() if shown.task.draft else "",
        footer=shown.options.get("footer"),
    )


def _photo(shown: Shown) -> Picture | None:
    task, name = shown.task, shown.profile.photo
    if not name or not shown.options.get("photo"):
        return None
    return Picture(task.photo or pictures.load(name, task.person.path.parent, task.source))


def _signature(shown: Shown) -> Picture | None:
    draft = shown.task.draft
    if draft is None or draft.letter.signature is None:
        return None
    name, folder = draft.letter.signature, draft.folder
    return Picture(pictures.load(name, folder, shown.task.source, SIGNATURE))
