r"""LaTeX in values of other programs, such as ``{\"O}stlund`` or ``$O(n)$``, as readable texts.

Nothing is run: accents and symbols become characters, emphasis and links become Markdown, and of
an unknown command only what is in its braces stays.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from cvbuild.common.plugins import missing
from cvbuild.inputs.references import texts
from cvbuild.model.text import rich_text

#: Levels of braces; what is deeper is read without TeX.
_DEEPEST = 30
_LONGEST = 100_000
#: Characters of Unicode that no text has; they stand for marks of Markdown until all is escaped.
_BOLD, _ITALIC, _CODE, _SUPER, _SUB = "\ue000", "\ue001", "\ue002", "\ue003", "\ue004"
_OPEN, _MIDDLE, _CLOSE = "\ue005", "\ue006", "\ue007"
_MARKS = {
    _BOLD: "**", _ITALIC: "*", _CODE: "`", _SUPER: "^", _SUB: "~",
    _OPEN: "[", _MIDDLE: "](", _CLOSE: ")",
}  # fmt: skip
_ANY_MARK = re.compile("[\ue000-\ue007]")
_LINK = re.compile(f"{_OPEN}([^{_OPEN}]*){_MIDDLE}([^{_CLOSE}]*){_CLOSE}")
_TARGET = re.compile(f"{_MIDDLE}[^{_CLOSE}]*{_CLOSE}")
#: Characters that would end the address of a link in Markdown.
_ENDING = {" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E"}
_STYLES = {
    "textbf": _BOLD, "emph": _ITALIC, "textit": _ITALIC, "textsl": _ITALIC, "texttt": _CODE,
    "textsuperscript": _SUPER, "textsubscript": _SUB,
}  # fmt: skip
_SWITCHES = {
    "em": _ITALIC, "it": _ITALIC, "sl": _ITALIC, "itshape": _ITALIC, "slshape": _ITALIC,
    "bf": _BOLD, "bfseries": _BOLD, "tt": _CODE, "ttfamily": _CODE,
}  # fmt: skip
#: Spaces, and switches that stand for nothing to read.
_SPACES = frozenset(
    (" ", ",", ";", ":", "!", "/", "quad", "qquad", "\\", "newline", "par", "space")
)
_BRACES = {
    "textbraceleft": "{", "textbraceright": "}", "lbrace": "{", "rbrace": "}",
    "textasciicircum": "^",
}  # fmt: skip
#: Commands that stand for their own name.
_NAMES = frozenset(("$", "TeX", "LaTeX", "LaTeXe", "BibTeX", "XeTeX", "LuaTeX"))
#: In LaTeX it never opens a quotation: '22.
_ELISION = re.compile(r"(?<![\w'])'(?=\d)")
#: Braces come last: -{}- is two hyphens.
_LIGATURES = (
    ("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"), ("{", ""), ("}", ""),
)  # fmt: skip
_PERCENT = re.compile(r"(?<!\\)((?:\\\\)*)%")
_ADDRESS = re.compile(r"\\(url|path|href)\s*\{([^{}]*)\}")


def markdown(latex: str) -> str:
    """Return inline Markdown of a text with LaTeX in it, on one line."""
    text = _ANY_MARK.sub("", latex) if _ANY_MARK.search(latex) else latex
    whole = _ELISION.sub("’", texts.line(_read(text)))
    marked = _TARGET.sub(lambda one: re.sub(r"\\(.)", r"\1", one[0]), texts.plain(whole))
    for sign, mark in _MARKS.items():
        marked = marked.replace(sign, mark)
    if _ANY_MARK.search(whole) and rich_text.plain(texts.nodes(marked) or ()) != _unmarked(whole):
        # Marks where Markdown has none: inside of words, around spaces.
        return texts.plain(_unmarked(_LINK.sub(r"\1 (\2)", whole)))
    return marked


def plain(latex: str) -> str:
    """Return a text with LaTeX in it as plain characters on one line."""
    return _unmarked(texts.line(_read(_ANY_MARK.sub("", latex))))


def _unmarked(text: str) -> str:
    return _ANY_MARK.sub("", _LINK.sub(r"\1", text))


def _read(latex: str) -> str:
    """Return the text with private characters as marks."""
    if not re.search(r"[\\{}$~%]|--|``|''|\?`|!`", latex):
        return latex
    if len(latex) > _LONGEST or _depth(latex) > _DEEPEST:
        return re.sub(r"[{}]", "", latex)
    if not re.search(r"[\\$~%]|\?`|!`", latex):
        # Most titles have braces and dashes alone.
        for signs, char in _LIGATURES:
            latex = latex.replace(signs, char)
        return latex
    # In a database, % is a percent sign; in an address, it is part of it.
    kept: list[str] = []

    def put_by(match: re.Match[str]) -> str:
        kept.append(re.sub(r"\\([%#&_~$])", r"\1", match[2]))
        is_linked = latex[match.end() :].lstrip().startswith("{")
        name = "url" if match[1] == "href" and not is_linked else match[1]
        return f"\\{name}{{{len(kept) - 1}}}"

    text = _PERCENT.sub(r"\1\\%", _ADDRESS.sub(put_by, latex))
    try:
        from pylatexenc.latexwalker import LatexWalkerError
    except ImportError as error:
        raise missing("reading LaTeX", "formats", error) from None
    try:
        return _Words(kept).of_all(_nodes(text))
    except (LatexWalkerError, LookupError, ValueError, TypeError, AttributeError, RecursionError):
        # A library's fault in what may be no TeX at all: show what was written.
        return re.sub(r"[{}]", "", latex)


def _depth(text: str) -> int:
    deepest = now = 0
    for char in text:
        now += (char in "{[$") - (char in "}]")
        deepest = max(deepest, now)
    return deepest


@cache
def _commands() -> Any:
    """Return the commands that are known with their arguments."""
    from pylatexenc.latexwalker import get_default_latex_context_db
    from pylatexenc.macrospec import MacroSpec

    known = get_default_latex_context_db()
    own = [MacroSpec("href", "{{"), MacroSpec("url", "{"), MacroSpec("path", "{")]
    own += [MacroSpec(name, "{") for name in _STYLES]
    known.add_context_category("cvbuild", macros=own, prepend=True)
    return known


def _nodes(latex: str) -> list[Any]:
    from pylatexenc.latexwalker import LatexWalker

    walker = LatexWalker(latex, latex_context=_commands(), tolerant_parsing=True)
    nodes: list[Any] = walker.get_latex_nodes()[0]
    return nodes


@cache
def _decoder() -> Any:
    from pylatexenc.latex2text import LatexNodes2Text

    return LatexNodes2Text(math_mode="text", keep_comments=True, strict_latex_spaces=False)


class _Words:
    """Writes the nodes of a text; ``addresses`` are those that were put by."""

    def __init__(self, addresses: list[str]) -> None:
        self.addresses = addresses

    def of_all(self, nodes: Iterable[Any]) -> str:
        """Return the words of nodes that follow each other."""
        return "".join(self.of(node) for node in nodes if node is not None)

    def of(self, node: Any) -> str:
        """Return the words of one node."""
        match type(node).__name__:
            case "LatexCharsNode":
                return str(node.chars)
            case "LatexGroupNode":
                return self._group(node)
            case "LatexMathNode":
                return _math(node)
            case "LatexEnvironmentNode":
                return self.of_all(node.nodelist)
            case "LatexCommentNode":
                return ""
            case "LatexMacroNode":
                return self._macro(node)
        return str(_decoder().node_to_text(node))

    def _group(self, node: Any) -> str:
        """Return the words in braces, in the style that a switch at their beginning sets."""
        inner = list(node.nodelist)
        first = getattr(inner[0], "macroname", "") if inner else ""
        words = self.of_all(inner)
        return _styled(words, _SWITCHES[first]) if first in _SWITCHES else words

    def _macro(self, node: Any) -> str:
        name = str(node.macroname)
        arguments = _arguments(node)
        space = " " if getattr(node, "macro_post_space", "") and not arguments else ""
        if name in ("url", "path"):
            address = self._address(arguments)
            return f"{_OPEN}{address}{_MIDDLE}{address}{_CLOSE}" if name == "url" else address
        if name == "href":
            words = self.of_all(arguments[1:]) or self._address(arguments)
            return f"{_OPEN}{words}{_MIDDLE}{self._address(arguments)}{_CLOSE}"
        if name in _STYLES and arguments:
            return _styled(self.of_all(arguments), _STYLES[name])
        if name in _SPACES:
            return "" if name in ("/", "!") else " "
        if name in _NAMES:
            return name + space
        if name in _BRACES:
            return _BRACES[name]
        with contextlib.suppress(IndexError, KeyError):
            written = str(_decoder().macro_node_to_text(node))
            if written or not arguments:
                return written + (space if not written.isalpha() or len(written) > 1 else "")
        return self.of_all(arguments)

    def _address(self, arguments: list[Any]) -> str:
        """Return the address that a number stands for."""
        number = self.of_all(arguments[:1]).strip()
        at = int(number) if number.isdecimal() else len(self.addresses)
        address = self.addresses[at] if at < len(self.addresses) else number
        return "".join(_ENDING.get(char, char) for char in address)


def _arguments(node: Any) -> list[Any]:
    parsed = getattr(node, "nodeargd", None)
    return [one for one in (parsed.argnlist if parsed else None) or () if one is not None]


def _styled(words: str, mark: str) -> str:
    """Return words between two marks; spaces at their ends go outside."""
    bare = words.strip()
    if not bare or mark in bare:
        return words
    return words.replace(bare, f"{mark}{bare}{mark}", 1)


_SCRIPT = re.compile(r"([\^_])(?:\{([^{}]*)\}|(\\[A-Za-z]+|[^\s{}\\]))")


def _math(node: Any) -> str:
    """Return a formula as text: superscripts and subscripts where Markdown has them."""
    source = str(node.latex_verbatim()).strip("$")
    for mark in (r"\(", r"\)", r"\[", r"\]"):
        source = source.replace(mark, "")
    parts: list[str] = []
    end = 0
    for match in _SCRIPT.finditer(source):
        parts.append(_formula(source[end : match.start()]))
        inner = _formula(match[2] if match[2] is not None else match[3]).strip()
        sign = _SUPER if match[1] == "^" else _SUB
        # Notes of authors, and primes, are signs already.
        is_sign = not inner or inner in "*∗†‡§′°∘" or " " in inner
        parts.append(inner.replace("∗", "*").replace("∘", "°") if is_sign else sign + inner + sign)
        end = match.end()
    return "".join([*parts, _formula(source[end:])])


_OPERATOR = re.compile(r"\\(arg|cos|det|dim|exp|inf|lim|ln|log|max|min|mod|sin|sup|tan)\s*(?=\w)")


def _formula(source: str) -> str:
    return str(_decoder().nodelist_to_text(_nodes(_OPERATOR.sub(r"\1~", source))))
