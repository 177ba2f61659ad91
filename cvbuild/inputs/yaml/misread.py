"""What YAML reads in another way than the person who wrote it: comments in values, lists in texts.

And texts that are not what they seem, by characters that they hide. The file is valid YAML, so
nobody else would tell. Pure: no file, no clock.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from typing import Literal

from msgspec import Struct

from cvbuild.common.diagnostics import Diagnostic, FieldPath, Place, Severity, Span
from cvbuild.inputs.yaml.source import LINE_BREAK
from cvbuild.inputs.yaml.tree import Node, Source, leaves
from cvbuild.model.text import language_tags, paragraphs
from cvbuild.model.text.paragraphs import LIST_MARK, is_list, split_list

#: A comment right after a value, if its # isn't followed by a space, as that of a comment is.
_COMMENT = re.compile(r"(?P<gap>[ \t]+)(?P<comment>#[^\s#].*)")
_COLOUR = re.compile(r"#([0-9A-Fa-f]{6}|(?=[A-Fa-f]*[0-9])[0-9A-Fa-f]{3})(?![\w-])")
#: The mark of a list's item at the beginning of a line, also of a value in quotes.
_ITEM = re.compile(r"[ \t]*[\"']?" + LIST_MARK.pattern)
#: Signs of which one alone is a list already; a * may be the mark of a note.
_SURE = ("-", "•", "‣", "◦", "▪")
#: A comment with a space after its #, if it goes on as a text does: C # and F#.
_GOES_ON = re.compile(r" (?P<comment>#[ \t]+(?:and\b|or\b|[&,/;)].*|.*?\b[A-Z]#(?!\w)).*)")
_LETTER, _ANY = re.compile(r"(?:^|.*[\s/,(])[CFJ]"), re.compile(r" (?P<comment>#.*)")
#: The top-level keys of facts: elsewhere a null may stand for a default.
_FACTS = tuple((key,) for key in (
    "contact", "employer", "headline", "interests", "letter", "name", "position", "recipient",
    "sections", "summary",
))  # fmt: skip


def slips(source: Source) -> Iterator[Diagnostic]:
    """Yield what is probably not meant so; ``source`` has its text."""
    rows = LINE_BREAK.split(source.text)
    reader = _Reader(source.name, rows, source.tree)
    for node, path in leaves(source.tree):
        if not isinstance(node.value, str):
            yield from reader.empty(node, path)
            continue
        row, column, end_row, end_column = node.place
        first = rows[row - 1][column - 1 : column]
        if first not in ("'", '"', "|", ">"):
            yield from reader.cut(node.value, end_row, end_column)
        if end_row > row:
            # A block of text begins below its | or >.
            begin = (row + 1, 1) if first in ("|", ">") else (row, column)
            yield from reader.lines((*begin, end_row, end_column), path, first, node.value)
            if first != "|":
                yield from reader.joined(node.value, row, end_row)
    yield from hidden(source)


class _Reader(Struct, frozen=True):
    file: str
    rows: list[str]
    tree: Node

    def empty(self, node: Node, path: FieldPath) -> Iterator[Diagnostic]:
        """Check whether an empty value is so because of a comment: ``accent: #7A1F3D``."""
        row, column = (node.key or node.place)[2:]
        rest = self.rows[row - 1][column - 1 :]
        start = len(rest) - len(rest.lstrip("\"' :")) if node.key else 0
        match = _COMMENT.match(rest, max(start - 1, 0))
        if match is None:
            # It may be written as a word: ``employer: Null``.
            row, column, end_row, end_column = node.place
            word = self.rows[row - 1][column - 1 : end_column - 1] if row == end_row else ""
            if word and "options" not in path and path[:1] in _FACTS:
                message = (
                    f"{word} is read as nothing" if word != "~" else "a ~ alone is read as nothing"
                )
                hint = "put it in quotes if it is text, or delete the line"
                yield Diagnostic(
                    "warning", "yaml-null", message, Span(self.file, *node.place), hint
                )
            return
        span = self.span(row, column + match.start("comment"), match["comment"])
        from cvbuild.inputs.yaml.syntax import Quoting  # few files have such a comment

        quotes = Quoting(self.file, self.rows, personal=True).allows(row - 1)
        name = path[-1] if node.key and quotes else "this value"
        message = f"the # begins a comment, so {name} is empty"
        if colour := _COLOUR.match(match["comment"]):
            hint = f'put the colour in quotes: "{colour[0]}"' if quotes else "put it in quotes"
            yield Diagnostic("error", "yaml-comment", message, span, hint)
        else:
            hint = "put the value in quotes if it is text, else a space after the #"
            yield Diagnostic("warning", "yaml-comment", message, span, hint)

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

    def cut(self, data: str, row: int, column: int) -> Iterator[Diagnostic]:
        """Check whether a comment after an unquoted text belongs to it.

        ``See [PR #12](…)``; or with a space after its #, ``Knows C # and F#``.
        """
        rest, todo = self.rows[row - 1][column - 1 :], ""
        severity: Severity | None = None
        match = _COMMENT.match(rest)
        if match:
            comment = match["comment"]
            if any(data.count(a) > data.count(b) and b in comment for a, b in ("[]", "()")):
                severity = "error"
            elif comment[1].isdigit() or (" " in data and match["gap"] == " "):
                severity, todo = "warning", ", or write a space after the # if it is a comment"
        elif match := _GOES_ON.match(rest) or (_LETTER.fullmatch(data) and _ANY.match(rest)):
            severity, todo = "warning", ", or write two spaces before the # of a comment"
        if match and severity:
            span = self.span(row, column + match.start("comment"), match["comment"])
            message = "the # begins a comment, and the text ends before it"
            hint = f"put the whole text in quotes{todo}"
            yield Diagnostic(severity, "yaml-comment", message, span, hint)

    def shows_list(self, data: str, path: FieldPath) -> bool:
        """Return whether all lists of a text are set as lists, as the text is one that may be."""
        if not path:
            return False
        node = self.tree.child("sections") if path[0] == "sections" else None
        section = node.child(path[1]) if node and path[1:] else None
        kind = section.fields["kind"].value if section and "kind" in section.fields else None
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
        if (halves := split_list(data)) is None:
            return False
        # It becomes bullets, or the points under one; points under points are the last level.
        before, points = halves
        levels = max(1 + bool(one.below) for one in points) + steps.count("bullets")
        levels += (kind == "bullets") - (steps[-1] == "bullets")
        holders = ["bullets", "items"] if kind == "bullets" else ["bullets"]
        is_bullet = isinstance(steps[-1], int) and len(steps) > 1 and steps[-2] in holders
        is_here = not before if steps[-1] == "bullets" else bool(before) and is_bullet
        return is_here and levels <= 2 and not any(one.number for one in points)

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
        is_item = path[0] == "sections" and any(isinstance(step, int) for step in path[2:])
        if path[-1:] == ("bullets",) and first not in ("|", ">"):
            hint = "begin each point, also the first, with a dash and a space"
        elif several and first != "|" and self.shows_list("\n".join(texts), path):
            hint = "begin the text with | and a new line, and it is set as a list"
        elif path[-1:] == ("bullets",):
            hint = "take away the | or > after bullets: and each of these lines is a bullet"
        elif isinstance(path[-1], int):
            hint = "give each point a dash of its own, indented like the first"
        else:
            holder = "bullets:" if is_item else "a section of kind: bullets,"
            hint = f"use {holder} with each point after a dash of its own"
        yield Diagnostic(severity, "text-list", message, span, hint)

    def span(self, row: int, column: int, text: str) -> Span:
        return Span(self.file, row, column, row, column + len(text.rstrip()))


# -- texts that are not what they seem -------------------------------------------------------------

#: What a text is: an address is looked at most strictly, prose only for what turns or tags it.
Use = Literal["address", "name", "headline", "prose"]

#: Keys of addresses, wherever they are, and of names.
_ADDRESSES = frozenset(("email", "phone", "url", "website", "profiles", "links"))
_NAMES = frozenset(("name", "recipient"))
#: An address inside of a text.
_INSIDE = re.compile(r"(?:https?://|mailto:)[^\s)>]+", re.IGNORECASE)
#: The host of a web address; what else it has is encoded, and keeps its characters.
_HOST = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*://)?[^/?#]*")
_OVERRIDES = "\u202d\u202e"
_SOFT_HYPHEN = "\u00ad"
_TAGS = re.compile("[\U000e0000-\U000e007f]")
#: What picks a form of the sign before it, and a blank that counts as a letter.
_VARIATION = re.compile("[\u034f\ufe00-\ufe0f\u180b-\u180f\U000e0100-\U000e01ef]")
#: Signs of a script that count as format characters, and are seen.
_SEEN = re.compile("[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd]")
#: The last letter of the Latin blocks: no language written in these needs what is invisible.
_LAST_LATIN = "\u024f"
_ALPHABETS = ("LATIN", "GREEK", "CYRILLIC")
_WORD = re.compile(r"[^\W\d_]+")


class Hidden(Struct, frozen=True):
    """A character that a text hides, with the fact and what to do."""

    character: str
    code: str
    fact: str
    hint: str

    @property
    def name(self) -> str:
        """The character as U+200B (zero width space)."""
        name = unicodedata.name(self.character, "an unnamed character").lower()
        return f"U+{ord(self.character):04X} ({name})"


def hidden(source: Source) -> Iterator[Diagnostic]:
    """Yield a warning for each text that hides a character, at it; ``source`` has its text."""
    if source.text.isascii() and "\\" not in source.text:
        return
    rows = LINE_BREAK.split(source.text)
    for node, path in leaves(source.tree):
        data = node.value
        if not isinstance(data, str) or data.isascii():
            continue
        keys = [step for step in path if isinstance(step, str)] or [""]
        use: Use = "headline" if "headline" in keys[-2:] else "prose"
        if keys[-1] == "label" or keys == [""]:
            use = "prose"
        elif not _ADDRESSES.isdisjoint(keys):
            use = "address"
        elif keys[0] == "name" or (keys[0] in _NAMES and keys[-1] == "name"):
            use = "name"
        inside: list[tuple[str, Use]] = [(one[0], "address") for one in _INSIDE.finditer(data)]
        parts = [(data, use), *inside]
        character = next(filter(None, (hidden_in(*part) for part in parts)), None)
        if character is None:
            continue
        # That of the value if the character is written as an escape.
        place = row, column, end_row, end_column = node.place
        for number in range(row, end_row + 1):
            start = column - 1 if number == row else 0
            end = end_column - 1 if number == end_row else None
            if (at := rows[number - 1].find(character.character, start, end)) >= 0:
                place = number, at + 1, number, at + 2
                break
        fact, span = f"{character.name} {character.fact}", Span(source.name, *place)
        yield Diagnostic("warning", character.code, fact, span, character.hint)


def hidden_in(text: str, use: Use) -> Hidden | None:
    """Return the first character of a text that it hides; None for a text as it seems."""
    if text.isascii() or not any(map(str.isprintable, text)):
        return None
    host = _HOST.match(text) if use == "address" else None
    for at, character in enumerate(text):
        if character in _OVERRIDES:
            hint = "delete it, and the mark that ends it"
            return Hidden(character, "text-direction", "turns the order of letters", hint)
        if use == "prose" and not _TAGS.match(character):
            continue
        if _is_hiding(text, at, "host" if host and at < host.end() else use):
            hint = "delete it, or type the words anew"
            return Hidden(character, "text-invisible", "is invisible", hint)
    for word in _WORD.finditer(text) if use in ("address", "name") else ():
        names = [unicodedata.name(letter, "").partition(" ")[0] for letter in word[0]]
        counts = {name: names.count(name) for name in _ALPHABETS if name in names}
        if len(counts) > 1:
            # Of a word with as many of both, the Latin letters are those that are meant.
            most = max(counts, key=lambda name: (counts[name], name == "LATIN"))
            at = next(at for at, name in enumerate(names) if name in counts and name != most)
            fact = f"looks like a {most.title()} letter of the same word"
            return Hidden(word[0][at], "text-alike", fact, "type the word anew in one alphabet")
    return None


def without_hidden(text: str) -> str:
    """Return a text without what it hides, but with all letters."""
    return "".join(
        character
        for at, character in enumerate(text)
        if character not in _OVERRIDES and not _is_hiding(text, at, "name")
    )


def _is_hiding(text: str, at: int, use: str) -> bool:
    """Return whether a character is invisible, and none that a language or a sign needs.

    Those are in a text that runs right to left, and behind all but blanks and Latin letters:
    joiners and blanks of the scripts of Asia, signs of several characters, forms of ideographs.
    """
    character, before = text[at], text[at - 1 : at]
    if character.isascii() or _SEEN.match(character):
        return False
    if unicodedata.category(character) != "Cf" and not _VARIATION.match(character):
        return False
    if use == "host":
        return True
    if character == _SOFT_HYPHEN:
        return use != "headline"
    if any(unicodedata.bidirectional(one) in ("R", "AL") for one in text):
        return False
    return not before or before <= _LAST_LATIN or before.isspace()
