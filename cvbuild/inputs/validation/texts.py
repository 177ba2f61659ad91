"""Check what texts say: markup of other languages, which would be printed as it is written."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from pydantic import BaseModel

from cvbuild.common.diagnostics import (
    LONGEST,
    Diagnostic,
    FieldPath,
    ProfileError,
    Severity,
    shown_value,
)
from cvbuild.inputs.references.identity import persons
from cvbuild.inputs.yaml import source, writer
from cvbuild.inputs.yaml.tree import Source
from cvbuild.model import kinds
from cvbuild.model.base import FrozenMap, Prose, Wording
from cvbuild.model.contact import Name
from cvbuild.model.locales.dates import Date
from cvbuild.model.profile import Profile
from cvbuild.model.sections import Author
from cvbuild.model.text import language_tags, rich_text
from cvbuild.model.text.texts import escaped

#: Fields that are no texts for a reader.
_NO_TEXTS = frozenset(
    ("arxiv", "doi", "email", "id", "kind", "locale", "numbering", "options", "order",
     "phone", "photo", "tags", "template", "website")
)  # fmt: skip
#: Whether a text may have markup of HTML or TeX, or begin like an item of a list.
_PERHAPS_MARKUP = re.compile(r"&#?\w+;|</?[A-Za-z]|\\|\$|\A[-•‣◦▪] |\A\s*\{")
_STYLED = re.compile(r"(\*{1,3}|_{1,3})(?! )(.+?)\1")
_OTHERS = re.compile(r"et al|and others|…|\.\.\.")
_AND = re.compile(r",? (?:and|&) |; ?")
#: Names in a new file, which may well stand in another one.
_NAMES = frozenset(("Example Company", "Example University", "Journal of Examples"))
#: Texts of a new file that say what belongs there (workspace-template/people).
STARTER = frozenset(
    ("Your position or field, in one line",
     "Two or three sentences: who you are, what you are best at, what you look for.",
     "What you were there", "What you did, and what came of it, best with a number.",
     "Another point; a low `priority` is left out first if a page is full.", "Your degree",
     "Your subject", "Town, Country", "The title of a publication", "A group of skills",
     "What you know", "What you can do", "A language", "How well you know it", *_NAMES)
)  # fmt: skip
_NEW = frozenset(map(kinds.new_name, kinds.KINDS))
#: So many names are compared with the person's.
_MANY_NAMES = 1000
#: A word of a name: Ada, O'Neil, A., van.
_NAME = re.compile(r"[^\W\d_a-z][\w.’'‐-]*|(?:van|von|de|da|del|der|den|di|la|le|el|bin|ten|ter)")


def check(profile: Profile, source: Source) -> Iterator[Diagnostic]:
    """Yield errors and warnings about texts that are probably not meant as they would print."""
    left, is_new, lists = list[FieldPath](), False, 0
    without_me = list[tuple[FieldPath, tuple[Author, ...]]]()
    for path, value, is_plain in _texts(profile, ()):
        if isinstance(value, Date):
            yield from _years(value, path, source)
        elif isinstance(value, str):
            # An item that is just begun: New skill, Institution.
            key = next((step for step in reversed(path) if isinstance(step, str)), "")
            is_begun = value in _NEW or value == key.replace("-", " ").capitalize()
            if value in STARTER or (is_begun and path[:1] == ("sections",)):
                left.append(path)
                is_new |= value not in _NAMES
            yield from _signs(value, path, source, plain=is_plain)
        else:
            faults = [*_authors(value, path, profile.name, source)]
            yield from faults
            lists += 1
            mine = persons(value, profile.name)
            if not (faults or any(mine) or any(_OTHERS.match(author.name) for author in value)):
                without_me.append((path, value))
    if is_new:
        count = len(left)
        message = f"{f'{count} texts are' if count > 1 else 'a text is'} still what a new file has"
        hint = "write your own, or delete the item"
        span = min(map(source.span, left), key=lambda span: span.line or 0)
        yield Diagnostic("warning", "starter", message, span, hint)
    if without_me:
        place, fact = without_me[0][0], f"in {len(without_me)} of {lists} lists of authors"
        fact = f"{fact} no name is yours"
        names = {author.name: None for _, authors in without_me for author in authors}
        if not _hides(source, place):
            from difflib import get_close_matches  # only needed for messages

            like = get_close_matches(profile.name.display, [*names][:_MANY_NAMES], cutoff=0.4)
            fact += f"; most like it: {', '.join(map(shown_value, like))}" if like else ""
        hint = "add what is yours to the spellings as an author: to author in name"
        yield Diagnostic("note", "author-lacking", fact, source.span(place), hint)


def _texts(value: Any, path: FieldPath) -> Iterator[tuple[FieldPath, Any, bool]]:
    """Yield texts, dates and lists of authors with their paths, and whether it has no Markdown."""
    inner: Iterable[tuple[str | int, Any]] = ()
    match value:
        case Prose():
            for tag, text in (dict(value.translations) or {"": value}).items():
                for paragraph in text.every:
                    yield (*path, tag) if tag else path, paragraph.source, False
        case str():
            lines = dict(value.translations) if isinstance(value, Wording) else {}
            for tag, line in (lines or {"": value}).items():
                yield (*path, tag) if tag else path, line, True
        case Date():
            yield from _texts(value.several, path)
            yield from _texts(value.text or "", (*path, "text"))
            yield path, value, True
        case tuple():
            if value and isinstance(value[0], Author):
                yield path, value, True
            inner = enumerate(value)
        case FrozenMap():
            inner = value.items()
        case BaseModel():
            fields = type(value).model_fields.items()
            names = ((name, field.alias or name) for name, field in fields)
            inner = ((key, getattr(value, name)) for name, key in names if name not in _NO_TEXTS)
    for step, part in inner:
        if part:
            yield from _texts(part, (*path, step))


def _signs(text: str, path: FieldPath, source: Source, *, plain: bool) -> Iterator[Diagnostic]:
    for written, becomes in () if plain else rich_text.doubts(text)[:1]:
        fact, hint = "signs are left out, as Markdown", "put code in `backticks`"
        if not _hides(source, path):
            fact += f": {shown_value(written)} becomes {shown_value(becomes)}"
            hint += f", or write {escaped(written)}" if len(written) <= LONGEST else ""
        yield Diagnostic("warning", "text-signs", fact, source.span(path), hint)
    for markup in find(text, plain=plain) if _PERHAPS_MARKUP.search(text) else ():
        message, hint = f"{markup.fact}: {shown_value(markup.text)}", markup.hint
        if _hides(source, path):
            message, hint = markup.fact, _USUAL
        yield Diagnostic("warning", markup.code, message, source.span(path), hint)


def _years(date: Date, path: FieldPath, source: Source) -> Iterator[Diagnostic]:
    """Yield a warning if 2009/10 is read as a month, and may be two years."""
    start, part = date.start, source.find(path)
    if start and part and start.month == start.year % 100 + 1 and "/" in str(part.data):
        from cvbuild.inputs.validation import date_hints

        if years := date_hints.two_years(str(part.data)):
            fact = "this date is read as a month of one year"
            hint = f"write {years} if it is two years, and {start} if it isn't"
            hint = "write a month with a hyphen: 2019-09" if _hides(source, path) else hint
            yield Diagnostic("warning", "date-years", fact, source.span(path), hint)


def _authors(
    authors: tuple[Author, ...], path: FieldPath, person: Name, source: Source
) -> Iterator[Diagnostic]:
    """Yield errors for names with Markdown, and for several people that are read as one."""
    for index, author in enumerate(authors):
        place, written = (*path, index), author.name + author.marks
        if author.name == person.display:
            continue  # Whatever it is: the head shows it so, too.
        if styled := _STYLED.match(written):
            name = written[: styled.start()] + styled[2] + written[styled.end() :]
            me, hidden = Author.model_validate(name), _hides(source, place)
            others = [me, *(other for other in authors if other is not author)]
            message = f"{'this' if hidden else shown_value(written)} is printed with its signs"
            hint = "write the name without them" if hidden else f"write {name[:LONGEST]}"
            if persons(others, person)[0]:
                hint += "; cvbuild finds and marks the person by the name"
            yield Diagnostic("error", "author-markdown", message, source.span(place), hint)
        elif several := _several(author.name):
            certain = len(several) > 2 or _AND.search(author.name)
            message = "these authors are read as one"
            hint = "write a list, each author after a dash"
            if len(shortened := ", ".join(several)) <= LONGEST and not _hides(source, place):
                hint = f"write a list: [{shortened}]"
            level: Severity = "error" if certain else "warning"
            yield Diagnostic(level, "authors", message, source.span(place), hint)


def _hides(source: Source, path: FieldPath) -> bool:
    from cvbuild.inputs.validation import errors

    return errors.hides(source, path)


def _several(text: str) -> list[str]:
    """Return the names of a text that names several people; nothing for one person."""
    parts = [part for names in _AND.split(text) for part in names.split(", ")]
    names = [part.strip() for part in parts if part.strip()]
    # Whole names: Ada Example, A. van Example.
    words = [name.split() for name in names]
    are_whole = all(2 <= len(name) <= 5 and all(map(_NAME.fullmatch, name)) for name in words)
    return names if len(names) > 1 and are_whole else []


# -- HTML and TeX in a text ------------------------------------------------------------------------


#: Code between one to three backticks. Why no more: each length of a run that isn't closed is
#: looked for up to the text's end.
_CODE = re.compile(r"(?<!`)(`{1,3})(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
#: HTML: a tag, or what stands for a character.
_HTML = re.compile(
    r"(?<![\\\w])</?(b|strong|i|em|u|br|p|ul|ol|li|a|span|div|sup|sub|code|h[1-6])(?:\s[^<>]*)?/?>"
    r"|(?<!\\)&(?:[A-Za-z][A-Za-z0-9]{1,31}|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});",
    re.IGNORECASE,
)
#: TeX: maths, a letter with an accent (in braces, before braces, or inside of a word), a command.
_TEX = re.compile(
    r"(?<![\\\w$])\$(?:(?=[^$\n]*[\\^_{}])(?!\s)[^$\n]{1,200}(?<!\s)"
    r"|[A-Za-z][A-Za-z0-9 +*/=<>()-]{0,20})\$(?!\w)"
    r"""|\{\\["'`^~=.]\s*\{?\\?[A-Za-z]\}?\}|\\["'`^~=.]\{\\?[A-Za-z]\}"""
    r"""|(?<=[A-Za-z])\\["'`^~][A-Za-z]|\\[cvuHk]\{[A-Za-z]\}"""
    r"|(?<!\\)(?:\\([A-Za-z]+)\*?(?=\s?[{\[])|(?:(?<=\{)\\(bf|it|em|tt|sc|rm|sf)\b)"
    r"|\\(LaTeX|TeX|BibTeX|item|ldots|dots|newline|quad|hfill|noindent|ss|textendash|textemdash)\b)"
)
_LIST = re.compile(r"(?:- (?=.* - )|[•‣◦▪] )", re.DOTALL)
#: What TeX needs a backslash for, and a line without Markdown doesn't.
_ESCAPED = re.compile(r"\\[&%$#_{}]")
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
_MATHS, _LETTER = "write it without TeX: O(log n), x^2^, H~2~O", "write the letter itself"
#: Characters of a hint with a whole text in it.
_LONG = 120


class Markup(Struct, frozen=True):
    """Markup in a text: what of it is printed as it is written, and what to write."""

    code: str
    fact: str
    text: str
    hint: str


def find(text: str, *, plain: bool = False) -> Iterator[Markup]:
    """Yield the first of each sort of markup in a text, which is Markdown if not ``plain``."""
    text = text if plain else _CODE.sub("\0", text)
    if _LANGUAGES.fullmatch(text.strip()):
        texts = in_languages(text)
        hint = f"write {writer.flow(texts)}" if texts else ""
        hint = hint if 0 < len(hint) <= _LONG else "put quotes around each text"
        yield Markup("text-languages", "the languages are printed with their braces", text, hint)
    # A tag, or what stands for a character: R&D; is neither.
    signs = (sign for sign in _HTML.finditer(text) if sign[1] or html.unescape(sign[0]) != sign[0])
    if sign := next(signs, None):
        meant = html.unescape(sign[0])
        letter = (
            f"write {meant}" if meant.isprintable() and not meant.isspace() else "write a space"
        )
        hint = letter if sign[1] is None else _HINTS.get(sign[1].lower(), _USUAL)
        yield Markup("text-html", "HTML is printed as it is written", sign[0], hint)
    tex = _TEX.search(text)
    if sign := tex or (_ESCAPED.search(text) if plain else None):
        command = next(filter(None, sign.groups()), None)
        hint = _MATHS if sign[0][0] == "$" else _LETTER if tex else f"write {sign[0][1]}"
        hint = _HINTS.get(command, _USUAL) if command else hint
        yield Markup("text-tex", "TeX is printed as it is written", sign[0], hint)
    if mark := _LIST.match(text):
        yield Markup("text-list", "this mark of a list is printed", mark[0][0], _BULLETS)


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
        return texts if all(isinstance(each, str) for each in texts.values()) else None
    return None
