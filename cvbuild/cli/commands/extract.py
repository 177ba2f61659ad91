"""``cvbuild extract``: print the data that a PDF carries."""

from __future__ import annotations

import argparse
import json
import logging
import sys
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from cvbuild.cli import console
from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.errors import CvbuildError, DocumentError, UsageError
from cvbuild.outputs.pdf.tex.types import ATTACHMENT
from cvbuild.outputs.pdf.verify.pdf_facts import reading_errors

if TYPE_CHECKING:
    from pikepdf import Object

#: How many bytes an attachment may have, packed and unpacked.
LIMIT = 16 * 2**20


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
    attachment is missing, not a JSON object or larger than LIMIT bytes.
    """
    if not pdf.is_file():
        raise UsageError.because("no-file", f"{pdf} is not a file", "name a PDF")
    content = _attachment(pdf)
    if len(content) > LIMIT:
        raise _too_big(pdf)
    try:
        value = json.loads(content.decode("utf-8"), parse_constant=_constant)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise _fault(pdf, "attachment-json", f"its attachment {ATTACHMENT} is not a JSON object")
    return content


def write(path: Path, content: bytes, *, force: bool = False) -> None:
    """Write a file; raises UsageError if that fails, or it exists and not ``force``."""
    try:
        with path.open("wb" if force else "xb") as file:
            file.write(content)
    except FileExistsError:
        raise _taken(path) from None
    except OSError as error:
        raise UsageError.because("write", f"can't write {path}: {error.strerror}") from None


def _attachment(pdf: Path) -> bytes:
    """Return the unpacked bytes of the attachment."""
    import pikepdf

    # pikepdf also logs what it repairs, which would reach stderr without a handler.
    logging.getLogger("pikepdf").addHandler(logging.NullHandler())
    try:
        with pikepdf.open(pdf, suppress_warnings=True) as document:
            # The key of the name tree is TeX's own; the file's name is in its value.
            for spec in document.attachments.values():
                if spec.filename == ATTACHMENT:
                    return _unpacked(pdf, spec.get_file().obj)
    except CvbuildError:
        raise
    except pikepdf.PasswordError:
        reason = "it is encrypted and needs a password"
        raise _fault(pdf, "encrypted", reason, "unlock it first: qpdf --decrypt") from None
    except OSError as error:
        raise _fault(pdf, "read", f"can't read it: {error.strerror or error}") from None
    except reading_errors():
        raise _fault(pdf, "not-pdf", "it is not a PDF, or damaged") from None
    hint = "build it with: options: {embed: true}"
    raise _fault(pdf, "no-attachment", f"no {ATTACHMENT} is attached to it", hint)


def _unpacked(pdf: Path, stream: Object) -> bytes:
    """Return a stream's unpacked bytes; stops at the limit, against zip bombs."""
    raw = bytes(stream.read_raw_bytes())
    filters, parameters = stream.get("/Filter"), stream.get("/DecodeParms")
    if filters is None or not raw:
        return raw
    if str(filters) != "/FlateDecode" or parameters is not None:
        # TeX and the tools that rewrite PDFs pack attachments in no other way.
        raise _fault(pdf, "attachment-filter", f"its attachment {ATTACHMENT} has an unknown filter")
    unpacker = zlib.decompressobj()
    content = unpacker.decompress(raw, LIMIT + 1)
    if len(content) > LIMIT:
        raise _too_big(pdf)
    if not unpacker.eof:
        raise _fault(pdf, "attachment-damaged", f"its attachment {ATTACHMENT} is damaged")
    return content


def _taken(path: Path) -> CvbuildError:
    return UsageError.because("exists", f"{path} exists already", "overwrite it with --force")


def _constant(name: str) -> None:
    raise ValueError(name)  # NaN and infinities are not JSON


def _too_big(pdf: Path) -> DocumentError:
    reason = f"its attachment {ATTACHMENT} has more than {LIMIT // 2**20} MiB"
    return _fault(pdf, "attachment-size", reason)


def _fault(pdf: Path, code: str, reason: str, hint: str | None = None) -> DocumentError:
    return DocumentError([Diagnostic("error", code, reason, Span(str(pdf)), hint)])
