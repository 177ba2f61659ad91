"""The stored formats: ``<key>.fmt``, and ``<key>.json`` with what it was made from.

Nothing here is trusted: an entry counts only if its JSON can be understood, all files that it was
made from are unchanged (``file_state``), and the format has the bytes that were written, by its
size and times or else by its hash. Both files are written elsewhere and renamed, the JSON last, so
that an incomplete format has none.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cvbuild.common import hashes
from cvbuild.common.files import file_state, safe_files

#: How many bytes of a file are read.
_MOST = 64 << 20
#: The most bytes of all formats. One has 18 MB, and a template needs up to eight: for each TeX,
#: with tags and without, with an attachment, for measuring.
LIMIT = 512 << 20
#: Seconds in which a format that was used is not removed: TeX may be about to load it.
SPARE = 600
#: Changes whenever these files do, or the way in which formats are made.
VERSION = 4


@dataclass(frozen=True, slots=True)
class Entry:
    """The state of a key: the stamp of its format, or why there can be none."""

    stamp: file_state.Stamp | None = None
    failed: str | None = None


def find(folder: Path, key: str) -> Entry | None:
    """Return the entry if it is whole and nothing that it was made from has changed.

    It is marked as used.
    """
    place, form = _places(folder, key)
    data, stamp = _read(place), None
    before = json.dumps(data)
    try:
        # By the clock of the file system; it stays in the past where that can't be written.
        with contextlib.suppress(OSError):
            os.utime(place)
        now = place.stat().st_mtime_ns
        failed, own = data["failed"], data["form"]
        if not all(file_state.same(path, state, now) for path, state in data["files"].items()):
            return None
        if failed is None:
            stamp = file_state.of(form)
            if stamp is None or (own[1:] != [*stamp] and own[0] != hashes.file_hash(form)):
                return None
            own[1:] = stamp
        elif not isinstance(failed, str):
            return None
    except (OSError, ValueError, TypeError, LookupError, AttributeError):
        return None
    if before != json.dumps(data):
        with contextlib.suppress(OSError):
            _write(place, data)
    return Entry(stamp, failed)


def put(folder: Path, key: str, slot: str, made: Path | str, files: Iterable[Path]) -> Entry:
    """Store a format, which is moved here, or why there is none; raise OSError.

    ``files`` is what it was made from. Formats of the same ``slot`` replace one another: only the
    newest is stored.
    """
    place, form = _places(folder, key)
    # The folder's last change stands for the present, by the clock of the file system.
    now = folder.stat().st_mtime_ns
    states = {str(path): file_state.look(str(path), now) for path in files}
    data: dict[str, Any] = {"version": VERSION, "slot": slot, "files": states}
    if isinstance(made, str):
        _write(place, {**data, "failed": made, "form": None})
        return Entry(failed=made)
    digest = hashes.file_hash(made)
    made.replace(form)
    stamp = file_state.of(form)
    _write(place, {**data, "failed": None, "form": [digest, *(stamp or ())]})
    return Entry(stamp)


def intact(folder: Path, key: str) -> bool:
    """Return whether the format has the bytes that were written, by its hash."""
    place, form = _places(folder, key)
    own = _read(place).get("form")
    return isinstance(own, list) and own[:1] == [hashes.file_hash(form)]


def drop(folder: Path, key: str) -> None:
    """Remove an entry; raise OSError."""
    for path in _places(folder, key):
        path.unlink(missing_ok=True)


def tidy(folder: Path, key: str, slot: str) -> None:
    """Remove what ``key`` replaces, and then what was not used for longest, down to the limit."""
    with contextlib.suppress(OSError):
        old = folder.joinpath(f"{key}.json").stat().st_mtime - SPARE
        used = {place: place.stat().st_mtime for place in folder.glob("*.json")}
        # Such folders were left by a dump that was killed, or by a head that was edited since.
        odd = [form for form in folder.glob("*.fmt") if form.with_suffix(".json") not in used]
        for path in (*folder.glob("*.new"), *folder.glob("new-*"), *odd):
            if path.stat().st_mtime < old:
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()
        remaining = LIMIT
        for place in sorted(used, key=used.__getitem__, reverse=True):
            size = sum(path.stat().st_size for path in folder.glob(f"{place.stem}.*"))
            replaced = place.stem != key and _read(place).get("slot") == slot
            if replaced or (size > remaining and used[place] < old):
                drop(folder, place.stem)
            else:
                remaining -= size


def _places(folder: Path, key: str) -> tuple[Path, Path]:
    return folder / f"{key}.json", folder / f"{key}.fmt"


def _read(place: Path) -> dict[str, Any]:
    """Return the content of a JSON file; nothing if it can't be understood."""
    try:
        data = json.loads(safe_files.read(place, _MOST, links=False))
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) and data.get("version") == VERSION else {}


def _write(place: Path, data: dict[str, Any]) -> None:
    safe_files.replace(place, json.dumps(data).encode())
