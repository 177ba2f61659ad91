"""What to say where a package of the extra ``formats`` isn't installed."""

from __future__ import annotations

from cvbuild.common.errors import CvbuildError, UsageError


def missing(what: str, error: ImportError) -> CvbuildError:
    """Return the error for a format whose package can't be imported."""
    message = f"importing {what} needs the package {error.name}, which is not installed"
    return UsageError.because("formats-missing", message, "pip install 'cvbuild[formats]'")
