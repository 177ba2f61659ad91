"""Texts of LaTeX nodes: lines of runs in their styles. What has no text is skipped or told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from cvbuild.importers.documents.latex import tables
from cvbuild.importers.documents.latex.source import PERCENT
from cvbuild.importers.documents.latex.tables import Table
from cvbuild.importers.documents.latex.tree import (
    ACCENTS,
    Cursor,
    chars,
    inside,
    kind,
    skip_arguments,
    skip_layout,
)
from cvbuild.importers.words import outline
from cvbuild.importers.words.outline import Run
from cvbuild.inputs.references import latex_text, texts
from cvbuild.model import rich_text

#: Called with what is lost, its text, and its node.
Lose = Callable[[str, str, Any], None]
Lines = list[list[Run]]
Styles = frozenset[str]
#: What stands around the argument of a command.
_AROUND = {"enquote": ("“", "”"), "footnote": (" (", ")")}
_BREAKS = ("\\", "newline", "linebreak", "tabularnewline", "par", "cr", "item")


class Words:
    """Makes texts of nodes; ``lose`` is told what has none.

    ``between`` is what is put between arguments.
    """

    def __init__(self, table: Table, lose: Lose, between: str = "") -> None:
        self.table = table
        self.lose = lose
        self.between = between

    def line(self, nodes: Iterable[Any]) -> str:
        """Return nodes as Markdown on one line."""
        return outline.markdown(outline.as_one(self.lines(nodes)))

    def plain(self, nodes: Iterable[Any]) -> str:
        """Return the characters of nodes on one line: for addresses and names."""
        return outline.plain(outline.as_one(self.lines(nodes)))

    def lines(self, nodes: Iterable[Any]) -> Lines:
        """Return the lines of nodes; a tab stands for what fills a line or parts columns."""
        found: Lines = [[]]
        self._read(Cursor(list(nodes)), frozenset(), found)
        return [_joined(one) for one in found if any(run.text.strip() for run in one)]

    def _read(self, cursor: Cursor, styles: Styles, to: Lines) -> None:
        last = None
        while (node := cursor.next()) is not None:
            if kind(node) == kind(last) == "Group":
                to[-1].append(Run(self.between or " "))
            last = last if chars(node).isspace() else node
            match kind(node):
                case "Chars":
                    text = re.sub(r"\s+", " ", chars(node).replace("\u00a0", " "))
                    to[-1].append(Run(_quoted(text), styles))
                case "Specials":
                    mark = tables.SPECIALS.get(node.specials_chars, node.specials_chars)
                    to[-1].append(Run(mark, styles))
                case "Group":
                    self._read(Cursor(inside(node)), styles, to)
                case "Environment":
                    inner = Cursor(inside(node))
                    skip_arguments(inner, self.table.environments.get(node.environmentname))
                    self._read(inner, styles, to)
                case "Math":
                    self._math(node, styles, to)
                case "Macro":
                    styles = self._macro(node, cursor, styles, to)

    def _macro(self, node: Any, cursor: Cursor, styles: Styles, to: Lines) -> Styles:
        """Add the text of a command; return the styles of what follows."""
        name = node.macroname
        if name in tables.SWITCHES or name == "normalfont":
            return styles | {tables.SWITCHES[name]} if name in tables.SWITCHES else frozenset()
        if name in _BREAKS:
            cursor.option()
            cursor.star()
            to.append([])
        elif name in ACCENTS and node.nodeargd and node.nodeargd.argnlist:
            to[-1].append(Run(latex_text.plain(node.latex_verbatim()), styles))
        elif name in tables.LINKS:
            self._link(name, node, cursor, styles, to)
        elif name == "verb" and node.nodeargd:
            text = getattr(node.nodeargd, "verbatim_text", "") or ""
            to[-1].append(Run(text, styles | {"code"}))
        elif name in tables.STYLED and (group := cursor.group(is_near=True)) is not None:
            before, after = _AROUND.get(name, ("", ""))
            to[-1].append(Run(before, styles))
            self._read(Cursor(inside(group)), styles | {tables.STYLED[name]} - {""}, to)
            to[-1].append(Run(after, styles))
        else:
            self._symbol(node, cursor, styles, to)
        return styles

    def _link(self, name: str, node: Any, cursor: Cursor, styles: Styles, to: Lines) -> None:
        label = cursor.option() or []
        group = cursor.group()
        if group is None:
            return
        url = tables.LINKS[name] + address(inside(group))
        shown = cursor.group() if name == "href" else None
        text = self.lines(label if shown is None else inside(shown))
        words = [run for one in text for run in one] or [Run(url.removeprefix("mailto:"))]
        if not texts.address(url):
            self.lose(f"\\{name}", url.strip() and url, node)
            url = ""
        to[-1] += [Run(run.text, run.styles | styles, url) for run in words]

    def _symbol(self, node: Any, cursor: Cursor, styles: Styles, to: Lines) -> None:
        """Add the character of a command, or skip it; keep the texts of one that is unknown."""
        name = node.macroname
        if name in tables.SILENT or tables.is_icon(name):
            if not node.macro_post_space:
                cursor.star()
                cursor.option()
        elif name == "foreach":
            # A loop draws: \foreach \x in {1, 2} {...}
            while (after := cursor.next()) is not None and kind(after) != "Group":
                pass
            cursor.group()
        elif name in tables.LAYOUT:
            skip_layout(name, cursor)
        elif (character := tables.known(name)) is not None:
            to[-1].append(Run(character, styles))
        else:
            self._unknown(node, cursor, styles, to)

    def _unknown(self, node: Any, cursor: Cursor, styles: Styles, to: Lines) -> None:
        """Keep the texts of an unknown command, and tell of it."""
        command = self.table.commands.get(node.macroname)
        option = cursor.option() or []
        bodies = [inside(one) for one in cursor.groups(9, is_near=command is None)]
        if command is not None:
            shown = [slot != "skip" for slot in command.slots]
            bodies = [one for at, one in enumerate(bodies) if at >= len(shown) or shown[at]]
        bodies = [inner for inner in bodies if self.plain(inner)]
        last = next((run.text for run in reversed(to[-1]) if run.text), "")
        if self.between or last[-1:].isalnum():
            # It may stand for something between two words.
            to[-1].append(Run(self.between or " "))
        for at, inner in enumerate(bodies):
            if at:
                to[-1].append(Run(self.between or ", "))
            self._read(Cursor(inner), styles, to)
        to[-1].append(Run(self.between))
        self.tell(node, self.plain(option), is_kept=bool(bodies))

    def tell(self, node: Any, given: str = "", *, is_kept: bool) -> None:
        """Tell of an unknown command."""
        name = node.macroname
        if name not in self.table.commands and not tables.is_known(name):
            kept = "its text is kept" if is_kept else "it is left out"
            self.lose(f"unknown command, {kept}", f"\\{name} {given}".strip(), node)

    def _math(self, node: Any, styles: Styles, to: Lines) -> None:
        """Add a formula as text: superscripts and subscripts are styles, all else characters."""
        latex = "".join(one.latex_verbatim() for one in inside(node))
        unread: latex_text.Unread = []
        text = latex_text.markdown(f"${latex.replace(PERCENT, '%')}$", unread)
        for name, printed in unread:
            text = text.replace(name, "", 1) if printed == name else text
            self.lose("unknown command in a formula", name, node)
        self._add(texts.nodes(text) or (), styles, to)

    def _add(self, nodes: Iterable[rich_text.Node], styles: Styles, to: Lines) -> None:
        for node in nodes:
            if isinstance(node, rich_text.Span | rich_text.Link):
                style = {"emph": "em"}.get(getattr(node, "style", ""), getattr(node, "style", ""))
                self._add(node.children, styles | {style} if style else styles, to)
            else:
                text = rich_text.plain((node,))
                to[-1].append(Run(f" {text} " if text in ("|", "·", "•", "/") else text, styles))


def _joined(line: list[Run]) -> list[Run]:
    """Return a line with neighbours of one style as one, without blanks at its beginning."""
    found: list[Run] = []
    for run in line:
        if found and (found[-1].styles, found[-1].url) == (run.styles, run.url):
            found[-1] = Run(found[-1].text + run.text, run.styles, run.url)
        elif run.text.strip(" ") or (run.text and found):
            found.append(run)
    return found


def address(nodes: Iterable[Any]) -> str:
    """Return an address as it is written: nothing in it is a command but escaped characters."""
    latex = "".join(node.latex_verbatim() for node in nodes)
    return latex_text.address(latex.replace(PERCENT, "%"))


def _quoted(text: str) -> str:
    """Return characters as they are printed."""
    text = text.replace(PERCENT, "%").replace('"`', "„").replace("\"'", "“").replace('"=', "-")
    return text.replace("`", "‘").replace("'", "’")
