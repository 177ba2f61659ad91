"""The state of a git folder, read from its files: git itself isn't started."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

from cvbuild.common import safe_files

#: Bytes of a .gitignore.
_MOST = 1 << 20


def repository(folder: Path) -> Path | None:
    """Return the nearest folder, from ``folder`` up, that is the top of a git working tree."""
    here = folder.resolve()
    return next((each for each in (here, *here.parents) if (each / ".git").exists()), None)


def ignored(path: Path) -> bool:
    """Return whether a .gitignore excludes a file; True outside of git.

    It knows names and paths, with ``*`` and ``?``, and negation; no other patterns.
    """
    top = repository(path.parent)
    if top is None:
        return True
    where = (path.parent.resolve() / path.name).relative_to(top).parts
    is_ignored = False
    for depth in range(len(where)):
        for line in _read(top.joinpath(*where[:depth], ".gitignore")).splitlines():
            pattern = line.strip().removeprefix("!")
            if pattern and _matches(pattern, where[depth:]):
                is_ignored = not line.startswith("!")
    return is_ignored


def _matches(pattern: str, names: tuple[str, ...]) -> bool:
    """Return whether a pattern names a file, or a folder that it is in."""
    plain, path = pattern.strip("/"), "/".join(names)
    if "/" in pattern.rstrip("/"):
        is_file = fnmatchcase(path, plain) and not pattern.endswith("/")
        return is_file or fnmatchcase(path, f"{plain}/*")
    return any(fnmatchcase(name, plain) for name in names[: -1 if pattern != plain else None])


def _read(path: Path) -> str:
    try:
        # Git follows no link of that name.
        return safe_files.read(path, _MOST, links=False).decode("utf-8", "replace")
    except OSError:
        return ""
