"""Merge PDFs: their pages, a bookmark for each, and their structure trees as one.

Pages and tags are copied, and nothing that acts (see ``sanitize``). The result doesn't claim PDF/A,
which attachments may violate; it claims PDF/UA if every part does.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cvbuild.applications.merge_pdf import open_part
from cvbuild.applications.merge_pdf.join_tags import Joined
from cvbuild.applications.merge_pdf.layers import Layers
from cvbuild.applications.merge_pdf.open_part import OpenPart, Part
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError
from cvbuild.common.pdf_errors import reading_errors
from cvbuild.common.positions import quoted
from cvbuild.outputs.pdf.about import pdf_date

if TYPE_CHECKING:
    import pikepdf


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


def merge(parts: Sequence[Part], about: About) -> Merged:
    """Merge parts in their order; the same parts give the same bytes.

    Raises CvbuildError with a diagnostic for each part that can't be used: encrypted, damaged, not
    a PDF, without pages, or one whose pages are not all of it.
    """
    open_parts: list[OpenPart] = []
    problems: list[Diagnostic] = []
    with open_part.limits():
        for part in parts:
            try:
                open_parts.append(open_part.read(part))
            except CvbuildError as error:
                problems += error.diagnostics
        try:
            if problems:
                raise CvbuildError(problems)
            return _merged(open_parts, about)
        finally:
            for one in open_parts:
                one.document.close()


def _merged(open_parts: list[OpenPart], about: About) -> Merged:
    import pikepdf

    accessible = all(one.claims for one in open_parts)
    language = about.language or next((one.language for one in open_parts if one.language), None)
    with pikepdf.new() as document:
        joined, layers = Joined(document), Layers(document)
        starts = []
        for one in open_parts:
            starts.append(len(document.pages))
            try:
                _append(document, one, joined, language)
                layers.add(one.document)
            except reading_errors() as error:
                raise open_part.unreadable(one.part, error) from None
        joined.finish()
        layers.finish()
        whole = all(one.tree for one in open_parts)
        if joined.parts:
            # Suspects: not everything on the pages is in the tree.
            document.Root.MarkInfo = pikepdf.Dictionary(Marked=True)
            if not whole:
                document.Root.MarkInfo.Suspects = True
        _bookmarks(document, [one.part.title for one in open_parts], starts)
        _describe(document, about, language, accessible=accessible)
        content = _bytes(document, open_parts)
    pages = tuple(len(one.document.pages) for one in open_parts)
    return Merged(content, pages, accessible, tuple(_notes(open_parts)))


def _append(document: pikepdf.Pdf, one: OpenPart, joined: Joined, language: str | None) -> None:
    """Add a part's pages, its links from page to page and its structure."""
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


def _bytes(document: pikepdf.Pdf, open_parts: Sequence[OpenPart]) -> bytes:
    import pikepdf

    newest = max(["1.7", *(one.document.pdf_version for one in open_parts)], key=_version)
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


def _notes(open_parts: Sequence[OpenPart]) -> Iterator[Diagnostic]:
    """Yield what the user should know of the parts: accessibility, and what was left out."""
    for one in open_parts:
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
