"""``cvbuild new``: write a commented starter file for a person."""

from __future__ import annotations

import argparse
from pathlib import Path

from cvbuild.cli import console
from cvbuild.common.errors import CvbuildError, UsageError
from cvbuild.common.files import safe_folders
from cvbuild.common.files.reserved_names import is_reserved
from cvbuild.inputs import people
from cvbuild.inputs.schema import starter_files
from cvbuild.inputs.validation.validate import validate
from cvbuild.inputs.yaml.source import parse
from cvbuild.model.base import clean


def run(given: argparse.Namespace) -> int:
    """Write people/<name>.yaml, never over an existing file."""
    path = create(given.name, people.FOLDER)
    console.say(f"wrote {path}; edit it, then run: cvbuild build {path.stem}")
    return 0


def create(name: str, folder: Path) -> Path:
    """Write the file and return its path; raises UsageError for a bad name, or one in use."""
    try:
        stem = starter_files.slug(clean(name))
        text = starter_files.person(" ".join(name.split()))
        validate(parse(text, stem))
    except (CvbuildError, ValueError):
        stem = ""
    if not stem or stem in people.RESERVED or is_reserved(stem):
        raise UsageError.because("name", f"\"{name}\" can't be a file's name", "use letters")
    path = people.of_stem(stem, folder).path
    if path.exists():
        raise UsageError.because("exists", f"{path} exists already", "edit it")
    try:
        with safe_folders.opened(folder.parent, folder.name, make=True) as opened:
            opened.create(path.name, text.encode())
    except OSError as error:
        raise UsageError.because("write", f"can't write {path}: {error.strerror}") from None
    return path
