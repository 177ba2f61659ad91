"""Texts of LaTeX nodes: lines of runs in their styles. What has no text is skipped or told."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import Any

from cvbuild.importers.documents.latex import scan, tables
from cvbuild.importers.documents.latex.tree import (
    Cursor,
    chars,
    end_of_name,
    fills,
    inside,
    kind,
    skip_arguments,
    skip_layout,
    skip_value,
)
from cvbuild.importers.words import outline
from cvbuild.importers.words.outline import Run
from cvbuild.inputs.references import latex_text, texts
from cvbuild.model.text import rich_text

#: Called with what is lost, its text, and its node.
Lose = Callable[[str, str, Any], None]
Lines = list[list[Run]]
#: Stands for a tab among nodes.
TAB = "\ue001"


class Words:
    """Makes texts of nodes; ``lose`` is told what has none."""

    def __init__(self, lose: Lose, known: Collection[str] = frozenset()) -> None:
        self.lose = lose
        #: Commands of the class: what they are is known where they stand alone.
        self.known = known
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

    def _read(self, cursor: Cursor, styles: frozenset[str], to: Lines) -> None:
        while (node := cursor.next()) is not None:
            match kind(node):
                case "Chars":
                    text = chars(node).replace("\u00a0", " ").replace(scan.PERCENT, "%")
                    text = _quoted(re.sub(r"\s+", " ", text)).replace(TAB, "\t")
                    to[-1].append(Run(text, styles))
                case "Specials":
                    mark = node.specials_chars
                    to[-1].append(
                        Run("\t" if mark == "&" else tables.SPECIALS.get(mark, mark), styles)
                    )
                case "Group":
                    self._read(Cursor(inside(node)), styles, to)
                case "Environment":
                    inner = Cursor(inside(node))
                    skip_arguments(inner, node.environmentname)
                    self._read(inner, styles, to)
                case "Math":
                    self._math(inside(node), styles, to)
                case "Macro":
                    styles = self._macro(node, cursor, styles, to)

    def _macro(
        self, node: Any, cursor: Cursor, styles: frozenset[str], to: Lines
    ) -> frozenset[str]:
        """Add the text of a command; return the styles of what follows."""
        name = node.macroname
        if name in tables.SWITCHES or name == "normalfont":
            return styles | {tables.SWITCHES[name]} if name in tables.SWITCHES else frozenset()
        if name in ("\\", "newline", "linebreak", "tabularnewline", "par", "cr", "item"):
            cursor.option()
            cursor.star()
            to.append([])
        elif name in tables.COMBINING and node.nodeargd and node.nodeargd.argnlist:
            to[-1].append(Run(latex_text.plain(node.latex_verbatim()), styles))
        elif name in ("href", "url", "nolinkurl", "email", *tables.LINK_PARTS):
            self._link(name, node, cursor, styles, to)
        elif name == "verb" and node.nodeargd:
            text = getattr(node.nodeargd, "verbatim_text", "") or ""
            to[-1].append(Run(text, styles | {"code"}))
        elif name == "textcolor":
            cursor.option()
            cursor.group()
        elif name == "footnote":
            if group := cursor.group():
                to[-1].append(Run(" (", styles))
                self._read(Cursor(inside(group)), styles, to)
                to[-1].append(Run(")", styles))
        elif name not in tables.STYLED or not self._styled(name, cursor, styles, to):
            self._symbol(node, cursor, styles, to)
        return styles

    def _styled(self, name: str, cursor: Cursor, styles: frozenset[str], to: Lines) -> bool:
        """Add the argument of a command in its style; return whether there is one."""
        group = cursor.group(is_near=True)
        if group is None:
            return name not in tables.SILENT and name not in tables.SWITCHES
        style = tables.STYLED[name]
        quotes = ("“", "”") if name == "enquote" else ("", "")
        to[-1].append(Run(quotes[0], styles))
        self._read(Cursor(inside(group)), styles | {style} if style else styles, to)
        to[-1].append(Run(quotes[1], styles))
        return True

    def _link(
        self, name: str, node: Any, cursor: Cursor, styles: frozenset[str], to: Lines
    ) -> None:
        label = cursor.option()
        group = cursor.group()
        if group is None:
            return
        url = address(inside(group))
        shown = cursor.group() if name == "href" else None
        if name in tables.LINK_PARTS:
            url = tables.LINK_PARTS[name] + url
        elif name == "email":
            url = f"mailto:{url}"
        text = self.lines(inside(shown)) if shown is not None else []
        text = text or (self.lines(label) if label else [])
        words = [run for one in text for run in one] or [Run(url.removeprefix("mailto:"))]
        if not texts.address(url):
            self.lose(f"\\{name}", url.strip() and url, node)
            url = ""
        to[-1] += [Run(run.text, run.styles | styles, url) for run in words]

    def _symbol(self, node: Any, cursor: Cursor, styles: frozenset[str], to: Lines) -> None:
        """Add the character of a command, or skip it; tell of one that is unknown."""
        name = node.macroname
        symbol = tables.SYMBOLS.get(name)
        if (name in tables.VALUES or not tables.is_known(name)) and skip_value(name, cursor):
            return
        if name in tables.TABS or (name == "hspace" and fills(cursor)):
            cursor.groups(int(name == "hspace"))
            to[-1].append(Run("\t"))
        elif name in tables.BLANKS:
            # A wide one may part two things.
            to[-1].append(Run("   " if name == "quad" else " "))
        elif symbol is not None or (len(name) == 1 and name in "&%$#_{}\"'"):
            end_of_name(cursor)
            to[-1].append(Run(symbol if symbol is not None else name, styles))
            if node.macro_post_space and symbol and not name[-1:].isalpha():
                to[-1].append(Run(" "))
        elif name in tables.NOTHING or name in tables.SILENT or tables.is_icon(name):
            if name in tables.WITH_OPTION or tables.is_icon(name):
                cursor.star()
                cursor.option()
            end_of_name(cursor)
        elif name == "includegraphics":
            cursor.option()
            if group := cursor.group():
                self.lose("image", address(inside(group)), node)
        elif name in tables.LAYOUT or name in tables.MARGINS:
            skip_layout(name, cursor)
        elif character := tables.known(name):
            end_of_name(cursor)
            to[-1].append(Run(character, styles))
        else:
            self._unknown(node, cursor, styles, to)

    def _unknown(self, node: Any, cursor: Cursor, styles: frozenset[str], to: Lines) -> None:
        """Keep the texts of an unknown command, and tell of it once."""
        option = cursor.option()
        groups = cursor.groups(9, is_near=True)
        bodies = [inside(group) for group in groups]
        bodies = [inner for inner in bodies if self.plain(inner)]
        if bodies and to[-1] and to[-1][-1].text[-1:].isalnum():
            to[-1].append(Run(" "))
        for at, inner in enumerate(bodies):
            if at:
                to[-1].append(Run(", "))
            self._read(Cursor(inner), styles, to)
        last = next((run.text for run in reversed(to[-1]) if run.text), "")
        if not bodies and last[-1:].isalnum():
            # It may stand for something between two words.
            to[-1].append(Run(" "))
        given = self.plain(option) if option else ""
        self._tell(node.macroname, "text" if bodies else "", node, given)

    def _tell(self, name: str, text: str, node: Any, given: str = "") -> None:
        """Tell of an unknown command once."""
        if name not in self._told and name not in self.known and not name.startswith("if"):
            self._told.add(name)
            kept = "its text is kept" if text else "it is left out"
            self.lose(f"unknown command, {kept}", f"\\{name} {given}".strip(), node)

    def _math(self, nodes: list[Any], styles: frozenset[str], to: Lines) -> None:
        """Add a formula as text: superscripts and subscripts are styles, all else characters."""
        latex = "".join(node.latex_verbatim() for node in nodes)
        unread: latex_text.Unread = []
        text = latex_text.markdown(f"${latex.replace(scan.PERCENT, '%')}$", unread)
        for name, printed in unread:
            is_drawn = printed == name
            text = text.replace(name, "", 1) if is_drawn else text
            self._tell(name, "" if is_drawn else printed, nodes[0])
        self._add(texts.nodes(text) or (), styles, to)

    def _add(self, nodes: Iterable[rich_text.Node], styles: frozenset[str], to: Lines) -> None:
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
    return latex_text.address(latex.replace(scan.PERCENT, "%"))


def _quoted(text: str) -> str:
    text = text.replace('"`', "„").replace("\"'", "“").replace('"=', "-")
    return text.replace("`", "‘").replace("'", "’")
