"""``--format html``: a document as a web page, for a site of one's own."""

from __future__ import annotations

from cvbuild.common.errors import DocumentError
from cvbuild.outputs.checks import view_texts
from cvbuild.outputs.html import document, read_back
from cvbuild.outputs.types import Made, Shown


class Format:
    """One file of HTML that loads nothing."""

    name = "html"
    suffix = ".html"

    def make(self, shown: Shown) -> Made:
        """Return the page; raise DocumentError if a text of the view is missing from it.

        Raises ProfileError for a picture that can't be read, TemplateError for a faulty style
        sheet.
        """
        page = document.html(shown)
        expected = tuple(view_texts.contents(shown.view))
        if faults := view_texts.lost(read_back.text_of(page), expected, shown.task.source):
            raise DocumentError(faults)
        return Made(page.encode(), {"texts": len(expected)})

    def text_of(self, content: bytes) -> str:
        """Return all that the page says, to people or to programs."""
        return read_back.all_of(content.decode())
