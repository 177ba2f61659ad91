"""What YAML reads in another way than the person who wrote it: comments in values, lists in texts.

And texts that are not what they seem, by characters that they hide. The file is valid YAML, so
nobody else would tell. Pure: no file, no clock.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal

from msgspec import Struct

from cvbuild.common.diagnostics import Diagnostic, FieldPath, Place, Severity, Span
from cvbuild.inputs.yaml.builder import LINE_BREAK, Node
from cvbuild.inputs.yaml.quoting import Quoting
from cvbuild.inputs.yaml.source import Source, leaves
from cvbuild.model import language_tags, paragraphs
from cvbuild.model.paragraphs import LIST_MARK, Listed, is_list, split_list

#: A comment right after a value, if its # isn't followed by a space, as that of a comment is.
_COMMENT = re.compile(r"(?P<gap>[ \t]+)(?P<comment>#[^\s#].*)")
_COLOUR = re.compile(r"#([0-9A-Fa-f]{6}|(?=[A-Fa-f]*[0-9])[0-9A-Fa-f]{3})(?![\w-])")
#: The mark of a list's item at the beginning of a line, also of a value in quotes.
_ITEM = re.compile(r"[ \t]*[\"']?" + LIST_MARK.pattern)
#: Signs of which one alone is a list already; a * may be the mark of a note.
_SURE = ("-", "•", "‣", "◦", "▪")


#: A comment with a space after its #, if it goes on as a text does: C # and F#.
_GOES_ON = re.compile(r" (?P<comment>#[ \t]+(?:and\b|or\b|[&,/;)].*|.*?\b[A-Z]#(?!\w)).*)")
_LETTER = re.compile(r"(?:^|.*[\s/,(])[CFJ]")
#: The top-level keys of facts: elsewhere a null may stand for a default.
_FACTS = tuple((key,) for key in (
    "contact", "employer", "headline", "interests", "letter", "name", "position", "recipient",
    "sections", "summary",
))  # fmt: skip


def find(source: Source) -> Iterator[Diagnostic]:
    """Yield what is probably not meant so; ``source`` has its text."""
    rows = LINE_BREAK.split(source.text)
    reader = _Reader(source.name, rows, Quoting(source.name, rows, personal=True), source.data)
    for data, node, path in leaves(source.data, source.tree):
        if isinstance(data, str):
            yield from reader.text(data, node, path)
        elif data is None:
            yield from reader.empty(node, path)
    yield from hidden(source)


class _Reader(Struct, frozen=True):
    file: str
    rows: list[str]
    quoting: Quoting
    data: object

    def empty(self, node: Node, path: FieldPath) -> Iterator[Diagnostic]:
        """Check whether an empty value is so because of a comment: ``accent: #7A1F3D``."""
        row, column = (node.key or node.place)[2:]
        rest = self.rows[row - 1][column - 1 :]
        start = len(rest) - len(rest.lstrip("\"' :")) if node.key else 0
        match = _COMMENT.match(rest, max(start - 1, 0))
        if match is None:
            yield from self.nothing(node, path)
            return
        span = self.span(row, column + match.start("comment"), match["comment"])
        quotes = self.quoting.allows(row - 1)
        name = path[-1] if node.key and quotes else "this value"
        message = f"the # begins a comment, so {name} is empty"
        if colour := _COLOUR.match(match["comment"]):
            hint = f'put the colour in quotes: "{colour[0]}"' if quotes else "put it in quotes"
            yield Diagnostic("error", "yaml-comment", message, span, hint)
        else:
            hint = "put the value in quotes if it is text, else a space after the #"
            yield Diagnostic("warning", "yaml-comment", message, span, hint)

    def nothing(self, node: Node, path: FieldPath) -> Iterator[Diagnostic]:
        """Check whether an empty value is written as a word: ``employer: Null``."""
        row, column, end_row, end_column = node.place
        word = self.rows[row - 1][column - 1 : end_column - 1] if row == end_row else ""
        if not word or "options" in path or path[:1] not in _FACTS:
            return
        message = f"{word} is read as nothing" if word != "~" else "a ~ alone is read as nothing"
        hint = "put it in quotes if it is text, or delete the line"
        yield Diagnostic("warning", "yaml-null", message, Span(self.file, *node.place), hint)

    def text(self, data: str, node: Node, path: FieldPath) -> Iterator[Diagnostic]:
        """Check a text for a comment after it, and for a list in it."""
        row, column, end_row, end_column = node.place
        first = self.rows[row - 1][column - 1 : column]
        if first not in ("'", '"', "|", ">"):
            match = _COMMENT.match(self.rows[end_row - 1], end_column - 1)
            if match:
                yield from self.cut(data, match, end_row)
            else:
                yield from self.cut_at_space(data, end_row, end_column)
        if end_row > row:
            # A block of text begins below its | or >.
            begin = (row + 1, 1) if first in ("|", ">") else (row, column)
            yield from self.lines((*begin, end_row, end_column), path, first, data)
            if first != "|":
                yield from self.joined(data, row, end_row)

    def joined(self, data: str, row: int, end: int) -> Iterator[Diagnostic]:
        """Check a text that isn't after ``|`` for paragraphs: YAML joins them."""
        lines = data.strip("\n").split("\n")
        is_list = any(map(LIST_MARK.match, lines))
        pairs = [(one, other) for one, other in pairwise(lines) if one.strip() and other.strip()]
        # Lines that are indented further keep their breaks, and are meant as lines.
        if is_list or not any(one[0] > " " and other[0] > " " for one, other in pairs):
            return
        empty = (at for at in range(row, end - 1) if not self.rows[at].strip())
        for at in empty:
            if self.rows[at - 1].strip() and self.rows[at + 1].strip():
                message = (
                    "YAML reads one empty line as a line break here: the paragraphs are joined"
                )
                hint = "begin the text with | and a new line, or leave two empty lines"
                span = Span(self.file, at + 1, 1, at + 1, 1)
                yield Diagnostic("warning", "text-paragraphs", message, span, hint)
                return

    def cut(self, data: str, match: re.Match[str], row: int) -> Iterator[Diagnostic]:
        """Check whether a comment after an unquoted text belongs to it: ``See [PR #12](…)``."""
        comment = match["comment"]
        span = self.span(row, match.start("comment") + 1, comment)
        message = "the # begins a comment, and the text ends before it"
        hint = "put the whole text in quotes"
        if any(data.count(a) > data.count(b) and b in comment for a, b in ("[]", "()")):
            yield Diagnostic("error", "yaml-comment", message, span, hint)
        elif comment[1].isdigit() or (" " in data and match["gap"] == " "):
            hint += ", or write a space after the # if it is a comment"
            yield Diagnostic("warning", "yaml-comment", message, span, hint)

    def cut_at_space(self, data: str, row: int, column: int) -> Iterator[Diagnostic]:
        """Check whether what looks like a comment goes on with a text: ``Knows C # and F#``."""
        rest = self.rows[row - 1][column - 1 :]
        match = _GOES_ON.match(rest)
        if match is None and _LETTER.fullmatch(data):
            match = re.match(r" (?P<comment>#.*)", rest)
        if match:
            span = self.span(row, column + match.start("comment"), match["comment"])
            message = "the # begins a comment, and the text ends before it"
            hint = "put the whole text in quotes, or write two spaces before the # of a comment"
            yield Diagnostic("warning", "yaml-comment", message, span, hint)

    def shows_list(self, data: str, path: FieldPath) -> bool:
        """Return whether all lists of a text are set as lists, as the text is one that may be."""
        if not path:
            return False
        kind = self.kind_of(path)
        steps = [step for step in path if step != "value"]
        prose = [step for step in steps if step != "text"]
        if isinstance(prose[-1], str) and language_tags.is_key(prose[-1]):
            prose.pop()
        if (
            prose[-1] in ("note", "quote")
            or "summary" in prose[-2:]
            or (kind == "text" and "items" in prose[-2:])
        ):
            is_block = prose[-1] == "items" or (prose[-1] == "summary" and "items" not in prose)
            parts = paragraphs.split(data) if is_block else [data]
            marked = [part for part in parts if any(map(LIST_MARK.match, part.splitlines()))]
            splits = [split_list(part) for part in marked]
            return bool(splits) and all(splits)
        halves = split_list(data)
        return halves is not None and _is_bullets(*halves, steps, kind)

    def kind_of(self, path: FieldPath) -> object:
        """Return the kind of the section that a value is in."""
        here: object = self.data
        for step in path[:2]:
            try:
                here = here[step]  # type: ignore[index]
            except (KeyError, IndexError, TypeError):
                return None
        return here.get("kind") if path[:1] == ("sections",) and isinstance(here, dict) else None

    def lines(self, place: Place, path: FieldPath, first: str, data: str) -> Iterator[Diagnostic]:
        """Check a text of several lines for lines that look like items of a list.

        ``first`` is the character with which the value begins, ``data`` what YAML makes of it.
        """
        row, column, end_row, end_column = place
        texts = self.rows[row - 1 : end_row]
        texts[-1] = texts[-1][: end_column - 1]
        texts[0] = " " * (column - 1) + texts[0][column - 1 :]
        items = [(at, item) for at, text in enumerate(texts) if (item := _ITEM.match(text))]
        several = is_list([item for _, item in items])
        single = next((one for one in items if one[1]["sign"] in _SURE), None)
        if not several and single is None:
            return
        marked = [*filter(LIST_MARK.match, data.splitlines())]
        if several and len(marked) == len(items) and self.shows_list(data, path):
            return
        at, item = items[0] if several or single is None else single
        span = self.span(row + at, item.start("mark") + 1, texts[at][item.start("mark") :])
        message = "this looks like an item of a list, but it is a part of a text"
        severity: Severity = "error" if several else "warning"
        hint = _where_lists_go(path)
        if several and first != "|" and self.shows_list("\n".join(texts), path):
            hint = "begin the text with | and a new line, and it is set as a list"
        if path[-1:] == ("bullets",) and first not in ("|", ">"):
            hint = "begin each point, also the first, with a dash and a space"
        yield Diagnostic(severity, "text-list", message, span, hint)

    def span(self, row: int, column: int, text: str) -> Span:
        """Return the position of a text of one line."""
        return Span(self.file, row, column, row, column + len(text.rstrip()))


def _is_bullets(
    before: str, points: tuple[Listed, ...], path: list[str | int], kind: object
) -> bool:
    """Return whether a list at a path becomes bullets, or the points under one."""
    # Points under points are the last level.
    levels = max(1 + bool(one.below) for one in points) + path.count("bullets")
    levels += (kind == "bullets") - (path[-1] == "bullets")
    holders = ["bullets", "items"] if kind == "bullets" else ["bullets"]
    is_bullet = isinstance(path[-1], int) and len(path) > 1 and path[-2] in holders
    is_here = not before if path[-1] == "bullets" else bool(before) and is_bullet
    return is_here and levels <= 2 and not any(one.number for one in points)


def _where_lists_go(path: FieldPath) -> str:
    """Return what to do with a list in the text at a path."""
    if path[-1:] == ("bullets",):
        return "take away the | or > after bullets: and each of these lines is a bullet"
    if isinstance(path[-1], int):
        return "give each point a dash of its own, indented like the first"
    if path[0] == "sections" and any(isinstance(step, int) for step in path[2:]):
        return "use bullets: with each point after a dash of its own"
    return "use a section of kind: bullets, with each point after a dash of its own"


# -- texts that are not what they seem -------------------------------------------------------------

#: Keys of addresses, wherever they are, and of names.
_ADDRESSES = frozenset(("email", "phone", "url", "website", "profiles", "links"))
_NAMES = frozenset(("name", "recipient"))
#: An address inside of a text.
_INSIDE = re.compile(r"(?:https?://|mailto:)[^\s)>]+", re.IGNORECASE)


def hidden(source: Source) -> Iterator[Diagnostic]:
    """Yield a warning for each text that hides a character, at it; ``source`` has its text."""
    if source.text.isascii() and "\\" not in source.text:
        return
    rows = LINE_BREAK.split(source.text)
    for data, node, path in leaves(source.data, source.tree):
        if not isinstance(data, str) or data.isascii():
            continue
        if character := _hidden(data, _use(path)):
            fact = f"{character.name} {character.fact}"
            span = _span(character, node, source.name, rows)
            yield Diagnostic("warning", character.code, fact, span, character.hint)


def _hidden(text: str, use: Use) -> Hidden | None:
    """Return what a text hides, also in an address inside of it."""
    character = hidden_in(text, use)
    if character is None and use != "address":
        inside = (hidden_in(one[0], "address") for one in _INSIDE.finditer(text))
        character = next((one for one in inside if one), None)
    return character


def _use(path: FieldPath) -> Use:
    keys = [step for step in path if isinstance(step, str)]
    last = keys[-1] if keys else ""
    if last == "label" or not keys:
        return "prose"
    if not _ADDRESSES.isdisjoint(keys):
        return "address"
    if keys[0] == "name" or (keys[0] in _NAMES and last == "name"):
        return "name"
    return "headline" if "headline" in keys[-2:] else "prose"


def _span(hidden: Hidden, node: Node, file: str, rows: Sequence[str]) -> Span:
    """Return the position of the character; that of the value if it is written as an escape."""
    row, column, end_row, end_column = node.place
    for number in range(row, end_row + 1):
        line = rows[number - 1]
        start = column - 1 if number == row else 0
        end = end_column - 1 if number == end_row else len(line)
        at = line.find(hidden.character, start, end)
        if at >= 0:
            return Span(file, number, at + 1, number, at + 2)
    return Span(file, *node.place)


# -- characters that a text hides: invisible ones, other alphabets, directions ---------------------

# What a language or a symbol needs is none of these: joiners in Persian, in Indic scripts and in
# emoji, marks of direction in a text that runs right to left, words wholly in one alphabet.

#: What a text is: an address is looked at most strictly, prose only for what turns or tags it.
Use = Literal["address", "name", "headline", "prose"]

_OVERRIDES = "\u202d\u202e"
_JOINERS = "\u200c\u200d"
_DIRECTIONS = "\u061c\u200e\u200f\u202a\u202b\u202c\u2066\u2067\u2068\u2069"
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f")
_TAGS = re.compile("[\U000e0000-\U000e007f]")
#: Signs of a script that count as format characters, and are seen.
_SEEN = re.compile("[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd]")
_VARIATION = re.compile("[\ufe00-\ufe0f\u180b-\u180f\U000e0100-\U000e01ef]")
#: Scripts without spaces between words, where a zero width space stands in their place.
_SPACELESS = ("THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN", "CJK", "HIRAGANA", "KATAKANA")
_ALPHABETS = ("LATIN", "GREEK", "CYRILLIC")
#: Letters that look like those of another alphabet. Why few small Greek ones: they are signs.
_ALIKE = {
    "CYRILLIC": frozenset("аеорсухіјѕһԁԛԝАВЕЗКМНОРСТУХІЈЅ"),
    "GREEK": frozenset("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο"),
    "LATIN": frozenset("aeopcyxijshABEZHIKMNOPCTYXSJ"),
}
_WORD = re.compile(r"[^\W\d_]+")
#: The host of a web address; what else it has is encoded, and keeps its characters.
_HOST = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*://)?[^/?#]*")


class Hidden(Struct, frozen=True):
    """A character and where it is in the text, with the fact and what to do."""

    character: str
    at: int
    code: str
    fact: str
    hint: str

    @property
    def name(self) -> str:
        """The character as U+200B (zero width space)."""
        name = unicodedata.name(self.character, "an unnamed character").lower()
        return f"U+{ord(self.character):04X} ({name})"


def hidden_in(text: str, use: Use) -> Hidden | None:
    """Return the first character of a text that it hides; None for a text as it seems."""
    if text.isascii() or not any(map(str.isprintable, text)):
        return None
    flags = [range(*flag.span()) for flag in _FLAG.finditer(text)]
    host = _HOST.match(text) if use == "address" else None
    end = host.end() if host else 0
    for at, character in enumerate(text):
        if character in _OVERRIDES:
            hint = "delete it, and the mark that ends it"
            return Hidden(character, at, "text-direction", "turns the order of letters", hint)
        if any(at in flag for flag in flags):
            continue
        strict = _TAGS.match(character) if use == "prose" else _is_invisible(character)
        if strict and (at < end or not _is_needed(text, at, use)):
            hint = "delete it, or type the words anew"
            return Hidden(character, at, "text-invisible", "is invisible", hint)
    return None if use == "prose" else _alike(text, use)


def without_hidden(text: str) -> str:
    """Return a text without what it hides, but with all letters."""
    if text.isascii():
        return text
    return "".join(
        character
        for at, character in enumerate(text)
        if character not in _OVERRIDES
        and (not _is_invisible(character) or _is_needed(text, at, "name"))
    )


def _is_invisible(character: str) -> bool:
    if _VARIATION.match(character) or character in "\u034f\u17b4\u17b5":
        return True
    is_hieroglyph = "\U00013430" <= character <= "\U0001345f"
    is_format = unicodedata.category(character) == "Cf"
    return is_format and not is_hieroglyph and not _SEEN.match(character)


def _is_needed(text: str, at: int, use: Use) -> bool:
    """Return whether an invisible character has a purpose between those beside it."""
    character, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if not before:
        return character in _DIRECTIONS and _runs_left(text)
    if character == "\u00ad":
        return use == "headline" and before.isalpha() and after.isalpha()
    if character == "\u200b":
        return _script(before) in _SPACELESS or _script(after) in _SPACELESS
    if character in _DIRECTIONS:
        return _runs_left(text)
    if character in _JOINERS or character in "\u034f\u17b4\u17b5":
        return unicodedata.category(before)[0] in "LMS" and _script(before) not in _ALPHABETS
    if _VARIATION.match(character):
        return not before.isspace() and _script(before) not in _ALPHABETS
    return False


def _runs_left(text: str) -> bool:
    return any(unicodedata.bidirectional(one) in ("R", "AL") for one in text)


def _script(character: str) -> str:
    return unicodedata.name(character, "").partition(" ")[0] if character else ""


def _alike(text: str, use: Use) -> Hidden | None:
    """Return the first letter that looks like one of the alphabet of the rest of its word."""
    for word in _WORD.finditer(text):
        if word[0].isascii():
            continue
        scripts = [_script(one) for one in word[0]]
        counted = {name: scripts.count(name) for name in _ALPHABETS if name in scripts}
        if len(counted) < 2:
            continue
        # Of a word with as many of both, the Latin letters are those that are meant.
        most = max(counted, key=lambda name: (counted[name], name == "LATIN"))
        others = [at for at, name in enumerate(scripts) if name in counted and name != most]
        alike = {one: _ALIKE[one] | frozenset("νρ" if use != "headline" else "") for one in counted}
        if all(word[0][at] in alike[scripts[at]] for at in others):
            fact = f"looks like a {most.title()} letter of the same word"
            at = word.start() + others[0]
            return Hidden(text[at], at, "text-alike", fact, "type the word anew in one alphabet")
    return None
