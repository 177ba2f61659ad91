"""The files that are attached to a PDF of unknown origin, within limits."""

from __future__ import annotations

import logging
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from itertools import islice
from typing import Any

from cvbuild.common.errors import reading_errors

#: Bytes of an attachment, unpacked.
LARGEST = 16 << 20
#: Attachments that are looked at.
_MOST = 20
#: Filters of a stream that are undone, how often.
_FILTERS = 3


@contextmanager
def opened(data: bytes) -> Iterator[Iterator[Any]]:
    """Yield the attachments of a PDF; raises pikepdf's errors."""
    import pikepdf

    # pikepdf also logs what it repairs, which would reach stderr without a handler.
    logging.getLogger("pikepdf").addHandler(logging.NullHandler())
    with pikepdf.open(BytesIO(data), suppress_warnings=True) as document:
        yield iter(document.attachments.values())


def _faults() -> tuple[type[Exception], ...]:
    import pikepdf

    return (pikepdf.PasswordError, *reading_errors())


def names(data: bytes) -> list[str]:
    """Return the names of the attachments; none of a PDF that can't be read or is locked."""
    with suppress(*_faults()), opened(data) as attachments:
        return [one.filename for one in islice(attachments, _MOST)]
    return []


def read(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each attachment; none of a PDF that can't be read or is locked."""
    import pikepdf

    with suppress(*_faults()), opened(data) as attachments:
        for spec in islice(attachments, _MOST):
            stream = spec.get_file().obj
            content = _unpacked(stream) if isinstance(stream, pikepdf.Stream) else None
            if content is not None:
                yield spec.filename, content


def _unpacked(stream: Any) -> bytes | None:
    """Return the content of a stream; None for one that is too large or packed in another way."""
    import pikepdf

    filters = stream.get("/Filter")
    is_list = isinstance(filters, pikepdf.Array)
    # Without a filter the content is as it is: so Europass attaches it.
    names = [] if filters is None else [str(one) for one in (filters if is_list else [filters])]
    content = stream.read_raw_bytes()
    if len(names) > _FILTERS or any(name != "/FlateDecode" for name in names):
        return None
    for _ in names:
        unpacking = zlib.decompressobj()
        try:
            content = unpacking.decompress(content, LARGEST + 1)
        except zlib.error:
            return None
        if len(content) > LARGEST:
            return None
    return content if len(content) <= LARGEST else None
