"""Texts of LaTeX nodes: lines of runs in their styles. What has no text is skipped or told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any

from cvbuild.importers.documents.latex import tables
from cvbuild.importers.documents.latex.source import PERCENT
from cvbuild.importers.documents.latex.tables import Table
from cvbuild.importers.documents.latex.tree import (
    ACCENTS,
    Cursor,
    chars,
    fills,
    inside,
    kind,
    skip_arguments,
    skip_layout,
    span,
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


class Words:
    """Makes texts of nodes; ``lose`` is told what has none."""

    #: What stands between two groups.
    between = " "

    def __init__(self, lose: Lose, table: Table) -> None:
        self.lose = lose
        self.table = table
        self._told: set[str] = set()

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

    def tell(self, name: str, node: Any, given: str = "", *, is_kept: bool) -> None:
        """Tell of an unknown command once."""
        is_known = name in self.table.commands or tables.is_known(name)
        if name not in self._told and not is_known:
            self._told.add(name)
            kept = "its text is kept" if is_kept else "it is left out"
            self.lose(f"unknown command, {kept}", f"\\{name} {given}".strip(), node)

    def _read(self, cursor: Cursor, styles: Styles, to: Lines) -> None:
        last = None
        while (node := cursor.next()) is not None:
            if kind(node) == kind(last) == "Group":
                # Arguments of something, which a page shows apart.
                to[-1].append(Run(self.between))
            last = node
            match kind(node):
                case "Chars":
                    self._chars(node, styles, to)
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

    def _chars(self, node: Any, styles: Styles, to: Lines) -> None:
        text = re.sub(r"\s+", " ", chars(node).replace("\u00a0", " "))
        to[-1].append(Run(_quoted(text).replace(PERCENT, "%"), styles))

    def _macro(self, node: Any, cursor: Cursor, styles: Styles, to: Lines) -> Styles:
        """Add the text of a command; return the styles of what follows."""
        name = node.macroname
        if name in tables.SWITCHES or name == "normalfont":
            return styles | {tables.SWITCHES[name]} if name in tables.SWITCHES else frozenset()
        if name in ("\\", "newline", "linebreak", "tabularnewline", "par", "cr", "item"):
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
            style = {tables.STYLED[name]} - {""}
            to[-1].append(Run(before, styles))
            self._read(Cursor(inside(group)), styles | style, to)
            to[-1].append(Run(after, styles))
        else:
            self._symbol(node, cursor, styles, to)
        return styles

    def _link(self, name: str, node: Any, cursor: Cursor, styles: Styles, to: Lines) -> None:
        label = cursor.option()
        group = cursor.group()
        if group is None:
            return
        url = tables.LINKS[name] + address(inside(group))
        shown = cursor.group() if name == "href" else None
        text = self.lines(inside(shown)) if shown is not None else []
        text = text or (self.lines(label) if label else [])
        words = [run for one in text for run in one] or [Run(url.removeprefix("mailto:"))]
        if not texts.address(url):
            self.lose(f"\\{name}", url.strip() and url, node)
            url = ""
        to[-1] += [Run(run.text, run.styles | styles, url) for run in words]

    def _symbol(self, node: Any, cursor: Cursor, styles: Styles, to: Lines) -> None:
        """Add the character of a command, or skip it; tell of one that is unknown."""
        name = node.macroname
        if name in tables.TABS or (name == "hspace" and fills(cursor)):
            cursor.groups(int(name == "hspace"))
            to[-1].append(Run("\t"))
        elif name in tables.BLANKS:
            # A wide one may part two things.
            to[-1].append(Run("   " if name == "quad" else " "))
        elif name in tables.NOTHING or name in tables.SILENT or tables.is_icon(name):
            if name in tables.WITH_OPTION or tables.is_icon(name):
                cursor.star()
                cursor.option()
        elif name == "foreach":
            # A loop draws: \foreach \x in {1, 2} {...}
            while (after := cursor.next()) is not None and kind(after) != "Group":
                pass
            cursor.group()
        elif name == "includegraphics":
            cursor.option()
            if group := cursor.group():
                self.lose("image", address(inside(group)), node)
        elif name in tables.LAYOUT or name in tables.MARGINS:
            skip_layout(name, cursor)
        elif character := tables.known(name):
            to[-1].append(Run(character, styles))
        else:
            self._unknown(node, cursor, styles, to)

    def _unknown(self, node: Any, cursor: Cursor, styles: Styles, to: Lines) -> None:
        """Keep the texts of an unknown command, and tell of it once."""
        name = node.macroname
        command = self.table.commands.get(name)
        option = cursor.option() or []
        bodies = [inside(one) for one in cursor.groups(9, is_near=command is None)]
        if command is not None:
            is_text = command.makes not in ("picture", "hidden")
            shown = [is_text and slot != "skip" for slot in command.slots]
            bodies = [one for at, one in enumerate(bodies) if at >= len(shown) or shown[at]]
        bodies = [inner for inner in bodies if self.plain(inner)]
        last = next((run.text for run in reversed(to[-1]) if run.text), "")
        if last[-1:].isalnum():
            # It may stand for something between two words.
            to[-1].append(Run(" "))
        for at, inner in enumerate(bodies):
            if at:
                to[-1].append(Run(", "))
            self._read(Cursor(inner), styles, to)
        self.tell(name, node, self.plain(option), is_kept=bool(bodies))

    def _math(self, node: Any, styles: Styles, to: Lines) -> None:
        """Add a formula as text: superscripts and subscripts are styles, all else characters."""
        latex = "".join(one.latex_verbatim() for one in inside(node))
        unread: latex_text.Unread = []
        text = latex_text.markdown(f"${latex.replace(PERCENT, '%')}$", unread)
        for name, printed in unread:
            is_drawn = printed == name
            text = text.replace(name, "", 1) if is_drawn else text
            self.tell(name, node, is_kept=not is_drawn)
        self._add(texts.nodes(text) or (), styles, to)

    def _add(self, nodes: Iterable[rich_text.Node], styles: Styles, to: Lines) -> None:
        for node in nodes:
            if isinstance(node, rich_text.Span | rich_text.Link):
                style = {"emph": "em"}.get(getattr(node, "style", ""), getattr(node, "style", ""))
                self._add(node.children, styles | {style} if style else styles, to)
            else:
                text = rich_text.plain((node,))
                to[-1].append(Run(f" {text} " if text in ("|", "·", "•", "/") else text, styles))


class Shown(Words):
    """The texts of a source by its lines, whatever they mean: what has to be somewhere."""

    between = "\t"

    def __init__(self, table: Table) -> None:
        super().__init__(lambda *_: None, table)
        self._all: Lines = [[]]
        #: Where lines of the source begin, by the number of a line.
        self._starts = {0: 0}

    def by_line(self, nodes: list[Any]) -> Iterator[tuple[int, str]]:
        """Yield the lines of nodes, each with its position."""
        self._read(Cursor(nodes), frozenset(), self._all)
        start = 0
        for number, line in enumerate(self._all):
            start = self._starts.get(number, start)
            # Where marks of Markdown stand, a word ends.
            texts = ("".join(run.text for run in same) for _, same in groupby(line, _style))
            if text := " ".join(texts).strip():
                yield start, text

    def _symbol(self, node: Any, cursor: Cursor, styles: Styles, to: Lines) -> None:
        is_margin = node.macroname in tables.MARGINS
        if is_margin and to is self._all:
            to.append([])
            self._starts[len(to) - 1] = node.pos
        (self._unknown if is_margin else super()._symbol)(node, cursor, styles, to)

    def _chars(self, node: Any, styles: Styles, to: Lines) -> None:
        start, _ = span(node)
        for number, line in enumerate(chars(node).split("\n")):
            if number and start and to is self._all:
                to.append([])
            if start and to is self._all:
                self._starts.setdefault(len(to) - 1, start)
            super()._chars(line, styles, to)
            start += len(line) + 1 if start else 0


def _style(run: Run) -> Styles:
    return run.styles


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
    text = text.replace('"`', "„").replace("\"'", "“").replace('"=', "-")
    return text.replace("`", "‘").replace("'", "’")
