"""Messages to the user: what is wrong, where, and how to fix it; and the exceptions with them.

Every problem is a :class:`Diagnostic`: any part of the program makes them, ``cli`` prints them.
Lines and columns count from 1, columns in characters. What cvbuild raises on purpose has them:

    CvbuildError
    ├── ProfileError      a person's YAML, or a file it names, is wrong        (exit code 1)
    ├── DocumentError     TeX could not typeset a document                     (exit code 1)
    ├── TemplateError     a template folder or its manifest is wrong           (exit code 1)
    ├── UsageError        unknown person, template or option on a command line (exit code 2)
    └── NoTexError        no TeX that can be used                              (exit code 3)

Exceptions of other libraries become one of these where they arise.
"""

from __future__ import annotations

import contextlib
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

if TYPE_CHECKING:
    from pydantic_core import PydanticCustomError

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


# -- exceptions ------------------------------------------------------------------------------------


class CvbuildError(Exception):
    """Root of all errors raised by cvbuild; ``diagnostics`` is empty only if all work stops."""

    exit_code: ClassVar[int] = 1

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(str(item) for item in self.diagnostics))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the diagnostics, too; by default an exception would pass on its text alone."""
        return type(self), (self.diagnostics,), self.__dict__

    @classmethod
    def because(
        cls, code: str, message: str, hint: str | None = None, span: Span | None = None
    ) -> CvbuildError:
        """Return an error with one diagnostic; ``span`` is its place, if it has one in a file."""
        return cls([Diagnostic("error", code, message, span, hint)])


class ProfileError(CvbuildError):
    """A person's YAML, or a file that it names, is wrong."""


class TemplateError(CvbuildError):
    """A template folder, its manifest or its Jinja code is wrong."""


class DocumentError(CvbuildError):
    """TeX did not produce the document; ``log`` is the path of its log."""

    def __init__(self, diagnostics: Iterable[Diagnostic], log: Path | None = None) -> None:
        super().__init__(diagnostics)
        self.log = log


class UsageError(CvbuildError):
    """The command line or the call names something that doesn't exist."""

    exit_code = 2


class NoTexError(CvbuildError):
    """No TeX was found that can typeset the document."""

    exit_code = 3


@contextlib.contextmanager
def foreign(code: str, what: str, hint: str | None = None) -> Iterator[None]:
    """Turn an OSError of the file system into a CvbuildError that says ``what`` failed."""
    try:
        yield
    except OSError as error:
        place = f" ({error.filename})" if error.filename else ""
        reason = f"{what}{place}: {error.strerror or error}"
        raise CvbuildError.because(code, reason, hint) from error


def reading_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions that pikepdf raises for a damaged or malicious file."""
    import zlib

    import pikepdf

    # RecursionError and PDFium's error are RuntimeErrors.
    return (
        pikepdf.PdfError, pikepdf.ForeignObjectError, pikepdf.DeletedObjectError, zlib.error,
        ArithmeticError, AttributeError, LookupError, MemoryError, OSError, RuntimeError, TypeError,
        ValueError,
    )  # fmt: skip


# -- packages of extras, which not everybody installs ----------------------------------------------


def missing(what: str, extra: str, error: ImportError) -> UsageError:
    """Return the error for a package that isn't installed; raises MemoryError if it is."""
    if any(words in str(error).lower() for words in ("failed to map", "allocate")):
        raise MemoryError from error
    message = f"{what} needs the package {error.name}, which is not installed"
    return UsageError([Diagnostic("error", f"{extra}-missing", message, hint=how_to_get(extra))])


def how_to_get(extra: str) -> str:
    """Return the command that adds an extra; pipx and uv have an environment for each program."""
    import shlex  # only needed for this message

    here = Path(sys.prefix)
    if (here / "pipx_metadata.json").is_file():
        return f'pipx runpip {shlex.quote(here.name)} install "cvbuild[{extra}]"'
    if (here / "uv-receipt.toml").is_file():
        return f'uv pip install --python {shlex.quote(str(here))} "cvbuild[{extra}]"'
    return f'pip install "cvbuild[{extra}]"'


# -- values in a file: what is wrong, and what to write --------------------------------------------


def refused(kind: str, fact: str, hint: str, **context: object) -> PydanticCustomError:
    """Return the error to raise about a value; ``fact`` names what is in ``context`` in braces."""
    # The hint goes first: a value may hold what looks like its name.
    from pydantic_core import PydanticCustomError  # not all who raise errors have models

    return PydanticCustomError(kind, fact, {"hint": hint, **context})
