"""The state of a git folder, read from its files: git itself isn't started."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from cvbuild.common import safe_files

_MAX = 8 << 20


def repository(folder: Path) -> Path | None:
    """Return the nearest folder, from ``folder`` up, that is the top of a git working tree."""
    here = folder.resolve()
    return next((each for each in (here, *here.parents) if (each / ".git").exists()), None)


def ignored(path: Path) -> bool:
    """Return whether .gitignore excludes a file or a whole folder; True outside of git.

    It knows names, patterns with * and ?, and negation; for other patterns it may wrongly return
    False.
    """
    top = repository(path.parent)
    if top is None:
        return True
    where = (path.parent.resolve() / path.name).relative_to(top).parts
    is_ignored = False
    for base, line in _patterns(top, where):
        negated, pattern = line.startswith("!"), line.removeprefix("!")
        folder = pattern.rstrip("/").removesuffix("/**").removesuffix("/*")
        # A pattern that ends so matches folders, and all in them.
        end = -1 if folder != pattern and path.is_file() else None
        if _matches(folder, where[base:end]):
            is_ignored = not negated
    return is_ignored


def _patterns(top: Path, where: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Yield the lines of all .gitignore files, each with the number of parts before its folder."""
    home = _home(top / ".git")
    files = [(0, home / "info" / "exclude")] if home else []
    files += [(n, top.joinpath(*where[:n], ".gitignore")) for n in range(len(where))]
    for base, file in files:
        # Git follows no link of that name, and white space is part of a pattern.
        for line in _read(file, links=file.name != ".gitignore").split("\n"):
            if (rule := line.removesuffix("\r").rstrip(" ")) and not rule.startswith("#"):
                yield base, rule.replace("[^", "[!")


def _matches(pattern: str, where: tuple[str, ...]) -> bool:
    """Return whether a pattern names the path or a folder that it is in."""
    parts = pattern.removeprefix("**/").split("/")
    if len(parts) == 1:
        return any(fnmatchcase(name, parts[0]) for name in where)
    steps = [part for part in parts if part]
    return len(steps) <= len(where) and all(map(fnmatchcase, where, steps))


def _home(entry: Path) -> Path | None:
    """Return the folder of git's files: .git, or the one that a linked working tree names."""
    if entry.is_dir():
        return entry
    named = _read(entry).strip()
    home = entry.parent / named.removeprefix("gitdir:").strip()
    return home if named.startswith("gitdir:") and home.is_dir() else None


def _read(path: Path, *, links: bool = True) -> str:
    try:
        with safe_files.regular(path, links=links) as file:
            return file.read(_MAX).decode("utf-8", "replace")
    except OSError:
        return ""
