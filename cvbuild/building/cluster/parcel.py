"""What travels to a worker and back.

Why no slots: pickle then gives the fields by name, so that a parcel of another version of cvbuild
can be opened far enough to read its ``version``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from cvbuild.common import hashes, versions
from cvbuild.outputs.styles.file_names import builtin_folder

if TYPE_CHECKING:
    from cvbuild.building.outcome import Outcome
    from cvbuild.common.diagnostics import Diagnostic

#: The name of every person on a worker, so that no real name becomes a path there.
PERSON = "person"
#: Files of the package in which documents have a part.
_SOURCES = (".py", ".toml", ".json")


def code_version() -> str:
    """Return the version of cvbuild and a hash of its code and templates, as they were found."""
    return f"{versions.VERSION} ({_code()})"


@cache
def _code() -> str:
    whole, package = hashlib.sha256(), Path(__file__).parents[2]
    # Not what only a checkout has, or only a wheel: the editor's page, folders of files.
    rooms = [one.parent for one in package.glob("*/__init__.py") if one.parent.name != "serve"]
    sources = [path for room in rooms for path in room.rglob("*") if path.suffix in _SOURCES]
    for top, paths in ((package, sources), (builtin_folder(), builtin_folder().rglob("*.*"))):
        for path in sorted(one for one in paths if one.is_file() and one.suffix != ".pyc"):
            whole.update(f"{path.relative_to(top).as_posix()} {hashes.file_hash(path)} ".encode())
    return whole.hexdigest()[:12]


@dataclass(frozen=True)
class Parcel:
    """One person's inputs: all that a worker needs for ``documents``, by ``Task.name``.

    ``name`` is the person's; ``source`` is a pickled Source of what they may show, private data too
    if ``private``; ``photo`` is a JPEG as ``inputs.pictures`` makes it. ``styles`` holds the files
    of templates that are not built in, by their path below a folder of templates
    ("plum/template.yaml"), ``dates`` when each was last written, in ns since 1970, and ``places``
    the folders of those templates. ``before`` has the documents of the last build, by the path
    below ``out``. ``choices`` are the other fields of Settings.
    """

    version: str
    name: str
    source: bytes
    private: bool
    photo: bytes | None
    documents: tuple[str, ...]
    styles: Mapping[str, bytes]
    dates: Mapping[str, int]
    places: Mapping[str, str]
    before: Mapping[str, bytes]
    out: str
    choices: Mapping[str, str | int | float | bool | tuple[str, ...] | None]


@dataclass(frozen=True)
class Finished:
    """The result for one document: its outcome without paths, and the bytes of its files.

    ``diagnostics`` and ``notes`` are repeated while it is up to date; ``pdf`` is None if it failed
    or stays as it was; ``files`` are stored next to its record, by name.
    """

    outcome: Outcome
    diagnostics: tuple[Diagnostic, ...]
    notes: tuple[Diagnostic, ...]
    pdf: bytes | None
    files: Mapping[str, bytes]


@dataclass(frozen=True)
class Returned:
    """What a worker sends back: ``documents`` in the parcel's order; none where versions differ."""

    version: str
    worker: str
    documents: tuple[Finished, ...] = ()
