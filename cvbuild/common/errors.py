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
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar

from cvbuild.common.diagnostics import Diagnostic, Span


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

    return (
        pikepdf.PdfError,
        pikepdf.ForeignObjectError,
        pikepdf.DeletedObjectError,
        ArithmeticError,
        AttributeError,
        LookupError,
        MemoryError,
        OSError,
        RuntimeError,  # RecursionError and PDFium's error too
        TypeError,
        ValueError,
        zlib.error,
    )
