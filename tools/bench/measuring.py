"""Times of programs, as a user runs them: in folders of their own, after an edit, while they watch.

Nothing here imports cvbuild: its command line is run.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pypdfium2

CVBUILD = (sys.executable, "-m", "cvbuild")
#: Seconds after which a program is stopped: a thousand documents take long.
_LONGEST = 3600


class NotMeasuredError(Exception):
    """A figure that can't be measured, and why in a few words."""


@dataclass(frozen=True)
class Times:
    """The times of one contestant's runs in seconds; at least one."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle one, or the mean of the two middle ones."""
        return statistics.median(self.seconds)

    def __str__(self) -> str:
        if len(self.seconds) == 1:
            return f"{_shown(self.median)} s"
        least, most = _shown(min(self.seconds)), _shown(max(self.seconds))
        return f"{_shown(self.median)} s ({least} .. {most})"


def _shown(seconds: float) -> str:
    """Return two or three significant digits: 0.043, 0.71, 12.3, 1004."""
    places = 3 if seconds < 0.1 else 2 if seconds < 10 else 1 if seconds < 100 else 0
    return f"{seconds:.{places}f}"


@dataclass(frozen=True)
class Missing:
    """Stands for Times that could not be measured."""

    why: str


Measured = Times | Missing
#: One run of a contestant: gets the round's number, 0 for the one that only warms up; returns
#: seconds, and raises NotMeasuredError.
Contestant = Callable[[int], float]
#: Seconds after which a row begins no further round, and how many it measures in any case.
_PATIENCE, _LEAST = 60.0, 3


def in_turns(contestants: Mapping[str, Contestant], count: int) -> dict[str, Measured]:
    """Run A B C A B C ..: once to warm up, then ``count`` rounds that are measured.

    A contestant that fails once takes no further part, and the others go on. On a slow machine
    there are fewer rounds, so that all rows are done in time.
    """
    end = time.perf_counter() + _PATIENCE
    times: dict[str, list[float]] = {name: [] for name in contestants}
    missing: dict[str, Missing] = {}
    for number in range(count + 1):
        if number > _LEAST and time.perf_counter() > end:
            break
        for name, contestant in contestants.items():
            if name in missing:
                continue
            try:
                times[name].append(contestant(number))
            except NotMeasuredError as error:
                missing[name] = Missing(str(error))
    return {name: missing.get(name) or Times(tuple(times[name][1:])) for name in contestants}


def ratio(dividend: Measured | None, divisor: Measured | None) -> float | None:
    """Return the first median as a multiple of the second; None if either is missing."""
    if isinstance(dividend, Times) and isinstance(divisor, Times):
        return dividend.median / divisor.median
    return None


# -- programs and their folders --------------------------------------------------------------------


@dataclass(frozen=True)
class Workspace:
    """A folder with people/, built into out/ by ``cvbuild``; ``cache`` may be shared."""

    folder: Path
    cache: Path

    @property
    def out(self) -> Path:
        """The folder of finished documents."""
        return self.folder / "out"

    def person(self, name: str) -> Path:
        """Return the path of a person's file."""
        return self.folder / "people" / f"{name}.yaml"

    def add(self, *files: Path) -> None:
        """Copy people's files."""
        for file in files:
            self.write(file.stem, file.read_text(encoding="utf-8"))

    def write(self, name: str, text: str) -> None:
        """Write a person's file."""
        self.person(name).parent.mkdir(parents=True, exist_ok=True)
        self.person(name).write_text(text, encoding="utf-8")

    def environment(self) -> dict[str, str]:
        """Return the caller's environment, without what changes a build, and with the cache."""
        changing = ("SOURCE_DATE_EPOCH", "PYTHONDONTWRITEBYTECODE")
        unchanged = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("CVBUILD_") and name not in changing
        }
        return {**unchanged, "CVBUILD_CACHE": str(self.cache)}

    def cvbuild(self, *arguments: str) -> float:
        """Run ``cvbuild ARGUMENTS`` as from a shell in the folder; return its seconds."""
        return run([*CVBUILD, *arguments], self.folder, self.environment())

    def pdf(self, person: str, template: str) -> Path:
        """Return the path of a finished document."""
        return self.out / person / f"{template}.pdf"


def run(argv: Sequence[str | Path], cwd: Path, env: Mapping[str, str]) -> float:
    """Return a program's wall time in seconds. Raises NotMeasuredError with its last words."""
    began = time.perf_counter()
    try:
        done = subprocess.run(
            argv, cwd=cwd, env=env, timeout=_LONGEST, check=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace",
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotMeasuredError(f"{Path(argv[0]).name}: {error}") from error
    seconds = time.perf_counter() - began
    if done.returncode:
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        name = "cvbuild" if tuple(argv[:3]) == CVBUILD else Path(argv[0]).name
        raise NotMeasuredError(f"{name}: {lines[-1][:120] if lines else 'failed in silence'}")
    return seconds


def text_of(pdf: Path) -> str:
    """Return a PDF's text, lines and pages joined by one space. Raises NotMeasuredError."""
    try:
        with pypdfium2.PdfDocument(pdf) as document:
            pages = [page.get_textpage().get_text_range() for page in document]
    except (OSError, pypdfium2.PdfiumError) as error:
        raise NotMeasuredError(f"{pdf.name} can't be read: {error}") from error
    return " ".join(" ".join(pages).split())


def demand(pdf: Path, text: str) -> None:
    """Raise NotMeasuredError unless the PDF shows the text: an old PDF must not win."""
    if text not in text_of(pdf):
        raise NotMeasuredError(f'{pdf.name} does not show "{text}"')


class Edits:
    """Changes a number in a file: the last three digits of ``text``, which occurs once in it."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self._stem, self._number = path, text[:-3], 0
        self._before, there, self._after = path.read_text(encoding="utf-8").partition(text)
        if not there or not text[-3:].isdigit() or text in self._after:
            raise NotMeasuredError(f'"{text}" is not once in {path.name}')

    def prepare(self) -> tuple[str, bytes]:
        """Return the next edit: the text that the document then has, and the file's new bytes."""
        text = f"{self._stem}{self._number:03}"
        self._number = (self._number + 1) % 1000
        return text, f"{self._before}{text}{self._after}".encode()

    def make(self) -> str:
        """Save the next edit; return the text that the document then has."""
        text, content = self.prepare()
        self.path.write_bytes(content)
        return text


# -- programs that watch a file --------------------------------------------------------------------

#: Seconds between two edits, as a person who types needs, and for the watcher to get ready.
_PAUSE = 2.5
#: Seconds until a watcher is idle: it looks at its files the more seldom, the longer nobody saves.
_LULL = 60.0
#: Seconds of doing nothing.
IDLE = 10.0
_POLL = 0.001


class Watcher:
    """A program that makes ``pdf`` of the edited file anew each time it is saved.

    It runs between entering and leaving; ``once`` and ``idle`` are contestants.
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

    def once(self, _: int) -> float:
        """Save an edit and wait for its PDF; return the seconds from the beginning of the save."""
        self._start()
        text, content = self._edits.prepare()
        began = time.perf_counter()
        self._edits.path.write_bytes(content)
        return self._until(text, began)

    def idle(self, number: int) -> float:
        """Do nothing for IDLE seconds; return the processor's time that the watcher took."""
        self._start()
        time.sleep(0 if number else _LULL)
        before = self._processor_time()
        time.sleep(IDLE)
        return self._processor_time() - before

    def _start(self) -> None:
        """Run it at the first call, and wait until it has made the PDF of what is there."""
        if self._child is None:
            quiet = subprocess.DEVNULL
            self._child = subprocess.Popen(
                self._command, cwd=self._folder, env=self._environment,
                stdin=quiet, stdout=quiet, stderr=quiet,
            )  # fmt: skip
            self._until("", time.perf_counter())
        time.sleep(_PAUSE)

    def _until(self, text: str, began: float) -> float:
        """Return the seconds until the PDF has a text; one of another edit doesn't count."""
        assert self._child is not None
        seen = None
        while (now := time.perf_counter()) < began + _PATIENCE and self._child.poll() is None:
            # It may be absent, or written in part.
            with contextlib.suppress(OSError, NotMeasuredError):
                status = self._pdf.stat()
                state = (status.st_ino, status.st_mtime_ns, status.st_size)
                if state != seen:
                    if text in text_of(self._pdf):
                        return now - began
                    seen = state
            time.sleep(_POLL)
        raise NotMeasuredError("the watching program ended, or made no PDF of an edit")

    def _processor_time(self) -> float:
        """Return the seconds of the program and of those of its children that have ended."""
        assert self._child is not None
        try:
            status = Path(f"/proc/{self._child.pid}/stat").read_text(encoding="utf-8")
        except OSError as error:
            raise NotMeasuredError("there is no /proc") from error
        return sum(map(int, status.rpartition(")")[2].split()[11:15])) / os.sysconf("SC_CLK_TCK")


def program(name: str) -> str:
    """Return the path of a program. Raises NotMeasuredError if it isn't installed."""
    path = shutil.which(name)
    if path is None:
        raise NotMeasuredError(f"{name} is not installed")
    return path
