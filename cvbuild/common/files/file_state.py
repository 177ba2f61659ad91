"""Tell whether a file has changed: by its stamp, which is cheap, or its content, which is sure.

A stamp proves that a file is unchanged only if it can't have been written twice within one tick of
its file system's clock; ``look`` records whether it can be trusted.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from cvbuild.common import memo
from cvbuild.common.files import safe_files

if TYPE_CHECKING:
    from typing import Any

    #: [identity, whether its stamp may be trusted: 0 or 1, *stamp]
    State = list[Any]


#: Time of the last write and of the last change of the entry in ns, size in bytes, inode.
Stamp = tuple[int, int, int, int]
#: If a file's last change was longer ago than this (ns) when it was looked at, writing it again
#: surely changes its stamp.
TICK = 2_000_000_000
#: A picture of a template, for people; documents don't depend on it.
PREVIEW = "preview.png"
#: Files of more bytes are not read to tell whether they have changed.
LARGEST = 256 << 20
#: So many levels of folders are looked at.
DEEPEST = 100
#: Lists of files and dumps, whose content may stay the same when what they were made from changes;
#: and fonts, which take long to read.
_DATED = ("ls-R", ".fmt", ".ttf", ".otf", ".ttc", ".otc")


def of(path: str | os.PathLike[str]) -> Stamp | None:
    """Return the stamp of a file or folder, following links; None if there is none."""
    memo.look(path)
    try:
        state = os.stat(path)
    except (OSError, ValueError):
        return None
    return (state.st_mtime_ns, state.st_ctime_ns, state.st_size, state.st_ino)


def stamps_hash(paths: Iterable[str | os.PathLike[str]]) -> str:
    """Return the SHA-256, in hexadecimal, of the paths and their stamps, in this order."""
    whole = hashlib.sha256()
    for path in paths:
        whole.update(f"{os.fspath(path)}\0{of(path)}\0".encode("utf-8", "surrogateescape"))
    return whole.hexdigest()


def identity(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file's bytes, or of a folder's names; empty if it can't be read.

    For fonts, lists and dumps of a TeX tree, and large files, it is their time and size.
    """
    try:
        state = os.stat(path)
        if stat.S_ISDIR(state.st_mode):
            names = "\0".join(sorted(filter(counts, os.listdir(path))))
            return hashlib.sha256(names.encode("utf-8", "surrogateescape")).hexdigest()
        if not stat.S_ISREG(state.st_mode):
            return ""
        if os.fspath(path).endswith(_DATED) or state.st_size > LARGEST:
            return f"{state.st_mtime_ns} {state.st_size}"
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError):
        return ""


def counts(name: str) -> bool:
    """Return whether a document may depend on this name in a folder of templates or fonts."""
    return not name.startswith(".") and name not in (PREVIEW, "__pycache__")


def walk(folder: str | os.PathLike[str]) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield folders as ``os.walk`` does, which calls itself for each level: down to ``DEEPEST``."""
    top = os.fspath(folder).count(os.sep)
    for here, folders, files in os.walk(folder):
        if here.count(os.sep) - top >= DEEPEST:
            folders.clear()
        yield here, folders, files


def below(folder: str | os.PathLike[str], *, files: bool = True, folders: bool = True) -> list[str]:
    """Return the folder and all files and folders below it that count, sorted; or some of these."""
    paths = [os.fspath(folder)] if folders else []
    memo.look(folder)
    for here, inner, names in walk(folder):
        memo.look(here)
        inner[:] = filter(counts, inner)
        kept = [*(inner if folders else ()), *(filter(counts, names) if files else ())]
        paths += [os.path.join(here, name) for name in kept]
    return sorted(paths)


def look(path: str, now: int) -> State:
    """Return the state of a file; ``now`` is the time in ns since 1970, or an earlier one.

    What was written just now may be written again with the same stamp: that can't be trusted.
    """
    stamp = of(path)
    if stamp is None:
        return ["", 1]
    seen = identity(path)
    sure = now - max(stamp[0], stamp[1]) > TICK and of(path) == stamp
    return [seen, int(sure), *stamp]


def same(path: str, state: State, now: int) -> bool:
    """Return whether the file is unchanged; if so, update a state that wasn't trusted."""
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


# -- SHA-256 in hexadecimal: of texts, bytes, files, and of what identifies many files -------------


def hash_of(data: str | bytes | Mapping[str, bytes]) -> str:
    """Return the hash of a text, of bytes, or of a folder's files by their names."""
    if isinstance(data, Mapping):
        data = json.dumps([(name, hash_of(data[name])) for name in sorted(data)])
    plain = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return hashlib.sha256(plain).hexdigest()


def file_hash(path: Path) -> str:
    """Return the hash of a file's bytes; empty if it can't be read, is a link, or too large."""
    try:
        with safe_files.regular(path, links=False) as file:
            if os.fstat(file.fileno()).st_size > LARGEST:
                return ""
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


#: Hashes by the stamps of files.
_trees: dict[str, str] = {}


def tree(paths: Iterable[Path]) -> str:
    """Return a hash of what identifies the files of a TeX tree, or fonts."""
    every = tuple(map(str, paths))
    if (stamps := stamps_hash(every)) not in _trees:
        known = {path: identity(path) for path in every}
        _trees[stamps] = hash_of(json.dumps([*known.items()]))
    return _trees[stamps]


def files(folders: Mapping[Path, Iterable[str]]) -> Iterator[tuple[str, str]]:
    """Yield name (plum/cvb-plum.sty) and hash of all files listed of a template's folders."""
    names: list[str] = []
    for folder, paths in folders.items():
        # A template may extend the built-in one that has its name.
        name = f"{folder.name} extended" if folder.name in names else folder.name
        names.append(name)
        for path in map(Path, paths):
            if path.is_file():
                yield Path(name, path.relative_to(folder)).as_posix(), identity(path)
