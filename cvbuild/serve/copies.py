"""Earlier versions of a file: copies of what was saved, and revisions of git; and how they differ.

Copies are in the user's cache alone, readable by nobody else, in a folder that is named by a hash
of the file's path. What is saved without a pause is one copy.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path

from msgspec import Struct

from cvbuild.applications import versions
from cvbuild.common import safe_folders, user_cache
from cvbuild.common.errors import CvbuildError, UsageError
from cvbuild.inputs.people import Person
from cvbuild.inputs.yaml import source
from cvbuild.serve.documents import Json

#: The most copies of a file, and revisions that are listed.
MOST = 50
#: Seconds without a save after which the next one is another copy; and of the longest one.
PAUSE, _LONGEST = 60, 600
#: Seconds for comparing versions: the oldest ones are listed without words.
_PATIENCE = 3.0
_turn = threading.Lock()


class Earlier(Struct, frozen=True):
    """A version of a file: ``name`` is that of a copy or a revision, ``seconds`` since 1970."""

    name: str
    seconds: float
    read: Callable[[], str]

    @property
    def is_copy(self) -> bool:
        """Whether it is none of git's."""
        return self.name.isdigit()


def keep(path: Path, before: str | None, after: str, cache: Path | None) -> None:
    """Keep a text that was saved, and the one that it took the place of, if that isn't known.

    A copy that can't be written is left out: the file itself is saved.
    """
    with contextlib.suppress(OSError), _turn, _opened(path, cache) as folder:
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


def _opened(
    path: Path, cache: Path | None
) -> contextlib.AbstractContextManager[safe_folders.Folder]:
    folder = _folder(path, cache)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return safe_folders.opened(folder)


def follow(old: Path, new: Path, cache: Path | None) -> None:
    """Let the copies of a file be those of its new path."""
    with contextlib.suppress(OSError):
        _folder(old, cache).rename(_folder(new, cache))


def of(path: Path, cache: Path | None) -> list[Earlier]:
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
        return next(one.read() for one in of(path, cache) if one.name == name)
    except (StopIteration, OSError):
        fact = "this version is not there any more"
        raise UsageError.because("version", fact, "open the history again") from None


def as_json(path: Path, cache: Path | None) -> list[Json]:
    """Return the versions of a file, each with what changed in it since the one before.

    ``changes`` is None where that can't be said.
    """
    end, listed = time.monotonic() + _PATIENCE, of(path, cache)
    texts: list[str | None] = []
    for one in listed:
        text = None
        with contextlib.suppress(OSError, ValueError, CvbuildError):
            text = one.read() if time.monotonic() < end else None
        texts.append(text)
    rows: list[Json] = [
        {"name": one.name, "seconds": one.seconds, "is_copy": one.is_copy, "changes": None}
        for one in listed
    ]
    for row, (after, before) in zip(rows, pairwise(texts), strict=False):
        if after is not None and before is not None and time.monotonic() < end:
            row["changes"] = _changes(path, before, after)
    # A revision that is a copy, too, changed nothing.
    return [
        row for row, text in zip(rows, texts, strict=True) if row["changes"] != [] or text is None
    ]


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
