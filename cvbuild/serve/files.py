"""The file of a tab, and its earlier versions.

Copies of what was saved are in the user's cache alone, readable by nobody else, in a folder that is
named by a hash of the file's path. What is saved without a pause is one copy.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from cvbuild.applications import versions
from cvbuild.common import safe_files, safe_folders
from cvbuild.common.errors import CvbuildError, UsageError
from cvbuild.inputs import saving
from cvbuild.inputs.people import Person
from cvbuild.inputs.yaml import source
from cvbuild.serve.live import ApplicationFile, kept
from cvbuild.serve.messages import Json

#: The most copies of a file, and revisions that are listed.
MOST = 50
#: Seconds without a save after which the next one is another copy; and of the longest one.
PAUSE, _LONGEST = 60, 300
#: Seconds for comparing versions: the oldest ones are listed without words.
_LOOKS = 3.0
_copying = threading.Lock()


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

    async def save(self, version: str | None, cache: Path | None, *, force: bool) -> Json:
        """Write the text over a version of the file; return what the browser is told."""
        async with self._turn:
            text, revision, path = self.text, self.revision, self.subject.path

            def write() -> str:
                before = saving.read(path)
                if version != self.seen and not force:
                    raise saving.ConflictError(before)
                new = saving.save(path, text, version)
                keep_copy(path, before.text, text, cache)
                return new

            try:
                saved = await asyncio.to_thread(write)
            except saving.ConflictError as error:
                self._told = error.state.version
                return _told("conflict", error.state)
            self.saved, self.seen, self._told = text, saved, ""
            return {"type": "saved", "revision": revision, "version": saved}

    async def look(self) -> Json | None:
        """Take what was written elsewhere if nothing is unsaved; return what is told of that."""
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


def _told(kind: str, state: saving.FileState) -> Json:
    fault = state.fault.as_json() if state.fault else None
    return {"type": kind, "version": state.version, "text": state.text, "fault": fault}


# -- earlier versions ------------------------------------------------------------------------------

#: Seconds since 1970, and what reads the text of a version.
_Earlier = tuple[float, Callable[[], str]]


def keep_copy(path: Path, before: str | None, after: str, cache: Path | None) -> None:
    """Keep a text that was saved, and the one before it, if that isn't known; or nothing."""
    with contextlib.suppress(OSError), _copying:
        folder = kept("history", path, cache)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        names, known, written = sorted(copy.name for copy in folder.iterdir()), None, 0.0
        if names:
            last = folder / names[-1]
            known = safe_files.read(last, source.MAX_BYTES, links=False).decode()
            written = last.lstat().st_mtime
        # Two never have one name, even if the clock is put back.
        now = max(time.time_ns() // 1_000_000, int(names[-1]) + 2 if names else 0)
        goes_on = (
            bool(names)
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


def follow(old: Path, new: Path, cache: Path | None) -> None:
    """Let the copies of a file be those of its new path."""
    with contextlib.suppress(OSError):
        kept("history", old, cache).rename(kept("history", new, cache))


def earlier(path: Path, cache: Path | None) -> dict[str, _Earlier]:
    """Return the earlier versions of a file by the names of copies and revisions, newest first."""
    known, person = dict[str, _Earlier](), Person(path.stem, path)

    def of_git(name: str) -> str:
        (file,) = versions.at_revision(person, name).files.values()
        return "\n".join((file.text or "").removeprefix("\ufeff").splitlines()) + "\n"

    with contextlib.suppress(OSError):
        for copy in kept("history", path, cache).iterdir():
            known[copy.name] = int(copy.name) / 1000, partial(copy.read_text, "utf-8")
    for name, seconds in versions.revisions(path, MOST):
        known[name] = seconds, partial(of_git, name)
    return dict(sorted(known.items(), key=lambda version: -version[1][0]))


def text_of(path: Path, cache: Path | None, name: str) -> str:
    """Return the text of a version; raises CvbuildError if it is gone."""
    # What is saved next is another copy, however soon: that is what comes back if it isn't kept.
    with contextlib.suppress(OSError), _copying:
        for copy in sorted(kept("history", path, cache).iterdir())[-1:]:
            os.utime(copy, (0, 0))
    try:
        return earlier(path, cache)[name][1]()
    except (KeyError, OSError):
        fact = "this version is not there any more"
        raise UsageError.because("version", fact, "open the history again") from None


def history(path: Path, cache: Path | None) -> list[Json]:
    """Return the versions of a file, each with what changed in it, if that can be said."""
    end, rows = time.monotonic() + _LOOKS, list[Json]()
    after = None
    for name, (seconds, read) in earlier(path, cache).items():
        text = None
        with contextlib.suppress(OSError, ValueError, CvbuildError):
            text = read() if time.monotonic() < end else None
        is_known = bool(rows) and None not in (text, after) and time.monotonic() < end
        if is_known and text == after:
            # A revision that is a copy, too, changed nothing.
            rows.pop()
        elif is_known:
            persons = (Person(path.stem, path, each) for each in (text, after))
            with contextlib.suppress(CvbuildError):
                first, second = (versions.facts(person)[0] for person in persons)
                changes = versions.Compared(path.name, first, second).as_json()
                # Comments and the like have no words.
                keys = ("kind", "place", "words")
                rows[-1]["changes"] = [{key: row[key] for key in keys} for row in changes] or None
        # A copy is none of git's.
        about = {"name": name, "seconds": seconds, "is_copy": name.isdigit()}
        rows.append({**about, "changes": None})
        after = text
    return rows
