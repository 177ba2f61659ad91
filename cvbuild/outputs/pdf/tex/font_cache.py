"""The folders in which LuaTeX keeps the fonts that it has parsed, as Lua code that it loads again.

Documents of built-in templates share one folder. A template that isn't built in is code, which
could write code for the next document: its documents write to a folder that only documents of the
same template load from, and just read the shared one.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from pathlib import Path

from cvbuild.common.files import file_state
from cvbuild.outputs.pdf.tex.types import Job
from cvbuild.outputs.styles.file_names import builtin_folder

_FOLDER, _SHARED = "luatex", "shared"
#: Below each: luaotfload's list of the machine's fonts, which only the shared folder has.
_NAMES = Path("luatex-cache", "generic", "names")
#: A template's folder that wasn't used for so long (seconds) is removed.
_OLD = 7 * 86400


def is_built_in(job: Job) -> bool:
    """Return whether all code that the job may load came with cvbuild, or with TeX."""
    home = builtin_folder().resolve()
    return all(folder.resolve().is_relative_to(home) for folder in job.inputs)


def folder(cache: Path) -> Path:
    """Return what holds all of them, in the user's cache folder."""
    return cache / _FOLDER


def shared(cache: Path) -> Path:
    """Return the folder for documents of built-in templates."""
    return folder(cache) / _SHARED


def own(job: Job) -> Path:
    """Return the folder that the job may write to."""
    if is_built_in(job):
        return shared(job.cache)
    digest = hashlib.sha256()
    for place in job.inputs:
        for path in file_state.below(place):
            name = os.path.relpath(path, place)
            line = f"{name}\0{file_state.identity(path)}\0"
            digest.update(line.encode("utf-8", "surrogateescape"))
    return folder(job.cache) / digest.hexdigest()[:24]


def make(job: Job) -> None:
    """Make the folders for a job, and remove those not used for long; raises OSError."""
    names, place = shared(job.cache) / _NAMES, own(job)
    names.mkdir(parents=True, exist_ok=True)
    if place == shared(job.cache):
        return
    linked = place / _NAMES
    if not linked.is_symlink():
        linked.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            linked.symlink_to(names, target_is_directory=True)
    os.utime(place)
    now = place.stat().st_mtime
    for other in folder(job.cache).iterdir():
        with contextlib.suppress(OSError):
            if other.name != _SHARED and other.stat().st_mtime < now - _OLD:
                shutil.rmtree(other)
