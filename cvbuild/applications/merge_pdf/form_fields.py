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
#: From how many parents at most a field inherits.
_ABOVE = 32
_STEP = 1 << 20


class TooLargeError(ValueError):
    """Fields that would take too much memory to draw, or an unknown amount."""


def flatten(document: pikepdf.Pdf) -> None:
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
        here = field
        for _ in range(_ABOVE):
            if not hasattr(here, "get") or key in here:
                break
            here = here.get("/Parent")
        if hasattr(here, "get"):
            yield from _sizes(here.get(key))


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
