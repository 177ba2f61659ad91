"""``--format txt`` and ``txt72``: a document as plain text, to paste into the forms of portals."""

from __future__ import annotations

from cvbuild.outputs.checks import view_texts
from cvbuild.outputs.text import export
from cvbuild.outputs.types import Made, Shown


class Format:
    """Plain text in UTF-8; a paragraph is one line."""

    name = "txt"
    suffix = ".txt"
    shows_letters = True
    #: Yields the parts of a line that is too long; here none is.
    fold: export.Fold | None = None

    def make(self, shown: Shown) -> Made:
        """Return the view as text; raise DocumentError if a text of the view is missing from it."""
        text = export.text(shown.view, self.fold)
        expected = tuple(view_texts.contents(shown.view))
        return Made(text.encode(), view_texts.require(text, expected, shown.task.source))
