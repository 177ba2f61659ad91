"""The nodes of a LaTeX text, as pylatexenc parses it, and the arguments of commands among them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from cvbuild.common.errors import CvbuildError, missing
from cvbuild.importers.documents.latex import tables
from cvbuild.importers.documents.latex.source import Source
from cvbuild.importers.documents.latex.tables import Command, Table

#: Braces and environments inside each other.
_DEEPEST = 60
#: Commands that set an accent on the next character.
ACCENTS = "'`^\"~=.uvHtcdbrk"
_CLOSED = "close what was opened, as LaTeX wants it too"


def parse(source: Source) -> list[Any]:
    """Return the nodes of a source.

    Raises CvbuildError for what LaTeX would refuse: a brace, an environment or a formula that isn't
    closed.
    """
    try:
        from pylatexenc.latexwalker import LatexWalker, LatexWalkerError, LatexWalkerParseError
    except ImportError as error:
        raise missing("importing LaTeX", "formats", error) from None

    text = _closed(source)
    walker = LatexWalker(text, latex_context=_context(), tolerant_parsing=False)
    try:
        nodes: list[Any] = walker.get_latex_nodes()[0]
    except LatexWalkerParseError as error:
        # The innermost of what is open is the first.
        opened: Any = next(iter(getattr(error, "open_contexts", None) or ()), None)
        is_math = bool(opened) and "math" in str(opened[0])
        if not opened or ("closing brace" in str(error.msg) and not is_math):
            message, at = "a closing brace without an opening one", error.pos or 0
        else:
            what = re.sub(r"^(?:begin|open) ", "", " ".join(str(opened[0]).split()))
            what = "a formula" if is_math else what
            message, at = f"{what} is never closed", opened[1]
        raise _error(source, at, message) from None
    except (LatexWalkerError, RecursionError, ValueError, IndexError):
        raise _error(source, 0, "this LaTeX can't be read") from None
    return nodes


def _error(source: Source, at: int, message: str) -> CvbuildError:
    return CvbuildError.because("latex", message, _CLOSED, source.place(at))


def _closed(source: Source) -> str:
    """Return the text with groups closed that are open at the document's end, as TeX takes them.

    Not if one of them is an argument. Raises CvbuildError for what is too deep.
    """
    text, end = source.text, source.text.rfind("\\end{document}")
    opened: list[int] = []
    environments = 0
    for found in re.finditer(r"\\(begin|end)\s*\{[^{}]*\}|\\.|[{}]", text, re.DOTALL):
        if found.start() == end:
            break
        if found[0] == "{":
            opened.append(found.start())
        elif found[0] == "}" and opened:
            opened.pop()
        environments += {"begin": 1, "end": -1}.get(found[1], 0)
        if len(opened) + environments > _DEEPEST:
            message = f"more than {_DEEPEST} braces or environments inside each other"
            raise _error(source, found.start(), message)
    argument = re.compile(r"(?:\\[A-Za-z@]+\*?|[\]}])\Z")
    if end < 0 or any(argument.search(text[max(0, at - 40) : at]) for at in opened):
        return text
    return f"{text[:end]}{'}' * len(opened)}{text[end:]}"


def _context() -> Any:
    """Return what pylatexenc has to know: accents, verbatim text, dashes and quotes."""
    from pylatexenc.latexwalker import get_default_latex_context_db
    from pylatexenc.macrospec import EnvironmentSpec, LatexContextDb, MacroSpec, VerbatimArgsParser

    usual = get_default_latex_context_db()
    marks = ("``", "''", "--", "---", "~", "&", "!`", "?`")
    verb = MacroSpec("verb", args_parser=VerbatimArgsParser(verbatim_arg_type="verb-macro"))
    whole = VerbatimArgsParser(verbatim_arg_type="verbatim-environment")
    context = LatexContextDb()
    context.add_context_category(
        "cv",
        macros=[*(MacroSpec(name, "{") for name in ACCENTS), verb],
        environments=[EnvironmentSpec("verbatim", args_parser=whole)],
        specials=[spec for mark in marks if (spec := usual.get_specials_spec(mark))],
    )
    context.set_unknown_macro_spec(MacroSpec(""))
    context.set_unknown_environment_spec(EnvironmentSpec(""))
    return context


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
        """Return the nodes of ``[…]`` if that follows, and go on after it."""
        at = self._after_blanks()
        first = chars(self._node(at)).lstrip()
        nodes = [first[1:], *self.nodes[at + 1 :]] if first.startswith("[") else []
        for count, node in enumerate(nodes):
            inner, bracket, rest = chars(node).partition("]")
            if bracket:
                self._replace(at, at + count + 1, rest)
                return [one for one in [*nodes[:count], inner] if one != ""]
        return None

    def star(self) -> None:
        """Go on after a star right here."""
        text = chars(self._node(self.at))
        if text[:1] == "*":
            self._replace(self.at, self.at + 1, text[1:])

    def group(self, *, is_near: bool = False) -> Any | None:
        """Return the group ``{…}`` that follows, and go on after it.

        If it has to be near, no line's end may be between.
        """
        at = self._after_blanks()
        between = "".join(map(chars, self.nodes[self.at : at]))
        if kind(self._node(at)) != "Group" or (is_near and "\n" in between):
            return None
        self.at = at + 1
        return self.nodes[at]

    def groups(self, most: int, *, is_near: bool = False) -> list[Any]:
        """Return as many groups as follow, at most ``most``."""
        found: list[Any] = []
        while len(found) < most and (group := self.group(is_near=is_near)) is not None:
            found.append(group)
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
    """Return what a node is: Chars, Group, Macro, Environment, Math, Specials, Comment."""
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
    cursor.star()
    cursor.option()
    for _ in range(tables.LAYOUT[name]):
        cursor.groups(1)
        cursor.option()


def skip_arguments(cursor: Cursor, command: Command | None) -> None:
    """Go on after the arguments of an environment that are no texts, such as a table's columns."""
    cursor.option()
    if command is not None and command.makes == "table":
        cursor.groups(2, is_near=True)
        cursor.option()
        cursor.groups(1, is_near=True)
    elif command is not None and command.makes == "plain":
        cursor.groups(len(command.slots))


def by_line(nodes: list[Any], table: Table) -> Iterator[list[Any]]:
    """Yield the nodes of about a line of the source, those of environments apart."""
    line: list[Any] = []
    for node, after in zip_longest(nodes, nodes[1:]):
        if kind(node) == "Environment":
            yield line
            inner = Cursor(inside(node))
            skip_arguments(inner, table.environments.get(node.environmentname))
            yield from by_line(inner.nodes[inner.at :], table)
            line = []
            continue
        line.append(node)
        if "\n" in chars(node) and kind(after) != "Group":
            yield line
            line = []
    yield line
