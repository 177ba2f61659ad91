"""Draw form fields and comments of a foreign PDF into its pages.

qpdf holds a field's appearance unpacked while it makes a new one, many times over; so the memory
that this would take is measured before, without holding it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pikepdf

#: The size of all appearances and values, unpacked, in bytes; a long form has a few 100,000.
MAX_BYTES = 32 << 20
#: What a field inherits from its parents, and from how many of them at most.
_INHERITED, _ABOVE = ("/V", "/DA", "/Opt"), 32
_STEP = 1 << 20


class TooLargeError(ValueError):
    """Fields that would take too much memory to draw, or an unknown amount."""


def flatten(document: pikepdf.Pdf) -> bool:
    """Draw fields and comments into their pages; return whether there were any.

    Raises TooLargeError, and whatever pikepdf raises for a file that isn't what it should be.
    """
    kinds = {str(one.get("/Subtype")) for one in _annotations(document)}
    if not kinds - {"/Link"}:
        return False
    form = document.Root.get("/AcroForm")
    if form is not None and form.get("/NeedAppearances"):
        _check(document)
        document.generate_appearance_streams()
    document.flatten_annotations("all")
    return True


def _annotations(document: pikepdf.Pdf) -> Iterator[Any]:
    for page in document.pages:
        for one in page.obj.get("/Annots", ()):
            if hasattr(one, "get"):
                yield one


def _check(document: pikepdf.Pdf) -> None:
    """Add up what is read for each field, however often; the form's default appearance too."""
    form, left = document.Root.AcroForm, MAX_BYTES
    for one in _annotations(document):
        if one.get("/Subtype") != "/Widget":
            continue
        for look in _looks(one):
            left -= _unpacked(look, left)
        for value in (*_values(one), form.get("/DA")):
            for size in _sizes(value):
                left -= size
                if left < 0:
                    raise TooLargeError


def _looks(field: Any) -> Iterator[pikepdf.Stream]:
    """Yield the streams of a field's normal appearance: one, or one for each of its states."""
    import pikepdf

    look = field.get("/AP", {}).get("/N")
    every = [look]
    if isinstance(look, pikepdf.Dictionary):
        every = [look[key] for key in look.keys()]  # noqa: SIM118, no mapping to iterate
    yield from (one for one in every if isinstance(one, pikepdf.Stream))


def _unpacked(stream: pikepdf.Stream, most: int) -> int:
    """Return a stream's unpacked size; raises TooLargeError above ``most``, or if unknown."""
    import pikepdf

    raw, packed = stream.read_raw_bytes(), stream.get("/Filter", pikepdf.Array())
    filters = [str(one) for one in ([packed] if isinstance(packed, pikepdf.Name) else packed)]
    if not filters:
        size = len(raw)
    elif filters in (["/FlateDecode"], ["/Fl"]):
        size = _inflated(raw, most)
    else:
        raise TooLargeError
    if size > most:
        raise TooLargeError
    return size


def _inflated(raw: bytes, most: int) -> int:
    """Return the size of Flate's output, counted up to just above ``most``; never held."""
    size, unpacking = 0, zlib.decompressobj()
    while raw and not unpacking.eof and size <= most:
        size += len(unpacking.decompress(raw, _STEP))
        raw = unpacking.unconsumed_tail
    return size


def _values(field: Any) -> Iterator[Any]:
    """Yield what a field holds and how it looks, of its own or inherited."""
    for key in _INHERITED:
        here = field
        for _ in range(_ABOVE):
            if not hasattr(here, "get"):
                break
            if key in here:
                yield here[key]
                break
            here = here.get("/Parent")


def _sizes(value: Any) -> Iterator[int]:
    """Yield the sizes of a text, or of all texts of an array, in bytes; at least 1 each."""
    import pikepdf

    if isinstance(value, pikepdf.Array):
        for one in value:
            yield 1
            if isinstance(one, pikepdf.Array):
                yield from (len(bytes(each)) for each in one if isinstance(each, pikepdf.String))
            elif isinstance(one, pikepdf.String):
                yield len(bytes(one))
    elif isinstance(value, pikepdf.String):
        yield len(bytes(value))
