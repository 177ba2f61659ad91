"""Which state a file is in: by its stamp, which is cheap, and by what identifies it, which is sure.

A stamp proves that a file is the same only where nobody could have written it within one tick of
its file system's clock; ``index`` says when it is trusted.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    #: [identity, whether its stamp may be trusted: 0 or 1, *stamp]
    State = list[Any]

#: Time of the last write and of the last change of the entry in ns, size in bytes, inode.
Stamp = tuple[int, int, int, int]
#: A file that was last changed longer ago than this (ns) when it was looked at gets another stamp
#: whenever it is written again.
TICK = 2_000_000_000
#: What a template looks like, for people: no document shows it.
PREVIEW = "preview.png"
#: Lists of files and dumps, whose content doesn't tell that what they are made from changed; and
#: fonts, which are long to read.
_DATED = ("ls-R", ".fmt", ".ttf", ".otf", ".ttc", ".otc")


def of(path: str | os.PathLike[str]) -> Stamp | None:
    """Return the stamp of the file or folder, of what a link leads to; None if there is none."""
    try:
        state = os.stat(path)
    except (OSError, ValueError):
        return None
    return (state.st_mtime_ns, state.st_ctime_ns, state.st_size, state.st_ino)


def digest(paths: Iterable[str | os.PathLike[str]]) -> str:
    """SHA-256 in hexadecimal over the paths and their stamps, in their order."""
    whole = hashlib.sha256()
    for path in paths:
        whole.update(f"{os.fspath(path)}\0{of(path)}\0".encode("utf-8", "surrogateescape"))
    return whole.hexdigest()


def identity(path: str | os.PathLike[str]) -> str:
    """What tells a file from another: the SHA-256 of its bytes, of a folder that of its names.

    For fonts, and the lists and dumps of a TeX tree, it is their time and size. Empty if there is
    no file, or none that can be read.
    """
    try:
        state = os.stat(path)
        if stat.S_ISDIR(state.st_mode):
            names = "\0".join(sorted(filter(counts, os.listdir(path))))
            return hashlib.sha256(names.encode("utf-8", "surrogateescape")).hexdigest()
        if not stat.S_ISREG(state.st_mode):
            return ""
        if os.fspath(path).endswith(_DATED):
            return f"{state.st_mtime_ns} {state.st_size}"
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError):
        return ""


def counts(name: str) -> bool:
    """Return whether an entry of a template's or a font's folder matters; hidden ones don't."""
    return not name.startswith(".") and name not in (PREVIEW, "__pycache__")


def below(folder: str | os.PathLike[str]) -> list[str]:
    """Return the folder and all in it that counts, folders too, sorted; the folder alone if it is none."""
    found = [os.fspath(folder)]
    for here, folders, files in os.walk(folder):
        folders[:] = filter(counts, folders)
        found += [os.path.join(here, name) for name in (*folders, *files) if counts(name)]
    return sorted(found)


def look(path: str, now: int) -> State:
    """Return the state of a file; ``now`` is the time in ns since 1970, or any before it.

    A file that was written just now, or in the future, may be written again without another
    stamp, so that its stamp is not to be trusted.
    """
    stamp = of(path)
    if stamp is None:
        return ["", 1]
    seen = identity(path)
    sure = now - max(stamp[0], stamp[1]) > TICK and of(path) == stamp
    return [seen, int(sure), *stamp]


def same(path: str, state: State, now: int) -> bool:
    """Return whether the file is what it was; a state that isn't trusted is made anew if so."""
    stamp = of(path)
    if stamp is None:
        return str(state[0]) == ""
    if state[1] == 1 and tuple(state[2:]) == stamp:
        return True
    seen = look(path, now)
    if not seen[0] or seen[0] != state[0]:
        return False
    state[:] = seen
    return True
