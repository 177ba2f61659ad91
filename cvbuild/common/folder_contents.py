"""Documents that are folders: names below the folder, with the bytes of each file.

write(folder, "finished.pages", contents)     a new folder in an open one
hash_of(contents) == hash_at(path)            whether a folder holds these files, and no others
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from cvbuild.common import hashes
from cvbuild.common.files import file_state
from cvbuild.common.files.safe_folders import Folder

Contents = Mapping[str, bytes]


def write(folder: Folder, name: str, contents: Contents) -> None:
    """Write a folder in an open one; what had its name is removed. Raises OSError."""
    folder.remove(name)
    for path, data in contents.items():
        *parents, last = PurePosixPath(path).parts
        with folder.inner(name, *parents, make=True) as below:
            below.create(last, data)


def replace(folder: Folder, name: str, target: Folder, new: str) -> None:
    """Move a folder to ``new`` in another open one, in place of what is there, or leave that.

    Raises OSError.
    """
    old = f"{name}.old"
    folder.remove(old)
    if target.state(new) is None:
        folder.rename(name, new, into=target)
        return
    target.rename(new, old, into=folder)
    try:
        folder.rename(name, new, into=target)
    except OSError:
        folder.rename(old, new, into=target)
        raise
    folder.remove(old)


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
