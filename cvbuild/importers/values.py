"""Data of another program's file as a tree: each value knows its place, and whether it was read.

An importer reads the keys it knows; ``lose_unread`` lists the rest: nothing goes silently.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from cvbuild.common.diagnostics import CvbuildError, Span, quoted
from cvbuild.importers.draft import Draft
from cvbuild.model.text import texts

#: Collections inside each other. A CV needs fewer than ten.
MAX_DEPTH = 60
#: Scalars, keys, lists and mappings of one file.
MAX_VALUES = 250_000
#: Notes of what was not read.
_MOST_LOST = 2_000


class Places:
    """Where the letters of a file's text are."""

    def __init__(self, text: str, name: str) -> None:
        self._name = name
        self._lines = [0, *(found.end() for found in re.finditer("\n", text))]

    def span(self, start: int, end: int) -> Span:
        """Return the place of a part of the text."""
        first, last = bisect_right(self._lines, start), bisect_right(self._lines, end)
        column, end_column = start - self._lines[first - 1] + 1, end - self._lines[last - 1] + 1
        return Span(self._name, first, column, last, end_column)


@dataclass(slots=True, eq=False, repr=False)
class Value:
    """A value of a file: a text, a list, a mapping; None for null.

    Numbers and flags are the text that was written. ``path`` is the value's name in messages:
    work[0].summary. ``near`` is the item of the draft that the value became, if it did.
    A dot leads inside: ``text("location.city")``; ``value`` of a text is the text.
    """

    data: str | list[Value] | dict[str, Value] | None
    place: Span
    # The path is that of the value above, and the step from there.
    step: str | int = ""
    above: Value | None = None
    is_read: bool = False
    near: object = None

    def add(self, key: str, value: Value) -> None:
        """Put a value into a list, or into a mapping under a key."""
        if isinstance(self.data, list):
            value.above, value.step = self, len(self.data)
            self.data.append(value)
        elif isinstance(self.data, dict):
            value.above, value.step = self, key
            if earlier := self.data.pop(key, None):
                # Programs read the last one: what an earlier one said is listed as lost.
                earlier.step = f"{key} (earlier, {len(self.data) + 1})"
                self.data[earlier.step] = earlier
            self.data[key] = value

    @property
    def path(self) -> str:
        """The names that lead to it."""
        above = self.above.path if self.above else ""
        if isinstance(self.step, int):
            return f"{above}[{self.step}]"
        return f"{above}.{self.step}" if above else self.step

    @property
    def fields(self) -> dict[str, Value]:
        """What a mapping holds, to be changed; of others nothing."""
        return self.data if isinstance(self.data, dict) else {}

    def get(self, key: str) -> Value | None:
        """Return the value under a key, without reading it."""
        here: Value | None = self
        for step in key.split("."):
            if here is not None and not (isinstance(here.data, str) and step == "value"):
                here = here.fields.get(step)
        return here

    def text(self, *keys: str) -> str:
        """Return the first text that isn't blank under one of the keys; equal ones are read."""
        known = [value for value in map(self.get, keys) if value and isinstance(value.data, str)]
        found = next((text for value in known if (text := str(value.data)).strip()), "")
        for value in known:
            value.is_read |= value.data == found or not str(value.data).strip()
        return found

    def own_text(self) -> str:
        """Return the value itself, if it is a text; else "".

        In YAML, what has a colon in it is a mapping, unless it is in quotes: Thesis: On clocks.
        """
        if len(self.fields) == 1:
            ((key, value),) = self.fields.items()
            if isinstance(value.data, str) and key[:1].isupper():
                return f"{key}: {value.own_text()}"
        if not isinstance(self.data, str):
            return ""
        self.is_read = True
        return self.data

    def whole(self) -> str:
        """Return all texts in it, and mark them as read."""
        found = [value for value in self.walk() if isinstance(value.data, str)]
        return "\n".join(filter(None, map(Value.own_text, found)))

    def words(self, *paths: str) -> str:
        """Return the whole text at the first path that has one, on one line."""
        for value in (value for path in paths for value in self.all(path)[:1]):
            if text := " ".join(value.whole().split()):
                return text
        return ""

    def texts(self, *keys: str) -> list[str]:
        """Return the texts of a list that aren't blank; one text counts as a list of one."""
        return [text for value in self.items(*keys) if (text := value.own_text()).strip()]

    def items(self, *keys: str) -> list[Value]:
        """Return the elements of the first key that has any; one value counts as a list of one."""
        for key in keys:
            value = self.get(key)
            if value is not None and value.data not in (None, [], {}, ""):
                return value.data if isinstance(value.data, list) else [value]
        return []

    def all(self, path: str) -> list[Value]:
        """Return all values at a path, also through lists on its way."""
        found = [self]
        for step in path.split("."):
            found = [inner for value in found for inner in value.items(step)]
        return found

    def mappings(self, *keys: str) -> list[Value]:
        """Return the mappings among the elements of a list."""
        return [value for value in self.items(*keys) if isinstance(value.data, dict)]

    def mapping(self, key: str) -> Value:
        """Return the mapping under a key; an empty one if there is none."""
        return next(iter(self.mappings(key)), Value({}, self.place, key, self))

    def where(self, *keys: str) -> Span:
        """Return the place of the first of the keys that there is, else that of the mapping."""
        return next((value.place for key in keys if (value := self.get(key))), self.place)

    def read(self) -> None:
        """Mark the value, and all in it, as read."""
        for value in self.walk():
            value.is_read = True

    def walk(self) -> Iterator[Value]:
        """Yield the value and all in it, in their order."""
        stack = [self]
        while stack:
            value = stack.pop()
            yield value
            stack += reversed(value.parts())

    def parts(self) -> list[Value]:
        """Return what is inside."""
        return self.data if isinstance(self.data, list) else [*self.fields.values()]

    def plain(self, draft: Draft | None = None) -> Any:
        """Return the value without its places; a draft remembers those of mappings."""
        if isinstance(self.data, list):
            return [value.plain(draft) for value in self.data]
        if not isinstance(self.data, dict):
            return self.data
        data = {key: value.plain(draft) for key, value in self.data.items()}
        if draft:
            draft.mark(data, self.place)
        return data


def lose_unread(value: Value, draft: Draft) -> None:
    """List the largest parts of which nothing was read, each at the item that it belongs to."""
    found = _unread(value, None)
    lost = [
        (part, near)
        for part, near in ([(value, None)] if found is None else found)
        if any(isinstance(one.data, str) and one.data.strip() for one in part.walk())
    ]
    for part, near in lost[:_MOST_LOST]:
        draft.lose(part.path or "the file", part.plain(), part.place, near)
    if more := len(lost[_MOST_LOST:]):
        draft.lose("further texts", f"{more:,}, too many to list", lost[_MOST_LOST][0].place)


def _unread(value: Value, near: object) -> list[tuple[Value, object]] | None:
    """Return the parts that were not read, and where they belong; None for all of the value."""
    near = value.near or near
    inner = [(part, _unread(part, near)) for part in value.parts()]
    if not (value.is_read or value.near is not None) and all(one is None for _, one in inner):
        return None
    return [each for part, one in inner for each in ([(part, near)] if one is None else one)]


class Token(NamedTuple):
    """A scalar, a bracket that opens or closes, or ``*``, an alias of what has an ``anchor``."""

    place: Span
    kind: str
    data: str | None = None
    anchor: str | None = None


def tree(code: str, tokens: Iterator[Token]) -> Value:
    """Return the value that all tokens make, null if there are none; raise a located CvbuildError.

    ``code`` begins that of errors. There are limits; an alias stands for a copy, which counts.
    """
    named: dict[str | None, Value] = {}
    count = 0

    def refuse(what: str, fact: str, fix: str, place: Span) -> NoReturn:
        raise CvbuildError.because(f"{code}-{what}", fact, fix, place)

    def counted(data: Any, place: Span, level: int) -> Value:
        nonlocal count
        count += 1
        if level >= MAX_DEPTH:
            fact = f"nested more than {MAX_DEPTH} levels deep"
            refuse("too-deep", fact, "a CV needs fewer than ten: is it the right file?", place)
        if count > MAX_VALUES:
            fact = f"the file has more than {MAX_VALUES:,} values"
            refuse("too-many", fact, "a CV has some hundreds: is it the right file?", place)
        return Value(data, place)

    def copied(value: Value, level: int) -> Value:
        copy = counted(value.data, value.place, level)
        if not isinstance(value.data, str | None):
            copy.data = type(value.data)()
        for inner in value.parts():
            copy.add(str(inner.step), copied(inner, level + 1))
        return copy

    def of(token: Token, level: int = 0) -> Value:
        """Return the value that begins with a token."""
        if token.kind == "*":
            if token.data not in named:
                fact = f"the alias {quoted(f'*{token.data}', 30)} stands for nothing yet"
                refuse("alias", fact, "write out what it stands for", token.place)
            return copied(named[token.data], level)
        value = counted(token.data, token.place, level)
        if token.kind:
            value.data = {} if token.kind == "{" else []
        for inner in tokens if token.kind else ():
            if inner.kind in ("}", "]"):
                break
            part = of(inner, level + 1)
            key = part.data
            if isinstance(value.data, dict):
                if not isinstance(key, str | None):
                    fix = "put it in quotes if it is text"
                    refuse("key", "a key must be text", fix, part.place)
                part = of(next(tokens), level + 1)
            value.add(key if isinstance(key, str) else "null", part)
        if token.anchor:
            named[token.anchor] = value
        return value

    root = next(map(of, tokens), None)
    # A second one is the parser's to refuse.
    next(tokens, None)
    return root or Value(None, Span(""))


# -- JSON with the line and column of every value -------------------------------------------------
#
# Python's own reader says whether a text is JSON; what is, is cut into tokens, which have places.
# Numbers and flags are the text that was written.

_TOKEN = re.compile(r'[{}\[\],:]|"(?:[^"\\]|\\.)*"|[^\s{}\[\],:"]+', re.DOTALL)
_TRAILING = ("no value follows this comma", "delete the comma")
#: What is there, what Python's errors begin with, what we say, and how to mend it.
_ERRORS = (
    (r"\s*$", "", "the file ends too early",
     "a bracket that opens isn't closed, so it is not whole; export it once more"),
    (r"//|/\*|#", "", "JSON has no comments", "delete it"),
    ("['‘’“”]", "", "a text in double quotes is needed here",
     'put texts and keys in straight quotes: "'),
    ("", "Unterminated", "the text that begins here has no end", "close it with a double quote"),
    ("", "Invalid \\", "this backslash begins no escape of JSON",
     r"write two backslashes for one, or \u00e9 with four digits"),
    ("", "Extra data", "more text follows the end of the data",
     "a file holds one value: delete what follows, or the bracket too many before it"),
    ("", "Illegal trailing comma", *_TRAILING),
    ("", "Expecting property name", "a key in double quotes is needed here",
     "put the key in double quotes, or delete the comma before it"),
    ("", "Expecting ':'", "a colon is needed here", "put a colon before it"),
    ("", "Expecting ','", "a comma or a closing bracket is needed here", "put it before this"),
    ("", "Expecting value", "a value is needed here", "put it in double quotes if it is text"),
    ("", "", "this is no JSON", "export it once more"),
)  # fmt: skip


def parse_json(data: bytes, name: str) -> Value:
    """Return the value of a file, called ``name`` in messages; raise a located CvbuildError."""
    text = texts.decoded(data)
    places = Places(text, name)
    try:
        json.loads(text, strict=False, parse_int=str)
    except json.JSONDecodeError as error:
        at, fact, fix = _json_fault(error)
        raise CvbuildError.because("json", fact, fix, places.span(at, at + 1)) from None
    except RecursionError:
        # The tree says where it is too deep.
        pass
    return tree("json", _tokens(text, places))


def _json_fault(error: json.JSONDecodeError) -> tuple[int, str, str]:
    """Return the place of Python's error, and what it is to those who know no JSON."""
    before, rest = error.doc[: error.pos].rstrip(), error.doc[error.pos :]
    if not error.doc.strip():
        return 0, "the file is empty", "export it once more"
    if rest.startswith(("}", "]")) and before.endswith(","):
        # Python says so itself from 3.13 on.
        return len(before) - 1, *_TRAILING
    said = (
        (fact, fix)
        for form, begin, fact, fix in _ERRORS
        if re.match(form, rest) and error.msg.startswith(begin)
    )
    return error.pos, *next(said)


def _tokens(text: str, places: Places) -> Iterator[Token]:
    for found in _TOKEN.finditer(text):
        word, place = found[0], places.span(*found.span())
        if word in ("NaN", "Infinity", "-Infinity"):
            hint = "put it in double quotes if it is text"
            fact = f"a value is needed here, not {quoted(word)}"
            raise CvbuildError.because("json", fact, hint, place)
        if word in "{[}]":
            yield Token(place, word)
        elif word not in ",:":
            data = json.loads(word, strict=False) if word.startswith('"') else word
            yield Token(place, "", None if word == "null" else data)
