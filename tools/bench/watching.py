"""Programs that watch a file: from saving it to the new PDF being in place."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tools.bench.times import NotMeasuredError
from tools.bench.workspace import Edits, text_of

#: Seconds between two edits, as a person who types needs, and for the watcher to get ready.
PAUSE = 2.5
#: Seconds until a watcher is idle: it looks at its files the more seldom, the longer nobody saves.
LULL = 60.0
#: Seconds of doing nothing.
IDLE = 10.0
_POLL = 0.001
_PATIENCE = 60.0


class Watcher:
    """A program that makes ``pdf`` of the edited file anew each time it is saved.

    It runs between entering and leaving; a method is a contestant.
    """

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], edits: Edits, pdf: Path
    ) -> None:
        self._command, self._environment = command, environment
        self._edits, self._pdf = edits, pdf
        self._folder = edits.path.parent
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Watcher:
        return self

    def __exit__(self, *_: object) -> None:
        """End it as Ctrl-C does."""
        if self._child is not None and self._child.poll() is None:
            self._child.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._child.wait(10)
            self._child.kill()

    def once(self, number: int) -> float:
        """Save an edit and wait for its PDF; return the seconds from the beginning of the save."""
        del number
        self._start()
        time.sleep(PAUSE)
        shown, content = self._edits.prepare()
        begun = time.perf_counter()
        self._edits.path.write_bytes(content)
        return self._until(shown, begun)

    def idle(self, number: int) -> float:
        """Do nothing for IDLE seconds; return the processor's time that the watcher took."""
        self._start()
        time.sleep(PAUSE if number else LULL)
        before = self._processor_time()
        time.sleep(IDLE)
        return self._processor_time() - before

    def _start(self) -> None:
        """Run it at the first call, and wait until it has made the PDF of what is there."""
        if self._child is not None:
            return
        self._child = subprocess.Popen(
            self._command,
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._until("", time.perf_counter())

    def _until(self, shown: str, begun: float) -> float:
        """Return the seconds until the PDF has a text; one of another edit doesn't count."""
        assert self._child is not None
        seen = None
        while (now := time.perf_counter()) < begun + _PATIENCE and self._child.poll() is None:
            # It may be absent, or written in part.
            with contextlib.suppress(OSError, NotMeasuredError):
                found = self._pdf.stat()
                state = (found.st_ino, found.st_mtime_ns, found.st_size)
                if state != seen:
                    if shown in text_of(self._pdf):
                        return now - begun
                    seen = state
            time.sleep(_POLL)
        raise NotMeasuredError("the watching program ended, or made no PDF of an edit")

    def _processor_time(self) -> float:
        """Return the seconds of the program and of those of its children that have ended."""
        assert self._child is not None
        try:
            found = Path(f"/proc/{self._child.pid}/stat").read_text(encoding="utf-8")
        except OSError as error:
            raise NotMeasuredError("there is no /proc") from error
        return sum(map(int, found.rpartition(")")[2].split()[11:15])) / os.sysconf("SC_CLK_TCK")
