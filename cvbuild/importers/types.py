"""The interface to other formats: what an importer receives, how it is opened, what it returns.

All that is opened is untrusted: sizes and numbers are limited, links and names that lead out are
refused.
"""

from __future__ import annotations

import io
import logging
import os
import re
import zipfile
import zlib
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from cvbuild.common.diagnostics import (
    CvbuildError,
    Diagnostic,
    FieldPath,
    Span,
    foreign,
    reading_errors,
)
from cvbuild.common.files import file_state, safe_files


class Files(Protocol):
    """The files beside the one that is read, or inside a folder, an archive or a PDF.

    Names are relative, with slashes, and never lead out of it.
    """

    @property
    def names(self) -> Collection[str]:
        """The names of all files, sorted."""

    def read(self, name: str) -> bytes | None:
        """Return a file, None if there is none; raises CvbuildError for one that can't be read."""


@dataclass(frozen=True, slots=True)
class Given:
    """What an importer reads: a file, or a folder.

    ``name`` is its name in messages. ``data`` is the whole file, empty for a folder. ``files`` are
    those of the folder or the ZIP archive, of a PDF those that are attached to it, of another file
    those beside it and below.
    """

    name: str
    data: bytes
    files: Files
    is_folder: bool = False

    @property
    def head(self) -> bytes:
        """The first 64 KiB, by which most formats are recognised."""
        return self.data[: 1 << 16]

    @property
    def has_parts(self) -> bool:
        """Whether it is a folder or a ZIP archive, so that ``files`` are its own."""
        return self.is_folder or self.data.startswith(b"PK\x03\x04")


@dataclass(frozen=True, slots=True)
class Lost:
    """Something that has no key in a person's file, and the path of the part it belongs to."""

    note: Diagnostic
    near: FieldPath = ()


@dataclass(frozen=True, slots=True)
class Photo:
    """A picture that may be of the person; ``note`` says that it is lost, if nobody keeps it."""

    data: bytes
    note: Diagnostic


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of reading a file: ``data`` for a person's file, and what is ``lost`` of it.

    ``name`` may be absent there. ``draft`` says that the format doesn't tell what texts mean,
    ``guesses`` are the paths of values of which it doesn't, marked ``# ?``; ``warnings`` are about
    values that are probably wrong. ``photo`` has to be kept as a file. ``sureness`` is how likely
    the parts of entries are on the mean what they were taken for, from 0 to 1.
    """

    data: Mapping[str, Any]
    lost: tuple[Lost, ...] = ()
    draft: bool = False
    warnings: tuple[Diagnostic, ...] = ()
    guesses: tuple[FieldPath, ...] = ()
    photo: Photo | None = None
    sureness: float = 1.0


class Importer:
    """What reads a format, by ``read(given)``; ``signs`` are forms of what its files begin with."""

    signs: tuple[bytes, ...] = ()

    def recognises(self, given: Given) -> bool:
        """Return whether all signs are there."""
        return all(re.search(sign, given.head, re.MULTILINE) for sign in self.signs)


def paths_of(value: Any, path: FieldPath = ()) -> dict[int, FieldPath]:
    """Return the path of each dict and list in the data, by its identity."""
    found = {id(value): path} if isinstance(value, dict | list) else {}
    steps = value.items() if isinstance(value, dict) else enumerate(value) if found else ()
    for step, inner in steps:
        found |= paths_of(inner, (*path, step))
    return found


# -- open: a file with those beside it, a folder, an archive, attachments --------------------------

#: Bytes of the file, or of the archive.
LARGEST = 64 << 20
#: Bytes of a file inside a folder or an archive, unpacked.
LARGEST_PART = 16 << 20
#: How many files a folder or an archive may have.
MOST_FILES = 20_000
_MANY, _ALONE = f"{{}} has more than {MOST_FILES} files", "name the folder or file of the CV alone"
_DAMAGED, _AGAIN = "{} is a damaged archive", "download it once more"
#: Attachments of a PDF that are looked at.
_MOST_ATTACHED = 20
#: A name that doesn't stay where it is looked up: a relative one with slashes does.
_OUTSIDE = re.compile(r"^(?:/|$|[^/]*:)|[\\\0]|(?:^|/)\.\.(?:/|$)")


def opened(path: Path) -> Given:
    """Return a file or a folder that is to be imported; raises CvbuildError."""
    if path.is_dir():
        return Given(str(path), b"", _Folder(path, str(path)), is_folder=True)
    with foreign("import", "can't read the file"):
        data = safe_files.read_inside(path, LARGEST)
    if data.startswith((b"PK\x03\x04", b"%PDF-")):
        return held(str(path), data)
    return Given(str(path), data, _Folder(path.parent, str(path)))


def held(name: str, data: bytes) -> Given:
    """Return the bytes of a file that is nowhere; an archive and a PDF have their own files."""
    inner = _Attached if data.startswith(b"%PDF-") else _Archive
    return Given(name, data, inner(data, name))


@dataclass
class _Folder:
    root: Path
    given: str

    @cached_property
    def names(self) -> tuple[str, ...]:
        found: list[str] = []
        for here, folders, files in file_state.walk(self.root):
            folders[:] = sorted(one for one in folders if not one.startswith("."))
            below = Path(here).relative_to(self.root)
            found += [(below / name).as_posix() for name in files]
            if len(found) > MOST_FILES:
                raise CvbuildError.because("import", _MANY.format(self.given), _ALONE)
        return tuple(sorted(found))

    def read(self, name: str) -> bytes | None:
        path = self.root / name
        # A link may not lead out: the folder may be somebody else's.
        root = os.path.realpath(self.root)
        is_inside = not _OUTSIDE.search(name) and Path(os.path.realpath(path)).is_relative_to(root)
        if not is_inside or not path.is_file():
            return None
        with foreign("import", "can't read the file"):
            return safe_files.read_inside(path, LARGEST_PART)


@dataclass
class _Archive:
    data: bytes
    given: str

    @cached_property
    def names(self) -> tuple[str, ...]:
        try:
            entries = zipfile.ZipFile(io.BytesIO(self.data)).infolist()
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
            raise CvbuildError.because("import", _DAMAGED.format(self.given), _AGAIN) from None
        if len(entries) > MOST_FILES:
            raise CvbuildError.because("import", _MANY.format(self.given), _ALONE)
        names = {one.filename for one in entries if not one.is_dir()}
        return tuple(sorted(name for name in names if not _OUTSIDE.search(name)))

    def read(self, name: str) -> bytes | None:
        if name not in self.names:
            return None
        try:
            with zipfile.ZipFile(io.BytesIO(self.data)).open(name) as file:
                # What the archive says of its size may be wrong: count.
                found = file.read(LARGEST_PART + 1)
        except RuntimeError:  # zipfile's word for a password
            fact, fix = f"{self.given}: {name} is encrypted", "unpack it and import the folder"
            raise CvbuildError.because("import", fact, fix) from None
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError):
            raise CvbuildError.because("import", _DAMAGED.format(self.given), _AGAIN) from None
        if len(found) > LARGEST_PART:
            message = f"{self.given}: {name} is larger than {LARGEST_PART >> 20} MiB unpacked"
            raise CvbuildError.because("import", message, "is it the right archive?")
        return found


@dataclass
class _Attached:
    data: bytes
    given: str

    @cached_property
    def names(self) -> dict[str, tuple[bytes, str]]:
        """What is attached, as it is packed, and by which filter; nothing to a damaged PDF."""
        import pikepdf

        # pikepdf also logs what it repairs, which would reach stderr without a handler.
        logging.getLogger("pikepdf").addHandler(logging.NullHandler())
        found: dict[str, tuple[bytes, str]] = {}
        errors: tuple[type[Exception], ...] = (pikepdf.PasswordError, *reading_errors())
        with (
            suppress(*errors),
            pikepdf.open(io.BytesIO(self.data), suppress_warnings=True) as document,
        ):
            # The key of the name tree is TeX's own; the file's name is in its value.
            for one in islice(document.attachments.values(), _MOST_ATTACHED):
                # One that is broken hides no other.
                with suppress(*errors):
                    stream: Any = one.get_file().obj
                    filters = stream.get("/Filter", "")
                    if isinstance(filters, pikepdf.Array) and len(filters) == 1:
                        filters = filters[0]
                    known = str(filters) if stream.get("/DecodeParms") is None else "odd"
                    found.setdefault(one.filename, (bytes(stream.read_raw_bytes()), known))
        return found

    def read(self, name: str) -> bytes | None:
        content, known = self.names.get(name, (None, ""))
        unpacker, fault = zlib.decompressobj(), ""
        # TeX and the tools that rewrite PDFs pack attachments in no other way; Europass in none.
        if content and known:
            try:
                content = unpacker.decompress(content, LARGEST_PART + 1)
                fault = "" if unpacker.eof else "is damaged"
            except zlib.error:
                fault = "is damaged"
            fault = fault if known == "/FlateDecode" else "has an unknown filter"
        if content and len(content) > LARGEST_PART:
            fault = f"has more than {LARGEST_PART >> 20} MiB"
        if fault:
            fact = f"its attachment {name} {fault}"
            raise CvbuildError.because(
                "attachment", fact, "build the PDF once more", Span(self.given)
            )
        return content
