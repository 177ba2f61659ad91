"""Packages of extras, which not everybody installs: how to tell that one is missing."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import UsageError


def missing(what: str, extra: str, error: ImportError) -> UsageError:
    """Return the error for a package of an extra that isn't installed: what needs it, and how.

    Raises MemoryError if it is installed, and there is no memory to load it.
    """
    if any(words in str(error).lower() for words in ("failed to map", "allocate")):
        raise MemoryError from error
    message = f"{what} needs the package {error.name}, which is not installed"
    return UsageError([Diagnostic("error", f"{extra}-missing", message, hint=how_to_get(extra))])


def how_to_get(extra: str) -> str:
    """Return the command that adds an extra to the environment that cvbuild runs in.

    pipx and uv give each program an environment of its own, which the user's pip doesn't know. In
    double quotes, which Windows' Command Prompt understands, too.
    """
    here = Path(sys.prefix)
    if (here / "pipx_metadata.json").is_file():
        return f'pipx runpip {shlex.quote(here.name)} install "cvbuild[{extra}]"'
    if (here / "uv-receipt.toml").is_file():
        return f'uv pip install --python {shlex.quote(str(here))} "cvbuild[{extra}]"'
    return f'pip install "cvbuild[{extra}]"'
