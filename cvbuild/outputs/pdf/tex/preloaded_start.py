"""How TeX was started for a document's last good build, to preload an engine for the next one.

The file is kept in the project, and TeX executes what it contains, so it is used only with a code
(HMAC) that takes the user's key to make.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

from cvbuild.common import sealed, user_cache
from cvbuild.common.files import safe_folders
from cvbuild.outputs.pdf.tex.types import Engine, Job

#: The file, next to a document's record.
_FILE = "start.json"


def save(place: Path, job: Job, engine: Engine, *, daily: bool, won: str = "") -> None:
    """Save how TeX was started for ``job``, without its text; ``daily``: its date is the day's.

    ``won`` is what ``outputs.pdf.paging`` remembers. If the file can't be written, the next build
    does without it.
    """
    setup = "\n".join(job.tex.split("\n")[: job.setup])
    data = {
        "engine": engine.plain(),
        "tex": setup,
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


def load(place: Path, folder: Path, today: int, cache: Path) -> tuple[Job, Engine] | None:
    """Return how to start TeX in ``folder`` for the next build; None if that isn't known.

    ``cache`` is where its formats and fonts are, and the user's key. ``today`` is the date of a
    document that has none of its own, in seconds since 1970. A file must not decide which program
    runs: the caller compares the engine with one that it found itself.
    """
    try:
        data = _read(place, cache)
        return Job(
            data["tex"],
            folder,
            cache,
            today if data["epoch"] is None else int(data["epoch"]),
            inputs=tuple(map(Path, data["inputs"])),
            timeout=float(data["timeout"]),
            head=int(data["head"]),
            setup=int(data["setup"]),
        ), Engine.of_plain(data["engine"])
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
