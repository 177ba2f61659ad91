"""Open a PDF that is to be merged: refuse it if unusable, clean it, read its structure."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cvbuild.applications.merge_pdf import form_fields, read_tags, sanitize
from cvbuild.applications.merge_pdf.read_tags import Tree
from cvbuild.applications.merge_pdf.sanitize import Cleaned
from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.errors import CvbuildError
from cvbuild.common.pdf_errors import reading_errors
from cvbuild.common.positions import quoted
from cvbuild.outputs.pdf.verify import pdf_facts

if TYPE_CHECKING:
    import pikepdf

#: XMP is read up to this size, in bytes, for what it claims.
_XMP = 1_000_000
#: How many bytes qpdf unpacks of a file to find its objects. Pages and pictures stay packed.
_UNPACKED = 64 << 20
_CLAIM = re.compile(rb"""pdfuaid:part(?:\s[^<>]{0,400})?(?:>\s*1\s*<|=\s*["']1["'])""")
_ANEW = "open it and save or print it as a new PDF"


@dataclass(frozen=True, slots=True)
class Part:
    """A PDF to be merged: its bookmark, its bytes, its name for messages.

    ``language`` is a BCP 47 tag for a part that has none; ``span`` where the part was requested.
    """

    title: str
    content: bytes
    name: str
    language: str | None = None
    span: Span | None = None


@dataclass(slots=True)
class OpenPart:
    """A part that was read and cleaned; ``claims``: whether it may go on to claim PDF/UA."""

    part: Part
    document: pikepdf.Pdf
    cleaned: Cleaned
    tree: Tree | None
    claims: bool

    @property
    def language(self) -> str | None:
        """The document's language, else the part's."""
        return _language(self.document) or self.part.language


@contextmanager
def limits() -> Iterator[None]:
    """Limit how many bytes qpdf unpacks of a stream, if pikepdf is new enough for that.

    The limit applies to the whole process meanwhile.
    """
    from pikepdf import settings

    change = getattr(settings, "set_qpdf_limits", None)
    if change is None:
        yield
        return
    kinds = ("flate", "run_length", "png", "tiff", "dct")
    before = change(**{f"{kind}_max_memory": _UNPACKED for kind in kinds})
    try:
        yield
    finally:
        change(**before)


def read(part: Part) -> OpenPart:
    """Open and clean one part; raises CvbuildError with its place."""
    import pikepdf

    if len(part.content) > pdf_facts.MAX_BYTES:
        raise _refused(
            part, f"is larger than {pdf_facts.MAX_BYTES:,} bytes", "attach a smaller one"
        )
    try:
        # Recovery finds some pages of half a file, and the others would be lost silently.
        document = pikepdf.open(io.BytesIO(part.content), attempt_recovery=False)
    except pikepdf.PasswordError:
        raise _refused(part, "needs a password", "attach one without encryption") from None
    except reading_errors() as error:
        raise unreadable(part, error) from None
    try:
        return _checked(part, document)
    except sanitize.TooDeepError:
        document.close()
        raise _refused(part, "nests too deeply", _ANEW) from None
    except form_fields.TooLargeError:
        document.close()
        fact = f"has form fields that unpack to over {form_fields.MAX_BYTES >> 20} MB"
        raise _refused(part, fact, _ANEW) from None
    except CvbuildError:
        document.close()
        raise
    except reading_errors() as error:
        document.close()
        raise unreadable(part, error) from None


def _checked(part: Part, document: pikepdf.Pdf) -> OpenPart:
    if document.is_encrypted and not document.allow.modify_assembly:
        hint = "ask its issuer for one without the lock, or print it to a new PDF if you may"
        raise _refused(part, "is locked against merging", hint)
    count = len(document.pages)
    if not 0 < count <= pdf_facts.MAX_PAGES:
        raise _refused(part, f"has {count or 'no'} pages", "attach one with pages that can be sent")
    if "/Collection" in document.Root:
        raise _refused(part, "is a portfolio of other files", "attach these files as PDFs")
    if document.Root.get("/NeedsRendering"):
        raise _refused(part, "is a dynamic form, which few programs can show", _ANEW)
    claims = _claims(document)
    cleaned = sanitize.clean(document)
    layers = document.Root.get("/OCProperties")
    if layers is not None:
        sanitize.scrub(layers, cleaned.seen)
    try:
        tree = read_tags.read(document, cleaned)
    except reading_errors():  # NoTreeError and TooDeepError too
        tree = None
    result = OpenPart(part, document, cleaned, tree, claims=False)
    result.claims = claims and bool(tree and result.language) and not cleaned.flat
    return result


def _claims(document: pikepdf.Pdf) -> bool:
    """Return whether a document claims PDF/UA-1, without doubt."""
    root: Any = document.Root
    if "/Metadata" not in root or root.get("/MarkInfo", {}).get("/Suspects", False):
        return False
    stream = root.Metadata
    raw = stream.read_raw_bytes()
    if stream.get("/Filter") == "/FlateDecode":
        raw = zlib.decompressobj().decompress(raw, _XMP)
    return bool(_CLAIM.search(raw[:_XMP]))


def _language(document: pikepdf.Pdf) -> str | None:
    import pikepdf

    said = document.Root.get("/Lang")
    return str(said) or None if isinstance(said, pikepdf.String) else None


def unreadable(part: Part, error: Exception) -> CvbuildError:
    """Return the error for a part that isn't a valid PDF."""
    import pikepdf

    fact = "something in it is invalid"
    if isinstance(error, pikepdf.PdfError) and str(error).strip():
        # The first words name the stream that it was read from.
        fact = str(error).strip().splitlines()[0].split(": ", 1)[-1][:200]
    hint = f"check that the PDF is complete; {_ANEW}"
    return _refused(part, f"can't be read as a PDF: {fact}", hint)


def _refused(part: Part, fact: str, hint: str) -> CvbuildError:
    message = f"{quoted(part.name)} {fact}"
    return CvbuildError([Diagnostic("error", "attachment", message, part.span, hint)])
