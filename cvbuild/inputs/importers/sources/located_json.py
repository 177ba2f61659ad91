"""JSON with the line and column of every value, within limits and without recursion.

Numbers and flags are the text that was written. Comments, single quotes and the like are errors
with a place and a fix.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from json import JSONDecodeError
from json.decoder import scanstring  # type: ignore[attr-defined]

from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.errors import CvbuildError
from cvbuild.common.positions import quoted
from cvbuild.inputs.importers import texts
from cvbuild.inputs.importers.sources.located import MAX_DEPTH, MAX_VALUES, Value

_BLANK = re.compile(r"[ \t\n\r]*")
_WORD = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.+-])|(?:true|false|null)\b")
_ODD = re.compile(r"[^\s,:\[\]{}\"]+")


def parse(data: bytes, name: str) -> Value:
    """Return the value of a file, called ``name`` in messages; raise a located CvbuildError."""
    return _Parser(texts.decoded(data), name).whole()


@dataclass(slots=True)
class _Open:
    """A list or mapping that isn't closed yet; ``key`` is the one whose value comes next."""

    value: Value
    start: int
    key: str = ""


class _Parser:
    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name
        self.lines = [0, *(found.end() for found in re.finditer("\n", text))]
        self.at = 0
        self.count = 0
        self.open: list[_Open] = []

    def whole(self) -> Value:
        """Return the one value of the text."""
        self.skip()
        if self.at == len(self.text):
            raise self.error("the file is empty", "export it once more")
        root = self.value()
        while self.open:
            self.step()
        self.skip()
        if self.at < len(self.text):
            hint = "a file holds one value: delete what follows, or the bracket too many before it"
            raise self.error("more text follows the end of the data", hint)
        return root

    def step(self) -> None:
        """Read one element of the innermost collection, or its end."""
        here = self.open[-1]
        inside = here.value.data
        mark = "}" if isinstance(inside, dict) else "]"
        self.skip()
        if inside:
            if self.taken(mark):
                self.close()
                return
            if not self.taken(","):
                raise self.missing(f'a comma or "{mark}"')
            self.skip()
            if self.text[self.at : self.at + 1] == mark:
                hint = "delete the comma before it"
                raise self.error(f'a value is missing between the comma and "{mark}"', hint)
        elif self.taken(mark):
            self.close()
            return
        if isinstance(inside, dict):
            key, start = self.key(), self.at
            path = here.value.inner(key)
            if earlier := inside.get(key):
                # Programs read the last one: what the first said is listed as lost.
                earlier.path += " (first of two)"
                inside[f"{key} \0{start}"] = inside.pop(key)
            inside[key] = self.value(path)
        elif isinstance(inside, list):
            inside.append(self.value(here.value.inner(len(inside))))

    def key(self) -> str:
        """Read a key and its colon."""
        if self.text[self.at : self.at + 1] != '"':
            raise self.missing("a key in double quotes")
        key = self.string()
        self.skip()
        if not self.taken(":"):
            raise self.missing(f"a colon after the key {quoted(key)}")
        self.skip()
        return key

    def value(self, path: str = "") -> Value:
        """Read a scalar, or the beginning of a list or mapping."""
        start = self.at
        self.count += 1
        if self.count > MAX_VALUES:
            hint = "a CV has some hundreds: is it the right file?"
            raise self.error(f"the file has more than {MAX_VALUES:,} values", hint)
        first = self.text[start : start + 1]
        if first in ("{", "["):
            self.at += 1
            made = Value({} if first == "{" else [], self.span(start, start + 1), path)
            self.open.append(_Open(made, start))
            if len(self.open) > MAX_DEPTH:
                hint = "a CV needs fewer than ten: is it the right file?"
                raise self.error(f"nested more than {MAX_DEPTH} levels deep", hint)
            return made
        if first == '"':
            text = self.string()
            return Value(text, self.span(start, self.at), path)
        found = _WORD.match(self.text, start)
        if not found:
            raise self.missing("a value")
        self.at = found.end()
        word = found.group()
        return Value(None if word == "null" else word, self.span(start, self.at), path)

    def close(self) -> None:
        """End the innermost collection."""
        done = self.open.pop()
        done.value.place = self.span(done.start, self.at)

    def string(self) -> str:
        """Read a text in double quotes."""
        start = self.at
        try:
            text: str
            text, self.at = scanstring(self.text, start + 1, False)
        except JSONDecodeError as error:
            if error.msg.startswith("Unterminated"):
                hint = "close it with a double quote"
                raise self.error("the text that begins here has no end", hint) from None
            self.at = min(error.pos, len(self.text) - 1)
            hint = r"write two backslashes for one, or \u00e9 with four digits"
            raise self.error("this backslash begins no escape of JSON", hint) from None
        return text

    def skip(self) -> None:
        """Pass white space."""
        found = _BLANK.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def taken(self, mark: str) -> bool:
        """Pass a mark, if it comes next."""
        is_there = self.text.startswith(mark, self.at)
        self.at += is_there
        return is_there

    def missing(self, what: str) -> CvbuildError:
        """Return the error for something else than ``what``."""
        if self.at >= len(self.text):
            opened = self.open[-1].value.place if self.open else Span(self.name)
            hint = f"it is not whole: what opens on line {opened.line} isn't closed; "
            return self.error("the file ends too early", f"{hint}export it once more")
        if self.text.startswith(("//", "/*", "#"), self.at):
            return self.error("JSON has no comments", "delete it")
        if self.text.startswith(("'", "‘", "’", "“", "”"), self.at):
            return self.error(f"{what} is needed here", 'put texts and keys in straight quotes: "')
        found = _ODD.match(self.text, self.at)
        word = found.group() if found else self.text[self.at]
        hint = "put it in double quotes if it is text"
        if what.startswith(("a comma", "a colon")) or not found:
            hint = f"put {what} before it"
        return self.error(f"{what} is needed here, not {quoted(word, 30)}", hint)

    def error(self, message: str, hint: str) -> CvbuildError:
        """Return an error at the present position."""
        place = self.span(self.at, self.at + 1)
        return CvbuildError([Diagnostic("error", "json", message, place, hint)])

    def span(self, start: int, end: int) -> Span:
        """Return the place of a part of the text."""
        first, last = bisect_right(self.lines, start), bisect_right(self.lines, end)
        begin, stop = start - self.lines[first - 1] + 1, end - self.lines[last - 1] + 1
        return Span(self.name, first, begin, last, stop)
