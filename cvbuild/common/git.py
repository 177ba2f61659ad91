"""What git says of a folder, read from its files: git itself is never started."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from cvbuild.common import safe_files

_MAX = 8 << 20
_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_REF = re.compile(r"(?:HEAD|refs(?:/(?!\.)[^/\x00-\x20\x7f~^:?*\[\\]+)+)")
#: A reference may be another's name; git itself follows so many.
_DEEPEST = 5


def commit(folder: Path) -> str | None:
    """Git's hash of what is checked out where ``folder`` is; None if that can't be told."""
    top = repository(folder)
    home = _home(top / ".git") if top else None
    if home is None:
        return None
    shared = _read(home / "commondir").strip()
    homes = (home, home / shared) if shared else (home,)
    name = "HEAD"
    for _ in range(_DEEPEST):
        text = next(filter(None, (_ref(each, name) for each in homes)), "")
        if _HASH.fullmatch(text):
            return text
        name = text.removeprefix("ref:").strip()
        if not text.startswith("ref:") or not _REF.fullmatch(name):
            break
    return None


def repository(folder: Path) -> Path | None:
    """The nearest folder, from ``folder`` up, that is the top of a working tree of git's."""
    here = folder.resolve()
    return next((each for each in (here, *here.parents) if (each / ".git").exists()), None)


def ignored(path: Path) -> bool:
    """Whether .gitignore keeps git from a file, or all that is below a folder; or there is no git.

    It knows names, patterns with * and ?, and negation; with anything finer it may say no in vain.
    """
    top = repository(path.parent)
    if top is None:
        return True
    where = (path.parent.resolve() / path.name).relative_to(top).parts
    found = False
    for base, line in _patterns(top, where):
        negated, pattern = line.startswith("!"), line.removeprefix("!")
        folder = pattern.rstrip("/").removesuffix("/**").removesuffix("/*")
        # What ends so is of folders, and of all in them.
        end = -1 if folder != pattern and path.is_file() else None
        if _matches(folder, where[base:end]):
            found = not negated
    return found


def _patterns(top: Path, where: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Lines of all .gitignore that count, each with the number of parts before its folder."""
    home = _home(top / ".git")
    files = [(0, home / "info" / "exclude")] if home else []
    files += [(n, top.joinpath(*where[:n], ".gitignore")) for n in range(len(where))]
    for base, file in files:
        # Git follows no link of that name, and takes white space for a part of a pattern.
        for line in _read(file, links=file.name != ".gitignore").split("\n"):
            if (kept := line.removesuffix("\r").rstrip(" ")) and not kept.startswith("#"):
                yield base, kept.replace("[^", "[!")


def _matches(pattern: str, where: tuple[str, ...]) -> bool:
    """Whether a pattern names the path or a folder that it is in."""
    parts = pattern.removeprefix("**/").split("/")
    if len(parts) == 1:
        return any(fnmatchcase(name, parts[0]) for name in where)
    wanted = [part for part in parts if part]
    return len(wanted) <= len(where) and all(map(fnmatchcase, where, wanted))


def _home(entry: Path) -> Path | None:
    """The folder with git's files: .git itself, or what it names in a further working tree."""
    if entry.is_dir():
        return entry
    named = _read(entry).strip()
    home = entry.parent / named.removeprefix("gitdir:").strip()
    return home if named.startswith("gitdir:") and home.is_dir() else None


def _ref(home: Path, name: str) -> str:
    """What a reference says, by its own file or the list of packed ones; empty if neither has it.

    A list in git's newer form (reftable) isn't read.
    """
    if text := _read(home / name).strip():
        return text
    for line in _read(home / "packed-refs").splitlines():
        value, _, packed = line.partition(" ")
        if packed == name:
            return value
    return ""


def _read(path: Path, *, links: bool = True) -> str:
    try:
        with safe_files.regular(path, links=links) as file:
            return file.read(_MAX).decode("utf-8", "replace")
    except OSError:
        return ""
