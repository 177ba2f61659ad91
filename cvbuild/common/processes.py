"""Run a child process contained: own group, time limit, size limits, nothing inherited.

The only module that starts processes. Every child gets an argument list (no shell interprets
anything from outside), only the environment that is passed in, no standard input but what is
written to it, and its own process group; with ``walls`` it starts inside Landlock. The whole group
is killed when the time is up, when the caller is interrupted, and also after a normal end, so that
no grandchild outlives its job.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import math
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from msgspec import Struct

from cvbuild.common import interrupts, limits
from cvbuild.common.diagnostics import CvbuildError
from cvbuild.common.files import safe_files
from cvbuild.common.limits import Walls

#: How many bytes of an output or a log are read: its last MiB.
TAIL = 1 << 20
#: No file that a child writes may grow larger (bytes): a TeX loop must not fill the disk.
MAX_FILE = 256 << 20
#: Address space of a child (bytes); a document with CJK fonts takes below 1 GiB.
MAX_MEMORY = 6 << 30
#: Seconds that the main thread waits at most before it looks at the signals that came.
GLANCE = 0.2

_WINDOWS = sys.platform == "win32"
_running: set[subprocess.Popen[bytes]] = set()
_chores: list[Callable[[], object]] = []


class TimeLimitError(CvbuildError):
    """A child ran longer than it was allowed to and was killed."""


class StartError(CvbuildError):
    """A child could not be started at all (missing program, no permission, wrong machine)."""


class Finished(Struct, frozen=True):
    """A child that ended by itself. ``code`` is negative for a signal; ``output`` is its tail."""

    code: int
    output: str


def run(
    argv: Sequence[str | Path],
    *,
    cwd: Path | None,
    env: Mapping[str, str],
    timeout: float,
    walls: Walls | None = None,
) -> Finished:
    """Run ``argv`` for at most so many seconds; raises StartError and TimeLimitError."""
    child = start(argv, cwd=cwd, env=env, timeout=timeout, walls=walls)
    try:
        return child.finish(timeout)
    finally:
        child.kill()


def start(
    argv: Sequence[str | Path],
    *,
    cwd: Path | None,
    env: Mapping[str, str],
    timeout: float,
    walls: Walls | None = None,
) -> Child:
    """Start ``argv``, which may wait for the input that ``Child.finish`` writes; raises StartError.

    It has ``timeout`` seconds of CPU time, and without ``walls`` all that this process may reach.
    """
    command = [str(item) for item in argv]
    started: list[subprocess.Popen[bytes]] = []
    with contextlib.ExitStack() as stack:
        try:
            output = stack.enter_context(tempfile.TemporaryFile())
            limited = _limited(command, env, timeout)

            def popen() -> None:
                child = subprocess.Popen(
                    limited,
                    cwd=cwd,
                    env=dict(env),
                    stdin=subprocess.PIPE,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=not _WINDOWS,
                    creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
                )
                # At once: this may be a thread whose caller has been interrupted.
                _running.add(child)
                started.append(child)

            if walls:
                limits.start_inside(walls, popen)
            else:
                popen()
            begin_chores()
            if interrupts.stop.is_set:
                _kill(started[0])
        except (OSError, ValueError) as error:
            message = f"{command[0]} can't be started: {getattr(error, 'strerror', None) or error}"
            raise StartError.because("program-start", message) from error
        stack.pop_all()
    return Child(Path(command[0]).name, started[0], output)


class Child(Struct, frozen=True):
    """A running child. Its input is closed when this process ends, at the latest."""

    name: str
    child: subprocess.Popen[bytes]
    output: IO[bytes]

    @property
    def runs(self) -> bool:
        """Whether it has not ended yet; an ended child is not reaped until ``kill``."""
        if self.child.returncode is not None:
            return False
        if not hasattr(os, "waitid"):
            return self.child.poll() is None
        return os.waitid(os.P_PID, self.child.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None

    def finish(self, timeout: float, text: bytes = b"") -> Finished:
        """Write to its input, close that, wait for so many seconds; raises TimeLimitError."""
        if self.child.stdin:
            # If the child has died, its exit code says so.
            with contextlib.suppress(OSError), self.child.stdin as given:
                given.write(text)
            begin_chores()
        end, has_ended = time.monotonic() + timeout, False
        try:
            with contextlib.ExitStack() as stack:
                poll = None
                with contextlib.suppress(AttributeError, OSError):
                    # Popen.wait looks every 50 ms, and TeX often takes just 200.
                    handle = os.pidfd_open(self.child.pid)
                    stack.callback(os.close, handle)
                    poll = select.poll()
                    poll.register(handle, select.POLLIN)
                # No wait is long: a signal may reach another thread, and doesn't end a wait of
                # this one.
                while not has_ended and (rest := end - time.monotonic()) > 0:
                    if poll is not None:
                        has_ended = bool(poll.poll(min(GLANCE, rest) * 1000))
                        continue
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        self.child.wait(min(GLANCE, rest))
                        has_ended = True
        finally:
            _end(self.child)
        if not has_ended:
            message = f"{self.name} did not finish within {timeout:.3g} s"
            raise TimeLimitError.because("time-limit", message)
        return Finished(self.child.returncode, tail(self.output))

    def kill(self) -> None:
        """Kill it and its children if it runs; its output is discarded."""
        if self.child.returncode is None:
            _end(self.child)
        if self.child.stdin:
            with contextlib.suppress(OSError):
                self.child.stdin.close()
        self.output.close()


def meanwhile(chore: Callable[[], object]) -> None:
    """Run ``chore`` in a thread once the next child runs: earlier, it would delay the child."""
    _chores.append(chore)


def begin_chores() -> None:
    """Start the chores given to ``meanwhile``: a child is running now."""

    def do(chore: Callable[[], object]) -> None:
        # A failure will recur where its result is needed, and a stop is no failure.
        with contextlib.suppress(Exception, KeyboardInterrupt):
            chore()

    with contextlib.suppress(IndexError):
        while True:
            threading.Thread(target=do, args=(_chores.pop(),)).start()


@atexit.register
def stop_all() -> None:
    """Kill every child, with its children, and each that a thread starts meanwhile."""
    interrupts.stop.is_set = True
    for child in list(_running):
        _kill(child)


def tail(file: IO[bytes]) -> str:
    """Return the last MiB of an open file; bytes that are not UTF-8 become U+FFFD."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - TAIL))
    return file.read(TAIL).decode("utf-8", errors="replace")


def _limited(command: list[str], env: Mapping[str, str], timeout: float) -> list[str]:
    """Return the command with limits of size, memory and CPU time; raises OSError."""
    if _WINDOWS:
        return command
    # A shell and not preexec_fn, which may deadlock if there are threads. The script is
    # fixed; the command is passed as its arguments. `ulimit -f` counts 512 bytes. The limit
    # of CPU seconds ends a TeX in an endless loop even if this process was killed.
    sizes = (
        f"ulimit -c 0; ulimit -f {MAX_FILE // 512}; ulimit -v {MAX_MEMORY // 1024}; "
        f"ulimit -t {math.ceil(timeout) + 1}"
    )
    program = shutil.which(command[0], path=env.get("PATH", os.defpath))
    if program is None:
        raise FileNotFoundError(2, "no such program", command[0])
    script = f'{{ {sizes}; }} 2>/dev/null; exec "$@"'
    return ["/bin/sh", "-c", script, "sh", program, *command[1:]]


def _end(child: subprocess.Popen[bytes]) -> None:
    _kill(child)
    child.wait()
    _running.discard(child)


def _kill(child: subprocess.Popen[bytes]) -> None:
    """Kill the whole group, even if it has ended."""
    if not _WINDOWS:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
    elif child.poll() is None:
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            subprocess.run(
                ["taskkill", "/T", "/F", "/PID", str(child.pid)],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=10,
                check=False,
            )
        with contextlib.suppress(OSError):
            child.kill()


# -- a function of ours in a process of its own, with limits ---------------------------------------

#: The largest result (bytes of JSON).
_MOST = 32 << 20
#: Address space (bytes) that the call may take.
_CALL_MEMORY = 512 << 20
#: What the child runs; -I keeps the working folder out of its path, and it looks for modules where
#: this process does.
_CODE = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    f"from {__name__} import apart; apart(*sys.argv[2:])"
)


class FailedError(Exception):
    """What the call did instead of returning, as words after "it"."""


def call_apart(
    module: str, function: str, data: Path | bytes, seconds: float = limits.SECONDS
) -> Any:
    """Return the JSON that a function, given two paths, wrote of a file; raises FailedError."""
    with tempfile.TemporaryDirectory(prefix="cvbuild-") as folder:
        result, path = Path(folder, "result.json"), Path(folder, "data")
        if isinstance(data, bytes):
            path.write_bytes(data)
        else:
            path = data
        places = json.dumps([str(Path(place).resolve()) for place in sys.path if place])
        command: list[str | Path] = [sys.executable, "-I", "-c", _CODE, places, module, function]
        try:
            done = run([*command, path, result], cwd=None, env=dict(os.environ), timeout=seconds)
        except TimeLimitError:
            raise FailedError(f"took over {seconds:g} s to read") from None
        try:
            return json.loads(safe_files.read(result, _MOST))
        except (OSError, ValueError):
            if done.code == 0:
                fact = f"holds more than {_MOST >> 20} MB of text and attachments"
                raise FailedError(fact) from None
            raise FailedError(f"can't be read with {_CALL_MEMORY >> 20} MB of memory") from None


def apart(module: str, function: str, path: str, result: str) -> None:
    """Call the function in this process."""
    from importlib import import_module

    with limits.memory(_CALL_MEMORY):
        getattr(import_module(module), function)(path, result)
