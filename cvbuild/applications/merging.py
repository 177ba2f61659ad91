"""One PDF of several: their pages, a bookmark for each, and their structure trees as one.

A packet harms nobody: pages and tags are taken, and nothing that acts (see ``harmless``). PDF/A
isn't claimed, for what is attached is no archive's. PDF/UA is, if every part claims it.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cvbuild import pdf
from cvbuild.applications import harmless, structure
from cvbuild.applications.harmless import Cleaned
from cvbuild.applications.joining import Joined
from cvbuild.applications.structure import Tree
from cvbuild.diagnostics import Diagnostic, Span
from cvbuild.errors import CvbuildError
from cvbuild.pdfids import pdf_date
from cvbuild.places import quoted

if TYPE_CHECKING:
    import pikepdf

#: XMP of a size that nobody needs is not read for what it claims.
_XMP = 1_000_000
_CLAIM = re.compile(rb"""pdfuaid:part\s*(?:>|=\s*["'])\s*1\s*(?:<|["'])""")
_ANEW = "open it and save or print it as a PDF anew"


@dataclass(frozen=True, slots=True)
class Part:
    """A PDF to be merged: its bookmark, its bytes, its name for messages.

    ``language`` is a BCP 47 tag for a part that names none; ``span`` where the part was asked for.
    """

    title: str
    content: bytes
    name: str
    language: str | None = None
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class About:
    """What a merged file says about itself; ``epoch``, its date, in seconds since 1970."""

    title: str
    author: str
    language: str | None = None
    epoch: int | None = None


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged file; ``pages`` of each part; ``accessible``: whether it claims PDF/UA-1."""

    content: bytes
    pages: tuple[int, ...]
    accessible: bool
    notes: tuple[Diagnostic, ...] = ()


@dataclass(slots=True)
class _Opened:
    """A part that was read and cleaned."""

    part: Part
    document: pikepdf.Pdf
    cleaned: Cleaned
    tree: Tree | None
    claims: bool

    @property
    def language(self) -> str | None:
        return _language(self.document) or self.part.language


def merge(parts: Sequence[Part], about: About) -> Merged:
    """Put parts together in their order; the same parts give the same bytes.

    Raises CvbuildError with a diagnostic for each part that can't be used: encrypted, damaged, not
    a PDF, without pages, or one of which a page would not be the whole.
    """
    opened, problems = [], []
    for part in parts:
        try:
            opened.append(_open(part))
        except CvbuildError as error:
            problems += error.diagnostics
    try:
        if problems:
            raise CvbuildError(problems)
        return _merged(opened, about)
    finally:
        for one in opened:
            one.document.close()


def _merged(opened: list[_Opened], about: About) -> Merged:
    import pikepdf

    accessible = all(one.claims for one in opened)
    language = about.language or next((one.language for one in opened if one.language), None)
    with pikepdf.new() as document:
        joined = Joined(document)
        starts = []
        for one in opened:
            starts.append(len(document.pages))
            try:
                _append(document, one, joined, language)
            except pdf.strange() as error:
                raise _refused(one.part, *_unreadable(error)) from None
        joined.finish(language if accessible else None)
        whole = all(one.tree for one in opened)
        if joined.parts:
            # Suspects: not everything on the pages is in the tree.
            document.Root.MarkInfo = pikepdf.Dictionary(Marked=True)
            if not whole:
                document.Root.MarkInfo.Suspects = True
        _bookmarks(document, [one.part.title for one in opened], starts)
        _describe(document, about, language, accessible=accessible)
        content = _bytes(document, opened)
    pages = tuple(len(one.document.pages) for one in opened)
    return Merged(content, pages, accessible, tuple(_notes(opened)))


# -- reading a part ------------------------------------------------------------------------------


def _open(part: Part) -> _Opened:
    """Open and clean one part; raises CvbuildError with its place."""
    import pikepdf

    if len(part.content) > pdf.MAX_BYTES:
        raise _refused(part, f"is larger than {pdf.MAX_BYTES:,} bytes", "attach a smaller one")
    try:
        # Recovery finds some pages of half a file, and nobody would know that the others are gone.
        document = pikepdf.open(io.BytesIO(part.content), attempt_recovery=False)
    except pikepdf.PasswordError:
        raise _refused(part, "needs a password", "attach one without encryption") from None
    except pdf.strange() as error:
        raise _refused(part, *_unreadable(error)) from None
    try:
        return _read(part, document)
    except harmless.TooDeep:
        document.close()
        raise _refused(part, "nests too deeply", _ANEW) from None
    except CvbuildError:
        document.close()
        raise
    except pdf.strange() as error:
        document.close()
        raise _refused(part, *_unreadable(error)) from None


def _read(part: Part, document: pikepdf.Pdf) -> _Opened:
    if document.is_encrypted and not document.allow.modify_assembly:
        hint = "ask who issued it for one without that, or print it to a new PDF if you may"
        raise _refused(part, "is locked against being put together with others", hint)
    count = len(document.pages)
    if not 0 < count <= pdf.MAX_PAGES:
        raise _refused(part, f"has {count or 'no'} pages", "attach one with pages that can be sent")
    if "/Collection" in document.Root:
        raise _refused(part, "is a portfolio of other files", "attach these files as PDFs")
    if document.Root.get("/NeedsRendering"):
        raise _refused(part, "is a dynamic form, which few programs can show", _ANEW)
    claims = _claims(document)
    cleaned = harmless.clean(document)
    try:
        tree = structure.read(document, cleaned)
    except (structure.NotATree, harmless.TooDeep, *pdf.strange()):
        tree = None
    return _Opened(part, document, cleaned, tree, claims and tree is not None and not cleaned.flat)


def _claims(document: pikepdf.Pdf) -> bool:
    """Whether a document says that it is PDF/UA-1, and has what a merged one must have for that."""
    marked = document.Root.get("/MarkInfo", {})
    if "/Metadata" not in document.Root or marked.get("/Suspects", False):
        return False
    stream = document.Root.Metadata
    raw = stream.read_raw_bytes()
    if stream.get("/Filter") == "/FlateDecode":
        raw = zlib.decompressobj().decompress(raw, _XMP)
    return bool(_CLAIM.search(raw[:_XMP]))


def _language(document: pikepdf.Pdf) -> str | None:
    import pikepdf

    said = document.Root.get("/Lang")
    return str(said) or None if isinstance(said, pikepdf.String) else None


def _unreadable(error: Exception) -> tuple[str, str]:
    lines = str(error).strip().splitlines()
    reason = lines[0].split(": ", 1)[-1] if lines else type(error).__name__
    return f"can't be read as a PDF: {reason[:200]}", f"is it a whole PDF? {_ANEW}"


def _refused(part: Part, fact: str, hint: str) -> CvbuildError:
    message = f"{quoted(part.name)} {fact}"
    return CvbuildError([Diagnostic("error", "attachment", message, part.span, hint)])


# -- writing -------------------------------------------------------------------------------------


def _append(document: pikepdf.Pdf, one: _Opened, joined: Joined, language: str | None) -> None:
    """Add a part's pages, its links from page to page, its layers and its structure."""
    import pikepdf

    if one.tree:
        joined.number(one.tree)
    start = len(document.pages)
    document.pages.extend(one.document.pages)
    for jump in one.cleaned.jumps:
        link = document.pages[start + jump.page].obj.Annots[jump.annotation]
        target = document.pages[start + jump.target].obj
        link.Dest = pikepdf.Array([target, *jump.view])
    if one.tree:
        own = one.language if one.language != language else None
        joined.add(one.document, one.tree, one.part.title, own)


def _bookmarks(document: pikepdf.Pdf, titles: Sequence[str], starts: Sequence[int]) -> None:
    import pikepdf

    with document.open_outline() as outline:
        outline.root.extend(
            pikepdf.OutlineItem(title, start) for title, start in zip(titles, starts, strict=True)
        )
    document.Root.PageMode = pikepdf.Name.UseOutlines


def _describe(
    document: pikepdf.Pdf, about: About, language: str | None, *, accessible: bool
) -> None:
    """Write the same to Info and XMP, and what viewers and screen readers ask the catalog."""
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


def _bytes(document: pikepdf.Pdf, opened: Sequence[_Opened]) -> bytes:
    import pikepdf

    newest = max(["1.7", *(one.document.pdf_version for one in opened)], key=_version)
    made = io.BytesIO()
    document.save(
        made,
        min_version=newest,
        deterministic_id=True,
        object_stream_mode=pikepdf.ObjectStreamMode.generate,
    )
    return made.getvalue()


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall("[0-9]+", text))


def _notes(opened: Sequence[_Opened]) -> Iterator[Diagnostic]:
    """What the user should know of the parts: who can't read them, and what was left out."""
    for one in opened:
        name, span = quoted(one.part.name), one.part.span
        if not one.claims:
            what = (
                "is not made for screen readers" if one.tree else "has no tags for screen readers"
            )
            yield Diagnostic(
                "note",
                "merged-untagged",
                f"{name} {what}, so the merged PDF doesn't claim to be accessible (PDF/UA)",
                span,
            )
        if one.cleaned.lost:
            lost = ", ".join(dict.fromkeys(one.cleaned.lost))
            yield Diagnostic(
                "note", "merged-left-out", f"the merged PDF leaves out of {name}: {lost}", span
            )
