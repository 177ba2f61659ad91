"""Read a text that a person writes, and save it: never over what wasn't seen.

A file's folder is locked from the last look at the file until it is replaced: so of all that save
at the same moment, one does, and the others are told what it wrote.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import threading
import time
from collections import Counter
from pathlib import Path

from msgspec import Struct

from cvbuild.common import safe_files, safe_folders, work_folders
from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.errors import CvbuildError, ProfileError
from cvbuild.inputs.yaml import source

_BREAK = re.compile(r"\r\n|\r|\n")
_MARK = b"\xef\xbb\xbf"
#: For threads of one process, where folders can't be locked.
_turn = threading.Lock()
#: Seconds to wait for another program's lock.
_PATIENCE = 5.0
#: Seconds between a file's being emptied and written.
_MOMENT = 0.25


class FileState(Struct, frozen=True):
    """What a file holds: lines that end in ``\\n``, and a hash of its bytes.

    No version: there is no file. No text: it is gone, or ``fault`` says why it can't be edited.
    """

    version: str | None
    text: str | None
    fault: Diagnostic | None = None


class ConflictError(Exception):
    """The file isn't the one that was seen; ``state`` is what it holds now."""

    def __init__(self, state: FileState) -> None:
        super().__init__(state.version)
        self.state = state


def read(path: Path) -> FileState:
    """Return what a file holds; nothing is raised."""
    version = None
    try:
        data = source.bytes_of(path)
        if not data:
            # Many programs empty a file before they write it: what they write comes in a moment.
            time.sleep(_MOMENT)
            data = source.bytes_of(path)
        version = _version(data)
        return FileState(version, _BREAK.sub("\n", source.decoded(data, source.name_of(path))))
    except ProfileError as error:
        fault = error.diagnostics[0]
        if fault.code == "file-missing":
            return FileState(None, None)
        return FileState(version or fault.code, None, fault)


def save(path: Path, text: str, seen: str | None) -> str:
    """Write a text whose lines end in ``\n``; return the file's new version.

    Its permissions, byte order mark and line ends stay. ``seen`` is the version that is replaced,
    None for a file that is gone. Raises ConflictError if the file has another one, CvbuildError if
    it can't be written.
    """
    state = read(path)
    if state.version != seen:
        raise ConflictError(state)
    name = source.name_of(path)
    try:
        before = source.bytes_of(path) if seen else b""
        # What is no UTF-8 can't be edited: its lines have nothing to keep.
        data = before if text == state.text else _encoded(text, b"" if state.fault else before)
        if len(data) > source.MAX_BYTES:
            fact = f"the text has {len(data):,} bytes, more than {source.MAX_BYTES:,}"
            raise _refused(name, fact, "a file that large can't be opened again; shorten it")
        if data != before:
            _write(path, data, seen)
    except UnicodeEncodeError:
        raise _refused(name, "the text has half of a character", "delete what looks odd") from None
    except OSError as error:
        fact = f"the file can't be written: {error.strerror or error}"
        raise _refused(name, fact, "check the folder and its permissions") from None
    return _version(data)


def replace(path: Path, before: str, after: str) -> None:
    """Write a text over another one; raises CvbuildError if the file isn't that any more."""
    state = read(path)
    try:
        if state.text != _BREAK.sub("\n", before):
            raise ConflictError(state)
        save(path, _BREAK.sub("\n", after), state.version)
    except ConflictError:
        fact, hint = "another program has changed the file meanwhile", "run it again"
        raise CvbuildError.because("write", fact, hint, Span(source.name_of(path))) from None


def _write(path: Path, data: bytes, seen: str | None) -> None:
    """Replace the file, or what a link inside of the working folder leads to.

    Raises OSError, and ConflictError if it is no longer the version that was seen.
    """
    exists = seen is not None
    place = path if exists else path.parent
    inner = safe_files.inside(place)
    if inner is None:
        # Elsewhere: the user has named it.
        real = Path(os.path.realpath(place))
        root, names = (real.parent, [real.name]) if exists else (real, [])
    else:
        root, names = Path(), list(inner)
    *above, name = names if exists else [*names, path.name]
    with _turn, safe_folders.opened(root, *above) as folder:
        if not work_folders.wait_for(folder.handle, _PATIENCE):
            fact = "another program has locked the file's folder"
            raise _refused(source.name_of(path), fact, "end it, and try again")

        def look() -> None:
            """Raise ConflictError if another program has saved."""
            now = read(path)
            if now.version != seen:
                raise ConflictError(now)

        state = folder.state(name)
        folder.write(name, data, mode=stat.S_IMODE(state.st_mode) if state else None, check=look)


def _encoded(text: str, before: bytes) -> bytes:
    """Return the bytes of a text with the mark, and most of the line ends, that the file had."""
    mark = _MARK if before.startswith(_MARK) else b""
    ends = Counter(_BREAK.findall(before.decode("utf-8"))).most_common(1)
    return mark + text.replace("\n", ends[0][0] if ends else "\n").encode("utf-8")


def _version(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _refused(name: str, fact: str, hint: str) -> CvbuildError:
    return CvbuildError.because("write", fact, hint, Span(name))
