"""The file of a tab, and its earlier versions.

Copies of what was saved are in the user's cache alone, readable by nobody else, in a folder that is
named by a hash of the file's path. What is saved without a pause is one copy.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from msgspec import Struct

from cvbuild.applications import versions
from cvbuild.common import safe_files, safe_folders, user_cache
from cvbuild.common.errors import CvbuildError, UsageError
from cvbuild.inputs import saving
from cvbuild.inputs.people import Person
from cvbuild.inputs.saving import ConflictError, FileState
from cvbuild.inputs.yaml import source
from cvbuild.serve.live import ApplicationFile
from cvbuild.serve.messages import Json

#: The most copies of a file, and revisions that are listed.
MOST = 50
#: Seconds without a save after which the next one is another copy; and of the longest one.
PAUSE, _LONGEST = 60, 300
#: Seconds for comparing versions: the oldest ones are listed without words.
_LOOKS = 3.0
_copying = threading.Lock()


def _save(path: Path, text: str, seen: str | None, cache: Path | None) -> str:
    before = saving.read(path).text
    version = saving.save(path, text, seen)
    keep_copy(path, before, text, cache)
    return version


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
        state = await asyncio.to_thread(saving.read, subject.path)
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
                    raise ConflictError(await asyncio.to_thread(saving.read, self.subject.path))
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
            state = await asyncio.to_thread(saving.read, self.subject.path)
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
    with contextlib.suppress(OSError), _copying:
        folder = _folder(path, cache)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        names, known, written = sorted(copy.name for copy in folder.iterdir()), None, 0.0
        if names:
            last = folder / names[-1]
            known = safe_files.read(last, source.MAX_BYTES, links=False).decode()
            written = last.lstat().st_mtime
        # Two never have one name, even if the clock is put back.
        now = max(time.time_ns() // 1_000_000, int(names[-1]) + 2 if names else 0)
        goes_on = (
            names
            and known == before
            and now / 1000 - written < PAUSE
            and now - int(names[-1]) < 1000 * _LONGEST
        )
        if known != before and before is not None:
            names.append(f"{now - 1:015}")
            safe_folders.write(folder / names[-1], before.encode(), 0o600)
        if not goes_on:
            names.append(f"{now:015}")
        safe_folders.write(folder / names[-1], after.encode(), 0o600)
        for name in names[:-MOST]:
            (folder / name).unlink(missing_ok=True)


def _folder(path: Path, cache: Path | None) -> Path:
    place = hashlib.sha256(os.path.realpath(path).encode("utf-8", "surrogateescape")).hexdigest()
    return user_cache.resolved(cache) / "history" / place[:32]


def follow(old: Path, new: Path, cache: Path | None) -> None:
    """Let the copies of a file be those of its new path."""
    with contextlib.suppress(OSError):
        _folder(old, cache).rename(_folder(new, cache))


def earlier(path: Path, cache: Path | None) -> list[Earlier]:
    """Return the earlier versions of a file, the newest first."""
    listed, person = list[Earlier](), Person(path.stem, path)

    def of_git(name: str) -> str:
        (file,) = versions.at_revision(person, name).files.values()
        return "\n".join((file.text or "").removeprefix("\ufeff").splitlines()) + "\n"

    with contextlib.suppress(OSError):
        for copy in _folder(path, cache).iterdir():
            seconds, read = int(copy.name) / 1000, partial(copy.read_text, "utf-8")
            listed.append(Earlier(copy.name, seconds, read))
    for name, seconds in versions.revisions(path, MOST):
        listed.append(Earlier(name, seconds, partial(of_git, name)))
    return sorted(listed, key=lambda one: -one.seconds)


def text_of(path: Path, cache: Path | None, name: str) -> str:
    """Return the text of a version; raises CvbuildError if it is gone."""
    # What is saved next is another copy, however soon: that is what comes back if it isn't kept.
    with contextlib.suppress(OSError), _copying:
        for copy in sorted(_folder(path, cache).iterdir())[-1:]:
            os.utime(copy, (0, 0))
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
