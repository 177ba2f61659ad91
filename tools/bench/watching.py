"""``cvbuild watch``: from saving a file to the new PDF being in place."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.bench.edits import Edits
from tools.bench.times import NotMeasuredError
from tools.bench.workspace import CVBUILD, Workspace, text_of

#: Seconds between two edits, as a person who types needs, and for the watcher to get ready.
PAUSE = 2.5
_POLL = 0.001
_PATIENCE = 60.0


class Watcher:
    """A running ``cvbuild watch`` of one document; used as a contestant."""

    def __init__(self, workspace: Workspace, person: str, template: str, edits: Edits) -> None:
        self._workspace, self._person, self._template = workspace, person, template
        self._edits = edits
        self._child: subprocess.Popen[bytes] | None = None
        self._log = workspace.folder / "watch.log"

    def once(self, number: int) -> float:
        """Save an edit and wait for its PDF; return the seconds from the beginning of the save."""
        del number
        pdf = self._workspace.pdf(self._person, self._template)
        if self._child is None:
            self._start(pdf)
        time.sleep(PAUSE)
        text, content = self._edits.prepare()
        before = _state(pdf)
        begun = time.perf_counter()
        self._workspace.person(self._person).write_bytes(content)
        for now in self._changes(pdf, before, begun):
            # A PDF of something else than this edit doesn't count.
            if text in text_of(pdf):
                return now - begun
        raise NotMeasuredError("cvbuild watch built no PDF of the edit")

    def _changes(self, pdf: Path, before: object, begun: float) -> Iterator[float]:
        """Yield when the PDF was replaced, each time until it has taken too long."""
        while (now := time.perf_counter()) < begun + _PATIENCE:
            self._alive()
            state = _state(pdf)
            if state not in (before, None):
                before = state
                yield now
            time.sleep(_POLL)

    def _start(self, pdf: Path) -> None:
        workspace = self._workspace
        with self._log.open("wb") as log:
            self._child = subprocess.Popen(
                [*CVBUILD, "watch", self._person, "-t", self._template],
                cwd=workspace.folder,
                env=workspace.environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        begun = time.perf_counter()
        while not pdf.is_file():
            self._alive()
            if time.perf_counter() > begun + _PATIENCE:
                raise NotMeasuredError("cvbuild watch built nothing")
            time.sleep(0.05)

    def _alive(self) -> None:
        if self._child is None or self._child.poll() is None:
            return
        log = self._log.read_text(encoding="utf-8", errors="replace")
        if "invalid choice: 'watch'" in log:
            raise NotMeasuredError("there is no cvbuild watch")
        raise NotMeasuredError(f"cvbuild watch ended: {log[-120:].strip()}")

    def stop(self) -> None:
        """End the watcher as Ctrl-C does."""
        if self._child is not None and self._child.poll() is None:
            self._child.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._child.wait(10)
            self._child.kill()


@contextmanager
def watching(workspace: Workspace, person: str, template: str, edits: Edits) -> Iterator[Watcher]:
    """Yield a watcher that is stopped at the end."""
    watcher = Watcher(workspace, person, template, edits)
    try:
        yield watcher
    finally:
        watcher.stop()


def _state(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns
