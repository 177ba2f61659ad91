"""Read and save the file of a tab: never over what wasn't seen; and its earlier versions.

A file's folder is locked from the last look at the file until it is replaced: so of all tabs and
servers that save at the same moment, one does, and the others are told what it wrote.

Copies of what was saved are in the user's cache alone, readable by nobody else, in a folder that is
named by a hash of the file's path. What is saved without a pause is one copy.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import re
import stat
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from msgspec import Struct

from cvbuild.applications import versions
from cvbuild.common import safe_files, safe_folders, user_cache, work_folders
from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.errors import CvbuildError, ProfileError, UsageError
from cvbuild.inputs.people import Person
from cvbuild.inputs.yaml import source
from cvbuild.serve.live import ApplicationFile
from cvbuild.serve.messages import Json

_BREAK = re.compile(r"\r\n|\r|\n")
_MARK = b"\xef\xbb\xbf"
#: For tabs of one server, where folders can't be locked.
_turn = threading.Lock()
#: Seconds to wait for another program's lock.
_PATIENCE = 5.0
#: Seconds between a file's being emptied and written.
_MOMENT = 0.25

#: The most copies of a file, and revisions that are listed.
MOST = 50
#: Seconds without a save after which the next one is another copy; and of the longest one.
PAUSE, _LONGEST = 60, 600
#: Seconds for comparing versions: the oldest ones are listed without words.
_LOOKS = 3.0
_copying = threading.Lock()


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


def _save(path: Path, text: str, seen: str | None, cache: Path | None) -> str:
    before = read(path).text
    version = save(path, text, seen)
    keep_copy(path, before, text, cache)
    return version


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


@dataclass(eq=False)
class EditedFile:
    """A file and its text; ``seen`` is the version that the browser knows."""

    subject: Person | ApplicationFile
    text: str
    seen: str | None
    saved: str
    revision: int = 0
    _told: str | None = field(default="", init=False)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    @classmethod
    async def opened(cls, subject: Person | ApplicationFile) -> EditedFile:
        """Read the file; raises CvbuildError if it can't be edited."""
        state = await asyncio.to_thread(read, subject.path)
        if state.fault is not None:
            raise CvbuildError([state.fault])
        if state.text is None:
            raise UsageError.because("person", f"{source.name_of(subject.path)} is gone")
        return cls(subject, state.text, state.version, state.text)

    @property
    def unsaved(self) -> Person | ApplicationFile:
        """The subject, with the text."""
        return self.subject._replace(text=self.text)

    def edit(self, revision: int, text: str) -> None:
        """Take a newer text; raises UsageError for one that isn't."""
        if revision <= self.revision:
            fact = f"revision {revision} comes after {self.revision}"
            raise UsageError.because("revision", fact, "reload the page")
        self.text, self.revision = text, revision

    async def save(self, version: str | None, cache: Path | None, *, force: bool) -> Json:
        """Write the text over a version of the file; return what the browser is told.

        ``cache`` is where copies are kept.
        """
        async with self._turn:
            text, revision = self.text, self.revision
            known = version == self.seen or force
            try:
                if not known:
                    raise ConflictError(await asyncio.to_thread(read, self.subject.path))
                saved = await asyncio.to_thread(_save, self.subject.path, text, version, cache)
            except ConflictError as error:
                self._told = error.state.version
                return _told("conflict", error.state)
            self.saved, self.seen, self._told = text, saved, ""
            return {"type": "saved", "revision": revision, "version": saved}

    async def look(self) -> Json | None:
        """Look whether the file was changed elsewhere; return what the browser is told of that.

        If nothing is unsaved, what the file holds is the text from now on.
        """
        async with self._turn:
            state = await asyncio.to_thread(read, self.subject.path)
            if state.version == self.seen:
                self._told = ""
            if state.version in (self.seen, self._told):
                return None
            if self.text != self.saved:
                self._told = state.version
                return _told("conflict", state)
            if state.text is None:
                self._told = state.version
            else:
                self.text = self.saved = state.text
                self.seen, self._told = state.version, ""
            return _told("changed", state)


def _told(kind: str, state: FileState) -> Json:
    fault = state.fault.as_json() if state.fault else None
    return {"type": kind, "version": state.version, "text": state.text, "fault": fault}


# -- earlier versions ------------------------------------------------------------------------------


class Earlier(Struct, frozen=True):
    """A version of a file: ``name`` is that of a copy or a revision, ``seconds`` since 1970."""

    name: str
    seconds: float
    read: Callable[[], str]

    @property
    def is_copy(self) -> bool:
        """Whether it is none of git's."""
        return self.name.isdigit()


def keep_copy(path: Path, before: str | None, after: str, cache: Path | None) -> None:
    """Keep a text that was saved, and the one that it took the place of, if that isn't known.

    A copy that can't be written is left out: the file itself is saved.
    """
    with contextlib.suppress(OSError), _copying, _copies_of(path, cache) as folder:
        names = sorted(folder.names())
        known = folder.read(names[-1], source.MAX_BYTES).decode() if names else None
        # Two never have one name, even if the clock is put back.
        now = max(time.time_ns() // 1_000_000, int(names[-1]) + 2 if names else 0)
        state = folder.state(names[-1]) if names else None
        goes_on = (
            state is not None
            and known == before
            and now / 1000 - state.st_mtime < PAUSE
            and now - int(names[-1]) < 1000 * _LONGEST
        )
        if known != before and before is not None:
            names.append(f"{now - 1:015}")
            folder.write(names[-1], before.encode(), mode=0o600)
        if not goes_on:
            names.append(f"{now:015}")
        folder.write(names[-1], after.encode(), mode=0o600)
        for name in names[:-MOST]:
            folder.unlink(name)


def _folder(path: Path, cache: Path | None) -> Path:
    place = hashlib.sha256(os.path.realpath(path).encode("utf-8", "surrogateescape")).hexdigest()
    return user_cache.resolved(cache) / "history" / place[:32]


def _copies_of(
    path: Path, cache: Path | None
) -> contextlib.AbstractContextManager[safe_folders.Folder]:
    folder = _folder(path, cache)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return safe_folders.opened(folder)


def follow(old: Path, new: Path, cache: Path | None) -> None:
    """Let the copies of a file be those of its new path."""
    with contextlib.suppress(OSError):
        _folder(old, cache).rename(_folder(new, cache))


def earlier(path: Path, cache: Path | None) -> list[Earlier]:
    """Return the earlier versions of a file, the newest first."""
    listed = [*_copies(path, cache)]
    person = Person(path.stem, path)
    for name, seconds in versions.revisions(path, MOST):
        listed.append(Earlier(name, seconds, partial(_revision, person, name)))
    return sorted(listed, key=lambda one: -one.seconds)


def _copies(path: Path, cache: Path | None) -> Iterator[Earlier]:
    folder = _folder(path, cache)
    with contextlib.suppress(OSError):
        for copy in folder.iterdir():
            yield Earlier(copy.name, int(copy.name) / 1000, partial(copy.read_text, "utf-8"))


def _revision(person: Person, name: str) -> str:
    (file,) = versions.at_revision(person, name).files.values()
    return "\n".join((file.text or "").removeprefix("\ufeff").splitlines()) + "\n"


def text_of(path: Path, cache: Path | None, name: str) -> str:
    """Return the text of a version; raises CvbuildError if it is gone."""
    try:
        return next(one.read() for one in earlier(path, cache) if one.name == name)
    except (StopIteration, OSError):
        fact = "this version is not there any more"
        raise UsageError.because("version", fact, "open the history again") from None


def history(path: Path, cache: Path | None) -> list[Json]:
    """Return the versions of a file, each with what changed in it since the one before.

    ``changes`` is None where that can't be said.
    """
    end, rows = time.monotonic() + _LOOKS, list[Json]()
    after = None
    for one in earlier(path, cache):
        text = None
        with contextlib.suppress(OSError, ValueError, CvbuildError):
            text = one.read() if time.monotonic() < end else None
        if rows and after is not None and text is not None and time.monotonic() < end:
            rows[-1]["changes"] = _changes(path, text, after)
        row = {"name": one.name, "seconds": one.seconds, "is_copy": one.is_copy, "changes": None}
        rows.append(row)
        after = text
    # A revision that is a copy, too, changed nothing.
    return [row for row in rows if row["changes"] != []]


def _changes(path: Path, before: str, after: str) -> list[Json] | None:
    if before == after:
        return []
    with contextlib.suppress(CvbuildError):
        first, second = (
            versions.facts(Person(path.stem, path, text))[0] for text in (before, after)
        )
        found = versions.Compared(path.name, first, second).as_json()
        # Comments and the like have no words.
        return [{key: one[key] for key in ("kind", "place", "words")} for one in found] or None
    return None
