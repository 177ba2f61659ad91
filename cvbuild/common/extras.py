"""Packages that only some of what cvbuild does needs, and that are installed on demand."""

from __future__ import annotations

from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import UsageError


def missing(what: str, extra: str, error: ImportError) -> UsageError:
    """Return the error for a package of an extra that isn't installed: what needs it, and how."""
    message = f"{what} needs the package {error.name}, which is not installed"
    hint = f"pip install 'cvbuild[{extra}]'"
    return UsageError([Diagnostic("error", f"{extra}-missing", message, hint=hint)])
