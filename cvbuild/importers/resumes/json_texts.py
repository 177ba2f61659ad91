"""Texts of a JSON Resume: plain if cvbuild wrote it and listed their Markdown, else foreign."""

from __future__ import annotations

from cvbuild.importers.resumes import wordings
from cvbuild.importers.sources.located import Value
from cvbuild.importers.words.html_texts import Block, Blocks
from cvbuild.inputs.references import texts
from cvbuild.model import rich_text, urls


class Texts:
    """Reads texts; ``addresses`` has where the links of those lead that were read last."""

    def __init__(self, root: Value) -> None:
        meta = root.mapping("meta")
        self.is_own = meta.get("sections") is not None
        self.addresses: set[str] = set()
        self._markdown: dict[str, str] = {}
        for source in meta.texts("markdown") if self.is_own else ():
            found = _checked(source)
            if found:
                self._markdown.setdefault(*found)

    def inline(self, text: str) -> str:
        """Return a text of one line in our Markdown."""
        if not self.is_own:
            made = wordings.inline(text)
        else:
            made = self._markdown.get(texts.line(text)) or texts.plain(text)
        self.addresses |= wordings.addresses(made)
        return made

    def blocks(self, text: str) -> Blocks:
        """Return a text with its paragraphs and points."""
        if not self.is_own:
            made = wordings.blocks(text)
            self.addresses.update(*(wordings.addresses(one.text) for one in made.blocks))
            return made
        return Blocks([Block(self.inline(one)) for one in texts.paragraphs(text)])


def _checked(source: str) -> tuple[str, str] | None:
    """Return what a text of ours shows, and the text; None if it can't be read."""
    source = "\\\n".join(map(texts.line, source.split("\\\n")))
    try:
        return texts.line(rich_text.plain(rich_text.parse(source))), source
    except (urls.UrlError, rich_text.TitleError):
        return None
