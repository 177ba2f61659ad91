"""From text to LaTeX: the only place where anything is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable

from markupsafe import Markup

from cvbuild.richtext import Break, Code, Link, Node, Span, Text


class Latex(Markup):
    """LaTeX code; the only kind of string that a template may print.

    A subclass of Markup because Jinja's autoescaping lets Markup pass and joins it as Markup.
    """


_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "#": r"\#",
    "$": r"\$",
    "%": r"\%",
    "&": r"\&",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "\u00a0": "~",
    "\u202f": "~",
    "\u00ad": r"\-",
    "\u200b": r"\CvbAllowBreak{}",
    "\n": " ",
    "\r": " ",
    "\t": " ",
}
#: Twice one of these is a ligature of T1 fonts: -- ,, and the quotes' input forms.
_PAIRS = re.compile("([-,\u2018\u2019])(?=\\1)")
_URL_ESCAPES = {"%": r"\%", "#": r"\#", "&": r"\&", "_": r"\_", "~": r"\~", "$": r"\$"}
_STYLES = {
    "strong": r"\CvbStrong",
    "emph": r"\CvbEmph",
    "sup": r"\CvbSup",
    "sub": r"\CvbSub",
}
_TABLE = str.maketrans(_ESCAPES)
_URL_TABLE = str.maketrans(_URL_ESCAPES)


def escape(text: str) -> Latex:
    """The characters of ``text`` as LaTeX that prints just these."""
    # The pairs are parted first, with a mark that no clean text holds (see model.base.clean).
    parted = _PAIRS.sub("\\1\x00", text)
    return Latex(parted.translate(_TABLE).replace("\x00", "{}"))


def url(address: str) -> Latex:
    r"""An ASCII URL (RFC 3986) as the first argument of ``\CvbLink``."""
    return Latex(address.translate(_URL_TABLE))


def nodes(tree: Iterable[Node]) -> Latex:
    """A rich text tree as LaTeX."""
    return Latex("".join(_node(node) for node in tree))


def _node(node: Node) -> str:
    match node:
        case Text(text):
            return escape(text)
        case Code(text):
            return rf"\CvbCode{{{escape(text)}}}"
        case Break():
            return r"\CvbBreak{}"
        case Span(style, children):
            return f"{_STYLES[style]}{{{nodes(children)}}}"
        case Link(address, children):
            return rf"\CvbLink{{{url(address)}}}{{{nodes(children)}}}"
