"""JSON with the line and column of every value.

Python's own reader says whether a text is JSON; what is, is cut into tokens, which have places.
Numbers and flags are the text that was written.
"""

from __future__ import annotations

import json
import re

from cvbuild.common.diagnostics import quoted
from cvbuild.common.errors import CvbuildError
from cvbuild.importers.sources.located import MAX_DEPTH, MAX_VALUES, Places, Value
from cvbuild.inputs.references import texts

_TOKEN = re.compile(r'[{}\[\],:]|"(?:[^"\\]|\\.)*"|[^\s{}\[\],:"]+', re.DOTALL)
_TRAILING = ("no value follows this comma", "delete the comma")
#: What Python's errors begin with, what we say, and how to mend it.
_ERRORS = (
    ("Unterminated", "the text that begins here has no end", "close it with a double quote"),
    (
        "Invalid \\",
        "this backslash begins no escape of JSON",
        r"write two backslashes for one, or \u00e9 with four digits",
    ),
    (
        "Extra data",
        "more text follows the end of the data",
        "a file holds one value: delete what follows, or the bracket too many before it",
    ),
    ("Illegal trailing comma", *_TRAILING),
    (
        "Expecting property name",
        "a key in double quotes is needed here",
        "put the key in double quotes, or delete the comma before it",
    ),
    ("Expecting ':'", "a colon is needed here", "put a colon before it"),
    ("Expecting ','", "a comma or a closing bracket is needed here", "put it before this"),
    ("Expecting value", "a value is needed here", "put it in double quotes if it is text"),
)


def parse(data: bytes, name: str) -> Value:
    """Return the value of a file, called ``name`` in messages; raise a located CvbuildError."""
    text = texts.decoded(data)
    places = _Places(text, name)
    try:
        json.loads(text, strict=False, parse_int=str)
    except json.JSONDecodeError as error:
        raise _error(error, places) from None
    except RecursionError:
        raise places.error(0, *_too_deep()) from None
    return _values(text, places)


class _Places(Places):
    def error(self, position: int, message: str, hint: str) -> CvbuildError:
        """Return an error at a letter of the text."""
        return CvbuildError.because("json", message, hint, self.span(position, position + 1))


def _error(error: json.JSONDecodeError, places: _Places) -> CvbuildError:
    """Return Python's error in words for those who know no JSON."""
    rest = error.doc[error.pos :]
    if not error.doc.strip():
        return places.error(0, "the file is empty", "export it once more")
    if not rest.strip():
        hint = "a bracket that opens isn't closed, so it is not whole; export it once more"
        return places.error(error.pos, "the file ends too early", hint)
    if rest.startswith(("//", "/*", "#")):
        return places.error(error.pos, "JSON has no comments", "delete it")
    if rest.startswith(("'", "‘", "’", "“", "”")):
        hint = 'put texts and keys in straight quotes: "'
        return places.error(error.pos, "a text in double quotes is needed here", hint)
    before = error.doc[: error.pos].rstrip()
    if rest.startswith(("}", "]")) and before.endswith(","):
        # Python says so itself from 3.13 on.
        return places.error(len(before) - 1, *_TRAILING)
    said = next((said for begin, *said in _ERRORS if error.msg.startswith(begin)), None)
    return places.error(error.pos, *(said or ("this is no JSON", "export it once more")))


def _too_deep() -> tuple[str, str]:
    hint = "a CV needs fewer than ten: is it the right file?"
    return f"nested more than {MAX_DEPTH} levels deep", hint


def _values(text: str, places: _Places) -> Value:
    """Return the values of a text that is JSON."""
    root = Value(None, places.span(0, 0))
    opened: list[tuple[Value, int]] = []
    key: str | None = None
    count = 0
    for token in _TOKEN.finditer(text):
        word, (start, end) = token.group(), token.span()
        if word in ",:":
            continue
        if word in "}]":
            value, begin = opened.pop()
            value.place = places.span(begin, end)
            continue
        inside = opened[-1][0] if opened else None
        if inside is not None and isinstance(inside.data, dict) and key is None:
            key = json.loads(word, strict=False)
            continue
        count += 1
        if count > MAX_VALUES:
            hint = "a CV has some hundreds: is it the right file?"
            raise places.error(start, f"the file has more than {MAX_VALUES:,} values", hint)
        value = Value(_data(word, start, places), places.span(start, end))
        if inside is None:
            root = value
        else:
            inside.add(key, value)
            key = None
        if word in "{[":
            opened.append((value, start))
            if len(opened) > MAX_DEPTH:
                raise places.error(start, *_too_deep())
    return root


def _data(word: str, start: int, places: _Places) -> str | list[Value] | dict[str, Value] | None:
    """Return what a token holds; an empty collection for the bracket that begins one."""
    if word in ("NaN", "Infinity", "-Infinity"):
        hint = "put it in double quotes if it is text"
        raise places.error(start, f"a value is needed here, not {quoted(word)}", hint)
    if word == "{":
        return {}
    if word == "[":
        return []
    if word.startswith('"'):
        text: str = json.loads(word, strict=False)
        return text
    return None if word == "null" else word
