"""Documents that are folders: names below the folder, with the bytes of each file.

refuse_names(contents)                        raises ValueError for a name that leads elsewhere
write(folder, "finished.pages", contents)     a new folder in an open one
hash_of(contents) == hash_at(path)            whether a folder holds these files, and no others
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from cvbuild.common import hashes
from cvbuild.common.files import file_state
from cvbuild.common.files.project_files import is_reserved
from cvbuild.common.files.safe_folders import Folder

Contents = Mapping[str, bytes]
#: Characters that a name has in no folder of any system.
_NOWHERE = frozenset('\\:*?"<>|')


def refuse_names(contents: Contents) -> None:
    """Raise ValueError for a folder without files, and for a name that isn't one below it."""
    if not contents:
        raise ValueError("a folder without files")
    for name in contents:
        for part in name.split("/"):
            odd = not part.isprintable() or not _NOWHERE.isdisjoint(part)
            if odd or not part or part != part.strip() or part.endswith(".") or is_reserved(part):
                raise ValueError(f"{name[:80]!r} is no name of a file in a folder")
            if not file_state.counts(part):
                raise ValueError(f"{name[:80]!r}: files of that name are not looked at again")


def write(folder: Folder, name: str, contents: Contents) -> None:
    """Write a folder in an open one; what had its name is removed. Raises OSError."""
    folder.remove(name)
    for path, data in contents.items():
        *parents, last = PurePosixPath(path).parts
        with folder.inner(name, *parents, make=True) as below:
            below.create(last, data)


def replace(folder: Folder, name: str, target: Folder, new: str) -> None:
    """Move a folder to ``new`` in another open one; what was there is removed. Raises OSError."""
    if target.state(new) is not None:
        old = f"{name}.old"
        folder.remove(old)
        target.rename(new, old, into=folder)
        folder.rename(name, new, into=target)
        folder.remove(old)
    else:
        folder.rename(name, new, into=target)


def hash_of(contents: Contents) -> str:
    """Return the hash of a folder with these files."""
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in contents.items()}
    return hashes.of_identities(dict(sorted(digests.items())))


def hash_at(path: Path) -> str:
    """Return the hash of a folder's files, or of a file.

    Empty if it can't be read, or has a link or anything else that is no regular file.
    """
    if path.is_symlink() or not path.is_dir():
        return hashes.file_hash(path)
    digests: dict[str, str] = {}
    for place in map(Path, file_state.below(path)[1:]):
        if place.is_dir() and not place.is_symlink():
            continue
        if not (known := hashes.file_hash(place)):
            return ""
        digests[place.relative_to(path).as_posix()] = known
    return hashes.of_identities(dict(sorted(digests.items())))
