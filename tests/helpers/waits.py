"""Other processes: whether they run, waiting for what they do, writing what they read."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

#: Seconds that a slow machine may take for anything.
PATIENCE = 60.0


def eventually(true: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def save(path: Path, content: str | bytes) -> None:
    """Write a file at once, so that a watcher reads nothing of it or all."""
    new = path.with_name(f".{path.name}.new")
    new.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    new.replace(path)


def ended(pid: int) -> bool:
    """Whether a process has ended, though nobody may have asked for its code yet."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat")
        return state.exists() and state.read_text().rpartition(")")[2].split()[0] in "ZX"
    except (ProcessLookupError, FileNotFoundError):
        return True


def working_in(folder: Path) -> list[str]:
    found = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        with contextlib.suppress(OSError):
            if link.readlink().is_relative_to(folder.resolve()):
                found.append(link.parent.name)
    return found


def descendants(parent: int) -> set[int]:
    parents = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            pid, rest = entry.parent.name, entry.read_text(errors="replace").rpartition(")")[2]
            parents[int(pid)] = int(rest.split()[1])
    found, edge = set[int](), {parent}
    while edge:
        edge = {pid for pid, above in parents.items() if above in edge}
        found |= edge
    return found
