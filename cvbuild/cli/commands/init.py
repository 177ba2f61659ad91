"""``cvbuild init``: make a workspace, or add to a folder what a workspace has."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from cvbuild.cli import console
from cvbuild.cli.commands import new, schema
from cvbuild.common.errors import UsageError
from cvbuild.common.files import safe_files, safe_folders
from cvbuild.inputs import people
from cvbuild.inputs.schema import starter_files
from cvbuild.outputs.styles.templates import Library

_NAME = "Ada Example"
_GITIGNORE = ".gitignore"


def run(given: argparse.Namespace) -> int:
    """Make the folder and add what is missing; say what was done. Existing files stay."""
    root = Path(given.folder)
    wrote = [*_write(root, schema.files(Library.at()))]
    known = [person.name for person in people.everyone(root / people.FOLDER)]
    if not known:
        made = new.create(_NAME, root / people.FOLDER)
        known = [made.stem]
        wrote += [made.relative_to(root).as_posix()]
        wrote += _write(root, starter_files.application(known[0]))
    shared = starter_files.workspace(known[0])
    wrote += _write(root, shared)
    _report(root, sorted(wrote), [name for name in shared if name not in wrote])
    _say_ignored(root, shared[_GITIGNORE].splitlines())
    console.say(_next(root, next((name for name in wrote if name.startswith("people/")), "")))
    return 0


def _next(root: Path, edited: str) -> str:
    """Return what to do now; ``edited`` is the file of a new person, if there is one."""
    steps = [] if root.resolve() == Path.cwd() else [f"cd {shlex.quote(str(root))}"]
    steps += [f"edit {edited}"] if edited else []
    return f"{', '.join(steps)}, then run: cvbuild build" if steps else "now run: cvbuild build"


def _report(root: Path, wrote: Iterable[str], kept: Iterable[str]) -> None:
    for what, names in (("wrote", wrote), ("left as they were", kept)):
        if shown := ", ".join(names):
            console.say(f"{root}: {what}: {shown}")


def _say_ignored(root: Path, needed: Iterable[str]) -> None:
    """Say which lines a .gitignore of the user's own doesn't have."""
    try:
        lines = safe_files.read(root / _GITIGNORE, 1 << 20).splitlines()
    except OSError:
        lines = []
    if missing := [line for line in needed if line.encode() not in map(bytes.strip, lines)]:
        console.say("\n".join((f"{root / _GITIGNORE} should have:", *missing)))


def _write(root: Path, files: Mapping[str, str]) -> Iterator[str]:
    """Write the files that don't exist, and yield their names; raises UsageError."""
    try:
        for name, text in files.items():
            *above, last = name.split("/")
            with safe_folders.opened(root, *above, make=True) as folder:
                if not folder.state(last):
                    folder.create(last, text.encode())
                    yield name
    except OSError as error:
        place = error.filename or root
        raise UsageError.because("write", f"can't write {place}: {error.strerror}") from None
