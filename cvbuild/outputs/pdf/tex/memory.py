"""What is remembered of a TeX, in the cache: an answer, and the state of every file behind it.

``<key>.json`` counts only if it is undamaged and all these files are unchanged (``file_state``).
It is marked as used whenever it is read, so that what was not used for longest can be removed.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from cvbuild.common import sealed, versions
from cvbuild.common.files import file_state

#: Changes whenever these files do, or the way in which formats are made.
_VERSION = 5


def key(*question: object) -> str:
    """Return the key of a question: a hash of it and of this version."""
    whole = repr((versions.VERSION, _VERSION, question))
    return hashlib.sha256(whole.encode("utf-8", "surrogateescape")).hexdigest()[:24]


def recall(folder: Path, key: str) -> dict[str, Any] | None:
    """Return the answer; None if there is none, or a file that it depends on has changed."""
    place = folder / f"{key}.json"
    try:
        data = sealed.load(place)
        # By the clock of the file system; it stays in the past where that can't be written.
        with contextlib.suppress(OSError):
            os.utime(place)
        now = place.stat().st_mtime_ns
        states = copy.deepcopy(data["files"])
        if not all(file_state.same(str(folder / path), states[path], now) for path in states):
            return None
        if states != data["files"]:
            with contextlib.suppress(OSError):
                sealed.save(place, {**data, "files": states})
        return dict(data["answer"])
    except (OSError, ValueError, TypeError, LookupError):
        return None


def keep(folder: Path, key: str, files: Iterable[Path], answer: dict[str, Any]) -> None:
    """Keep an answer that depends on the files, relative ones in ``folder``; raises OSError."""
    # What its file system takes for the present.
    os.utime(folder)
    now = folder.stat().st_mtime_ns
    states = {str(path): file_state.look(str(folder / path), now) for path in files}
    sealed.save(folder / f"{key}.json", {"files": states, "answer": answer})


def unchecked(folder: Path, key: str) -> dict[str, Any]:
    """Return an answer even if files have changed since; nothing if there is none."""
    try:
        return dict(sealed.load(folder / f"{key}.json")["answer"])
    except (OSError, ValueError, TypeError, LookupError):
        return {}
