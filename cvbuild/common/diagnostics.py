"""Messages to the user: what is wrong, where, and how to fix it.

Every problem is a :class:`Diagnostic`: any part of the program makes them, ``cli`` prints them.
Lines and columns count from 1, columns in characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Severity = Literal["error", "warning", "note"]
#: Steps from the root of a YAML document to a node: ``("sections", 3, "items", 2, "title")``.
FieldPath = tuple[str | int, ...]


def path_of(name: str) -> FieldPath:
    """Return ``sections.3.items.2`` as a field path."""
    return tuple(int(s) if re.fullmatch("[0-9]+", s) else s for s in name.split("."))


def id_of(path: FieldPath) -> str:
    """Return a field path as the id of a block."""
    return ".".join(str(step) for step in path)


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of a file; its end is exclusive. Line 0: the whole file."""

    file: str
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file

    @property
    def in_short(self) -> str:
        """File and line, for lists: ``people/x.yaml:12``."""
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One problem: place, fact, fix."""

    severity: Severity
    code: str
    message: str
    span: Span | None = None
    hint: str | None = None

    def __str__(self) -> str:
        """Return one line: ``people/x.yaml:12:5: unknown key "tittle"; did you mean "title"?``."""
        place = f"{self.span}: " if self.span else ""
        level = "" if self.severity == "error" else f"{self.severity}: "
        return f"{place}{level}{self.message}" + (f"; {self.hint}" if self.hint else "")

    def as_json(self) -> dict[str, object]:
        """Return a plain object for ``--json``; of a whole file, line and columns are None."""
        place = self.span if self.span and self.span.line else None
        return {
            "severity": self.severity,
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "file": self.span.file if self.span else None,
            "line": place and place.line,
            "column": place and place.column,
            "end_line": place and place.end_line,
            "end_column": place and place.end_column,
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Diagnostic:
        """Return the diagnostic that ``as_json`` made this object from."""
        place = (plain[key] or 0 for key in ("line", "column", "end_line", "end_column"))
        span = None if plain["file"] is None else Span(plain["file"], *place)
        return cls(plain["severity"], plain["code"], plain["message"], span, plain["hint"])


def cells(text: str) -> int:
    """Return how many columns of a terminal ``text`` takes."""
    return sum(
        0
        if unicodedata.category(char) in ("Mn", "Me", "Cf")
        else 2
        if unicodedata.east_asian_width(char) in "WF"
        else 1
        for char in text
    )


#: line, column, end line, end column; all count from 1, the end is exclusive.
Place = tuple[int, int, int, int]


def shown(text: str) -> str:
    """Return ``text`` with everything escaped that doesn't print (control, direction)."""
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text
    )


def quoted(text: str, limit: int = 60) -> str:
    """Return ``text`` for a message: in double quotes, printable, at most ``limit`` characters."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return f'"{shown(cut)}"'


# -- values in messages, and the word that was probably meant --------------------------------------

#: How many characters of a value a message shows.
LONGEST = 60
#: More known words than these are not all listed.
_MANY = 60
#: Nor more characters of them.
_LONG = 240
#: How much of a key a known one must share before messages quote it (0 to 1).
ALIKE = 0.8


def form(value: object) -> str:
    """Return what kind of value it is, for a message: nothing, a mapping, a text, a list."""
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        return "a mapping"
    return "a text" if isinstance(value, str) else "a list"


def shown_value(value: object) -> str:
    """Return a value for a message: a text in quotes, shortened; else what kind it is."""
    if not isinstance(value, str | int | float):
        return form(value)
    text = str(value)
    return f'"{text[:LONGEST]}…"' if len(text) > LONGEST else f'"{text}"'


def nearest(word: str, known: Iterable[str], alike: float = 0.6) -> str | None:
    """Return the known word that is most like ``word``; None if none is similar."""
    import difflib  # only needed for messages

    close = difflib.get_close_matches(word.lower()[:100], list(known), n=1, cutoff=alike)
    return close[0] if close else None


def suggest(word: str, known: Iterable[str], noun: str) -> str:
    """Return a hint: the nearest known word, or all of them if they aren't very many."""
    names = list(known)
    close = nearest(word, names)
    if close:
        return f'did you mean "{close}"?'
    whole = ", ".join(names[:_MANY])
    if len(whole) > _LONG:
        whole = whole[: whole.rindex(", ", 0, _LONG)]
    more = ", …" if len(whole) < len(", ".join(names)) else ""
    return f"{noun}: {whole}{more}" if names else "there are none"
