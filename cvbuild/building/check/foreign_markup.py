"""Find HTML, TeX and marks of lists in a text, which a document would print as they are.

What is meant as it is written can be said so: in `code`, or with a backslash before it.
"""

from __future__ import annotations

import html
import re
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
#: An accent of TeX: in braces, before braces, or inside of a word.
_ACCENT = re.compile(
    r"""\{\\["'`^~=.]\s*\{?\\?[A-Za-z]\}?\}|\\["'`^~=.]\{\\?[A-Za-z]\}"""
    r"""|(?<=[A-Za-z])\\["'`^~][A-Za-z]|\\[cvuHk]\{[A-Za-z]\}"""
)
_COMMAND = re.compile(
    r"(?<!\\)(?:\\([A-Za-z]+)\*?\s?[{\[]|\{\\(bf|it|em|tt|sc|rm|sf)\b"
    r"|\\(LaTeX|TeX|BibTeX|item|ldots|dots|newline|quad|hfill|noindent|ss|textendash|textemdash)\b)"
)
#: What TeX needs a backslash for, and a line without Markdown doesn't.
_ESCAPED = re.compile(r"\\[&%$#_{}]")
_LIST = re.compile(r"(?:- (?=.* - )|[•‣◦▪] )", re.DOTALL)
#: A text for each language, as YAML writes it.
_LANGUAGES = re.compile(r"\{\s*[a-z]{2,3}(?:-[A-Za-z0-9]{1,8})*:\s.*\}", re.DOTALL)
_BOLD, _ITALIC, _TYPEWRITER = "write **bold**", "write *italic*", "write `code`"
_LINK = "write [words](https://example.org)"
_BULLETS = "use bullets: with each point after a dash of its own"
_BREAK = "write a \\ at the end of the line"
#: What to write instead of a command, or a tag.
_HINTS = MappingProxyType(
    {"textbf": _BOLD, "bf": _BOLD, "b": _BOLD, "strong": _BOLD, "emph": _ITALIC,
     "textit": _ITALIC, "it": _ITALIC, "em": _ITALIC, "i": _ITALIC, "texttt": _TYPEWRITER,
     "tt": _TYPEWRITER, "code": _TYPEWRITER, "href": _LINK, "url": _LINK, "a": _LINK,
     "item": _BULLETS, "begin": _BULLETS, "ul": _BULLETS, "ol": _BULLETS, "li": _BULLETS,
     "newline": _BREAK, "br": _BREAK, "sup": "write ^2^", "sub": "write ~2~",
     "textsuperscript": "write ^2^", "textsubscript": "write ~2~"}
)  # fmt: skip
_USUAL = "write the words without it"
_TEX, _MATHS_HINT = "TeX is printed as it is written", "write it without TeX: O(log n), x^2^, H~2~O"
#: Characters of a hint with a whole text in it.
_LONG = 120


class Markup(Struct, frozen=True):
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


def find(text: str, *, plain: bool = False) -> Iterator[Markup]:
    """Yield the first of each sort of markup in a text, which is Markdown if not ``plain``."""
    text = text if plain else _CODE.sub("\0", text)
    if _LANGUAGES.fullmatch(text.strip()):
        fact, usual = "the languages are printed with their braces", "put quotes around each text"
        texts = in_languages(text)
        hint = f"write {writer.flow(texts)}" if texts else usual
        yield Markup("text-languages", fact, usual, text, hint if len(hint) <= _LONG else usual)
    entities = (one[0] for one in _ENTITY.finditer(text))
    if name := next((one for one in entities if one[1] == "#" or one[1:] in html5), None):
        meant = html.unescape(name)
        hint = f"write {meant}" if meant.isprintable() and not meant.isspace() else "write a space"
        fact = "a character as HTML has it is printed as it is written"
        yield Markup("text-html", fact, "write the character itself", name, hint)
    if tag := _TAG.search(text):
        hint = _HINTS.get((tag[1] or tag[2]).lower(), _USUAL)
        yield Markup("text-html", "HTML is printed as it is written", hint, tag[0], hint)
    if maths := _MATHS.search(text):
        fact = "maths is printed as it is written"
        yield Markup("text-tex", fact, _MATHS_HINT, maths[0], _MATHS_HINT)
    if accent := _ACCENT.search(text):
        fact, hint = (
            "a letter as TeX has it is not printed as that letter",
            "write the letter itself",
        )
        yield Markup("text-tex", fact, hint, accent[0], hint)
    if command := _COMMAND.search(_MATHS.sub("", _ACCENT.sub("", text))):
        hint = _HINTS.get(command[1] or command[2] or command[3], _USUAL)
        yield Markup("text-tex", _TEX, hint, command[0].rstrip("{[ ").lstrip("{"), hint)
    if mark := _LIST.match(text):
        yield Markup("text-list", "this mark of a list is printed", _BULLETS, mark[0][0], _BULLETS)
    if plain and (escaped := _ESCAPED.search(text)):
        yield Markup("text-tex", _TEX, _USUAL, escaped[0], f"write {escaped[0][1]}")


def in_languages(text: str) -> dict[str, str] | None:
    """Return the texts by language that are written as YAML in braces; None for any other text."""
    if not _LANGUAGES.fullmatch(text.strip()):
        return None
    try:
        there = source.parse(f"text: {text.strip()}", "text").find(("text",))
    except ProfileError:
        return None
    texts = there.data if there else None
    if isinstance(texts, dict) and all(map(language_tags.is_key, texts)):
        return texts if all(isinstance(one, str) for one in texts.values()) else None
    return None
