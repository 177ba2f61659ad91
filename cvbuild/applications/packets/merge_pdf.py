"""Merge several PDFs into one: their pages, a bookmark for each, and one tree of tags.

Of a page stays what page_keys.toml lists: keys of pages, of web links, and of all that a page is
drawn with; so nothing is left that acts. Comments and form fields are drawn into the page as they
look. A page that needs more, such as layers that are hidden, is refused. cvbuild's own parts keep
their tags; another's pages are figures. The result doesn't claim PDF/A, which attachments may
violate; it claims PDF/UA if every part is cvbuild's own.
"""

from __future__ import annotations

import io
import tomllib
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pikepdf
from msgspec import Struct

from cvbuild.applications.load import Part
from cvbuild.common.diagnostics import CvbuildError, Diagnostic, quoted, reading_errors
from cvbuild.model.text import lines
from cvbuild.outputs.pdf import pdf_date
from cvbuild.outputs.pdf.verify import pdf_facts

#: How many bytes qpdf unpacks of a stream to find a file's objects. Pages and pictures stay packed.
_UNPACKED = 64 << 20
#: How deep objects may be nested: qpdf copies by recursion, and its stack is limited.
_DEEPEST = 500
_HIDDEN = "has layers of which some are hidden"
_PRINT = "open it and print it to a new PDF"


class About(Struct, frozen=True):
    """What a merged file says about itself; ``epoch``, its date, in seconds since 1970."""

    title: str
    author: str
    language: str | None = None
    epoch: int | None = None


class Merged(Struct, frozen=True):
    """The merged file, and what the user should know of its parts."""

    content: bytes
    notes: tuple[Diagnostic, ...] = ()


def merge(parts: Sequence[Part], about: About) -> Merged:
    """Merge parts in order, always alike; raises CvbuildError for each that can't be used."""
    problems, notes = list[Diagnostic](), list[Diagnostic]()
    with ExitStack() as files, pikepdf.new() as document:
        # For the whole process; pikepdf may be too old for that.
        change: Any = getattr(pikepdf.settings, "set_qpdf_limits", lambda **_: {})
        packings = ("flate", "run_length", "png", "tiff", "dct")
        files.callback(change, **change(**{f"{each}_max_memory": _UNPACKED for each in packings}))
        tags, bookmarks, keep_tags = _Tags(document), list[pikepdf.OutlineItem](), list[bool]()
        for part in parts:
            bookmarks.append(pikepdf.OutlineItem(part.title, len(document.pages)))
            fact, hint = "can't be read as a PDF", "check that it is complete; or " + _PRINT
            try:
                source = _opened(part, files)
                keep_tags.append(_append(tags, part, source, about.language, notes))
                continue
            except pikepdf.PasswordError:
                fact, hint = "needs a password", "attach one without encryption"
            except _UnusableError as error:
                fact, hint = (*error.args, _PRINT)[:2]
            except reading_errors():
                pass
            fact = f"{quoted(part.name)} {fact}"
            problems.append(Diagnostic("error", "attachment", fact, part.span, hint))
        if problems:
            raise CvbuildError(problems)
        tags.finish()
        with document.open_outline() as outline:
            outline.root.extend(bookmarks)
        document.Root.PageMode = pikepdf.Name.UseOutlines
        _describe(document, about, is_accessible=all(keep_tags))
        content, mode = io.BytesIO(), pikepdf.ObjectStreamMode.generate
        document.save(content, min_version="1.7", deterministic_id=True, object_stream_mode=mode)
    return Merged(content.getvalue(), tuple(notes))


class _UnusableError(Exception):
    """What a PDF is or does whose pages can't be copied as they look; and what helps, if known."""


def _opened(part: Part, files: ExitStack) -> pikepdf.Pdf:
    """Open a part whose pages are all of it; ``files`` closes it."""
    # Recovery finds some pages of half a file, and the others would be lost silently.
    opened = pikepdf.open(io.BytesIO(part.content), attempt_recovery=False)
    document = files.enter_context(opened)
    root: Any = document.Root
    if document.is_encrypted and not document.allow.modify_assembly:
        hint = "ask its issuer for one without the lock, or print it to a new PDF if you may"
        raise _UnusableError("is locked against merging", hint)
    count = len(document.pages)
    if not 0 < count <= pdf_facts.MAX_PAGES:
        raise _UnusableError(f"has {count or 'no'} pages", "attach one with pages that can be sent")
    if "/Collection" in root:
        raise _UnusableError("is a portfolio of other files", "attach these files as PDFs")
    if root.get("/NeedsRendering"):
        raise _UnusableError("is a dynamic form, which few programs can show")
    layers = root.get("/OCProperties", {}).get("/D", {})
    if layers.get("/OFF") or layers.get("/AS") or layers.get("/BaseState") == "/OFF":
        raise _UnusableError(_HIDDEN)
    form = root.get("/AcroForm", {})
    if form.get("/NeedAppearances") and form.get("/Fields"):
        # qpdf would draw them in memory that nobody can foresee.
        raise _UnusableError("is a form whose fields are drawn only when it is shown")
    return document


def _append(
    tags: _Tags, part: Part, source: pikepdf.Pdf, usual: str | None, notes: list[Diagnostic]
) -> bool:
    """Add a part's pages and its tags, and notes on what is lost; return whether it keeps tags."""
    root: Any = source.Root
    has_tags = "/StructTreeRoot" in root and bool(root.get("/MarkInfo", {}).get("/Marked", False))
    keeps_tags = part.is_own and has_tags
    lost = _clean(source, tagged=keeps_tags)
    start = len(tags.document.pages)
    tags.document.pages.extend(source.pages)
    pages = [*tags.document.pages][start:]
    element = tags.keep(source, pages) if keeps_tags else tags.draw(pages, part.title)
    element.T = pikepdf.String(part.title)
    named, name = root.get("/Lang"), quoted(part.name)
    language = str(named) if isinstance(named, pikepdf.String) else part.language
    if language not in (None, usual):
        element.Lang = pikepdf.String(language)
    if not keeps_tags:
        fact = f"each page of {name} is one figure for screen readers"
        fact += ", so the merged PDF doesn't claim to be accessible (PDF/UA)"
        notes.append(Diagnostic("note", "merged-untagged", fact, part.span))
    if lost:
        what = "scripts, attached files, signatures, and links but those to the web"
        fact = f"the merged PDF leaves out of {name}: {what}"
        notes.append(Diagnostic("note", "merged-left-out", fact, part.span))
    return keeps_tags


def _describe(document: pikepdf.Pdf, about: About, *, is_accessible: bool) -> None:
    """Write Info and XMP alike, and what viewers and screen readers look for in the catalog."""
    if about.language:
        document.Root.Lang = pikepdf.String(about.language)
    document.Root.ViewerPreferences = pikepdf.Dictionary(DisplayDocTitle=True)
    info = document.docinfo
    info.Title, info.Author = about.title, about.author
    with document.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False) as xmp:
        xmp["dc:title"] = about.title
        xmp["dc:creator"] = [about.author]
        if about.language:
            xmp["dc:language"] = {about.language}
        if is_accessible:
            xmp["pdfuaid:part"] = "1"
        if about.epoch is not None:
            date = pdf_date(about.epoch)
            info.CreationDate = info.ModDate = date
            stamp = pikepdf.models.metadata.decode_pdf_date(date).strftime("%Y-%m-%dT%H:%M:%SZ")
            xmp["xmp:CreateDate"] = xmp["xmp:ModifyDate"] = stamp


# -- what a page may keep


def _keys(*texts: str) -> frozenset[str]:
    return frozenset(f"/{key}" for text in texts for key in text.split())


_LISTED = tomllib.loads(Path(__file__).with_name("page_keys.toml").read_text(encoding="utf-8"))
_TREE, _PAGE, _LINK = map(_keys, (_LISTED["tree"], _LISTED["page"], _LISTED["link"]))
_DRAWN, _ACTS = _keys(*_LISTED["drawn"].values()), _keys(_LISTED["acts"])
_NAMED, _ANY = _keys(_LISTED["named"]), "*"


def _clean(document: pikepdf.Pdf, *, tagged: bool) -> bool:
    """Leave only appearance and web links of a document's pages; return whether there was more.

    ``tagged`` pages keep their numbers. Raises _UnusableError, and whatever pikepdf raises.
    """
    root: Any = document.Root
    opening, names = root.get("/OpenAction"), {*root.keys(), *root.get("/Names", {}).keys()}
    has_more = isinstance(opening, pikepdf.Dictionary) and opening.get("/S") != "/GoTo"
    has_more = has_more or bool(root.get("/AcroForm", {}).get("/SigFlags"))
    has_more = has_more or not names.isdisjoint(_ACTS)
    document.flatten_annotations("all")
    tree = _TREE if tagged else frozenset()
    keys, seen = _DRAWN | tree, {page.obj.objgen for page in document.pages}
    for page in document.pages:
        links: dict[tuple[int, int], Any] = {}
        for annotation in page.obj.get("/Annots", ()):
            if not hasattr(annotation, "get") or annotation.get("/Subtype") != "/Link":
                continue
            action, url = annotation.get("/A"), ""
            if isinstance(action, pikepdf.Dictionary) and action.get("/S") == "/URI":
                url = str(action.get("/URI", ""))
            scheme, colon, _ = url.partition(":")
            is_web = colon and scheme.lower() in lines.URL_SCHEMES
            if not (is_web and url.isascii() and url.isprintable()):
                # A file, a script or a relative address.
                has_more = True
                continue
            # An object of its own, that the tree of tags can name.
            link = annotation if annotation.is_indirect else document.make_indirect(annotation)
            _keep(link, _LINK | tree)
            link.A = pikepdf.Dictionary(S=pikepdf.Name.URI, URI=pikepdf.String(url))
            links[link.objgen] = link
        has_more = has_more or "/AA" in page.obj
        if not isinstance(page.obj.get("/Resources"), pikepdf.Dictionary):
            page.obj.Resources = pikepdf.Dictionary()
        _keep(page.obj, _PAGE | tree)
        for thing in (page.obj, *links.values()):
            for key in {*thing.keys()} - {"/A"}:
                _scrub(thing[key], keys, seen, key)
        if links:
            page.obj.Annots = document.make_indirect(pikepdf.Array([*links.values()]))
    return has_more


def _keep(thing: Any, keys: frozenset[str]) -> None:
    for key in set(thing.keys()) - keys:
        del thing[key]


def _scrub(
    thing: Any, keys: frozenset[str], seen: set[tuple[int, int]], key: str, depth: int = 1
) -> None:
    """Leave only ``keys`` in all below ``thing``, to which ``key`` leads, but in what was ``seen``.

    After ``_ANY`` its keys are the maker's own. Raises _UnusableError where qpdf would go too deep.
    """
    if not isinstance(thing, pikepdf.Array | pikepdf.Dictionary | pikepdf.Stream):
        return
    if thing.is_indirect:
        if thing.objgen in seen:
            return
        seen.add(thing.objgen)
    if depth > _DEEPEST:
        raise _UnusableError("nests too deeply")
    if isinstance(thing, pikepdf.Array):
        inside = [("", item) for item in thing.as_list()]
    else:
        if thing.get("/Type") == "/OCMD" and (
            "/VE" in thing or thing.get("/P") in ("/AllOff", "/AnyOff")
        ):
            raise _UnusableError(_HIDDEN)
        filters = thing.get("/Filter")
        if isinstance(filters, pikepdf.Array) and len(filters) > len({*map(str, filters)}):
            # Packed anew once only, it would take a thousand times as much.
            raise _UnusableError("has parts that are packed twice")
        if key != _ANY:
            _keep(thing, keys)
        inside = [("" if key == _ANY else name, thing[name]) for name in sorted(thing.keys())]
    for name, item in inside:
        is_named = key == "/Resources" or name in _NAMED
        _scrub(item, keys, seen, _ANY if is_named else name, depth + 1)


# -- tags


class _Tags:
    """The tree of the merged file; parts are added to it after their pages are."""

    def __init__(self, document: pikepdf.Pdf) -> None:
        self.document = document
        self._root = document.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.StructTreeRoot))
        self._top = self._element("Document", self._root)
        self._root.K = self._top
        #: What each number leads to: the elements of a page's pieces, or that of a link.
        self._owners: list[Any] = []

    def keep(self, source: pikepdf.Pdf, pages: Sequence[pikepdf.Page]) -> Any:
        """Add a part with its own tree, and return its element."""
        tree = self.document.copy_foreign(source.Root.StructTreeRoot)
        start = len(self._owners)
        self._owners += [
            owners for _, owners in sorted(pikepdf.NumberTree(tree.ParentTree).items())
        ]
        for page in pages:
            page.obj.StructParents += start
            for link in page.obj.get("/Annots", ()):
                link.StructParent += start
        part = tree.K[0]
        part.S, part.P = pikepdf.Name.Part, self._top
        self._top.K.append(part)
        return part

    def draw(self, pages: Sequence[pikepdf.Page], title: str) -> Any:
        """Add a part whose pages are figures, and return its element."""
        part = self._element("Part", self._top)
        self._top.K.append(part)
        for number, page in enumerate(pages, start=1):
            figure = self._element("Figure", part)
            figure.Pg, figure.K = page.obj, 0
            figure.Alt = pikepdf.String(
                title if len(pages) == 1 else f"{title}, {number}/{len(pages)}"
            )
            part.K.append(figure)
            page.contents_add(b"/Figure <</MCID 0>> BDC\n", prepend=True)
            page.contents_add(b"\nEMC")
            page.obj.StructParents = len(self._owners)
            self._owners.append(pikepdf.Array([figure]))
        return part

    def _element(self, role: str, parent: Any) -> Any:
        element = pikepdf.Dictionary(
            Type=pikepdf.Name.StructElem, S=pikepdf.Name(f"/{role}"), P=parent, K=pikepdf.Array()
        )
        return self.document.make_indirect(element)

    def finish(self) -> None:
        """Write the tree."""
        numbers = [item for pair in enumerate(self._owners) for item in pair]
        self._root.ParentTree = self.document.make_indirect(
            pikepdf.Dictionary(Nums=pikepdf.Array(numbers))
        )
        self._root.ParentTreeNextKey = len(self._owners)
        self.document.Root.StructTreeRoot = self._root
        self.document.Root.MarkInfo = pikepdf.Dictionary(Marked=True)
