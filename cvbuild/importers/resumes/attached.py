"""The JSON Resume that is attached to a PDF which was built with ``embed``."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING

from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import CvbuildError, DocumentError, reading_errors
from cvbuild.outputs.pdf.expected import ATTACHMENT

if TYPE_CHECKING:
    from pikepdf import Object


from cvbuild.importers.resumes import jsonresume
from cvbuild.importers.sources import pdf_attachments
from cvbuild.importers.types import Given, Imported

#: How many bytes an attachment may have, packed and unpacked.
LIMIT = 16 * 2**20


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


def _attachment(data: bytes, name: str) -> bytes:
    """Return the unpacked bytes of the attachment."""
    import pikepdf

    try:
        with pdf_attachments.opened(data) as attachments:
            # The key of the name tree is TeX's own; the file's name is in its value.
            for spec in attachments:
                if spec.filename == ATTACHMENT:
                    return _unpacked(name, spec.get_file().obj)
    except CvbuildError:
        raise
    except pikepdf.PasswordError:
        reason = "it is encrypted and needs a password"
        raise _fault(name, "encrypted", reason, "unlock it first: qpdf --decrypt") from None
    except reading_errors():
        raise _fault(
            name, "not-pdf", "it is not a PDF, or damaged", "is it the right file?"
        ) from None
    hint = "build it with: options: {embed: true}"
    raise _fault(name, "no-attachment", f"no {ATTACHMENT} is attached to it", hint)


def _unpacked(name: str, stream: Object) -> bytes:
    """Return a stream's unpacked bytes; stops at the limit, against zip bombs."""
    content = bytes(stream.read_raw_bytes())
    filters, parameters = stream.get("/Filter"), stream.get("/DecodeParms")
    is_packed = filters is not None and bool(content)
    if is_packed and (str(filters) != "/FlateDecode" or parameters is not None):
        # TeX and the tools that rewrite PDFs pack attachments in no other way.
        raise _fault(
            name, "attachment-filter", f"its attachment {ATTACHMENT} has an unknown filter"
        )
    unpacker = zlib.decompressobj()
    content = unpacker.decompress(content, LIMIT + 1) if is_packed else content
    if len(content) > LIMIT:
        reason = f"its attachment {ATTACHMENT} has more than {LIMIT // 2**20} MiB"
        raise _fault(name, "attachment-size", reason)
    if is_packed and not unpacker.eof:
        raise _fault(name, "attachment-damaged", f"its attachment {ATTACHMENT} is damaged")
    return content


def _constant(name: str) -> None:
    raise ValueError(name)  # NaN and infinities are not JSON


def _fault(
    name: str, code: str, reason: str, hint: str = "build the PDF once more"
) -> CvbuildError:
    return DocumentError.because(code, reason, hint, Span(name))


class Format:
    """A PDF that carries its facts."""

    name = "embedded"
    title = "PDF with embedded facts"

    def recognises(self, given: Given) -> bool:
        """Return whether it is a PDF with the attachment."""
        return given.data.startswith(b"%PDF-") and ATTACHMENT in pdf_attachments.names(given.data)

    def read(self, given: Given) -> Imported:
        """Read the attached file; raise CvbuildError if there is none, or it can't be read."""
        return jsonresume.read(read(given.data, given.name), ATTACHMENT)
