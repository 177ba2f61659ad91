"""Pages from templates of Jinja: the frame that all have in common, and the page of a document.

Every text is escaped once, by Jinja. Another room that makes pages extends ``base.html.j2`` with a
template of its own: ``render(Path(__file__).parent, "index.html.j2", page, people=…)``.
"""

from __future__ import annotations

import base64
import io
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from cvbuild.model import language_tags
from cvbuild.model.text import rich_text, urls
from cvbuild.outputs.html import groups, microformats
from cvbuild.outputs.html.dates import Part, parts
from cvbuild.outputs.html.style_sheet import StyleSheet
from cvbuild.view import lines, ties
from cvbuild.view.types import Content

if TYPE_CHECKING:
    from jinja2 import Environment
    from jinja2.runtime import Context

#: The templates of this package.
FOLDER = Path(__file__).parent


class Page(Struct, frozen=True):
    """What the frame of a page needs; ``images`` is where its pictures may come from."""

    language: str
    title: str
    sheet: StyleSheet
    description: str = ""
    classes: tuple[str, ...] = ()
    images: str = "data:"

    @property
    def direction(self) -> str:
        """Where its lines run to: ltr or rtl."""
        return direction(self.language)


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


def render(folder: Path, template: str, page: Page, **fields: Any) -> str:
    """Return a page from a template in ``folder``, which may extend those of this package."""
    return environment(folder).get_template(template).render(page=page, **fields)


@cache
def environment(folder: Path = FOLDER) -> Environment:
    """Return the environment of the templates in a folder, and of those of this package."""
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader([folder, FOLDER]),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "indent": 1}
    made.filters |= _filters(jinja2.pass_context)
    return made


def _filters(pass_context: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    @pass_context  # type: ignore[untyped-decorator,unused-ignore]
    def date_parts(context: Context, content: Content, single: str) -> Iterable[Part]:
        return parts(content, context["profile"], single)

    return {
        "address": lambda link: urls.beside(rich_text.plain(link.children), link.url),
        "contact_classes": microformats.contact_classes,
        "date_parts": date_parts,
        "direction": direction,
        "has_link": groups.has_link,
        "heading": lambda level: f"h{min(level, 6)}",
        "item_classes": microformats.item_classes,
        "kind": lambda value: type(value).__name__.lower(),
        "linkable": groups.linkable,
        "piece_classes": microformats.piece_classes,
        "row_classes": microformats.row_classes,
        "runs_against": runs_against,
        "short_url": urls.display,
        "spaced": groups.spaced,
        "plain": lines.plain,
        "tied": ties.tied,
    }


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
