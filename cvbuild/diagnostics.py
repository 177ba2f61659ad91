"""What can be wrong, where, and what to do about it.

A :class:`Diagnostic` is the only form in which a problem travels: stages make them, ``cli`` prints
them. Lines and columns count from 1, columns in characters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]
#: Steps from the root of a YAML document to a node: ``("sections", 3, "items", 2, "title")``.
FieldPath = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of a file; ``end_line`` and ``end_column`` are exclusive. Line 0: the whole file."""

    file: str
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One problem: place, fact, fix."""

    severity: Severity
    code: str
    message: str
    span: Span | None = None
    hint: str | None = None

    def __str__(self) -> str:
        """One line: ``people/x.yaml:12:5: unknown key "tittle"; did you mean "title"?``."""
        place = f"{self.span}: " if self.span else ""
        level = "" if self.severity == "error" else f"{self.severity}: "
        return f"{place}{level}{self.message}" + (f"; {self.hint}" if self.hint else "")

    def as_json(self) -> dict[str, object]:
        """A plain object for ``--json``: severity, code, message, hint, file, line, column."""
        return {
            "severity": self.severity,
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "file": self.span.file if self.span else None,
            "line": self.span.line if self.span and self.span.line else None,
            "column": self.span.column if self.span and self.span.line else None,
        }


def excerpt(diagnostic: Diagnostic, text: str) -> str:
    """The diagnostic with the line of ``text`` it speaks of and a caret line below it."""
    span = diagnostic.span
    lines = text.splitlines()
    if span is None or not 1 <= span.line <= len(lines):
        return str(diagnostic)
    line = lines[span.line - 1]
    start = min(span.column - 1, len(line))
    end = span.end_column - 1 if span.end_line == span.line else len(line)
    carets = "^" * max(1, min(end, len(line)) - start)
    # Keep long lines readable: show at most 60 characters before the place and 100 in all.
    cut = max(0, start - 60)
    shown = ("…" if cut else "") + line[cut : cut + 100] + ("…" if len(line) > cut + 100 else "")
    pad = start - cut + (1 if cut else 0)
    number = str(span.line)
    gutter = " " * len(number)
    return (
        f"{diagnostic}\n{gutter} |\n{number} | {shown}\n"
        f"{gutter} | {' ' * pad}{carets[: max(1, 100 - pad)]}"
    )
