"""The explanation of a YAML syntax error for the person who made it.

``explain`` checks the text where the parser stopped and the lines above, and says what is there and
how to correct it; the parser's own words only choose which question to ask first. Lines and columns
count from 0 in here, but those of a diagnostic from 1.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import yaml
from msgspec import Struct

from cvbuild.common.diagnostics import Diagnostic, Place, Span, quoted, shown
from cvbuild.common.files.safe_files import is_overlay

#: A list item's or key's own marks before a value: ``- - key: ``.
_LEAD = re.compile(r"[ ]*(?:[-?][ ]+)*")
_KEY = re.compile(
    r"""(?:"(?:[^"\\]|\\.)*"[ ]*|'(?:[^']|'')*'[ ]*|[^\s"'\[{#:](?:[^:#]|:(?=\S)|(?<=\S)\#)*?)
        :(?=\s|$)[ \t]*""",
    re.VERBOSE,
)
_STARTS = {
    "*": ("yaml-alias", 'a value that begins with "*" is an alias, which is not accepted'),
    "&": ("yaml-anchor", 'a value that begins with "&" is an anchor, which is not accepted'),
    "!": ("yaml-tag", 'a value that begins with "!" is a tag, which is not accepted'),
}
#: Spaces and marks without width that look like an indentation.
_ODD_SPACE = re.compile(r"[ \t]*([\u00a0\u2000-\u200b\u202f\u205f\u3000\ufeff])")
_NO_SPACE = re.compile(r"[ ]*(?:-[ ]+)*([\w-]+):(?=[^\s:/])(.*)")


class Line(Struct, frozen=True):
    """A line split up: ``lead`` ends its indentation and dashes, ``value`` its key."""

    text: str
    indent: int
    lead: int
    value: int  # equals ``lead`` where the line has no key

    @classmethod
    def of(cls, text: str) -> Line:
        """Return the line, split up."""
        match = _LEAD.match(text)
        lead = match.end() if match else 0
        key = _KEY.match(text, lead)
        return cls(text, len(text) - len(text.lstrip(" ")), lead, key.end() if key else lead)


def refused_start(char: str) -> tuple[str, str]:
    """Return code and message for a value that begins with ``*``, ``&``, ``!`` or the like."""
    return _STARTS.get(char, ("yaml-quotes", f'a value can\'t begin with "{char}"'))


class _Questions:
    """The text and one error: where the parser stopped, which bracket is open, what to ask."""

    def __init__(self, quoting: Quoting, error: yaml.MarkedYAMLError) -> None:
        self.quoting = quoting
        self.rows = quoting.rows
        # The end of the text stands for what is beyond that.
        end = len(self.rows) - 1, len(self.rows[-1])
        marks = filter(None, (error.problem_mark or error.context_mark, error.context_mark))
        places = [(mark.line, mark.column) if mark.line <= end[0] else end for mark in marks]
        self.row, self.column = places[0] if places else (0, 0)
        self.start = places[-1] if error.context_mark else (self.row, self.column)
        self.problem = error.problem or ""
        self.context = error.context or ""
        self.line = Line.of(self.rows[self.row])
        self.char = self.line.text[self.column : self.column + 1]
        self.opener = self.rows[self.start[0]][self.start[1] : self.start[1] + 1]
        if "flow" in self.context and self.opener not in ("[", "{"):
            # libyaml names the end of the text when it ends right after the bracket.
            row = max((at for at, line in enumerate(self.rows) if {"[", "{"} & {*line}), default=0)
            column = max(self.rows[row].rfind("["), self.rows[row].rfind("{"), 0)
            self.start, self.opener = (row, column), self.rows[row][column : column + 1]
        self.in_flow = "flow" in self.context and self.opener in ("[", "{")

    def above(self, row: int, below: int | None = None) -> tuple[int, Line] | None:
        """Return the nearest non-empty line above ``row``, indented less than ``below``."""
        for number in range(row - 1, -1, -1):
            text = self.rows[number]
            bare = text.lstrip(" ")
            if not bare.strip() or bare[0] == "#":
                continue
            if below is None or len(text) - len(bare) < below:
                return number, Line.of(text)
        return None

    def finding(
        self, code: str, message: str, hint: str, at: tuple[int, int] | None = None, length: int = 1
    ) -> Diagnostic:
        """Return an error here, or at a row and a column, for so many characters."""
        row, column = at or (self.row, self.column)
        place = Span(self.quoting.name, row + 1, column + 1, row + 1, column + 1 + length)
        return Diagnostic("error", code, message, place, hint)

    def in_quotes(self, row: int, column: int) -> str:
        line = self.rows[row]
        text = re.sub(r"\s+#.*", "", line[column:]) if len(line) - column <= 300 else ""
        text = shown(text.strip())
        if not text or len(text) > 70 or not self.quoting.allows(row):
            return "put the value in quotes"
        is_plain = '"' not in text and "\\" not in text
        value = f'"{text}"' if is_plain else "'" + text.replace("'", "''") + "'"
        return f"put it in quotes: {line[:column].strip()} {value}"

    def cited(self, row: int, text: str, otherwise: str) -> str:
        """Return part of the line, in quotes, if it may be quoted."""
        return quoted(text, 41) if self.quoting.allows(row) else otherwise

    # -- questions

    def quote(self) -> Diagnostic | None:
        if "quoted" not in self.context and "double-quoted" not in self.context:
            return None
        quote = self.opener
        if "end of stream" in self.problem or "document" in self.problem:
            other = ", and write an apostrophe inside it as ''" if quote == "'" else ""
            hint = f"put a {quote} at the end of the value{other}"
            message = f"the quote {quote} that opens here is never closed"
            return self.finding("yaml-quote", message, hint, self.start)
        slash = self.line.text.rfind("\\", 0, self.column + 1)
        if slash < 0:
            return None
        match = re.match(r"\\(?:[xuU][0-9A-Fa-f]*|.)?", self.line.text[slash:])
        escape = match.group() if match else "\\"
        hint = "write a backslash as \\\\, or use single quotes"
        digits = {"x": 2, "u": 4, "U": 8}.get(escape[1:2], 0)
        if digits and len(escape) - 2 < digits:
            message = f"the escape {escape[:2]} needs {digits} hexadecimal digits after it"
        elif digits:
            escape, hint = escape[: 2 + digits], "write the character itself"
            message = f"the escape {escape} stands for no character"
        else:
            message = f"{shown(escape)} is not an escape that YAML knows"
        return self.finding("yaml-escape", message, hint, (self.row, slash), len(escape))

    def space(self) -> Diagnostic | None:
        """Check for tabs, and spaces that aren't YAML's, in which copied texts are indented."""
        match = re.match(r" *(\t+)", self.line.text)
        if match and match.end() <= max(self.column, match.start(1) + 1) + len(match[1]):
            hint, at = "indent with spaces, two for each level", (self.row, match.start(1))
            return self.finding("yaml-tab", "a tab in the indentation", hint, at, len(match[1]))
        if self.char == "\t":
            return self.finding("yaml-tab", "a tab before the value", "put a space in its place")
        for row in range(min(self.row, len(self.rows) - 1), max(self.row - 3, -1), -1):
            if match := _ODD_SPACE.match(self.rows[row]):
                name = unicodedata.name(match[1][0]).lower()
                message = f"a {name} (U+{ord(match[1][0]):04X}) in the indentation"
                hint = "write plain spaces in its place"
                return self.finding("yaml-space", message, hint, (row, match.start(1)))
        return None

    def start_character(self) -> Diagnostic | None:
        """Check for a value whose first character is special in YAML."""
        line = self.line
        for column in (line.lead, line.value):
            char = line.text[column : column + 1]
            if char and char in "*&!@`%" and column <= self.column:
                hint = self.in_quotes(self.row, column)
                return self.finding(*refused_start(char), hint, (self.row, column))
        if self.char == "?" and "mapping keys" in self.problem:
            hint = self.in_quotes(self.row, self.column)
            return self.finding(*refused_start("?"), hint)
        at = self.start if "alias" in self.context or "anchor" in self.context else None
        char = self.opener if at else self.char
        if char and char in "*&!@`%":
            return self.finding(*refused_start(char), "put the value in quotes", at)
        if "block scalar" in self.context:
            message = f'a value that begins with "{self.opener}" has its text on the next line'
            return self.finding("yaml-quotes", message, self.in_quotes(*self.start), self.start)
        return None

    def after_quote(self, last: Place | None) -> Diagnostic | None:
        """Check for text after a closing quote: ``"say "hi" now"``, ``'it's'``."""
        if last is None or last[2] != self.row + 1 or not 0 <= self.column + 1 - last[3] < 9:
            return None
        if self.line.text[last[3] - 1 : self.column].strip() or not self.char:
            return None
        if self.in_flow or self.char in ",]}":
            return None
        quote = self.rows[last[0] - 1][last[1] - 1]
        inner = '\\"' if quote == '"' else "''"
        begun = "" if last[0] == last[2] else f", which opened on line {last[0]}"
        hint = f"write a {quote} inside the value as {inner}, or put the whole value in quotes"
        return self.finding("yaml-quote", f"text after the closing quote {quote}{begun}", hint)

    def flow(self) -> Diagnostic | None:
        """Check for ``[`` or ``{`` not closed, closed by the other, or without commas."""
        if not self.in_flow:
            return None
        closer = "]" if self.opener == "[" else "}"
        row, column = self.start
        if self.char and self.char in "]}":
            place = f"line {row + 1}, column {column + 1}"
            message = f'the "{self.opener}" of {place} is closed by "{self.char}"'
            return self.finding("yaml-bracket", message, f'write "{closer}" here')
        if self.row == row and self.char == ":":
            message = 'this value has a ": " in it'
            return self.finding("yaml-colon", message, "put the value in quotes")
        if self.row == row and self.char:
            hint = "put a comma here, or put the whole entry in quotes"
            return self.finding("yaml-bracket", "there is no comma between two entries", hint)
        hint = f'put a "{closer}" at the end, or put the value in quotes if it is text'
        message = f'the "{self.opener}" that opens here is never closed'
        return self.finding("yaml-bracket", message, hint, self.start)

    def after_bracket(self) -> Diagnostic | None:
        value = self.line.text[self.line.value :]
        if self.column > self.line.value and value[:1] in ("[", "{"):
            hint = self.in_quotes(self.row, self.line.value)
            closer = "]" if value[0] == "[" else "}"
            return self.finding("yaml-bracket", f'text after the closing "{closer}"', hint)
        if self.char and self.char in ",]}":
            message = f'a "{self.char}" that closes or separates nothing'
            return self.finding("yaml-bracket", message, "delete it, or put the value in quotes")
        return None

    def colon(self) -> Diagnostic | None:
        if "simple key" in self.context:
            row, line = self.start[0], Line.of(self.rows[self.start[0]])
            return self._no_space(row, line) or self._no_key(row, line)
        if self.char != ":":
            return None
        line = self.line
        if not line.text[: self.column].strip(" -"):
            return self.finding("yaml-key", 'there is no key before the ":"', "write one")
        if line.value > line.lead and self.column >= line.value:
            hint = self.in_quotes(self.row, line.value)
            return self.finding("yaml-colon", 'this value has a ": " in it', hint)
        above = self.above(self.row)
        if above and (finding := self._no_space(*above)):
            return finding
        owner = self.above(self.row, line.indent)
        if owner and owner[1].value > owner[1].lead and line.indent > 0:
            row, held = owner
            key = held.text[held.lead : held.value].strip().rstrip(":").rstrip()
            like = self.cited(row, key, f"line {row + 1}")
            hint = f"indent it by {_spaces(held.lead)}, like {like}"
            hint += "; if it is text, put the value in quotes"
            message = "the indentation makes this line part of the value that begins on line"
            place, length = (self.row, line.indent), len(line.text) - line.indent
            return self.finding("yaml-indent", f"{message} {row + 1}", hint, place, length)
        return self._no_key(*above) if above else None

    def _no_space(self, row: int, line: Line) -> Diagnostic | None:
        """Check for ``key:value`` or ``-item``."""
        text = line.text.rstrip()
        if line.value == line.lead and (match := _NO_SPACE.fullmatch(text)):
            at = (row, match.end(1))
            key, value = match.groups()
            hint = f"write {self.cited(row, f'{key}: {value[:40]}', 'a space there')}"
            return self.finding("yaml-colon", "there is no space after the colon", hint, at)
        if match := re.match(r"(?: *)-(?=[^\s-])", text):
            hint = f"write {self.cited(row, f'- {text.strip()[1:39]}', 'a space after it')}"
            at = (row, match.end() - 1)
            return self.finding("yaml-dash", 'there is no space after the "-"', hint, at)
        return None

    def _no_key(self, row: int, line: Line) -> Diagnostic:
        text = line.text.strip()
        above = self.above(row)
        if above and above[1].indent == line.indent and above[1].text.lstrip().startswith("- "):
            message = 'there is no "- " before this item'
            hint = f"write {self.cited(row, f'- {text[:38]}', 'one')}"
            return self.finding("yaml-dash", message, hint, (row, line.indent), len(text))
        message = f'{self.cited(row, text, "this")} is neither a "key: value" nor a "- item"'
        hint = 'put a ":" after the key, or indent the line if it belongs to the value above'
        return self.finding("yaml-syntax", message, hint, (row, line.indent), len(text))

    def dash(self) -> Diagnostic | None:
        """Check lists: an item on its key's line, an item among keys, a key among items."""
        line = self.line
        if "sequence entries" in self.problem:
            item = self.cited(self.row, line.text[self.column :].strip(), "it")
            message = "a list can't begin on the line of its key"
            return self.finding("yaml-dash", message, f"put {item} on the next line")
        if "block collection" in self.context and self.column == self.start[1]:
            hint = 'begin it with "- ", or indent it if it belongs to the item above'
            message = 'there is no "- " before this line, which is in a list'
            return self.finding("yaml-dash", message, hint)
        if "block mapping" in self.context and self.column == self.start[1] and self.char == "-":
            message = 'a "- " among keys'
            hint = 'delete the "- ", or put a key of its own above the list'
            return self.finding("yaml-dash", message, hint)
        return None

    def indentation(self) -> Diagnostic | None:
        """Check for a line that begins between the open columns above it."""
        line = self.line
        if line.text[: self.column].strip(" ") or not self.char:
            return None
        if "<document start>" in self.problem:
            top = next(row for row in self.rows if row.strip() and row.lstrip()[0] != "#")
            indent = Line.of(top).indent
            message = "this line is indented differently from the first"
            hint = f"indent it by {_spaces(indent)} as well, or the first line by none"
            return self.finding("yaml-indent", message, hint) if indent else None
        columns: set[int] = set()
        row, limit, dashed = self.row, line.indent + 1_000, self.char == "-"
        while limit and (above := self.above(row, limit)):
            row, held = above
            limit = held.indent
            dashes = {limit + i for i, c in enumerate(held.text[limit : held.lead]) if c == "-"}
            columns |= dashes if dashed else {held.lead} - dashes
        lower = [c for c in columns if c < self.column]
        upper = [c for c in columns if c > self.column]
        near = ([max(lower)] if lower else []) + ([min(upper)] if upper else [])
        if not near or self.column in columns:
            hint = (
                'compare its indentation with theirs, and look for a missing or extra "- " or ":"'
            )
            return self.finding("yaml-indent", "this line does not fit the lines above it", hint)
        hint = f"indent it by {' or '.join([*map(str, near[:-1]), _spaces(near[-1])])}"
        message = f"the indentation of {_spaces(self.column)} matches no line above"
        return self.finding("yaml-indent", message, hint)


def _spaces(number: int) -> str:
    return f"{number} space" + ("" if number == 1 else "s")


def explain(quoting: Quoting, error: yaml.MarkedYAMLError, last: Place | None) -> Diagnostic:
    """Return the cause of ``error``; ``last`` is the position of the quoted scalar before it."""
    ask = _Questions(quoting, error)
    if ask.line.text.startswith("%") or "directive" in ask.context:
        message = 'a line that begins with "%" is not accepted'
        hint = "delete it, or indent it and put its text in quotes"
        return ask.finding("yaml-directive", message, hint, (ask.row, 0))
    hint = "put the value in quotes if it is text"
    return (
        ask.quote()
        or ask.space()
        or ask.start_character()
        or ask.after_quote(last)
        or ask.flow()
        or ask.colon()
        or ask.after_bracket()
        or ask.dash()
        or ask.indentation()
        or ask.finding("yaml-syntax", "this can't be read as YAML here", hint)
    )


# -- which lines of a file that can't be parsed a message may quote --------------------------------
#
# Nobody knows what is private in such a file, so only those parts of it are quoted that can't hold
# anything private.

#: Top-level keys of a person's file, except those of personal data.
_PUBLIC_KEYS = frozenset(
    ("formats", "headline", "interests", "locale", "name", "options", "sections", "summary",
     "template", "updated", "variants")
)  # fmt: skip
_TOP_KEY = re.compile(r"([\w-]+)\s*:(?=\S|\s|$)")
#: What a flag, or a value with a flag, looks like; with slips.
_FLAG = re.compile(r"\bpri?\w{0,3}v|\bval\w*[\"']?\s*:", re.IGNORECASE)


class Quoting(Struct, frozen=True):
    """The lines of a file; ``personal`` says whether it is a person's file or overlay."""

    name: str
    rows: Sequence[str]
    personal: bool

    def allows(self, row: int) -> bool:
        """Return whether a message may quote the line, counted from 0.

        It may if the line is in a block of a top-level key that isn't personal data, and no value
        in that block has a flag.
        """
        if not self.personal:
            return True
        if is_overlay(Path(self.name)) or row >= len(self.rows):
            return False
        before = (at for at in range(row, -1, -1) if _TOP_KEY.match(self.rows[at]))
        after = (at for at in range(row + 1, len(self.rows)) if _TOP_KEY.match(self.rows[at]))
        first = next(before, None)
        key = _TOP_KEY.match(self.rows[first]) if first is not None else None
        if key is None or key[1] not in _PUBLIC_KEYS:
            return False
        block = self.rows[first : next(after, len(self.rows))]
        return not any(_FLAG.search(line) for line in block)
