"""SHA-256 in hexadecimal: of texts, bytes, files, and of what identifies many files."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from cvbuild.common.files import file_state, safe_files


def digest(data: str | bytes) -> str:
    """Return the hash of a text or of bytes."""
    plain = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return hashlib.sha256(plain).hexdigest()


def file_hash(path: Path) -> str:
    """Return the hash of a regular file's bytes.

    Empty if it can't be read, is a link, or larger than anything that cvbuild makes.
    """
    try:
        with safe_files.regular(path, links=False) as file:
            if os.fstat(file.fileno()).st_size > file_state.LARGEST:
                return ""
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def tree(paths: Iterable[Path]) -> str:
    """Return a hash of what identifies the files of a TeX tree, or fonts."""
    every = tuple(map(str, paths))
    return _tree(every, file_state.digest(every))


@lru_cache(maxsize=16)
def _tree(paths: tuple[str, ...], _: str) -> str:
    return of_identities({path: file_state.identity(path) for path in paths})


def of_identities(identities: Mapping[str, str]) -> str:
    """Return the hash that ``tree`` makes, from what identifies each file."""
    return digest(json.dumps(list(identities.items())))


def files(folders: Mapping[Path, Iterable[str]]) -> Iterator[tuple[str, str]]:
    """Yield (name, hash) of every file that is listed of a template's folders.

    The name is the folder's and the path in it: academic/cvb-academic.sty.
    """
    names: list[str] = []
    for folder, paths in folders.items():
        # A template may extend the built-in one that has its name.
        name = f"{folder.name} extended" if folder.name in names else folder.name
        names.append(name)
        for path in map(Path, paths):
            if path.is_file():
                yield Path(name, path.relative_to(folder)).as_posix(), file_state.identity(path)
