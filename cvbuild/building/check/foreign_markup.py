"""Find HTML, TeX and marks of lists in a text, which a document would print as they are.

What is meant as it is written can be said so: in `code`, or with a backslash before it.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from html.entities import html5
from types import MappingProxyType

from msgspec import Struct

from cvbuild.common.errors import ProfileError
from cvbuild.common.suggestions import shown
from cvbuild.inputs.yaml import source, writer
from cvbuild.model import language_tags

#: Code between one to three backticks. Why no more: each length of a run that isn't closed is
#: looked for up to the text's end.
_CODE = re.compile(r"(?<!`)(`{1,3})(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_ENTITY = re.compile(r"(?<!\\)&(?:[A-Za-z][A-Za-z0-9]{1,31}|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});")
_TAG = re.compile(
    r"(?<![\\\w])<(b|strong|i|em|u|br|p|ul|ol|li|a|span|div|sup|sub|code|h[1-6])(?:\s[^<>]*)?/?>"
    r"|(?<!\\)</(b|strong|i|em|u|p|ul|ol|li|a|span|div|sup|sub|code|h[1-6])>",
    re.IGNORECASE,
)
_MATHS = re.compile(
    r"(?<![\\\w$])\$(?:(?=[^$\n]*[\\^_{}])(?!\s)[^$\n]{1,200}(?<!\s)"
    r"|[A-Za-z][A-Za-z0-9 +*/=<>()-]{0,20})\$(?!\w)"
)
#: An accent of TeX: in braces, before braces, or inside of a word. G. 1 or 3 is the accent.
_ACCENT = re.compile(
    r"""\{\\(["'`^~=.])\s*\{?\\?([A-Za-z])\}?\}|\\(["'`^~=.])\{\\?([A-Za-z])\}"""
    r"""|(?<=[A-Za-z])\\(["'`^~])([A-Za-z])|\\([cvuHk])\{([A-Za-z])\}"""
)
_COMMAND = re.compile(
    r"(?<!\\)(?:\\([A-Za-z]+)\*?\s?[{\[]|\{\\(bf|it|em|tt|sc|rm|sf)\b"
    r"|\\(LaTeX|TeX|BibTeX|item|ldots|dots|newline|quad|hfill|noindent|ss|textendash|textemdash)\b)"
)
#: What TeX needs a backslash for, and a line without Markdown doesn't.
_ESCAPED = re.compile(r"\\[&%$#_{}]")
_LIST = re.compile(r"(?:- (?=.* - )|[•‣◦▪] )", re.DOTALL)
#: A short text in quotes that YAML doesn't know; a sentence may be a quotation.
_QUOTED = re.compile(r"[“”„«]\s*([^“”„«»\"]{1,80}?[^\s“”„«».!?…\"])\s*[“”»]")
_COMBINING = MappingProxyType(
    {'"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304",
     ".": "\u0307", "c": "\u0327", "v": "\u030c", "u": "\u0306", "H": "\u030b", "k": "\u0328"}
)  # fmt: skip
_BOLD, _ITALIC, _TYPEWRITER = "write **bold**", "write *italic*", "write `code`"
_LINK = "write [words](https://example.org)"
_BULLETS = "use bullets: with each point after a dash of its own"
_BREAK = "write a \\ at the end of the line"
_COMMANDS = MappingProxyType(
    {"textbf": _BOLD, "bf": _BOLD, "emph": _ITALIC, "textit": _ITALIC, "it": _ITALIC,
     "em": _ITALIC, "texttt": _TYPEWRITER, "tt": _TYPEWRITER, "href": _LINK,
     "url": "write <https://example.org>", "item": _BULLETS, "begin": _BULLETS,
     "newline": _BREAK, "LaTeX": "write LaTeX", "TeX": "write TeX", "BibTeX": "write BibTeX",
     "ldots": "write …", "dots": "write …", "ss": "write ß", "textendash": "write –",
     "textemdash": "write —", "textsuperscript": "write ^2^", "textsubscript": "write ~2~"}
)  # fmt: skip
_TAGS = MappingProxyType(
    {"b": _BOLD, "strong": _BOLD, "i": _ITALIC, "em": _ITALIC, "code": _TYPEWRITER, "a": _LINK,
     "sup": "write ^2^", "sub": "write ~2~", "br": _BREAK, "ul": _BULLETS, "ol": _BULLETS,
     "li": _BULLETS}
)  # fmt: skip
_SIGNS = MappingProxyType(
    {"times": "×", "cdot": "·", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "approx": "≈",
     "sim": "~", "pm": "±", "infty": "∞", "to": "→", "rightarrow": "→", "neq": "≠", "%": "%",
     "log": "log", "ln": "ln", "exp": "exp", "max": "max", "min": "min", "sin": "sin",
     "cos": "cos", ",": "\u202f"}
)  # fmt: skip
#: A text for each language, as YAML writes it; and where one of them begins.
_LANGUAGES = re.compile(r"\{\s*[a-z]{2,3}(?:-[A-Za-z0-9]{1,8})*:\s.*\}", re.DOTALL)
_LANGUAGE = re.compile(r"[{,]\s*([a-z]{2,3}(?:-[A-Za-z0-9]{1,8})*):\s")
#: Characters of a hint with a whole text in it.
_LONG = 120
_USUAL_MATHS = "write it without TeX: O(log n), x^2^, H~2~O"
_USUAL = "write the words without it"


class Found(Struct, frozen=True):
    """Markup in a text: its fact and hint with the text in them, and without."""

    code: str
    fact: str
    usual_hint: str
    text: str
    hint: str

    @property
    def message(self) -> str:
        """The fact, with the markup."""
        return f"{self.fact}: {shown(self.text)}"


def find(text: str, *, plain: bool = False) -> Iterator[Found]:
    """Yield the first of each sort of markup in a text, which is Markdown if not ``plain``."""
    text = text if plain else _CODE.sub("\0", text)
    for look in (_languages, _entity, _tag, _maths, _accent, _command, _list, _quotes):
        if markup := look(text):
            yield markup
    if plain and (escaped := _ESCAPED.search(text)):
        yield Found(
            "text-tex", "TeX is printed as it is written", _USUAL, escaped[0],
            f"write {escaped[0][1]}",
        )  # fmt: skip


def in_languages(text: str) -> dict[str, str] | None:
    """Return the texts by language that are written in braces; None for any other text.

    What YAML reads otherwise, as a comma or a colon without quotes, belongs to its text.
    """
    text = text.strip()
    if not _LANGUAGES.fullmatch(text):
        return None
    read = _read(text)
    if isinstance(read, dict) and all(map(language_tags.is_key, read)):
        return read if all(isinstance(one, str) for one in read.values()) else None
    starts = [one for one in _LANGUAGE.finditer(text) if language_tags.is_key(one[1])]
    tags = [one[1] for one in starts]
    if len({*tags}) < max(2, len(tags)) or starts[0].start():
        return None
    ends = [one.start() for one in starts[1:]] + [len(text) - 1]
    parts = [text[one.end() : end].strip() for one, end in zip(starts, ends, strict=True)]
    if not all(parts):
        return None
    return {tag: _unquoted(part) for tag, part in zip(tags, parts, strict=True)}


def _unquoted(text: str) -> str:
    read = _read(text) if text[0] in "\"'" else text
    return read if isinstance(read, str) else text


def _read(text: str) -> object:
    """Return what YAML reads; None for an error."""
    try:
        found = source.parse(f"text: {text}", "text").find(("text",))
    except ProfileError:
        return None
    return found.data if found else None


def _languages(text: str) -> Found | None:
    if not _LANGUAGES.fullmatch(text.strip()):
        return None
    fact, usual = "the languages are printed with their braces", "put quotes around each text only"
    texts = in_languages(text)
    hint = f"write {writer.flow(texts)}" if texts else usual
    return Found("text-languages", fact, usual, text, hint if len(hint) <= _LONG else usual)


def _entity(text: str) -> Found | None:
    names = (one[0] for one in _ENTITY.finditer(text) if one[0][1] == "#" or one[0][1:] in html5)
    if (name := next(names, None)) is None:
        return None
    meant = html.unescape(name)
    hint = f"write {meant}" if meant.isprintable() and not meant.isspace() else "write a space"
    fact = "a character as HTML has it is printed as it is written"
    return Found("text-html", fact, "write the character itself", name, hint)


def _tag(text: str) -> Found | None:
    if (match := _TAG.search(text)) is None:
        return None
    hint = _TAGS.get((match[1] or match[2]).lower(), _USUAL)
    return Found("text-html", "HTML is printed as it is written", hint, match[0], hint)


def _maths(text: str) -> Found | None:
    if (match := _MATHS.search(text)) is None:
        return None
    meant = _without_tex(match[0].strip("$"))
    hint = f"write {meant}" if meant else _USUAL_MATHS
    return Found("text-tex", "maths is printed as it is written", _USUAL_MATHS, match[0], hint)


def _without_tex(maths: str) -> str | None:
    """Return maths in Markdown; None if that is too much for it."""
    maths = re.sub(r"([\^_])(?:\{([^{}\\ ]+)\}|([A-Za-z0-9]))", _raised, maths)
    maths = re.sub(r"\\([A-Za-z]+|[,%])", _sign, maths)
    return None if re.search(r"[\\{}_]", maths) else maths


def _raised(match: re.Match[str]) -> str:
    sign = "^" if match[1] == "^" else "~"
    return f"{sign}{match[2] or match[3]}{sign}"


def _sign(match: re.Match[str]) -> str:
    name = match[1]
    if name in _SIGNS:
        return _SIGNS[name]
    size = "SMALL" if name[0].islower() else "CAPITAL"
    try:
        return unicodedata.lookup(f"GREEK {size} LETTER {name}")
    except KeyError:
        return match[0]


def _accent(text: str) -> Found | None:
    if (match := _ACCENT.search(text)) is None:
        return None
    accent, letter = (part for part in match.groups() if part)
    meant = unicodedata.normalize("NFC", letter + _COMBINING[accent])
    fact = "a letter as TeX has it is not printed as that letter"
    return Found("text-tex", fact, "write the letter itself", match[0], f"write {meant}")


def _command(text: str) -> Found | None:
    if (match := _COMMAND.search(_MATHS.sub("", _ACCENT.sub("", text)))) is None:
        return None
    name = match[1] or match[2] or match[3]
    hint = _COMMANDS.get(name, _USUAL)
    command = match[0].rstrip("{[ ").lstrip("{")
    return Found("text-tex", "TeX is printed as it is written", hint, command, hint)


def _list(text: str) -> Found | None:
    match = _LIST.match(text)
    if match is None:
        return None
    return Found("text-list", "this mark of a list is printed", _BULLETS, match[0][0], _BULLETS)


def _quotes(text: str) -> Found | None:
    match = _QUOTED.fullmatch(text)
    if match is None:
        return None
    fact, hint = "quotes that are not straight are printed", "take them away"
    return Found("text-quotes", fact, hint, match[0], f'{hint}, or write "{match[1]}"')
