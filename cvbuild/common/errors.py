"""The exceptions that cvbuild raises on purpose.

    CvbuildError
    ├── ProfileError      a person's YAML, or a file it names, is wrong        (exit code 1)
    ├── DocumentError     TeX could not typeset a document                     (exit code 1)
    ├── TemplateError     a template folder or its manifest is wrong           (exit code 1)
    ├── UsageError        unknown person, template or option on a command line (exit code 2)
    └── NoTexError        no TeX that can be used                              (exit code 3)

Each has its diagnostics; exceptions of other libraries become one of these where they arise.
"""

from __future__ import annotations

import contextlib
import shlex
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from cvbuild.common.diagnostics import Diagnostic, Span

if TYPE_CHECKING:
    from pydantic_core import PydanticCustomError


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
