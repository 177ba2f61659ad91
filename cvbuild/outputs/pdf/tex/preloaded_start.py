"""How TeX was started for a document's last good build, to preload an engine for the next one.

The file is kept in the project, and TeX executes what it contains, so it is used only with a code
(HMAC) that takes the user's key to make.
"""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from cvbuild.common import sealed, user_cache
from cvbuild.common.files import safe_folders
from cvbuild.outputs.pdf.tex.types import Engine, Job

#: The file, next to a document's record.
_FILE = "start.json"
#: A line that a block begins at, and the braces of a line: those without a backslash.
_BLOCK = re.compile(r"\\Cvb[A-Z]\w*\{")
_BRACE = re.compile(r"(?<!\\)(?:\\\\)*([{}])")


def save(place: Path, job: Job, engine: Engine, *, daily: bool, won: str = "") -> None:
    """Save how TeX was started for ``job``, without its text; ``daily``: its date is the day's.

    ``won`` is what ``outputs.pdf.paging`` remembers. If the file can't be written, the next build
    does without it.
    """
    data = {
        "engine": engine.plain(),
        "tex": "\n".join(job.tex.split("\n")[: max(job.ahead, job.setup)]),
        "head": job.head,
        "setup": job.setup,
        "inputs": [str(path) for path in job.inputs],
        "timeout": job.timeout,
        "epoch": None if daily else job.epoch,
        "won": won,
    }
    with contextlib.suppress(OSError):
        text = sealed.seal(json.dumps(data), user_cache.key(job.cache))
        with safe_folders.stored(place, make=True) as kept:
            kept.write(_FILE, text.encode("utf-8"))


def read_ahead(job: Job, before: str) -> Job:
    """Return a job that says how many of its lines the next edit may leave as they are.

    ``before`` is the .tex of the build before: people edit one place several times. A picture isn't
    there yet when an engine is started, so what has one is not read ahead.
    """
    ahead = 0 if job.assets else _unchanged(before.split("\n"), job.tex.split("\n"), job.setup)
    return replace(job, ahead=ahead)


def _unchanged(before: list[str], lines: list[str], setup: int) -> int:
    """Return how many lines stand before the first block that differs, or before the last one."""
    last, depth = setup, 0
    if before[:setup] == lines[:setup]:
        for number in range(setup, min(len(before), len(lines))):
            line = lines[number]
            if depth == 0 and _BLOCK.match(line):
                last = number
            if before[number] != line:
                break
            depth += sum(1 if brace == "{" else -1 for brace in _BRACE.findall(line))
    return last


def load(place: Path, today: int, cache: Path) -> tuple[Engine, tuple[Job, ...]] | None:
    """Return the engine for the next build, and the jobs to start it for; None if not known.

    The first job has read ahead to the block that was edited last, the other one only the setup;
    their folders are yet to be made.
    ``cache`` is where its formats and fonts are, and the user's key. ``today`` is the date of a
    document that has none of its own, in seconds since 1970. A file must not decide which program
    runs: the caller compares the engine with one that it found itself.
    """
    try:
        data = _read(place, cache)
        job = Job(
            data["tex"],
            Path(),
            cache,
            today if data["epoch"] is None else int(data["epoch"]),
            inputs=tuple(map(Path, data["inputs"])),
            timeout=float(data["timeout"]),
            head=int(data["head"]),
            setup=int(data["setup"]),
        )
        lines = job.tex.split("\n")
        base = replace(job, tex="\n".join(lines[: job.setup]))
        ahead = [replace(job, setup=len(lines))] if len(lines) > job.setup else []
        return Engine.of_plain(data["engine"]), (*ahead, base) if job.setup else ()
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def won(place: Path, cache: Path) -> str:
    """Return what paging remembers of a document's last good build; empty for nothing."""
    try:
        return str(_read(place, cache)["won"])
    except (OSError, ValueError, TypeError, KeyError):
        return ""


def _read(place: Path, cache: Path) -> Any:
    return sealed.load(place / _FILE, user_cache.key(cache))
