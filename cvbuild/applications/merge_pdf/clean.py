"""Leave of a PDF's pages what they show, and nothing that acts when they are opened.

What may stay is listed: keys of pages, of links, and of all that a page is drawn with; every other
key is removed. Comments and form fields are drawn into the page as they look; links keep web
addresses. The document is changed in memory; pages are then copied out of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cvbuild.common.errors import CvbuildError
from cvbuild.model.text import urls

if TYPE_CHECKING:
    import pikepdf

#: How deep objects may be nested: qpdf copies by recursion, and its stack is limited.
_DEEPEST = 500
#: How many nodes above a page are asked for its resources.
_ABOVE = 128
ANEW = "open it and save or print it as a new PDF"


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


def clean(document: pikepdf.Pdf, *, tagged: bool) -> tuple[str, ...]:
    """Remove everything but appearance and web links from a document's pages and layers.

    ``tagged`` pages keep the numbers by which the tree of tags knows them. Returns in words what
    was left out. Raises UnusableError, and whatever pikepdf raises for an invalid file.
    """
    import pikepdf

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
    scrubber = _Scrubber(document, _DRAWN | _TREE if tagged else _DRAWN)
    for page in document.pages:
        for thing in (page.obj, *page.obj.get("/Annots", ())):
            if not tagged:
                _keep(thing, (_PAGE | _LINK | {"/A"}) - _TREE)
            for key in set(thing.keys()) - {"/A", "/Annots"}:
                scrubber.scrub(thing[key], key)
    scrubber.scrub(document.Root.get("/OCProperties"))
    return tuple(dict.fromkeys(lost))


class UnusableError(CvbuildError):
    """A PDF whose pages can't be copied as they look; the message has no name yet."""


def _lost(root: Any) -> list[str]:
    """Return what the document itself does or carries, in words."""
    import pikepdf

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
    """Draw fields and comments into their pages; raises UnusableError for fields without a look."""
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
        fact = "is a form whose fields are drawn only when it is shown"
        raise UnusableError.because("attachment", fact, ANEW)
    document.flatten_annotations("all")


def _resources(page: Any) -> Any:
    """Return the resources of a page, or of the nodes above it; an empty dictionary if none."""
    import pikepdf

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
    import pikepdf

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


class _Scrubber:
    """Leaves only ``keys`` in all that it meets, each object once."""

    def __init__(self, document: pikepdf.Pdf, keys: frozenset[str]) -> None:
        self._keys = keys
        self._seen = {page.obj.objgen for page in document.pages}

    def scrub(self, thing: Any, key: str = "", depth: int = 1, *, named: bool = False) -> None:
        """Scrub what is below ``thing``, to which ``key`` leads.

        ``named``: its own keys are names that the file's maker chose. Raises UnusableError where
        qpdf, which copies in the same order, would go too deep.
        """
        import pikepdf

        if not isinstance(thing, pikepdf.Array | pikepdf.Dictionary | pikepdf.Stream):
            return
        if thing.is_indirect:
            if thing.objgen in self._seen:
                return
            self._seen.add(thing.objgen)
        if depth > _DEEPEST:
            raise UnusableError.because("attachment", "nests too deeply", ANEW)
        if isinstance(thing, pikepdf.Array):
            inside = [("", item) for item in thing.as_list()]
        else:
            if not named:
                _keep(thing, self._keys)
            inside = [("" if named else name, thing[name]) for name in sorted(thing.keys())]
        for name, item in inside:
            has_names = key == "/Resources" or name in _NAMED
            self.scrub(item, name, depth + 1, named=has_names)
