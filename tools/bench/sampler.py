"""Run ``cvbuild`` in this process and note where it is, a thousand times a second.

    python tools/bench/sampler.py FILE.json build ada ...

FILE.json gets {what it was at: seconds}. It stands alone: nothing but the standard library is
loaded before cvbuild is.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from pathlib import Path
from types import FrameType

TICK = 0.001
_IDLE = ("threading.py", "_base.py", "thread.py", "queue.py", "selectors.py")


class Sampler(threading.Thread):
    """Looks at all other threads until it is stopped."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.found: dict[str, float] = {}
        self._done = threading.Event()

    def run(self) -> None:
        """Give the time since the last look to what is seen now."""
        last = time.perf_counter()
        while not self._done.wait(TICK):
            names = [place(_stack(frame)) for frame in self._others()]
            now = time.perf_counter()
            # Whoever computes, else whoever waits for a program, else nobody knows.
            name = min((name for name in names if name), key=_rank, default="waiting for threads")
            self.found[name] = self.found.get(name, 0.0) + now - last
            last = now

    def stop(self) -> None:
        """Look no further."""
        self._done.set()
        self.join()

    def _others(self) -> list[FrameType]:
        frames = sys._current_frames()  # noqa: SLF001 - there is no other way to look
        return [one for ident, one in frames.items() if ident != self.ident]


def _rank(name: str) -> int:
    return name.startswith("waiting")


def _stack(frame: FrameType | None) -> list[tuple[str, str]]:
    """(file, function) of each call, the innermost first."""
    found = []
    while frame is not None:
        found.append((frame.f_code.co_filename, frame.f_code.co_name))
        frame = frame.f_back
    return found


def place(stack: list[tuple[str, str]]) -> str | None:
    """What a thread is at, from its stack; None if it waits for another thread."""
    ours = [name for name in (_ours(file) for file, _ in stack) if name]
    mine = next((name for name in ours if name != "common.processes"), "cvbuild")
    if any(Path(file).name == "subprocess.py" for file, _ in stack) or "common.processes" in ours:
        return f"waiting for a program: {mine}"
    if Path(stack[0][0]).name in _IDLE:
        return None
    if any("importlib" in file for file, _ in stack):
        modules = [file for file, function in stack if function == "<module>"]
        return f"import: {_package(modules[0]) if modules else mine}"
    return mine


def _ours(file: str) -> str | None:
    """The module of cvbuild that a file is, "outputs.pdf.tex.direct"; None for others' files."""
    _, found, below = file.rpartition("/cvbuild/")
    return (
        below.removesuffix(".py").replace("/", ".")
        if found and "site-packages" not in below
        else None
    )


def _package(file: str) -> str:
    """The package of a file that is being imported."""
    _, installed, below = file.rpartition("/site-packages/")
    if installed:
        return below.partition("/")[0].removesuffix(".py")
    return "cvbuild" if _ours(file) else "standard library"


def main() -> int:
    """Run the command line under the sampler."""
    target, sys.argv = Path(sys.argv[1]), ["cvbuild", *sys.argv[2:]]
    # The folder of this file is no place to import from.
    del sys.path[0]
    # Else a thread that computes keeps the sampler waiting for 5 ms.
    sys.setswitchinterval(TICK / 10)
    sampler = Sampler()
    sampler.start()
    from cvbuild.cli.main import main as cli

    code = cli()
    sampler.stop()
    target.write_text(json.dumps(sampler.found), encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())
