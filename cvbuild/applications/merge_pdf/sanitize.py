"""Clean the pages of a foreign PDF of everything that acts when they are opened.

What a page may keep is listed, not what it must lose: unknown keys are removed. Form fields and
comments are drawn into the page as they look; links keep web addresses and places in the same
file. The document is changed in memory; pages are then copied out of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from cvbuild.applications.merge_pdf import form_fields
from cvbuild.model import urls

if TYPE_CHECKING:
    import pikepdf

#: How deep objects may be nested: qpdf copies by recursion, and its stack is limited.
MAX_DEPTH = 500
_PAGE = frozenset({
    "/Type", "/MediaBox", "/CropBox", "/BleedBox", "/TrimBox", "/ArtBox", "/Rotate",
    "/UserUnit", "/Resources", "/Contents", "/Group", "/Annots", "/Tabs",
})  # fmt: skip
_LINK = frozenset({
    "/Type", "/Subtype", "/Rect", "/QuadPoints", "/Border", "/BS", "/C", "/F", "/H",
    "/Contents",
})  # fmt: skip
#: Keys of what acts, names a file, or carries one, anywhere.
_ACTING = frozenset({
    "/AA", "/AF", "/EF", "/EmbeddedFiles", "/JS", "/JavaScript", "/MCAF", "/Metadata", "/OPI",
    "/OpenAction", "/PS", "/PieceInfo", "/RF", "/Ref",
})  # fmt: skip
#: Dictionaries whose keys are names that the file's maker chose.
_NAMES = frozenset({
    "/CharProcs", "/ColorSpace", "/Colorants", "/ExtGState", "/Font", "/Pattern", "/Properties",
    "/Shading", "/XObject",
})  # fmt: skip
#: Keys for a stream's content in another file.
_OUTSIDE = frozenset({"/F", "/FFilter", "/FDecodeParms"})
#: Keys into a parent tree that is made new.
_PARENTS = frozenset({"/StructParent", "/StructParents"})
_WITHIN = frozenset({"/XYZ", "/Fit", "/FitH", "/FitV", "/FitR", "/FitB", "/FitBH", "/FitBV"})
#: The longest chain of names for one destination, and of a name tree's branches.
_HOPS = 32


class TooDeepError(ValueError):
    """Objects nested so deeply that copying them would overflow the stack."""


@dataclass(frozen=True, slots=True)
class Jump:
    """A link within the document: page and number of the annotation, target page and view."""

    page: int
    annotation: int
    target: int
    view: tuple[Any, ...]


@dataclass(slots=True)
class Cleaned:
    """The result of cleaning.

    ``seen`` are the objects below its pages, ``links`` their annotations, by number and generation;
    ``lost`` says in words what was left out, ``flat`` whether fields or comments became drawings.
    """

    jumps: list[Jump] = field(default_factory=list)
    seen: set[tuple[int, int]] = field(default_factory=set)
    links: set[tuple[int, int]] = field(default_factory=set)
    lost: list[str] = field(default_factory=list)
    flat: bool = False


def clean(document: pikepdf.Pdf) -> Cleaned:
    """Remove everything except appearance, links and tags from a document's pages.

    Raises TooDeepError, form_fields.TooLargeError, and whatever pikepdf raises for an invalid file.
    """
    made = Cleaned(lost=list(_catalog(document)))
    made.flat = form_fields.flatten(document)
    numbers = {page.obj.objgen: index for index, page in enumerate(document.pages)}
    for index, page in enumerate(document.pages):
        if "/AA" in page.obj:
            made.lost.append("actions of a page")
        page.obj.Resources = _resources(page.obj)
        _keep(page.obj, _PAGE)
        links = list(_links(document, page.obj))
        if links:
            page.obj.Annots = document.make_indirect(_array(links))
        else:
            drop(page.obj, "/Annots")
        for place, link in enumerate(links):
            _link(document, link, Jump(index, place, 0, ()), numbers, made)
    made.seen |= set(numbers)
    for page in document.pages:
        scrub(page.obj, made.seen)
    return made


def _array(items: Iterable[Any]) -> pikepdf.Array:
    import pikepdf

    return pikepdf.Array(items)


def _resources(page: Any) -> Any:
    """Return the resources of a page, or of the nodes above it; an empty dictionary if none."""
    import pikepdf

    here = page
    for _ in range(_HOPS * 4):
        if here is None or "/Resources" in here:
            break
        here = here.get("/Parent")
    found = here.get("/Resources") if here is not None else None
    return found if isinstance(found, pikepdf.Dictionary) else pikepdf.Dictionary()


def _catalog(document: pikepdf.Pdf) -> Iterator[str]:
    """Yield what the document itself does or carries, in words."""
    import pikepdf

    root: Any = document.Root
    names = root.get("/Names", {})
    opening = root.get("/OpenAction")
    if "/JavaScript" in names:
        yield "JavaScript"
    if isinstance(opening, pikepdf.Dictionary) and opening.get("/S") != "/GoTo":
        yield "an action when it is opened"
    if "/AA" in root:
        yield "actions of the document"
    if "/EmbeddedFiles" in names or "/AF" in root:
        yield "an attached file"
    form = root.get("/AcroForm")
    if form is not None and form.get("/SigFlags", 0):
        yield "the digital signature, which holds for the file alone"


def drop(thing: Any, key: str) -> None:
    """Remove a key from a dictionary, if it is there."""
    if key in thing:
        del thing[key]


def _keep(thing: Any, keys: frozenset[str]) -> None:
    for key in list(thing.keys()):
        if key not in keys:
            del thing[key]


def _links(document: pikepdf.Pdf, page: Any) -> Iterator[Any]:
    """Yield the page's links, each an object of its own and each once."""
    import pikepdf

    seen = set()
    for one in page.get("/Annots", ()):
        if not isinstance(one, pikepdf.Dictionary) or one.get("/Subtype") != "/Link":
            continue
        link = one if one.is_indirect else document.make_indirect(one)
        if link.objgen not in seen:
            seen.add(link.objgen)
            yield link


def _link(
    document: pikepdf.Pdf,
    link: Any,
    place: Jump,
    numbers: dict[tuple[int, int], int],
    made: Cleaned,
) -> None:
    """Remove the action of a link, and put back what is harmless of it."""
    import pikepdf

    action, target = link.get("/A"), link.get("/Dest")
    kind = action.get("/S") if isinstance(action, pikepdf.Dictionary) else None
    more = "/AA" in link or (kind is not None and "/Next" in action)
    _keep(link, _LINK)
    made.links.add(link.objgen)
    if kind == "/URI" and _is_web(str(action.get("/URI", ""))):
        link.A = pikepdf.Dictionary(S=pikepdf.Name.URI, URI=pikepdf.String(str(action.URI)))
    elif kind == "/GoTo" or target is not None:
        jump = _jump(document, target if kind is None else action.get("/D"), numbers)
        if jump:
            made.jumps.append(Jump(place.page, place.annotation, *jump))
    elif kind is not None:
        more = True
    if more:
        made.lost.append(f"an action of a link on page {place.page + 1}")


def _is_web(url: str) -> bool:
    """Return whether a link may lead there: not to a file, a script or a relative address."""
    scheme, colon, _ = url.partition(":")
    return bool(colon) and scheme.lower() in urls.SCHEMES and url.isascii() and url.isprintable()


def _jump(
    document: pikepdf.Pdf, target: Any, numbers: dict[tuple[int, int], int]
) -> tuple[int, tuple[Any, ...]] | None:
    """Return a destination as page number and view; names are looked up."""
    import pikepdf

    for _ in range(_HOPS):
        if isinstance(target, pikepdf.Array):
            break
        if isinstance(target, pikepdf.Dictionary):
            target = target.get("/D")
        elif isinstance(target, pikepdf.Name | pikepdf.String):
            target = _named(document, target)
        else:
            return None
    if not isinstance(target, pikepdf.Array) or len(target) < 2:
        return None
    found: list[Any] = list(target.as_list())
    page, kind, *numbers_of = found
    index = numbers.get(page.objgen) if isinstance(page, pikepdf.Dictionary) else None
    if index is None or str(kind) not in _WITHIN:
        return None
    return index, (kind, *(n if isinstance(n, int | Decimal) else None for n in numbers_of[:4]))


def _named(document: pikepdf.Pdf, name: Any) -> Any:
    import pikepdf

    root: Any = document.Root
    if isinstance(name, pikepdf.Name):
        return root.get("/Dests", {}).get(str(name))
    tree = root.get("/Names", {}).get("/Dests")
    return None if tree is None else pikepdf.NameTree(tree).get(str(name))


def scrub(thing: Any, seen: set[tuple[int, int]]) -> None:
    """Remove everything that acts or is in another file from all that is below ``thing``.

    Objects in ``seen`` are skipped, and all that are met are added to it. Follows the order in
    which qpdf copies, and raises TooDeepError where that would be too deep.
    """
    stack = [_below(thing, named=False)]
    while stack:
        if len(stack) > MAX_DEPTH:
            raise TooDeepError
        value, named = next(stack[-1], (None, False))
        if value is None:
            stack.pop()
            continue
        if value.is_indirect:
            if value.objgen in seen:
                continue
            seen.add(value.objgen)
        stack.append(_below(value, named=named))


def _below(value: Any, *, named: bool) -> Iterator[tuple[Any, bool]]:
    """Yield what a container holds after it was cleaned, in qpdf's order.

    ``named`` says whether its keys are names that the file's maker chose.
    """
    import pikepdf

    holding = pikepdf.Array | pikepdf.Dictionary | pikepdf.Stream
    if isinstance(value, pikepdf.Array):
        yield from ((item, False) for item in value.as_list() if isinstance(item, holding))
        return
    gone = _PARENTS | (frozenset() if named else _ACTING)
    if isinstance(value, pikepdf.Stream):
        gone |= _OUTSIDE
    for key in gone & set(value.keys()):
        del value[key]
    for key in sorted(value.keys()):
        item = value[key]
        if isinstance(item, holding):
            yield item, key in _NAMES and not named
