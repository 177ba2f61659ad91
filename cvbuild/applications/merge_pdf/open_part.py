"""Open a PDF that is to be merged: refuse it if unusable, and clean it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cvbuild.applications.merge_pdf import sanitize
from cvbuild.common.diagnostics import Span, quoted
from cvbuild.common.errors import CvbuildError, reading_errors
from cvbuild.outputs.pdf.verify import pdf_facts

if TYPE_CHECKING:
    import pikepdf

#: How many bytes qpdf unpacks of a file to find its objects. Pages and pictures stay packed.
_UNPACKED = 64 << 20
#: The most pieces of a page that are marked; more than any page has.
_MARKS = 100_000
_ANEW = "open it and save or print it as a new PDF"


@dataclass(frozen=True, slots=True)
class Part:
    """A PDF to be merged: its bookmark, its bytes, its name for messages.

    ``language`` is a BCP 47 tag for a part that has none; ``span`` where the part was requested.
    ``is_own``: cvbuild made it, so its tags can be trusted and are kept.
    """

    title: str
    content: bytes
    name: str
    language: str | None = None
    span: Span | None = None
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class OpenPart:
    """A part that was read and cleaned.

    ``marks`` counts the marked pieces of each page, ``lost`` says what was left out. ``has_tags``:
    it came with tags; ``keeps_tags``: they go on into the merged file.
    """

    part: Part
    document: pikepdf.Pdf
    marks: tuple[int, ...]
    lost: tuple[str, ...]
    has_tags: bool

    @property
    def keeps_tags(self) -> bool:
        """Whether the tags are cvbuild's."""
        return self.part.is_own and self.has_tags

    @property
    def language(self) -> str | None:
        """The document's language, else the part's."""
        import pikepdf

        told = self.document.Root.get("/Lang")
        return (str(told) if isinstance(told, pikepdf.String) else None) or self.part.language


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
        return _cleaned(part, document)
    except CvbuildError:
        document.close()
        raise
    except reading_errors() as error:
        document.close()
        raise unreadable(part, error) from None


def _cleaned(part: Part, document: pikepdf.Pdf) -> OpenPart:
    root: Any = document.Root
    if document.is_encrypted and not document.allow.modify_assembly:
        hint = "ask its issuer for one without the lock, or print it to a new PDF if you may"
        raise _refused(part, "is locked against merging", hint)
    count = len(document.pages)
    if not 0 < count <= pdf_facts.MAX_PAGES:
        raise _refused(part, f"has {count or 'no'} pages", "attach one with pages that can be sent")
    if "/Collection" in root:
        raise _refused(part, "is a portfolio of other files", "attach these files as PDFs")
    if root.get("/NeedsRendering"):
        raise _refused(part, "is a dynamic form, which few programs can show", _ANEW)
    has_tags = "/StructTreeRoot" in root and bool(root.get("/MarkInfo", {}).get("/Marked", False))
    marks = tuple(_marks(document, page.obj) for page in document.pages)
    lost = sanitize.clean(document, tagged=part.is_own and has_tags)
    return OpenPart(part, document, marks, lost, has_tags)


def _marks(document: pikepdf.Pdf, page: Any) -> int:
    """Return how many pieces of a page are marked: its own tree knows; 0 if it is unreadable."""
    import pikepdf

    with suppress(*reading_errors()):
        tree: Any = pikepdf.NumberTree(document.Root.StructTreeRoot.ParentTree)
        return min(len(tree[page.StructParents]), _MARKS)
    return 0


def unreadable(part: Part, error: Exception) -> CvbuildError:
    """Return the error for a part that can't be read, or isn't a valid PDF."""
    import pikepdf

    match error:
        case sanitize.TooDeepError():
            return _refused(part, "nests too deeply", _ANEW)
        case sanitize.TooLargeError():
            fact = f"has form fields that unpack to over {sanitize.MAX_BYTES >> 20} MB"
            return _refused(part, fact, _ANEW)
    fact = "something in it is invalid"
    if isinstance(error, pikepdf.PdfError) and str(error).strip():
        # The first words name the stream that it was read from.
        fact = str(error).strip().splitlines()[0].split(": ", 1)[-1][:200]
    hint = f"check that the PDF is complete; {_ANEW}"
    return _refused(part, f"can't be read as a PDF: {fact}", hint)


def _refused(part: Part, fact: str, hint: str) -> CvbuildError:
    return CvbuildError.because("attachment", f"{quoted(part.name)} {fact}", hint, part.span)
