"""``--format bib``: the publications and patents of a document as BibTeX."""

from __future__ import annotations

import re

from cvbuild.common.errors import DocumentError
from cvbuild.outputs.bib import export
from cvbuild.outputs.checks import view_texts
from cvbuild.outputs.types import Made, Shown
from cvbuild.view.types import Content

#: Fields that have a form of their own there.
_OTHERWISE = ("date", "doi", "arxiv", "pages")
#: What isn't printed as it is: styles and links, commands for signs, signs after a backslash,
#: ligatures, ties, groups. A group between two signs keeps them from being a ligature.
_TOKEN = re.compile(
    r"\\(?:textbf|emph|texttt|textsuperscript|textsubscript|href\{[^{}]*\})(?=\{)"
    r"|\\(text[a-z]+|[lr]brace)\{\}|\\([%&#_$])|---?|``|''|,,|<<|>>|~|[{}]"
)
_SIGNS = {
    "textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "textasciigrave": "`",
    "lbrace": "{", "rbrace": "}", "---": "—", "--": "–", "``": "“", "''": "”",
    ",,": "„", "<<": "«", ">>": "»", "~": "\u00a0",
}  # fmt: skip
_KINDS = ("publication", "patent")


class Format:
    """BibTeX in UTF-8."""

    name = "bib"
    suffix = ".bib"

    def make(self, shown: Shown) -> Made:
        """Return the entries; raise DocumentError if a text of an item is missing from them."""
        text = export.text(shown.selected)
        sections = [section for section in shown.view.sections if section.kind in _KINDS]
        items = tuple(group.items for section in sections for group in section.groups)
        expected = [one for one in view_texts.walk(items) if not _otherwise(one)]
        if faults := view_texts.lost(_plain(text), expected, shown.task.source):
            raise DocumentError(faults)
        return Made(text.encode(), {"texts": len(expected)})


def _otherwise(one: Content) -> bool:
    """Return whether a text is written in another form, or is the number of an item."""
    is_others = "authors" in one.path and str(one).startswith("et al")
    is_type = one.path[-1] == "note" and export.told_by_type(str(one)) is not None
    return one.path[-1] in _OTHERWISE or str(one).isdecimal() or is_others or is_type


def _plain(text: str) -> str:
    """Return the values as a reader sees them."""
    return _TOKEN.sub(lambda found: found[2] or _SIGNS.get(found[1] or found[0], ""), text)
