"""``cvbuild init``: make a workspace, after installing with pip."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from cvbuild.cli import console
from cvbuild.cli.commands import new, schema
from cvbuild.common.errors import UsageError
from cvbuild.common.files import safe_folders
from cvbuild.inputs.file_names import WORKSPACE
from cvbuild.inputs.schema import starter_files
from cvbuild.outputs.styles.templates import Library

#: An application of the person that ``new`` makes.
APPLICATION = "applications/example-lab.yaml"


def run(given: argparse.Namespace) -> int:
    """Make the folder and fill it; existing files stay as they are."""
    root = Path(given.folder)
    files = {
        "Makefile": starter_files.MAKEFILE,
        ".gitignore": starter_files.GITIGNORE,
        WORKSPACE: starter_files.WORKSPACE,
        **schema.files(Library.at()),
    }
    _write(root, files)
    if not any((root / "people").glob("*.yaml")):
        new.create("Ada Example", root / "people")
        _write(root, {APPLICATION: starter_files.APPLICATION})
    console.say(f"{root} is ready: edit people/ada-example.yaml, then run: cvbuild build")
    return 0


def _write(root: Path, files: Mapping[str, str]) -> None:
    """Write the files that don't exist; raises UsageError."""
    try:
        for name, text in files.items():
            *above, last = name.split("/")
            with safe_folders.opened(root, *above, make=True) as folder:
                if not folder.state(last):
                    folder.create(last, text.encode())
    except OSError as error:
        place = error.filename or root
        raise UsageError.because("write", f"can't write {place}: {error.strerror}") from None
