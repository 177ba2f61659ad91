"""The interface to other formats: what an importer receives, and what it returns."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from cvbuild.common.diagnostics import Diagnostic, FieldPath


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
    values that are probably wrong. ``photo`` has to be kept as a file.
    """

    data: Mapping[str, Any]
    lost: tuple[Lost, ...] = ()
    draft: bool = False
    warnings: tuple[Diagnostic, ...] = ()
    guesses: tuple[FieldPath, ...] = ()
    photo: Photo | None = None


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
