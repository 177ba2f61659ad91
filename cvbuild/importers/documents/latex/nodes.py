"""The nodes of a LaTeX text, as pylatexenc parses it, the arguments of commands, and their texts.

Texts are lines of runs in their styles. What has no text is skipped or told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from cvbuild.common.diagnostics import CvbuildError, missing
from cvbuild.importers import outline
from cvbuild.importers.documents.latex import tables
from cvbuild.importers.documents.latex.source import PERCENT, Source
from cvbuild.importers.documents.latex.tables import Command, Table
from cvbuild.importers.outline import Run
from cvbuild.inputs.references import latex_text
from cvbuild.model.text import rich_text, texts

#: Braces and environments inside each other.
_DEEPEST = 60
#: Commands that set an accent on the next character.
ACCENTS = "'`^\"~=.uvHtcdbrk"


def parse(source: Source) -> list[Any]:
    """Return the nodes of a source.

    Raises CvbuildError for what LaTeX would refuse: a brace, an environment or a formula that isn't
    closed.
    """
    try:
        from pylatexenc import latexwalker, macrospec
    except ImportError as error:
        raise missing("importing LaTeX", "formats", error) from None

    # What it has to know: accents, verbatim text, dashes and quotes.
    usual = latexwalker.get_default_latex_context_db()
    marks = ("``", "''", "--", "---", "~", "&", "!`", "?`")
    verb = macrospec.VerbatimArgsParser("verb-macro")
    verbatim = macrospec.VerbatimArgsParser("verbatim-environment")
    accents = [macrospec.MacroSpec(name, "{") for name in ACCENTS]
    context = macrospec.LatexContextDb()
    context.add_context_category(
        "cv",
        macros=[*accents, macrospec.MacroSpec("verb", args_parser=verb)],
        environments=[macrospec.EnvironmentSpec("verbatim", args_parser=verbatim)],
        specials=[spec for mark in marks if (spec := usual.get_specials_spec(mark))],
    )
    context.set_unknown_macro_spec(macrospec.MacroSpec(""))
    context.set_unknown_environment_spec(macrospec.EnvironmentSpec(""))
    walker = latexwalker.LatexWalker(_paired(source), context, tolerant_parsing=False)
    try:
        nodes: list[Any] = walker.get_latex_nodes()[0]
    except latexwalker.LatexWalkerParseError as error:
        # The innermost of what is open is the first.
        what, at, *_ = next(iter(getattr(error, "open_contexts", None) or ()), ("", error.pos))
        what = re.sub(r"^(?:begin|open) ", "", " ".join(str(what).split()))
        what = "a formula" if "math" in what else what
        message = f"{what} is never closed"
        if what != "a formula" and (not what or "closing brace" in str(error.msg)):
            message, at = "a closing brace without an opening one", error.pos
        raise _error(source, at or 0, message) from None
    except (latexwalker.LatexWalkerError, RecursionError, ValueError, IndexError):
        raise _error(source, 0, "this LaTeX can't be read") from None
    return nodes


def _error(source: Source, at: int, message: str) -> CvbuildError:
    hint = "close what was opened, as LaTeX wants it too"
    return CvbuildError.because("latex", message, hint, source.place(at))


def _paired(source: Source) -> str:
    """Return the text with each brace and environment closed by its own, as TeX goes on.

    What is open at the end is closed there, unless it is an argument, and an environment that ends
    by the name of none that is open gets the shorter name. What else begins or ends nothing is
    blank, so no place changes. Raises CvbuildError for what is too deep.
    """
    text, opened = source.text, list[re.Match[str]]()
    letters = [*text]
    end = text.rfind("\\end{document}")

    def rewrite(found: re.Match[str], name: str = "") -> None:
        written = f"\\{found[1]}{found[2]}{{{name}}}" if name else ""
        letters[found.start() : found.end()] = written.ljust(len(found[0]))

    for found in re.finditer(r"\\(begin|end)(\s*)\{([^{}\\]*)\}|\\.|[{}]", text, re.DOTALL):
        mark, name = found[1] or found[0], found[3]
        if mark in ("{", "begin"):
            opened.append(found)
        elif mark in ("}", "end") and found.start() != end:
            at = len(opened) - 1
            while at >= 0 and opened[at][3] not in (name, None):
                at -= 1
            inner = opened[at + 1 :]
            if at >= 0 and opened[at][3] == name:
                for one in inner:
                    rewrite(one)
                del opened[at:]
            elif name and inner and inner[-1][3] != "document":
                for one in (opened.pop(), found):
                    rewrite(one, min(inner[-1][3], name, key=len))
            else:
                rewrite(found)
        if len(opened) > _DEEPEST:
            message = f"more than {_DEEPEST} braces or environments inside each other"
            raise _error(source, found.start(), message)
    text = "".join(letters)
    inner = [*takewhile(lambda one: end < 0 or one[3] != "document", reversed(opened))]
    command = re.compile(r"(?:\\[A-Za-z@]+\*?|[\]}])\Z")
    if any(one[0] == "{" and command.search(text[: one.start()][-40:]) for one in inner):
        return text
    if end < 0 and inner:
        end, place = len(text), source.place(inner[0].start())
        source.draft.lose("never closed, so the file may be cut off", inner[0][0], place)
    ends = "".join("}" if one[0] == "{" else f"\\end{{{one[3]}}}" for one in inner)
    return f"{text[:end]}{ends}{text[end:]}"


@dataclass
class Cursor:
    """Goes through a list of nodes; commands take their arguments from what follows."""

    nodes: list[Any]
    at: int = 0

    def next(self) -> Any | None:
        """Return the next node, and go on after it."""
        self.at += 1
        return self._node(self.at - 1)

    def until(self, is_end: Callable[[Any], bool]) -> list[Any]:
        """Return the nodes before one that ends them, and go on before that."""
        start = self.at
        while self.at < len(self.nodes) and not is_end(self.nodes[self.at]):
            self.at += 1
        return self.nodes[start : self.at]

    def option(self) -> list[Any] | None:
        """Return the nodes of ``[…]`` if that follows, after a star perhaps, and go on after it."""
        if (text := chars(self._node(self.at)))[:1] == "*":
            self._replace(self.at, self.at + 1, text[1:])
        at = self._after_blanks()
        first = chars(self._node(at)).lstrip()
        nodes = [first[1:], *self.nodes[at + 1 :]] if first.startswith("[") else []
        for count, node in enumerate(nodes):
            inner, bracket, rest = chars(node).partition("]")
            if bracket:
                self._replace(at, at + count + 1, rest)
                return [one for one in [*nodes[:count], inner] if one != ""]
        return None

    def groups(self, most: int, *, is_near: bool = False) -> list[list[Any]]:
        """Return the nodes of each group ``{…}`` that follows, at most ``most``, and go on after.

        If they have to be near, no line's end may be between.
        """
        found: list[list[Any]] = []
        while len(found) < most:
            at = self._after_blanks()
            between = "".join(map(chars, self.nodes[self.at : at]))
            if kind(self._node(at)) != "Group" or (is_near and "\n" in between):
                break
            found.append(inside(self.nodes[at]))
            self.at = at + 1
        return found

    def _node(self, at: int) -> Any | None:
        return self.nodes[at] if at < len(self.nodes) else None

    def _after_blanks(self) -> int:
        """Return the place of the next node that is no blank, in the same paragraph."""
        at = self.at
        while (text := chars(self._node(at))).isspace() and not re.search(r"\n\s*\n", text):
            at += 1
        return at

    def _replace(self, start: int, end: int, rest: str) -> None:
        """Leave out some nodes; ``rest`` is what is left of the last one."""
        self.nodes = [*self.nodes[:start], *([rest] if rest else []), *self.nodes[end:]]
        self.at = start


def document(nodes: list[Any]) -> tuple[list[Any], list[Any]]:
    """Return the nodes before the document, and those in it; all, if none is begun."""
    for at, node in enumerate(nodes):
        if getattr(node, "environmentname", "") == "document":
            return nodes[:at], inside(node)
    return [], nodes


def kind(node: Any) -> str:
    """Return what a node is: Chars, Group, Macro, Environment, Math, Specials."""
    if isinstance(node, str):
        return "Chars"
    return type(node).__name__.removeprefix("Latex").removesuffix("Node")


def macro(node: Any) -> str:
    """Return the name of a command; none of other nodes."""
    return getattr(node, "macroname", "")


def chars(node: Any) -> str:
    """Return the characters of a node that is only that; none of others."""
    return node if isinstance(node, str) else getattr(node, "chars", "")


def inside(node: Any) -> list[Any]:
    """Return the nodes of a group or an environment."""
    code = getattr(getattr(node, "nodeargd", None), "verbatim_chars_node", None)
    return [code] if code is not None else list(node.nodelist or ())


# -- what is no text: arguments of layout and of tables --------------------------------------------


def skip_layout(name: str, cursor: Cursor) -> None:
    """Go on after the arguments of a command that are no texts."""
    for count in range(tables.LAYOUT[name] + 1):
        cursor.groups(min(count, 1))
        while cursor.option() is not None:
            pass


def in_environment(node: Any, table: Table) -> list[Any]:
    """Return the nodes of an environment after arguments that are no texts: a table's columns."""
    cursor = Cursor(inside(node))
    command = table.environments.get(node.environmentname) or Command("")
    cursor.option()
    if command.makes == "table":
        cursor.groups(2, is_near=True)
        cursor.option()
        cursor.groups(1, is_near=True)
    elif command.makes == "plain":
        cursor.groups(len(command.slots))
    return cursor.nodes[cursor.at :]


# -- texts ---------------------------------------------------------------------------------------

#: Called with what is lost, its text, and its node.
Lose = Callable[[str, str, Any], None]
Lines = list[list[Run]]
Styles = frozenset[str]
#: What stands around the argument of a command.
_AROUND = {"enquote": ("“", "”"), "footnote": (" (", ")")}
#: Characters as they are printed, by those that are written.
_PRINTED = {
    PERCENT: "%", '"`': "„", "\"'": "“", '"=': "-", "`": "‘", "'": "’",
}  # fmt: skip
#: Commands that begin a line.
_BREAKS = ("\\", "newline", "linebreak", "tabularnewline", "par", "cr", "item")
#: Commands whose argument is a line.
_LINES = ("centerline", "leftline", "rightline")


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
        return [outline.joined(one) for one in found if any(run.text.strip() for run in one)]

    def _read(self, cursor: Cursor, styles: Styles, to: Lines) -> None:
        last = None
        while (node := cursor.next()) is not None:
            if kind(node) == kind(last) == "Group":
                to[-1].append(Run(self.between or " "))
            last = last if chars(node).isspace() else node
            match kind(node):
                case "Chars":
                    text = re.sub(r"\s+", " ", chars(node))
                    for written, printed in _PRINTED.items():
                        text = text.replace(written, printed)
                    to[-1].append(Run(text, styles))
                case "Specials":
                    mark = tables.SPECIALS.get(node.specials_chars, node.specials_chars)
                    to[-1].append(Run(mark, styles))
                case "Group":
                    self._read(Cursor(inside(node)), styles, to)
                case "Environment":
                    self._read(Cursor(in_environment(node, self.table)), styles, to)
                case "Math":
                    self._math(node, styles, to)
                case "Macro" if node.macroname in tables.SWITCHES:
                    styles |= {tables.SWITCHES[node.macroname]}
                case "Macro":
                    self._macro(node, cursor, styles, to)

    def _macro(self, node: Any, cursor: Cursor, styles: Styles, to: Lines) -> None:
        """Add the text of a command, or skip it; keep the texts of one that is unknown."""
        name = node.macroname
        if name in _BREAKS:
            cursor.option()
            to.append([])
        elif name in ACCENTS and node.nodeargd and node.nodeargd.argnlist:
            to[-1].append(Run(latex_text.plain(node.latex_verbatim()), styles))
        elif name in tables.LINKS:
            self._link(name, node, cursor, styles, to)
        elif name == "verb" and node.nodeargd:
            to[-1].append(Run(node.nodeargd.verbatim_text or "", styles | {"code"}))
        elif name in tables.STYLED and (bodies := cursor.groups(1, is_near=True)):
            before, after = _AROUND.get(name, ("", ""))
            to += [[]] if name in _LINES else []
            to[-1].append(Run(before, styles))
            self._read(Cursor(bodies[0]), styles | {tables.STYLED[name]} - {""}, to)
            to[-1].append(Run(after, styles))
            to += [[]] if name in _LINES else []
        elif name in tables.SILENT or tables.is_icon(name):
            cursor.option()
        elif name in tables.LAYOUT:
            skip_layout(name, cursor)
        elif (character := tables.known(name)) is not None:
            to[-1].append(Run(character, styles))
        else:
            self._unknown(node, cursor, styles, to)

    def _link(self, name: str, node: Any, cursor: Cursor, styles: Styles, to: Lines) -> None:
        cursor.option()
        bodies = cursor.groups(2 if name.startswith("href") else 1)
        if not bodies:
            return
        url = tables.LINKS[name] + address(bodies[0])
        text = [run for body in bodies[1:] for run in outline.as_one(self.lines(body))[:-1]]
        text = text or [Run(url.removeprefix("mailto:"))]
        if not texts.address(url):
            self.lose(f"\\{name}", url.strip(), node)
            url = ""
        to[-1] += [Run(run.text, run.styles | styles, url) for run in text]

    def _unknown(self, node: Any, cursor: Cursor, styles: Styles, to: Lines) -> None:
        """Keep the texts of an unknown command, and tell of it."""
        option = cursor.option() or []
        bodies: list[Lines] = []
        for inner in cursor.groups(9):
            lines: Lines = [[]]
            self._read(Cursor(inner), styles, lines)
            bodies += [lines] if any(run.text.strip() for line in lines for run in line) else []
        # It may stand for something between two words.
        before = "".join(run.text for run in to[-1])[-1:].isalnum()
        to[-1].append(Run(self.between or " " * before))
        for at, (first, *others) in enumerate(bodies):
            to[-1] += [Run(self.between or ", ") if at else Run(""), *first]
            to += others
        # The next word is another one.
        after = (one for one in cursor.nodes[cursor.at :] if macro(one) not in tables.SILENT)
        is_glued = bodies and chars(next(after, None))[:1].isalnum()
        to[-1].append(Run(self.between or " " * bool(is_glued)))
        name = node.macroname
        if name not in self.table.commands and not tables.is_known(name):
            kept = "its text is kept" if bodies else "it is left out"
            self.lose(f"unknown command, {kept}", f"\\{name} {self.plain(option)}".strip(), node)

    def _math(self, node: Any, styles: Styles, to: Lines) -> None:
        """Add a formula as text: superscripts and subscripts are styles, all else characters."""
        latex = "".join(one.latex_verbatim() for one in inside(node))
        unread: latex_text.Unread = []
        text = latex_text.markdown(f"${latex.replace(PERCENT, '%')}$", unread)
        for name, printed in unread:
            text = text.replace(name, "", 1) if printed == name else text
            self.lose("unknown command in a formula", name, node)
        for shown in texts.nodes(text) or ():
            own = {"emph": "em"}.get(getattr(shown, "style", ""), getattr(shown, "style", ""))
            text = rich_text.plain((shown,))
            to[-1].append(Run(text, styles | {own} - {""}))


def address(nodes: Iterable[Any]) -> str:
    """Return an address as it is written: nothing in it is a command but escaped characters."""
    latex = "".join(node.latex_verbatim() for node in nodes)
    return latex_text.address(latex.replace(PERCENT, "%"))
