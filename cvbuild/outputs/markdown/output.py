"""``--format md``: a document as Markdown."""

from __future__ import annotations

from collections.abc import Mapping

from cvbuild.common.errors import DocumentError
from cvbuild.outputs.checks import view_texts
from cvbuild.outputs.markdown import export, read_back
from cvbuild.outputs.types import Made, Shown
from cvbuild.view.types import Content, Document


class Format:
    """CommonMark in UTF-8."""

    name = "md"
    suffix = ".md"

    def make(self, shown: Shown) -> Made:
        """Return the view as Markdown; raise DocumentError if a reader would miss a text."""
        text = export.text(shown.view)
        wanted = expected(shown.view)
        if faults := view_texts.lost(read_back.shown(text), wanted, shown.task.source):
            raise DocumentError(faults)
        return Made(text.encode(), {"texts": len(wanted)})

    def text_of(self, content: bytes | Mapping[str, bytes]) -> str:
        """Return the text that a reader sees, with the addresses of links."""
        files = content.values() if isinstance(content, Mapping) else (content,)
        return "\n".join(read_back.shown(file.decode()) for file in files)


def expected(view: Document) -> tuple[Content, ...]:
    """Return the texts of a view that are on a page: the title of a letter is not."""
    title = view.letter.title if view.letter else None
    return tuple(one for one in view_texts.contents(view) if one is not title)
