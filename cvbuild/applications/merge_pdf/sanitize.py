"""Clean the pages of a PDF of everything that acts when they are opened.

What a page may keep is listed, not what it must lose: unknown keys are removed. Form fields and
comments are drawn into the page as they look; links keep web addresses. The document is changed in
memory; pages are then copied out of it.

qpdf holds a field's appearance unpacked while it makes a new one, many times over; so the memory
that this would take is measured before, without holding it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cvbuild.model.text import urls

if TYPE_CHECKING:
    import pikepdf

#: How deep objects may be nested: qpdf copies by recursion, and its stack is limited.
MAX_DEPTH = 500
#: The size of all appearances and values of fields, unpacked, in bytes; a long form has a few
#: 100,000.
MAX_BYTES = 32 << 20
_STEP = 1 << 20
#: How many nodes above a page are asked for its resources, and above a field for its values.
_ABOVE, _FIELDS_ABOVE = 128, 32
#: Keys into the tree of tags.
_PARENTS = frozenset({"/StructParent", "/StructParents"})
_PAGE = _PARENTS | {
    "/Type", "/MediaBox", "/CropBox", "/BleedBox", "/TrimBox", "/ArtBox", "/Rotate",
    "/UserUnit", "/Resources", "/Contents", "/Group", "/Annots", "/Tabs",
}  # fmt: skip
_LINK = _PARENTS | {
    "/Type", "/Subtype", "/Rect", "/QuadPoints", "/Border", "/BS", "/C", "/F", "/H",
    "/Contents",
}  # fmt: skip
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


class TooDeepError(ValueError):
    """Objects nested so deeply that copying them would overflow the stack."""


class TooLargeError(ValueError):
    """Fields that would take too much memory to draw, or an unknown amount."""


def clean(document: pikepdf.Pdf, *, tagged: bool) -> tuple[str, ...]:
    """Remove everything but appearance and web links from a document's pages and layers.

    ``tagged`` pages keep the numbers by which the tree of tags knows them. Returns in words what
    was left out. Raises TooDeepError, TooLargeError, and whatever pikepdf raises for an invalid
    file.
    """
    import pikepdf

    lost = [*_catalog(document)]
    _flatten(document)
    for number, page in enumerate(document.pages, start=1):
        if "/AA" in page.obj:
            lost.append("actions of a page")
        page.obj.Resources = _resources(page.obj)
        _keep(page.obj, _PAGE)
        links = list(_links(document, page.obj))
        lost += [words for link in links if (words := _disarm(link, number))]
        if links:
            page.obj.Annots = document.make_indirect(pikepdf.Array(links))
        elif "/Annots" in page.obj:
            del page.obj.Annots
    gone = _ACTING if tagged else _ACTING | _PARENTS
    seen = {page.obj.objgen for page in document.pages}
    for page in document.pages:
        _scrub(page.obj, seen, gone)
    if "/OCProperties" in document.Root:
        _scrub(document.Root.OCProperties, seen, gone)
    return tuple(dict.fromkeys(lost))


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


def _resources(page: Any) -> Any:
    """Return the resources of a page, or of the nodes above it; an empty dictionary if none."""
    import pikepdf

    node = page
    for _ in range(_ABOVE):
        if node is None or "/Resources" in node:
            break
        node = node.get("/Parent")
    resources = node.get("/Resources") if node is not None else None
    return resources if isinstance(resources, pikepdf.Dictionary) else pikepdf.Dictionary()


def _keep(thing: Any, keys: frozenset[str]) -> None:
    for key in list(thing.keys()):
        if key not in keys:
            del thing[key]


def _links(document: pikepdf.Pdf, page: Any) -> Iterator[Any]:
    """Yield the page's links, each an object of its own and each once."""
    import pikepdf

    seen = set()
    for annotation in page.get("/Annots", ()):
        if not isinstance(annotation, pikepdf.Dictionary) or annotation.get("/Subtype") != "/Link":
            continue
        link = annotation if annotation.is_indirect else document.make_indirect(annotation)
        if link.objgen not in seen:
            seen.add(link.objgen)
            yield link


def _disarm(link: Any, number: int) -> str | None:
    """Remove all of a link but a web address; return in words what was left out, if anything."""
    import pikepdf

    action, has_target, has_more = link.get("/A"), "/Dest" in link, "/AA" in link
    _keep(link, _LINK)
    if isinstance(action, pikepdf.Dictionary):
        kind, url = action.get("/S"), str(action.get("/URI", ""))
        has_more = has_more or "/Next" in action
        if kind == "/URI" and _is_web(url):
            link.A = pikepdf.Dictionary(S=pikepdf.Name.URI, URI=pikepdf.String(url))
        elif kind == "/GoTo":
            has_target = True
        else:
            has_more = True
    if has_more:
        return f"an action of a link on page {number}"
    return "links from page to page" if has_target else None


def _is_web(url: str) -> bool:
    """Return whether a link may lead there: not to a file, a script or a relative address."""
    scheme, colon, _ = url.partition(":")
    return bool(colon) and scheme.lower() in urls.SCHEMES and url.isascii() and url.isprintable()


def _scrub(
    thing: Any,
    seen: set[tuple[int, int]],
    gone: frozenset[str],
    *,
    named: bool = False,
    depth: int = 1,
) -> None:
    """Remove the keys ``gone``, and content in other files, from all that is below ``thing``.

    Objects in ``seen`` are skipped, and all that are met are added to it. ``named`` says whether
    its keys are names that the file's maker chose. Follows the order in which qpdf copies, and
    raises TooDeepError where that would be too deep.
    """
    import pikepdf

    if depth > MAX_DEPTH:
        raise TooDeepError
    if isinstance(thing, pikepdf.Array):
        inside = [(item, False) for item in thing.as_list()]
    else:
        unwanted = gone - _ACTING if named else gone
        if isinstance(thing, pikepdf.Stream):
            unwanted |= _OUTSIDE
        for key in unwanted & set(thing.keys()):
            del thing[key]
        inside = [(thing[key], key in _NAMES and not named) for key in sorted(thing.keys())]
    for item, has_names in inside:
        if not isinstance(item, pikepdf.Array | pikepdf.Dictionary | pikepdf.Stream):
            continue
        if item.is_indirect:
            if item.objgen in seen:
                continue
            seen.add(item.objgen)
        _scrub(item, seen, gone, named=has_names, depth=depth + 1)


# -- form fields -----------------------------------------------------------------------------------


def _flatten(document: pikepdf.Pdf) -> None:
    """Draw fields and comments into their pages.

    Raises TooLargeError, and whatever pikepdf raises for a file that isn't what it should be.
    """
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
        left = MAX_BYTES
        for widget in annotations:
            # What is read for each field counts however often; the form's appearance too.
            for size in (*_looks(widget, left), *_sizes(form.get("/DA")), *_values(widget)):
                left -= size
                if left < 0:
                    raise TooLargeError
        document.generate_appearance_streams()
    document.flatten_annotations("all")


def _looks(field: Any, most: int) -> Iterator[int]:
    """Yield the unpacked sizes of a field's normal appearance: one, or one for each state.

    A size above ``most`` is counted no further. Raises TooLargeError for one that is unknown.
    """
    import pikepdf

    look = field.get("/AP", {}).get("/N")
    states = [look]
    if isinstance(look, pikepdf.Dictionary):
        states = [look[key] for key in look.keys()]  # noqa: SIM118, no mapping to iterate
    for stream in states:
        if not isinstance(stream, pikepdf.Stream):
            continue
        raw, packed = stream.read_raw_bytes(), stream.get("/Filter", pikepdf.Array())
        filters = [packed] if isinstance(packed, pikepdf.Name) else [*packed]
        if not filters:
            yield len(raw)
        elif filters in (["/FlateDecode"], ["/Fl"]):
            yield _inflated(raw, most)
        else:
            raise TooLargeError


def _inflated(raw: bytes, most: int) -> int:
    """Return the size of Flate's output, counted up to just above ``most``; never held."""
    size, unpacking = 0, zlib.decompressobj()
    while raw and not unpacking.eof and size <= most:
        size += len(unpacking.decompress(raw, _STEP))
        raw = unpacking.unconsumed_tail
    return size


def _values(field: Any) -> Iterator[int]:
    """Yield the sizes of what a field holds and how it looks, of its own or inherited."""
    for key in ("/V", "/DA", "/Opt"):
        node = field
        for _ in range(_FIELDS_ABOVE):
            if not hasattr(node, "get") or key in node:
                break
            node = node.get("/Parent")
        if hasattr(node, "get"):
            yield from _sizes(node.get(key))


def _sizes(value: Any) -> Iterator[int]:
    """Yield the sizes of a text, or of all texts of an array and its arrays; at least 1 each."""
    import pikepdf

    if isinstance(value, pikepdf.String):
        yield len(bytes(value))
    elif isinstance(value, pikepdf.Array):
        for item in value:
            yield 1
            texts = item if isinstance(item, pikepdf.Array) else [item]
            yield from (len(bytes(text)) for text in texts if isinstance(text, pikepdf.String))
