"""The files that are attached to a PDF, within limits; one of them may be the JSON Resume of ours.

A PDF that was built with ``embed`` carries its facts as that; Europass's have their own XML.
"""

from __future__ import annotations

import json
import logging
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from itertools import islice
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import CvbuildError, DocumentError, reading_errors
from cvbuild.importers.formats import jsonresume
from cvbuild.importers.types import Given, Imported
from cvbuild.outputs.pdf import ATTACHMENT

#: Bytes of an attachment, packed and unpacked.
LIMIT = 16 << 20
#: Attachments that are looked at.
_MOST = 20


class Format:
    """A PDF that carries its facts."""

    name = "embedded"
    title = "PDF with embedded facts"

    def recognises(self, given: Given) -> bool:
        """Return whether it is a PDF with the attachment."""
        if not given.data.startswith(b"%PDF-"):
            return False
        with suppress(*_faults()), _opened(given.data) as attachments:
            return any(one.filename == ATTACHMENT for one in attachments)
        return False

    def read(self, given: Given) -> Imported:
        """Read the attached file; raise CvbuildError if there is none, or it can't be read."""
        return jsonresume.read(read(given.data, given.name), ATTACHMENT)


def read(data: bytes, name: str) -> bytes:
    """Return the JSON that a PDF carries, as it was attached; ``name`` is the PDF's in messages.

    Raises DocumentError if it is not a readable PDF, or its attachment is missing, not a JSON
    object or larger than LIMIT bytes.
    """
    content = _attachment(data, name)
    try:
        value = json.loads(content.decode("utf-8"), parse_constant=_constant)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise _fault(name, "attachment-json", f"its attachment {ATTACHMENT} is not a JSON object")
    return content


def contents(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each attachment that can be read; none of a PDF that can't be."""
    with suppress(*_faults()), _opened(data) as attachments:
        for spec in attachments:
            with suppress(_PackedError):
                yield spec.filename, _unpacked(spec.get_file().obj)


def _attachment(data: bytes, name: str) -> bytes:
    """Return the unpacked bytes of our attachment."""
    import pikepdf

    try:
        with _opened(data) as attachments:
            # The key of the name tree is TeX's own; the file's name is in its value.
            for spec in attachments:
                if spec.filename == ATTACHMENT:
                    return _unpacked(spec.get_file().obj)
    except _PackedError as error:
        code, words = error.args
        raise _fault(name, f"attachment-{code}", f"its attachment {ATTACHMENT} {words}") from None
    except pikepdf.PasswordError:
        reason = "it is encrypted and needs a password"
        raise _fault(name, "encrypted", reason, "unlock it first: qpdf --decrypt") from None
    except reading_errors():
        reason, hint = "it is not a PDF, or damaged", "is it the right file?"
        raise _fault(name, "not-pdf", reason, hint) from None
    hint = "build it with: options: {embed: true}"
    raise _fault(name, "no-attachment", f"no {ATTACHMENT} is attached to it", hint)


@contextmanager
def _opened(data: bytes) -> Iterator[Iterator[Any]]:
    """Yield the attachments of a PDF; raises pikepdf's errors."""
    import pikepdf

    # pikepdf also logs what it repairs, which would reach stderr without a handler.
    logging.getLogger("pikepdf").addHandler(logging.NullHandler())
    with pikepdf.open(BytesIO(data), suppress_warnings=True) as document:
        yield islice(document.attachments.values(), _MOST)


def _faults() -> tuple[type[Exception], ...]:
    import pikepdf

    return (pikepdf.PasswordError, *reading_errors())


class _PackedError(Exception):
    """An attachment that can't be unpacked: a code, and what is wrong with it."""


def _unpacked(stream: Any) -> bytes:
    """Return a stream's unpacked bytes; stops at the limit, against zip bombs."""
    import pikepdf

    content = bytes(stream.read_raw_bytes())
    filters, parameters = stream.get("/Filter"), stream.get("/DecodeParms")
    if isinstance(filters, pikepdf.Array) and len(filters) == 1:
        filters = filters[0]
    # Without a filter the content is as it is: so Europass attaches it.
    is_packed = filters is not None and bool(content)
    if is_packed and (str(filters) != "/FlateDecode" or parameters is not None):
        # TeX and the tools that rewrite PDFs pack attachments in no other way.
        raise _PackedError("filter", "has an unknown filter")
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(content, LIMIT + 1) if is_packed else content
    except zlib.error:
        raise _PackedError("damaged", "is damaged") from None
    if len(content) > LIMIT:
        raise _PackedError("size", f"has more than {LIMIT // 2**20} MiB")
    if is_packed and not unpacker.eof:
        raise _PackedError("damaged", "is damaged")
    return content


def _constant(name: str) -> None:
    raise ValueError(name)  # NaN and infinities are not JSON


def _fault(
    name: str, code: str, reason: str, hint: str = "build the PDF once more"
) -> CvbuildError:
    return DocumentError.because(code, reason, hint, Span(name))
