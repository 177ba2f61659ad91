"""The stored formats: ``<key>.fmt``, and what is remembered of it (``memory``).

An entry counts only if all files that the format was made from, and the format itself, are
unchanged. Both files are written elsewhere and renamed, the JSON last, so that an incomplete format
has none.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cvbuild.common import hashes
from cvbuild.common.files import file_state
from cvbuild.outputs.pdf.tex import memory

#: The most bytes of all formats. One has 18 MB, and a template needs up to eight: for each TeX,
#: with tags and without, with an attachment, for measuring.
LIMIT = 512 << 20
#: Seconds in which a format that was used is not removed: TeX may be about to load it.
SPARE = 600


@dataclass(frozen=True, slots=True)
class Entry:
    """The state of a key: the stamp of its format, or why there can be none."""

    stamp: file_state.Stamp | None = None
    failed: str | None = None


def find(folder: Path, key: str) -> Entry | None:
    """Return the entry if it is whole and nothing that it was made from has changed.

    It is marked as used.
    """
    answer = memory.recall(folder, key)
    if answer is None:
        return None
    return Entry(file_state.of(folder / f"{key}.fmt"), answer["failed"])


def put(folder: Path, key: str, slot: str, made: Path | str, files: Iterable[Path]) -> Entry:
    """Store a format, which is moved here, or why there is none; raise OSError.

    ``files`` is what it was made from. Formats of the same ``slot`` replace one another: only the
    newest is stored.
    """
    if isinstance(made, str):
        memory.keep(folder, key, files, {"slot": slot, "failed": made, "hash": ""})
        return Entry(failed=made)
    form = folder / f"{key}.fmt"
    answer = {"slot": slot, "failed": None, "hash": hashes.file_hash(made)}
    made.replace(form)
    memory.keep(folder, key, (*files, Path(form.name)), answer)
    return Entry(file_state.of(form))


def intact(folder: Path, key: str) -> bool:
    """Return whether the format has the bytes that were written, by its hash."""
    known = memory.unchecked(folder, key).get("hash")
    return known == hashes.file_hash(folder / f"{key}.fmt")


def drop(folder: Path, key: str) -> None:
    """Remove an entry; raise OSError."""
    for end in ("json", "fmt"):
        (folder / f"{key}.{end}").unlink(missing_ok=True)


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
            is_other = place.stem != key
            replaced = is_other and memory.unchecked(folder, place.stem).get("slot") == slot
            if replaced or (size > remaining and used[place] < old):
                drop(folder, place.stem)
            else:
                remaining -= size
