"""What is remembered of a TeX, in the cache: what its programs said, and formats.

An answer is ``<key>.json``. It has the state of every file behind it, and counts only if it is
undamaged and all these files are unchanged (``file_state``). It is marked as used whenever it is
read, so that what was not used for longest can be removed. A format is ``<key>.fmt`` beside such an
answer: both are written elsewhere and renamed, the JSON last, so that an incomplete format has
none.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cvbuild.common import hashes, sealed, versions
from cvbuild.common.files import file_state
from cvbuild.outputs.pdf.tex import job_folder
from cvbuild.outputs.pdf.tex.types import Job

#: The folder for what programs said, and how many answers are kept: a machine has one or two a
#: template.
PROBES, _MOST = "probes", 64
#: The most bytes of all formats. One has 18 MB, and a template needs up to eight: for each TeX,
#: with tags and without, with an attachment, for measuring.
LIMIT = 200 << 20
#: Seconds in which a format that was used is not removed: TeX may be about to load it.
SPARE = 600
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


def _unchecked(folder: Path, key: str) -> dict[str, Any]:
    """Return an answer even if files have changed since; nothing if there is none."""
    try:
        return dict(sealed.load(folder / f"{key}.json")["answer"])
    except (OSError, ValueError, TypeError, LookupError):
        return {}


def recall_probe(cache: Path | None, key: str) -> dict[str, Any] | None:
    """Return what a program said; None if that isn't known, or the tree has changed since."""
    return recall(cache / PROBES, key) if cache else None


def keep_probe(cache: Path | None, key: str, tree: Iterable[Path], answer: dict[str, Any]) -> None:
    """Keep what a program said, and the newest few; nothing if that can't be written."""
    if cache is None:
        return
    folder = cache / PROBES
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        keep(folder, key, tree, answer)
        for old in sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)[:-_MOST]:
            old.unlink()


@dataclass(frozen=True, slots=True)
class TexFormat:
    """A dumped head: ``<folder>/<key>.fmt``, with the stamp that the file had when it was found."""

    folder: Path
    key: str
    stamp: file_state.Stamp | None = None

    @property
    def path(self) -> Path:
        """The file."""
        return self.folder / f"{self.key}.fmt"

    @property
    def options(self) -> tuple[str, ...]:
        """The engine's options that load it: words without a meaning for a shell.

        Without -progname the program would take the format's name, and with it other settings.
        """
        return (f"-fmt={self.key}", "-progname=pdflatex")

    def environment(self, job: Job) -> dict[str, str]:
        """Return the variables by which the engine finds it, and doesn't try to make one itself."""
        place = job_folder.searchable(self.folder, job.folder)
        return {"TEXFORMATS": place + os.pathsep, "MKTEXFMT": "0"}


def find_format(folder: Path, key: str) -> TexFormat | str | None:
    """Return a format that is whole and up to date, or why there can be none; None: not known."""
    answer = recall(folder, key)
    if answer is None:
        return None
    return answer["failed"] or TexFormat(folder, key, file_state.of(folder / f"{key}.fmt"))


def put_format(
    folder: Path, key: str, slot: str, made: Path | str, files: Iterable[Path]
) -> TexFormat | str:
    """Store a format, which is moved here, or why there is none; raise OSError.

    ``files`` is what it was made from. Formats of the same ``slot`` replace one another: only the
    newest is stored.
    """
    if isinstance(made, str):
        keep(folder, key, files, {"slot": slot, "failed": made, "hash": ""})
        return made
    form = folder / f"{key}.fmt"
    answer = {"slot": slot, "failed": None, "hash": hashes.file_hash(made)}
    made.replace(form)
    keep(folder, key, (*files, Path(form.name)), answer)
    return TexFormat(folder, key, file_state.of(form))


def is_intact(folder: Path, key: str) -> bool:
    """Return whether the format has the bytes that were written, by its hash."""
    known = _unchecked(folder, key).get("hash")
    return known == hashes.file_hash(folder / f"{key}.fmt")


def drop_format(folder: Path, key: str) -> None:
    """Remove an entry; raise OSError."""
    for end in ("json", "fmt"):
        (folder / f"{key}.{end}").unlink(missing_ok=True)


def tidy_formats(folder: Path, key: str, slot: str) -> None:
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
            replaced = is_other and _unchecked(folder, place.stem).get("slot") == slot
            if replaced or (size > remaining and used[place] < old):
                drop_format(folder, place.stem)
            else:
                remaining -= size
