"""``cvbuild extract``: print the data that a PDF carries."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from cvbuild.cli import console
from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import CvbuildError, DocumentError, UsageError
from cvbuild.importers.formats import attached


def run(given: argparse.Namespace) -> int:
    """Print the attached JSON, or write it to a file; overwrites one only with --force."""
    pdf = Path(given.pdf)
    out = Path(given.out) if given.out else None
    if out and out.exists() and not given.force:
        raise _taken(out)
    content = read(pdf)
    if out:
        write(out, content, force=given.force)
        console.say(f"wrote {out}")
    elif sys.stdout.isatty():
        # The PDF's maker is unknown: nothing in it may control the terminal.
        console.print_json(json.loads(content))
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    return 0


def read(pdf: Path) -> bytes:
    """Return the JSON that a PDF carries, as it was attached.

    Raises UsageError if there is no such file, DocumentError if it is not a readable PDF, or its
    attachment is missing, not a JSON object or too large.
    """
    if not pdf.is_file():
        raise UsageError.because("no-file", f"{pdf} is not a file", "name a PDF")
    try:
        data = pdf.read_bytes()
    except OSError as error:
        reason = f"can't read it: {error.strerror or error}"
        raise DocumentError.because("read", reason, span=Span(str(pdf))) from None
    return attached.read(data, str(pdf))


def write(path: Path, content: bytes, *, force: bool = False) -> None:
    """Write a file; raises UsageError if that fails, or it exists and not ``force``."""
    try:
        with path.open("wb" if force else "xb") as file:
            file.write(content)
    except FileExistsError:
        raise _taken(path) from None
    except OSError as error:
        raise UsageError.because("write", f"can't write {path}: {error.strerror}") from None


def _taken(path: Path) -> CvbuildError:
    return UsageError.because("exists", f"{path} exists already", "overwrite it with --force")
