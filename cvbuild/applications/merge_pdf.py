"""Merge several PDFs into one: their pages, a bookmark for each, and one tree of tags.

Of a page stays what is listed here: keys of pages, of web links, and of all that a page is drawn
with; so nothing is left that acts. Comments and form fields are drawn into the page as they look.
cvbuild's own parts keep their tags; another's pages are figures. The result doesn't claim PDF/A,
which attachments may violate; it claims PDF/UA if every part is cvbuild's own.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import pikepdf
from msgspec import Struct

from cvbuild.common.diagnostics import Diagnostic, Span, quoted
from cvbuild.common.errors import CvbuildError, reading_errors
from cvbuild.model.text import urls
from cvbuild.outputs.pdf.expected import pdf_date
from cvbuild.outputs.pdf.verify import pdf_facts

#: How many bytes qpdf unpacks of a file to find its objects. Pages and pictures stay packed.
_UNPACKED = 64 << 20
#: The most pieces of a page that are marked; more than any page has.
_MARKS = 100_000
#: How deep objects may be nested: qpdf copies by recursion, and its stack is limited.
_DEEPEST = 500
#: How many nodes above a page are asked for its resources.
_ABOVE = 128
_ANEW = "open it and save or print it as a new PDF"


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
    try:
        yield
    except pikepdf.PasswordError:
        raise _refused(part, "needs a password", "attach one without encryption") from None
    except _UnusableError as error:
        raise _refused(part, str(error), _ANEW) from None
    except reading_errors() as error:
        fact = "something in it is invalid"
        if isinstance(error, pikepdf.PdfError) and str(error).strip():
            # The first words name the stream that it was read from.
            fact = str(error).strip().splitlines()[0].split(": ", 1)[-1][:200]
        hint = f"check that the PDF is complete; {_ANEW}"
        raise _refused(part, f"can't be read as a PDF: {fact}", hint) from None


def _refused(part: Part, fact: str, hint: str) -> CvbuildError:
    return CvbuildError.because("attachment", f"{quoted(part.name)} {fact}", hint, part.span)


def _opened(part: Part, files: ExitStack) -> _OpenPart:
    """Open and clean one part, which ``files`` closes."""
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
        raise _refused(part, "is a dynamic form, which few programs can show", _ANEW)
    language = root.get("/Lang")
    named = str(language) if isinstance(language, pikepdf.String) else ""
    has_tags = "/StructTreeRoot" in root and bool(root.get("/MarkInfo", {}).get("/Marked", False))
    marks = tuple(_marks(document, page.obj) for page in document.pages)
    lost = _clean(document, tagged=part.is_own and has_tags)
    return _OpenPart(part, document, marks, lost, named or part.language, has_tags)


def _marks(document: pikepdf.Pdf, page: Any) -> int:
    """Return how many pieces of a page are marked: its own tree knows; 0 if it is unreadable."""
    with suppress(*reading_errors()):
        tree: Any = pikepdf.NumberTree(document.Root.StructTreeRoot.ParentTree)
        return min(len(tree[page.StructParents]), _MARKS)
    return 0


def _merged(open_parts: list[_OpenPart], about: About) -> Merged:
    accessible = all(opened.keeps_tags for opened in open_parts)
    language = about.language or next((part.language for part in open_parts if part.language), None)
    with pikepdf.new() as document:
        tags, starts = _Tags(document), []
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


def _append(document: pikepdf.Pdf, opened: _OpenPart, tags: _Tags, language: str | None) -> None:
    """Add a part's pages, its tags and its layers."""
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
    groups = holder.get(key, ())
    return [
        group for group in groups if isinstance(group, pikepdf.Dictionary) and group.is_indirect
    ]


def _describe(
    document: pikepdf.Pdf, about: About, language: str | None, *, accessible: bool
) -> None:
    """Write Info and XMP alike, and what viewers and screen readers look for in the catalog."""
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
    versions = [opened.document.pdf_version for opened in open_parts]
    # A file may begin with any number.
    newest = max(["1.7", *(v for v in versions if re.fullmatch("[12][.][0-9]", v))])
    content = io.BytesIO()
    document.save(
        content,
        min_version=newest,
        deterministic_id=True,
        object_stream_mode=pikepdf.ObjectStreamMode.generate,
        # Packed anew once only, what had been packed twice would take a thousand times as much.
        compress_streams=not any(
            isinstance(thing, pikepdf.Stream)
            and isinstance(filters := thing.get("/Filter"), pikepdf.Array)
            and len(filters) > 1
            for thing in document.objects
        ),
    )
    return content.getvalue()


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


# -- what a page may keep ---


def _keys(names: str) -> frozenset[str]:
    return frozenset(f"/{name}" for name in names.split())


#: Keys into the tree of tags.
_TREE = _keys("StructParent StructParents")
_PAGE = _TREE | _keys(
    "Type MediaBox CropBox BleedBox TrimBox ArtBox Rotate UserUnit Resources Contents Group "
    "Annots Tabs"
)
_LINK = _TREE | _keys("Type Subtype Rect QuadPoints Border BS C F H Contents")
#: Keys of all that is below a page's resources and layers; ISO 32000-1, by chapters.
_DRAWN = _keys(
    # 7.3.8, 7.10: streams, filters and functions
    "Length Length1 Length2 Length3 Filter DecodeParms Predictor Colors Columns EarlyChange "
    "EndOfLine EncodedByteAlign Rows EndOfBlock BlackIs1 DamagedRowsBeforeError ColorTransform "
    "JBIG2Globals FunctionType Domain Range Size BitsPerSample Order Encode Decode C0 C1 N "
    "Functions Bounds "
    # 7.8.3, 8.4, 8.6: resources, states and spaces of colour
    "Type Subtype Name ProcSet ExtGState ColorSpace Pattern Shading XObject Font Properties LW LC "
    "LJ ML D RI OP op OPM BG BG2 UCR UCR2 TR TR2 HT FL SM SA BM SMask CA ca AIS TK WhitePoint "
    "BlackPoint Gamma Matrix Alternate Colorants Process Components MixingHints Solidities DotGain "
    "PrintingOrder "
    # 8.7: patterns and shadings
    "PatternType PaintType TilingType BBox XStep YStep Resources ShadingType Background AntiAlias "
    "Coords Extend Function BitsPerCoordinate BitsPerComponent BitsPerFlag VerticesPerRow "
    # 8.9, 8.10, 11.6: images, forms, groups and masks
    "Width Height Intent ImageMask Mask Interpolate SMaskInData Matte FormType Group S CS I K G BC "
    # 8.11: layers
    "OC OCGs P VE Usage CreatorInfo Creator Language Lang Preferred Export ExportState Zoom min "
    "max Print PrintState View ViewState User PageElement Event Category AS ON OFF BaseState "
    # 9: fonts
    "BaseFont FirstChar LastChar Widths FontDescriptor Encoding ToUnicode BaseEncoding Differences "
    "CharProcs FontMatrix DescendantFonts CIDSystemInfo Registry Ordering Supplement DW W DW2 W2 "
    "CIDToGIDMap CMapName WMode UseCMap FontName FontFamily FontStretch FontWeight Flags FontBBox "
    "ItalicAngle Ascent Descent Leading CapHeight XHeight StemV StemH AvgWidth MaxWidth "
    "MissingWidth FontFile FontFile2 FontFile3 CharSet Style Panose FD CIDSet "
    # 10.5: halftones
    "HalftoneType HalftoneName Frequency Angle SpotFunction AccurateScreens TransferFunction "
    "Xsquare Ysquare Width2 Height2 Default"
)
#: Dictionaries whose keys are names that the file's maker chose; so are those in resources.
_NAMED = _keys("CharProcs Colorants Solidities DotGain")


def _clean(document: pikepdf.Pdf, *, tagged: bool) -> tuple[str, ...]:
    """Remove everything but appearance and web links from a document's pages and layers.

    ``tagged`` pages keep the numbers by which the tree of tags knows them. Returns in words what
    was left out. Raises _UnusableError, and whatever pikepdf raises for an invalid file.
    """
    lost = [*_lost(document.Root)]
    _flatten(document)
    for number, page in enumerate(document.pages, start=1):
        if "/AA" in page.obj:
            lost.append("actions of a page")
        page.obj.Resources = _resources(page.obj)
        _keep(page.obj, _PAGE)
        links: list[Any] = []
        for annotation in page.obj.get("/Annots", ()):
            if isinstance(annotation, pikepdf.Dictionary) and annotation.get("/Subtype") == "/Link":
                # An object of its own, that the tree of tags can name.
                link = annotation if annotation.is_indirect else document.make_indirect(annotation)
                if link.objgen not in [known.objgen for known in links]:
                    lost += _disarm(link, number)
                    links.append(link)
        if links:
            page.obj.Annots = document.make_indirect(pikepdf.Array(links))
        elif "/Annots" in page.obj:
            del page.obj.Annots
    pages = {page.obj.objgen for page in document.pages}
    scrubber = _Scrubber(_DRAWN | _TREE if tagged else _DRAWN, pages)
    for page in document.pages:
        for thing in (page.obj, *page.obj.get("/Annots", ())):
            if not tagged:
                _keep(thing, (_PAGE | _LINK | {"/A"}) - _TREE)
            for key in set(thing.keys()) - {"/A", "/Annots"}:
                scrubber.scrub(thing[key], key)
    scrubber.scrub(document.Root.get("/OCProperties"))
    return tuple(dict.fromkeys(lost))


class _UnusableError(Exception):
    """What a PDF is or does whose pages can't be copied as they look."""


def _lost(root: Any) -> list[str]:
    """Return what the document itself does or carries, in words."""
    names, opening, form = root.get("/Names", {}), root.get("/OpenAction"), root.get("/AcroForm")
    acts = isinstance(opening, pikepdf.Dictionary) and opening.get("/S") != "/GoTo"
    is_signed = form is not None and form.get("/SigFlags", 0)
    told = {
        "JavaScript": "/JavaScript" in names,
        "an action when it is opened": acts,
        "actions of the document": "/AA" in root,
        "an attached file": "/EmbeddedFiles" in names or "/AF" in root,
        "the digital signature, which holds for the file alone": is_signed,
    }
    return [words for words, is_there in told.items() if is_there]


def _flatten(document: pikepdf.Pdf) -> None:
    """Draw fields and comments into their pages; raises _UnusableError for those without a look."""
    annotations = [
        annotation
        for page in document.pages
        for annotation in page.obj.get("/Annots", ())
        if hasattr(annotation, "get")
    ]
    if all(annotation.get("/Subtype") == "/Link" for annotation in annotations):
        return
    form = document.Root.get("/AcroForm")
    if form is not None and form.get("/NeedAppearances"):
        # qpdf would draw them in memory that nobody can foresee.
        raise _UnusableError("is a form whose fields are drawn only when it is shown")
    document.flatten_annotations("all")


def _resources(page: Any) -> Any:
    """Return the resources of a page, or of the nodes above it; an empty dictionary if none."""
    node: Any = page
    for _ in range(_ABOVE):
        if node is None or "/Resources" in node:
            break
        node = node.get("/Parent")
    resources = node.get("/Resources") if node is not None else None
    return resources if isinstance(resources, pikepdf.Dictionary) else pikepdf.Dictionary()


def _keep(thing: Any, keys: frozenset[str]) -> None:
    for key in set(thing.keys()) - keys:
        del thing[key]


def _disarm(link: Any, number: int) -> list[str]:
    """Remove all of a link but a web address; return in words what was left out."""
    action, has_target, has_more = link.get("/A"), "/Dest" in link, "/AA" in link
    _keep(link, _LINK)
    if isinstance(action, pikepdf.Dictionary):
        kind, url = action.get("/S"), str(action.get("/URI", ""))
        has_target = has_target or kind == "/GoTo"
        has_more = has_more or "/Next" in action
        if kind == "/URI" and _is_web(url):
            link.A = pikepdf.Dictionary(S=pikepdf.Name.URI, URI=pikepdf.String(url))
        elif kind != "/GoTo":
            has_more = True
    if has_more:
        return [f"an action of a link on page {number}"]
    return ["links from page to page"] if has_target else []


def _is_web(url: str) -> bool:
    """Return whether a link may lead there: not to a file, a script or a relative address."""
    scheme, colon, _ = url.partition(":")
    return bool(colon) and scheme.lower() in urls.SCHEMES and url.isascii() and url.isprintable()


class _Scrubber(Struct):
    """Leaves only ``keys`` in all that it meets; objects that were ``seen`` are left alone."""

    keys: frozenset[str]
    seen: set[tuple[int, int]]

    def scrub(self, thing: Any, key: str = "", depth: int = 1, *, named: bool = False) -> None:
        """Scrub what is below ``thing``, to which ``key`` leads.

        ``named``: its own keys are names that the file's maker chose. Raises _UnusableError where
        qpdf, which copies in the same order, would go too deep.
        """
        if not isinstance(thing, pikepdf.Array | pikepdf.Dictionary | pikepdf.Stream):
            return
        if thing.is_indirect:
            if thing.objgen in self.seen:
                return
            self.seen.add(thing.objgen)
        if depth > _DEEPEST:
            raise _UnusableError("nests too deeply")
        if isinstance(thing, pikepdf.Array):
            inside = [("", item) for item in thing.as_list()]
        else:
            if not named:
                _keep(thing, self.keys)
            inside = [("" if named else name, thing[name]) for name in sorted(thing.keys())]
        for name, item in inside:
            self.scrub(item, name, depth + 1, named=key == "/Resources" or name in _NAMED)


# -- tags


class _Tags:
    """The tree of the merged file; parts are added to it after their pages are."""

    def __init__(self, document: pikepdf.Pdf) -> None:
        self._document = document
        self._root = document.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.StructTreeRoot))
        self._top = self._element("Document", self._root)
        self._root.K = self._top
        #: What each number leads to: the elements of a page's pieces, or that of a link.
        self._owners: list[Any] = []

    def keep(self, source: pikepdf.Pdf, pages: Sequence[pikepdf.Page]) -> Any:
        """Add a part with its own tree, and return its element."""
        tree = self._document.copy_foreign(source.Root.StructTreeRoot)
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

    def draw(self, pages: Sequence[pikepdf.Page], marks: Sequence[int], title: str) -> Any:
        """Add a part whose pages are figures, and return its element.

        The ``marks`` of a page's own pieces lead to its figure, as the one around them all does.
        """
        part = self._element("Part", self._top)
        self._top.K.append(part)
        for number, (page, mark) in enumerate(zip(pages, marks, strict=True), start=1):
            figure = self._element("Figure", part)
            figure.Pg, figure.K = page.obj, mark
            figure.Alt = pikepdf.String(
                title if len(pages) == 1 else f"{title}, {number}/{len(pages)}"
            )
            figure.A = pikepdf.Dictionary(
                O=pikepdf.Name.Layout, Placement=pikepdf.Name.Block, BBox=page.mediabox
            )
            part.K.append(figure)
            page.contents_add(b"/Figure <</MCID %d>> BDC\n" % mark, prepend=True)
            page.contents_add(b"\nEMC")
            page.obj.StructParents = len(self._owners)
            self._owners.append(pikepdf.Array([figure] * (mark + 1)))
            for link in page.obj.get("/Annots", ()):
                self._link(part, page, link)
        return part

    def _link(self, part: Any, page: pikepdf.Page, annotation: Any) -> None:
        """Add a link of a page, which says where it leads."""
        if "/Contents" not in annotation and "/A" in annotation:
            annotation.Contents = annotation.A.URI
        element = self._element("Link", part)
        element.K.append(pikepdf.Dictionary(Type=pikepdf.Name.OBJR, Pg=page.obj, Obj=annotation))
        annotation.StructParent = len(self._owners)
        self._owners.append(element)
        part.K.append(element)

    def _element(self, role: str, parent: Any) -> Any:
        element = pikepdf.Dictionary(
            Type=pikepdf.Name.StructElem, S=pikepdf.Name(f"/{role}"), P=parent, K=pikepdf.Array()
        )
        return self._document.make_indirect(element)

    def finish(self) -> None:
        """Write the tree."""
        numbers = [item for pair in enumerate(self._owners) for item in pair]
        self._root.ParentTree = self._document.make_indirect(
            pikepdf.Dictionary(Nums=pikepdf.Array(numbers))
        )
        self._root.ParentTreeNextKey = len(self._owners)
        self._document.Root.StructTreeRoot = self._root
        self._document.Root.MarkInfo = pikepdf.Dictionary(Marked=True)
