"""Run ``cvbuild`` in this process and note where it is, a thousand times a second.

    python tools/bench/sampler.py FILE.json build ada ...

FILE.json gets {what it was at: seconds}. It is independent: only the standard library is
loaded before cvbuild.
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
    """Samples all other threads until it is stopped."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.found: dict[str, float] = {}
        self._done = threading.Event()

    def run(self) -> None:
        """Add the time since the last sample to what runs now."""
        last = time.perf_counter()
        while not self._done.wait(TICK):
            names = [place(_stack(frame)) for frame in self._others()]
            now = time.perf_counter()
            # A thread that computes, else one that waits for a program, else unknown.
            name = min((name for name in names if name), key=_rank, default="waiting for threads")
            self.found[name] = self.found.get(name, 0.0) + now - last
            last = now

    def stop(self) -> None:
        """Stop sampling."""
        self._done.set()
        self.join()

    def _others(self) -> list[FrameType]:
        frames = sys._current_frames()  # noqa: SLF001 - there is no other way to look
        return [one for ident, one in frames.items() if ident != self.ident]


def _rank(name: str) -> int:
    return name.startswith("waiting")


def _stack(frame: FrameType | None) -> list[tuple[str, str]]:
    """Return (file, function) of each call, the innermost first."""
    found = []
    while frame is not None:
        found.append((frame.f_code.co_filename, frame.f_code.co_name))
        frame = frame.f_back
    return found


def place(stack: list[tuple[str, str]]) -> str | None:
    """Return what a thread is at, from its stack; None if it waits for another thread."""
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
    """Return the module of cvbuild for a file, "outputs.pdf.tex.drivers"; None for other files."""
    _, found, below = file.rpartition("/cvbuild/")
    return (
        below.removesuffix(".py").replace("/", ".")
        if found and "site-packages" not in below
        else None
    )


def _package(file: str) -> str:
    """Return the package of a file that is being imported."""
    _, installed, below = file.rpartition("/site-packages/")
    if installed:
        return below.partition("/")[0].removesuffix(".py")
    return "cvbuild" if _ours(file) else "standard library"


def main() -> int:
    """Run the command line under the sampler."""
    target, sys.argv = Path(sys.argv[1]), ["cvbuild", *sys.argv[2:]]
    # Nothing must be imported from the folder of this file.
    del sys.path[0]
    # Otherwise a thread that computes makes the sampler wait for 5 ms.
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
