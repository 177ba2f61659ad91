"""Open what is to be imported: a file with those beside it, a folder, an archive, attachments.

All of it is untrusted: sizes and numbers are limited, links and names that lead out are refused.
"""

from __future__ import annotations

import io
import logging
import os
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations, islice
from pathlib import Path, PurePosixPath
from typing import Any

from cvbuild.common import file_state, safe_files
from cvbuild.common.diagnostics import Diagnostic, Span, quoted
from cvbuild.common.errors import CvbuildError, foreign, reading_errors
from cvbuild.importers.types import Given
from cvbuild.inputs.references import identity

#: Bytes of the file, or of the archive.
LARGEST = 64 << 20
#: Bytes of a file inside a folder or an archive, unpacked.
LARGEST_PART = 16 << 20
#: How many files a folder or an archive may have.
MOST_FILES = 20_000
_MANY, _ALONE = f"{{}} has more than {MOST_FILES} files", "name the folder or file of the CV alone"


def opened(path: Path) -> Given:
    """Return a file or a folder that is to be imported; raises CvbuildError."""
    if path.is_dir():
        return Given(str(path), b"", _Folder(path, str(path)), is_folder=True)
    with foreign("import", "can't read the file"):
        data = safe_files.read_inside(path, LARGEST)
    if data.startswith(b"PK\x03\x04"):
        return held(str(path), data)
    return Given(str(path), data, _Folder(path.parent, str(path)))


def held(name: str, data: bytes) -> Given:
    """Return the bytes of a file that is nowhere; an archive has its own files, others none."""
    return Given(name, data, _Archive(data, name))


def _is_inner(name: str) -> bool:
    # A relative name with slashes stays where it is looked up.
    path = PurePosixPath(name)
    odd = not name or "\\" in name or "\0" in name or path.is_absolute()
    return not odd and ".." not in path.parts and ":" not in path.parts[0]


@dataclass
class _Folder:
    root: Path
    given: str

    @cached_property
    def _names(self) -> tuple[str, ...]:
        found: list[str] = []
        for here, folders, files in file_state.walk(self.root):
            folders[:] = sorted(one for one in folders if not one.startswith("."))
            below = Path(here).relative_to(self.root)
            found += [(below / name).as_posix() for name in files]
            if len(found) > MOST_FILES:
                raise CvbuildError.because("import", _MANY.format(self.given), _ALONE)
        return tuple(sorted(found))

    def names(self) -> tuple[str, ...]:
        return self._names

    def read(self, name: str) -> bytes | None:
        path = self.root / name
        # A link may not lead out: the folder may be somebody else's.
        inside = Path(os.path.realpath(path)).is_relative_to(os.path.realpath(self.root))
        if not _is_inner(name) or not inside or not path.is_file():
            return None
        with foreign("import", "can't read the file"):
            return safe_files.read_inside(path, LARGEST_PART)


@dataclass
class _Archive:
    data: bytes
    given: str

    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self._entries))

    @cached_property
    def _entries(self) -> dict[str, zipfile.ZipInfo]:
        try:
            entries = zipfile.ZipFile(io.BytesIO(self.data)).infolist()
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
            raise _damaged(self.given) from None
        if len(entries) > MOST_FILES:
            raise CvbuildError.because("import", _MANY.format(self.given), _ALONE)
        return {
            one.filename: one for one in entries if not one.is_dir() and _is_inner(one.filename)
        }

    def read(self, name: str) -> bytes | None:
        entry = self._entries.get(name)
        if entry is None:
            return None
        try:
            with zipfile.ZipFile(io.BytesIO(self.data)).open(entry) as file:
                # What the archive says of its size may be wrong: count.
                found = file.read(LARGEST_PART + 1)
        except RuntimeError:  # zipfile's word for a password
            fact, fix = f"{self.given}: {name} is encrypted", "unpack it and import the folder"
            raise CvbuildError.because("import", fact, fix) from None
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError):
            raise _damaged(self.given) from None
        if len(found) > LARGEST_PART:
            message = f"{self.given}: {name} is larger than {LARGEST_PART >> 20} MiB unpacked"
            raise CvbuildError.because("import", message, "is it the right archive?")
        return found


def _damaged(name: str) -> CvbuildError:
    return CvbuildError.because("import", f"{name} is a damaged archive", "download it once more")


# -- what is attached to a PDF ---------------------------------------------------------------------

#: Attachments that are looked at.
_MOST_ATTACHED = 20


class PackedError(Exception):
    """An attachment that can't be unpacked: a code, and what is wrong with it."""


def attachments(data: bytes) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """Yield the name of each attachment, and what reads it, which raises PackedError.

    What reads one works until the next is asked for. Raises pikepdf's errors.
    """
    import pikepdf

    # pikepdf also logs what it repairs, which would reach stderr without a handler.
    logging.getLogger("pikepdf").addHandler(logging.NullHandler())
    with pikepdf.open(io.BytesIO(data), suppress_warnings=True) as document:
        # The key of the name tree is TeX's own; the file's name is in its value.
        for spec in islice(document.attachments.values(), _MOST_ATTACHED):
            yield spec.filename, partial(_unpacked, spec)


def _unpacked(spec: Any) -> bytes:
    """Return an attachment's unpacked bytes; stops at the limit, against zip bombs."""
    import pikepdf

    stream: Any = spec.get_file().obj
    content = bytes(stream.read_raw_bytes())
    filters, parameters = stream.get("/Filter"), stream.get("/DecodeParms")
    if isinstance(filters, pikepdf.Array) and len(filters) == 1:
        filters = filters[0]
    # Without a filter the content is as it is: so Europass attaches it.
    is_packed = filters is not None and bool(content)
    if is_packed and (str(filters) != "/FlateDecode" or parameters is not None):
        # TeX and the tools that rewrite PDFs pack attachments in no other way.
        raise PackedError("filter", "has an unknown filter")
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(content, LARGEST_PART + 1) if is_packed else content
    except zlib.error:
        raise PackedError("damaged", "is damaged") from None
    if len(content) > LARGEST_PART:
        raise PackedError("size", f"has more than {LARGEST_PART // 2**20} MiB")
    if is_packed and not unpacker.eof:
        raise PackedError("damaged", "is damaged")
    return content


def attached(data: bytes, is_wanted: Callable[[bytes], bool]) -> tuple[str, bytes] | None:
    """Return name and content of the first attachment that is wanted; None if none can be read."""
    import pikepdf

    with suppress(pikepdf.PasswordError, *reading_errors()):
        for name, read in attachments(data):
            with suppress(PackedError):
                if is_wanted(content := read()):
                    return name, content
    return None


def difference(several: Iterable[tuple[str, Any]], hint: str) -> Diagnostic | None:
    """Return an error about the first file that is of another person than one before it."""
    known = [(file, identity.name_forms(name)) for file, name in several]
    for (other, others), (file, names) in combinations(known, 2):
        agree = any(identity.agree(one, two) for one in names for two in others)
        if names and others and not agree:
            fact = f"this is of {quoted(names[0])}, and {other} of {quoted(others[0])}"
            return Diagnostic("error", "people", fact, Span(file), hint)
    return None
