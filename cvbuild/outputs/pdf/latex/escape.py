"""Turn text into LaTeX: the only place where text is escaped."""

from __future__ import annotations

import re

from markupsafe import Markup

from cvbuild.outputs.pdf.scripts.bidi import CONTROLS


class Latex(Markup):
    """LaTeX code; the only kind of string that a template may print.

    A subclass of Markup because Jinja's autoescaping lets Markup pass and joins it as Markup.
    """


ESCAPES = {
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
    # Characters that only order the text have had their effect before.
    **dict.fromkeys((*CONTROLS, "\u2060", "\ufeff"), ""),
}
#: Two of these in a row are a ligature in T1 fonts: -- ,, and the quotes' input forms.
_PAIRS = re.compile("([-,\u2018\u2019])(?=\\1)")
#: A word of more than 40 characters may break after its punctuation. More than 30 letters in a row
#: break after every 20, if they are of a script without hyphens: others are divided before
#: (typography.py).
_LONG_WORD = re.compile(r"\S{41,}")
_PUNCTUATION = re.compile(r"(?<=[\w)])([/._?&=;:,+-])(?=\w)")
LONG_RUN = re.compile(r"[^\W_]{31,}")
_URL_ESCAPES = {"%": r"\%", "#": r"\#", "&": r"\&", "_": r"\_", "~": r"\~"}
STYLES = {
    "strong": r"\CvbStrong", "emph": r"\CvbEmph", "sup": r"\CvbSup", "sub": r"\CvbSub",
    "address": r"\CvbAddress",
}  # fmt: skip
_TABLE = str.maketrans(ESCAPES)
_URL_TABLE = str.maketrans(_URL_ESCAPES)


def escape(text: str) -> Latex:
    """Return LaTeX that prints exactly the characters of ``text``."""
    # Pairs are separated first, by a mark that no clean text has (see model.base.clean).
    separated = _PAIRS.sub("\\1\x00", LONG_RUN.sub(_broken, text))
    escaped = separated.translate(_TABLE).replace("\x00", "{}").replace("\x03", r"\CvbAllowBreak{}")
    return Latex(escaped)


def _broken(run: re.Match[str]) -> str:
    """Return the letters with a mark after every 20 of them."""
    return "\x03".join(run[0][at : at + 20] for at in range(0, len(run[0]), 20))


def words(text: str) -> Latex:
    """Escape a text in which very long words may break after their punctuation, too."""
    return escape(_LONG_WORD.sub(lambda word: _PUNCTUATION.sub("\\1\x03", word[0]), text))


def address(text: str) -> Latex:
    """Return a link's text as LaTeX.

    Styles break it after punctuation by themselves, except where it has a command; there it is
    marked where it may break.
    """
    escaped = escape(text)
    return escape(_PUNCTUATION.sub("\\1\x03", text)) if "{" in escaped else escaped


def url(target: str) -> Latex:
    r"""Return an ASCII URL (RFC 3986) as an argument, as the first one of ``\CvbLink``."""
    return Latex(target.translate(_URL_TABLE))


def in_language(text: Latex, tag: str | None) -> Latex:
    """Return the text, marked as in the language ``tag`` (BCP 47) if there is one."""
    return Latex(rf"\CvbLanguage{{{escape(tag)}}}{{{text}}}") if tag else text


#: One argument, with groups in it that have none.
_ARGUMENT = r" ?\{(?:[^{}\\]|\\.|\{(?:[^{}\\]|\\.)*\})*\}"
_TOKEN = re.compile(
    # What these say first is not shown: a face, a language, a target, what readers get instead.
    rf"\\Cvb(?:Script|Actual|Language|Link){_ARGUMENT}"
    rf"|\\CvbWord(?:{_ARGUMENT}){{4}}"
    rf"|\\CvbMirror{_ARGUMENT}{_ARGUMENT}"
    r"|\\(?P<word>[A-Za-z]+) ?|\\(?P<sign>.)|[{}]|(?P<space>~)",
    re.DOTALL,
)
_WORDS = {
    tex.removeprefix("\\").removesuffix("{}"): character
    for character, tex in ESCAPES.items()
    if tex.endswith("{}") and not tex.startswith("\\Cvb")
} | {"CvbBreak": " "}


def unescape(tex: str) -> str:
    """Return the text that ``tex`` shows; commands that ``escape`` doesn't write show nothing."""
    return _TOKEN.sub(_character, tex)


def _character(match: re.Match[str]) -> str:
    word, sign = match["word"], match["sign"]
    if word:
        return _WORDS.get(word, "")
    if sign:
        return "" if sign == "-" else sign
    return " " if match["space"] else ""
