"""Other processes: whether they run, and waiting for what they do."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

#: Seconds that a slow machine may take for anything.
PATIENCE = 60.0
#: Processor time of ``_reference`` on a quiet machine of 2026.
_QUIET = 0.03


def slowness() -> float:
    """How many times longer a fixed piece of work takes now than on a quiet machine, at least 1.

    A limit of processor time is a ratio to it: what else the machine does slows both. Thrice as
    long is no failure either; what is looked for takes hundreds of times as long.
    """
    return 3 * max(1.0, _reference() / _QUIET)


def _reference() -> float:
    begun = time.process_time()
    texts = [f"{number}: {{a: [{number}]}}" for number in range(60_000)]
    json.loads(json.dumps(sorted(texts)))
    return time.process_time() - begun


def eventually(true: Callable[[], bool]) -> bool:
    """Whether it comes true in that time."""
    end = time.monotonic() + PATIENCE
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def ended(pid: int) -> bool:
    """Whether a process has ended, though nobody may have asked for its code yet."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat")
        return state.exists() and state.read_text().rpartition(")")[2].split()[0] in "ZX"
    except (ProcessLookupError, FileNotFoundError):
        return True


def working_in(folder: Path) -> list[str]:
    """The processes whose working folder is in this one, where the system tells."""
    found = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        with contextlib.suppress(OSError):
            if link.readlink().is_relative_to(folder.resolve()):
                found.append(link.parent.name)
    return found
