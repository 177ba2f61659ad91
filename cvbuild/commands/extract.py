"""``cvbuild extract``: give back the facts that a PDF carries."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import tempfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cvbuild import console
from cvbuild.diagnostics import Diagnostic, Span
from cvbuild.errors import CvbuildError, DocumentError, UsageError
from cvbuild.typeset import ATTACHMENT

if TYPE_CHECKING:
    from pikepdf import Object, Stream

#: Bytes that an attachment may have, and may grow to when it is unpacked.
LIMIT = 16 * 2**20


def run(given: argparse.Namespace) -> int:
    """Print the attached JSON, or write it to a file; never over one unless told."""
    pdf = Path(given.pdf)
    out = Path(given.out) if given.out else None
    if out and out.exists() and not given.force:
        raise UsageError.because("exists", f"{out} is there already", "--force writes over it")
    content = read(pdf)
    if out:
        write(out, content, force=given.force)
        console.say(f"wrote {out}")
    elif sys.stdout.isatty():
        # Who made the PDF is unknown: nothing in it may steer the terminal.
        console.print_json(json.loads(content))
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    return 0


def read(pdf: Path) -> bytes:
    """The JSON that a PDF carries, as it was attached.

    Raises UsageError if there is no such file, DocumentError if it is no PDF that can be read or
    carries nothing of that name, or something that is no JSON object or larger than LIMIT bytes.
    """
    if not pdf.is_file():
        raise UsageError.because("no-file", f"{pdf} is no file", "name a PDF")
    content = _attachment(pdf)
    if len(content) > LIMIT:
        raise _too_big(pdf)
    try:
        value = json.loads(content.decode("utf-8"), parse_constant=_constant)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise _fault(pdf, "attachment-json", f"its attachment {ATTACHMENT} is no JSON object")
    return content


def write(path: Path, content: bytes, *, force: bool = False) -> None:
    """Write a file whole or not at all; raises UsageError if it can't be, or is there already."""
    made = None
    try:
        handle, made = tempfile.mkstemp(dir=path.parent, prefix=f".{ATTACHMENT}-")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        if force:
            Path(made).replace(path)
        else:
            # Unlike a look before, a link can't come after somebody else's file.
            path.hardlink_to(made)
    except FileExistsError:
        reason = f"{path} is there already"
        raise UsageError.because("exists", reason, "--force writes over it") from None
    except OSError as error:
        raise UsageError.because("write", f"can't write {path}: {error.strerror}") from None
    finally:
        if made:
            with contextlib.suppress(OSError):
                Path(made).unlink()


def _attachment(pdf: Path) -> bytes:
    """The unpacked bytes of the attachment."""
    import pikepdf

    # What pikepdf raises for a file that is built to mislead, beside its own errors.
    strange = (
        pikepdf.PdfError,
        pikepdf.ForeignObjectError,
        pikepdf.DeletedObjectError,
        ArithmeticError,
        AttributeError,
        LookupError,
        MemoryError,
        NotImplementedError,
        RuntimeError,
        TypeError,
        ValueError,
        zlib.error,
    )
    try:
        with pikepdf.open(pdf, suppress_warnings=True) as document:
            for name, spec in document.attachments.items():
                if name == ATTACHMENT:
                    return _unpacked(pdf, spec.get_file().obj)
    except CvbuildError:
        raise
    except pikepdf.PasswordError:
        reason = "it is encrypted and needs a password"
        raise _fault(pdf, "encrypted", reason, "unlock it first: qpdf --decrypt") from None
    except OSError as error:
        raise _fault(pdf, "read", f"can't read it: {error.strerror or error}") from None
    except strange:
        raise _fault(pdf, "not-pdf", "it is no PDF, or a damaged one") from None
    hint = "build it with: options: {embed: true}"
    raise _fault(pdf, "no-attachment", f"no {ATTACHMENT} is attached to it", hint)


def _unpacked(pdf: Path, stream: Stream) -> bytes:
    """A stream's bytes without its filter; stops at the limit, so that no bomb goes off."""
    raw = bytes(stream.read_raw_bytes())
    filters = _listed(stream.get("/Filter"))
    if not filters:
        return raw
    if filters != ["/FlateDecode"] or any(_listed(stream.get("/DecodeParms"))):
        # No program that makes attachments packs them otherwise.
        raise _fault(pdf, "attachment-filter", f"its attachment {ATTACHMENT} is packed unusually")
    unpacker = zlib.decompressobj()
    content = unpacker.decompress(raw, LIMIT + 1)
    if len(content) > LIMIT:
        raise _too_big(pdf)
    if not unpacker.eof:
        raise _fault(pdf, "attachment-damaged", f"its attachment {ATTACHMENT} is damaged")
    return content


def _listed(value: Object | None) -> list[Any]:
    """What a PDF writes as nothing, as one name or as an array, as a list of texts."""
    import pikepdf

    if value is None:
        return []
    if isinstance(value, pikepdf.Array):
        return [str(one) for one in value]
    return [str(value)] if isinstance(value, pikepdf.Name) else [value]


def _constant(name: str) -> None:
    raise ValueError(name)  # NaN and infinities are no JSON


def _too_big(pdf: Path) -> DocumentError:
    reason = f"its attachment {ATTACHMENT} has more than {LIMIT // 2**20} MiB"
    return _fault(pdf, "attachment-size", reason)


def _fault(pdf: Path, code: str, reason: str, hint: str | None = None) -> DocumentError:
    return DocumentError([Diagnostic("error", code, reason, Span(str(pdf)), hint)])
