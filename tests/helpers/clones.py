"""A project as somebody else may have written it, and a folder of the user's."""

from __future__ import annotations

import os
import stat
from pathlib import Path

PERSON = """\
name: Ada Example
template: [academic, industry]
contact: {email: ada@example.org}
sections:
  - kind: bullets
    items: [One point]
"""
APPLICATION = "person: ada\nemployer: Lab\nposition: Scientist\nrecipient: {email: l@example.org}\n"
OLD = (1_000_000_000, 1_000_000_000)
BUILD = ("build", "--engine", "embedded")


def state(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    found = {}
    for path in sorted((folder, *folder.rglob("*"))):
        there = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(there.st_mode) else b""
        found[str(path)] = (there.st_mode, there.st_mtime_ns, content)
    return found


def beside(project: Path) -> list[dict[str, tuple[int, int, bytes]]]:
    return [state(path) for path in sorted(project.parent.iterdir()) if path != project]


def put(how: str, place: Path, target: Path) -> None:
    """Put in a free place what no file there may be, by default a link to the target."""
    match how:
        case "pipe":
            os.mkfifo(place)
        case "folder":
            place.mkdir()
        case "huge":
            with place.open("wb") as file:
                file.truncate(1 << 40)
        case "link to zero":
            place.symlink_to("/dev/zero")
        case "link to itself":
            place.symlink_to(place.name)
        case "relative link":
            place.symlink_to(os.path.relpath(target, place.parent))
        case _:
            place.symlink_to(target)
