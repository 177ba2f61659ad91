"""Where YAML's parser stopped: the line there, those above it, and what a hint may cite.

Lines and columns count from 0 in here, but those of a ``Finding`` from 1.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import yaml
from msgspec import Struct

from cvbuild.common.diagnostics import Place, place_of, quoted, shown
from cvbuild.inputs.yaml.quoting import Quoting

#: A list item's or key's own marks before a value: ``- - key: ``.
_LEAD = re.compile(r"[ ]*(?:[-?][ ]+)*")
_KEY = re.compile(
    r"""(?:"(?:[^"\\]|\\.)*"[ ]*|'(?:[^']|'')*'[ ]*|[^\s"'\[{#:](?:[^:#]|:(?=\S)|(?<=\S)\#)*?)
        :(?=\s|$)[ \t]*""",
    re.VERBOSE,
)


class Finding(NamedTuple):
    """A diagnostic without its file."""

    code: str
    message: str
    hint: str
    place: Place


def _as_value(text: str) -> str | None:
    """Return ``text`` as a quoted YAML value for a hint; None if it is too long to show."""
    if len(text) > 300:
        return None
    text = shown(re.sub(r"\s+#.*", "", text).strip())
    if not text or len(text) > 70:
        return None
    if '"' not in text and "\\" not in text:
        return f'"{text}"'
    return "'" + text.replace("'", "''") + "'"


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

    @property
    def key(self) -> str:
        """Its key without the colon; empty if it has none."""
        return self.text[self.lead : self.value].strip().rstrip(":").rstrip()

    @property
    def blank(self) -> bool:
        """Whether it has nothing but a comment."""
        return not self.text.strip() or self.text.lstrip().startswith("#")


class Stop:
    """The text and one error: where the parser stopped, and which bracket is open there."""

    def __init__(self, quoting: Quoting, text: str, error: yaml.MarkedYAMLError) -> None:
        self.quoting = quoting
        self.rows = quoting.rows
        mark = error.problem_mark or error.context_mark
        self.row, self.column = self._inside(mark.line, mark.column) if mark else (0, 0)
        start = error.context_mark
        self.start = self._inside(start.line, start.column) if start else (self.row, self.column)
        self.problem = error.problem or ""
        self.context = error.context or ""
        self.line = Line.of(self.row_text(self.row))
        self.char = self.line.text[self.column : self.column + 1]
        self.opener = self.row_text(self.start[0])[self.start[1] : self.start[1] + 1]
        if "flow" in self.context and self.opener not in ("[", "{"):
            # libyaml names the end of the text when it ends right after the bracket.
            self.start = place_of(text, at := max(text.rfind("["), text.rfind("{"), 0), at)[:2]
            self.start = self.start[0] - 1, self.start[1] - 1
            self.opener = text[at : at + 1]
        self.in_flow = "flow" in self.context and self.opener in ("[", "{")

    def _inside(self, row: int, column: int) -> tuple[int, int]:
        """Return the position, or the end of the text if it is beyond that."""
        last = len(self.rows) - 1
        return (row, column) if row <= last else (last, len(self.rows[last]))

    def row_text(self, row: int) -> str:
        """Return a line; empty below the last."""
        return self.rows[row] if row < len(self.rows) else ""

    def above(self, row: int, below: int | None = None) -> tuple[int, Line] | None:
        """Return the nearest non-empty line above ``row``, indented less than ``below``."""
        for number in range(row - 1, -1, -1):
            text = self.row_text(number)
            bare = text.lstrip(" ")
            if not bare.strip() or bare[0] == "#":
                continue
            if below is None or len(text) - len(bare) < below:
                return number, Line.of(text)
        return None

    def finding(
        self, code: str, message: str, hint: str, at: tuple[int, int] | None = None, length: int = 1
    ) -> Finding:
        """Return a finding here, or at a row and a column, for so many characters."""
        row, column = at or (self.row, self.column)
        return Finding(code, message, hint, (row + 1, column + 1, row + 1, column + 1 + length))

    def in_quotes(self, row: int, column: int) -> str:
        """Return the hint to quote the value that begins there."""
        text = self.row_text(row)
        value = _as_value(text[column:]) if self.quoting.allows(row) else None
        before = text[:column].strip()
        return f"put it in quotes: {before} {value}" if value else "put the value in quotes"

    def cited(self, row: int, text: str, otherwise: str) -> str:
        """Return part of the line, in quotes, if it may be quoted."""
        return quoted(text, 41) if self.quoting.allows(row) else otherwise
