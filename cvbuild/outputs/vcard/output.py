"""``--format vcf``: the head of a document as a vCard 4.0, for address books."""

from __future__ import annotations

from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import DocumentError
from cvbuild.outputs.checks import view_texts
from cvbuild.outputs.types import Made, Shown
from cvbuild.outputs.vcard import export, lines

#: Fields that have a form of their own there: dates, and the labels that become types.
_OTHERWISE = ("birth-date", "label")


class Format:
    """A vCard."""

    name = "vcf"
    suffix = ".vcf"

    def make(self, shown: Shown) -> Made:
        """Return the card; raise DocumentError for a letter, or if a text is missing."""
        task = shown.task
        if task.draft:
            fact = "a letter can't be a vCard"
            place = task.source.span(("letter",))
            hint = "make it as pdf, docx or txt"
            raise DocumentError([Diagnostic("error", "format", fact, place, hint)])
        content = export.card(shown).encode()
        head = view_texts.walk(shown.view.header)
        expected = [one for one in head if {*_OTHERWISE}.isdisjoint(map(str, one.path))]
        networks = {line.network for line in shown.view.header.contacts}
        expected = [one for one in expected if one not in networks]
        text = self.text_of(content)
        if faults := view_texts.lost(text, expected, task.source, ordered=False):
            raise DocumentError(faults)
        return Made(content, {"texts": len(expected)})

    def text_of(self, content: bytes) -> str:
        """Return the values of the card, as a reader sees them."""
        return lines.unfolded(content.decode())
