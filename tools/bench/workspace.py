"""Folders of a run's own, programs run in them, and edits of a person's file there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pypdfium2

from tools.bench.times import NotMeasuredError

CVBUILD = (sys.executable, "-m", "cvbuild")
#: Seconds after which a program is stopped: a thousand documents take long.
PATIENCE = 3600


@dataclass(frozen=True)
class Ran:
    """A program that ended well: its wall time in seconds and its standard output."""

    seconds: float
    out: str


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
        """Copy people's files, and pictures that they name."""
        people = self.folder / "people"
        people.mkdir(parents=True, exist_ok=True)
        for file in files:
            shutil.copy(file, people)

    def environment(self) -> dict[str, str]:
        """Return the caller's environment, without what changes a build, and with the cache."""
        changing = ("SOURCE_DATE_EPOCH", "PYTHONDONTWRITEBYTECODE")
        unchanged = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("CVBUILD_") and name not in changing
        }
        return {**unchanged, "CVBUILD_CACHE": str(self.cache)}

    def cvbuild(self, *arguments: str) -> Ran:
        """Run ``cvbuild ARGUMENTS`` as from a shell in the folder."""
        return run([*CVBUILD, *arguments], self.folder, self.environment())

    def documents(self, *arguments: str) -> list[dict[str, Any]]:
        """Return what ``cvbuild build --json`` reports of each document."""
        return list(json.loads(self.cvbuild("build", "--json", *arguments).out)["documents"])

    def pdf(self, person: str, template: str) -> Path:
        """Return the path of a finished document."""
        return self.out / person / f"{template}.pdf"


def run(argv: Sequence[str | Path], cwd: Path, env: Mapping[str, str]) -> Ran:
    """Run a program to its end; raise NotMeasuredError with its last words if it fails."""
    begun = time.perf_counter()
    try:
        done = subprocess.run(
            argv,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotMeasuredError(f"{Path(argv[0]).name}: {error}") from error
    seconds = time.perf_counter() - begun
    out = done.stdout.decode(errors="replace")
    if done.returncode:
        raise NotMeasuredError(_last_words(argv, out + done.stderr.decode(errors="replace")))
    return Ran(seconds, out)


def _last_words(argv: Sequence[str | Path], output: str) -> str:
    lines = [line for line in output.splitlines() if line.strip()]
    name = "cvbuild" if tuple(argv[:3]) == CVBUILD else Path(argv[0]).name
    return f"{name}: {lines[-1][:120] if lines else 'failed in silence'}"


def text_of(pdf: Path) -> str:
    """Return a PDF's text, lines and pages joined by one space; raise NotMeasuredError."""
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


# -- edits ----------------------------------------------------------------------------------------


def code(number: int) -> str:
    """Return three digits for 0 to 999; those of neighbours differ in one place (a Gray code)."""
    hundreds, tens, units = number // 100, number // 10 % 10, number % 10
    if hundreds % 2:
        tens = 9 - tens
    if number // 10 % 2:
        units = 9 - units
    return f"{hundreds}{tens}{units}"


class Edits:
    """Changes one digit of a file at a time.

    ``text`` occurs once in ``path`` and ends in three digits, which change.
    """

    def __init__(self, path: Path, text: str) -> None:
        self.path, self._stem, self._number = path, text[:-3], 0
        self._before, found, self._after = path.read_text(encoding="utf-8").partition(text)
        if not found or not text[-3:].isdigit() or text in self._after:
            raise NotMeasuredError(f'"{text}" is not once in {path.name}')

    def prepare(self) -> tuple[str, bytes]:
        """Return the next edit: the text that the document then has, and the file's new bytes."""
        text = f"{self._stem}{code(self._number)}"
        self._number += 1
        return text, f"{self._before}{text}{self._after}".encode()

    def make(self) -> str:
        """Save the next edit; return the text that the document then has."""
        text, content = self.prepare()
        self.path.write_bytes(content)
        return text
