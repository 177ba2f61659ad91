"""Merge PDFs: their pages, a bookmark for each, and one tree of tags.

Pages are copied as they look, and nothing that acts (``clean``). cvbuild's own keep their tags;
another's pages are figures, and lose theirs. The result doesn't claim PDF/A, which attachments may
violate; it claims PDF/UA if every part is cvbuild's own.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from cvbuild.applications.merge_pdf import clean
from cvbuild.applications.merge_pdf.tags import Tags
from cvbuild.common.diagnostics import Diagnostic, Span, quoted
from cvbuild.common.errors import CvbuildError, reading_errors
from cvbuild.outputs.pdf.expected import pdf_date
from cvbuild.outputs.pdf.verify import pdf_facts

if TYPE_CHECKING:
    import pikepdf

#: How many bytes qpdf unpacks of a file to find its objects. Pages and pictures stay packed.
_UNPACKED = 64 << 20
#: The most pieces of a page that are marked; more than any page has.
_MARKS = 100_000


class Part(Struct, frozen=True):
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


class About(Struct, frozen=True):
    """What a merged file says about itself; ``epoch``, its date, in seconds since 1970."""

    title: str
    author: str
    language: str | None = None
    epoch: int | None = None


class Merged(Struct, frozen=True):
    """The merged file; ``pages`` of each part; ``accessible``: whether it claims PDF/UA-1."""

    content: bytes
    pages: tuple[int, ...]
    accessible: bool
    notes: tuple[Diagnostic, ...] = ()


class _OpenPart(Struct, frozen=True):
    """A part that was read and cleaned.

    ``marks`` counts the marked pieces of each page, ``lost`` says what was left out, ``language``
    is the document's, else the part's. ``has_tags``: it came with tags.
    """

    part: Part
    document: pikepdf.Pdf
    marks: tuple[int, ...]
    lost: tuple[str, ...]
    language: str | None
    has_tags: bool

    @property
    def keeps_tags(self) -> bool:
        """Whether the tags are cvbuild's, and go on into the merged file."""
        return self.part.is_own and self.has_tags


def merge(parts: Sequence[Part], about: About) -> Merged:
    """Merge parts in their order; the same parts give the same bytes.

    Raises CvbuildError with a diagnostic for each part that can't be used: encrypted, damaged, not
    a PDF, without pages, or one whose pages are not all of it.
    """
    opened: list[_OpenPart] = []
    problems: list[Diagnostic] = []
    with _limits(), ExitStack() as files:
        for part in parts:
            try:
                with _located(part):
                    opened.append(_opened(part, files))
            except CvbuildError as error:
                problems += error.diagnostics
        if problems:
            raise CvbuildError(problems)
        return _merged(opened, about)


@contextmanager
def _limits() -> Iterator[None]:
    """Limit how many bytes qpdf unpacks of a stream, if pikepdf is new enough for that.

    The limit applies to the whole process meanwhile.
    """
    from pikepdf import settings

    change = getattr(settings, "set_qpdf_limits", None)
    kinds = ("flate", "run_length", "png", "tiff", "dct")
    before = change(**{f"{kind}_max_memory": _UNPACKED for kind in kinds}) if change else {}
    try:
        yield
    finally:
        if change:
            change(**before)


@contextmanager
def _located(part: Part) -> Iterator[None]:
    """Turn what is wrong with a part into a CvbuildError with its name and place."""
    import pikepdf

    try:
        yield
    except pikepdf.PasswordError:
        raise _refused(part, "needs a password", "attach one without encryption") from None
    except clean.UnusableError as error:
        fault = error.diagnostics[0]
        raise _refused(part, fault.message, fault.hint or clean.ANEW) from None
    except reading_errors() as error:
        fact = "something in it is invalid"
        if isinstance(error, pikepdf.PdfError) and str(error).strip():
            # The first words name the stream that it was read from.
            fact = str(error).strip().splitlines()[0].split(": ", 1)[-1][:200]
        hint = f"check that the PDF is complete; {clean.ANEW}"
        raise _refused(part, f"can't be read as a PDF: {fact}", hint) from None


def _refused(part: Part, fact: str, hint: str) -> CvbuildError:
    return CvbuildError.because("attachment", f"{quoted(part.name)} {fact}", hint, part.span)


def _opened(part: Part, files: ExitStack) -> _OpenPart:
    """Open and clean one part, which ``files`` closes."""
    import pikepdf

    if len(part.content) > pdf_facts.MAX_BYTES:
        fact = f"is larger than {pdf_facts.MAX_BYTES:,} bytes"
        raise _refused(part, fact, "attach a smaller one")
    # Recovery finds some pages of half a file, and the others would be lost silently.
    document = pikepdf.open(io.BytesIO(part.content), attempt_recovery=False)
    files.enter_context(document)
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
        raise _refused(part, "is a dynamic form, which few programs can show", clean.ANEW)
    language = root.get("/Lang")
    named = str(language) if isinstance(language, pikepdf.String) else ""
    has_tags = "/StructTreeRoot" in root and bool(root.get("/MarkInfo", {}).get("/Marked", False))
    marks = tuple(_marks(document, page.obj) for page in document.pages)
    lost = clean.clean(document, tagged=part.is_own and has_tags)
    return _OpenPart(part, document, marks, lost, named or part.language, has_tags)


def _marks(document: pikepdf.Pdf, page: Any) -> int:
    """Return how many pieces of a page are marked: its own tree knows; 0 if it is unreadable."""
    import pikepdf

    with suppress(*reading_errors()):
        tree: Any = pikepdf.NumberTree(document.Root.StructTreeRoot.ParentTree)
        return min(len(tree[page.StructParents]), _MARKS)
    return 0


def _merged(open_parts: list[_OpenPart], about: About) -> Merged:
    import pikepdf

    accessible = all(opened.keeps_tags for opened in open_parts)
    language = about.language or next((part.language for part in open_parts if part.language), None)
    with pikepdf.new() as document:
        tags, starts = Tags(document), []
        for opened in open_parts:
            starts.append(len(document.pages))
            with _located(opened.part):
                _append(document, opened, tags, language)
        tags.finish()
        with document.open_outline() as outline:
            outline.root.extend(
                pikepdf.OutlineItem(opened.part.title, start)
                for opened, start in zip(open_parts, starts, strict=True)
            )
        document.Root.PageMode = pikepdf.Name.UseOutlines
        _describe(document, about, language, accessible=accessible)
        content = _bytes(document, open_parts)
    pages = tuple(len(opened.document.pages) for opened in open_parts)
    return Merged(content, pages, accessible, tuple(_notes(open_parts)))


def _append(document: pikepdf.Pdf, opened: _OpenPart, tags: Tags, language: str | None) -> None:
    """Add a part's pages, its tags and its layers."""
    import pikepdf

    start = len(document.pages)
    document.pages.extend(opened.document.pages)
    pages = list(document.pages)[start:]
    if opened.keeps_tags:
        element = tags.keep(opened.document, pages)
    else:
        element = tags.draw(pages, opened.marks, opened.part.title)
    element.T = pikepdf.String(opened.part.title)
    if opened.language not in (None, language):
        element.Lang = pikepdf.String(opened.language)
    _add_layers(document, opened.document)


def _add_layers(document: pikepdf.Pdf, source: pikepdf.Pdf) -> None:
    """Copy a part's layers (optional content): what is hidden in it stays hidden.

    ISO 32000-1, 8.11: a layer that the catalog doesn't list is visible.
    """
    import pikepdf

    layers: Any = source.Root.get("/OCProperties")
    if layers is None:
        return
    default = layers.get("/D", pikepdf.Dictionary())
    groups, off = (_groups(layers, "/OCGs"), _groups(default, "/OFF"))
    if default.get("/BaseState") == "/OFF":
        visible = {group.objgen for group in _groups(default, "/ON")}
        off = [group for group in groups if group.objgen not in visible]
    if "/OCProperties" not in document.Root:
        document.Root.OCProperties = pikepdf.Dictionary(
            OCGs=pikepdf.Array(),
            D=pikepdf.Dictionary(
                Name=pikepdf.String("Layers"), OFF=pikepdf.Array(), AS=pikepdf.Array()
            ),
        )
    whole: Any = document.Root.OCProperties
    events = [source.make_indirect(event) for event in default.get("/AS", ())]
    for target, things in ((whole.OCGs, groups), (whole.D.OFF, off), (whole.D.AS, events)):
        target.extend(document.copy_foreign(thing) for thing in things)


def _groups(holder: Any, key: str) -> list[Any]:
    import pikepdf

    groups = holder.get(key, ())
    return [
        group for group in groups if isinstance(group, pikepdf.Dictionary) and group.is_indirect
    ]


def _describe(
    document: pikepdf.Pdf, about: About, language: str | None, *, accessible: bool
) -> None:
    """Write Info and XMP alike, and what viewers and screen readers look for in the catalog."""
    import pikepdf

    if language:
        document.Root.Lang = pikepdf.String(language)
    document.Root.ViewerPreferences = pikepdf.Dictionary(DisplayDocTitle=True)
    info = document.docinfo
    info.Title, info.Author = about.title, about.author
    with document.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False) as xmp:
        xmp["dc:title"] = about.title
        xmp["dc:creator"] = [about.author]
        if language:
            xmp["dc:language"] = {language}
        if accessible:
            xmp["pdfuaid:part"] = "1"
        if about.epoch is not None:
            date = pdf_date(about.epoch)
            info.CreationDate = info.ModDate = date
            stamp = pikepdf.models.metadata.decode_pdf_date(date).strftime("%Y-%m-%dT%H:%M:%SZ")
            xmp["xmp:CreateDate"] = xmp["xmp:ModifyDate"] = stamp


def _bytes(document: pikepdf.Pdf, open_parts: Sequence[_OpenPart]) -> bytes:
    import pikepdf

    versions = [opened.document.pdf_version for opened in open_parts]
    # A file may begin with any number.
    newest = max(["1.7", *(one for one in versions if re.fullmatch("[12][.][0-9]", one))])
    content = io.BytesIO()
    document.save(
        content,
        min_version=newest,
        deterministic_id=True,
        object_stream_mode=pikepdf.ObjectStreamMode.generate,
        # Packed anew once only, what had been packed twice would take a thousand times as much.
        compress_streams=not any(map(_is_packed_twice, document.objects)),
    )
    return content.getvalue()


def _is_packed_twice(thing: Any) -> bool:
    import pikepdf

    packed = thing.get("/Filter") if isinstance(thing, pikepdf.Stream) else None
    return isinstance(packed, pikepdf.Array) and len(packed) > 1


def _notes(open_parts: Sequence[_OpenPart]) -> Iterator[Diagnostic]:
    """Yield what the user should know of the parts: accessibility, and what was left out."""
    for opened in open_parts:
        name, span = quoted(opened.part.name), opened.part.span
        if not opened.keeps_tags:
            fact = f"{name} has no tags for screen readers"
            if opened.has_tags:
                fact = f"{name} loses its own tags: each of its pages is a figure"
            fact += ", so the merged PDF doesn't claim to be accessible (PDF/UA)"
            yield Diagnostic("note", "merged-untagged", fact, span)
        if opened.lost:
            fact = f"the merged PDF leaves out of {name}: {', '.join(opened.lost)}"
            yield Diagnostic("note", "merged-left-out", fact, span)
