"""``cvbuild import``: write a person's file from a CV in another format."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from cvbuild.building.check import profiles
from cvbuild.building.environment import workspace_library
from cvbuild.cli import console
from cvbuild.common.errors import UsageError, foreign
from cvbuild.common.files import project_files, safe_folders
from cvbuild.common.files.reserved_names import is_reserved
from cvbuild.inputs import people
from cvbuild.inputs.importers import registry
from cvbuild.inputs.importers.types import Imported
from cvbuild.inputs.people import Person
from cvbuild.inputs.schema import starter_files
from cvbuild.inputs.schema.json_schema import MODELINE
from cvbuild.inputs.yaml import writer

#: How many bytes a file may have.
_LARGEST = 16 << 20


def run(given: argparse.Namespace) -> int:
    """Write people/<name>.yaml, never over an existing file; return 1 if it isn't valid."""
    path = Path(given.file)
    with foreign("import", "can't read the file"):
        data = project_files.read(path, _LARGEST)
    found = registry.read(data, str(path), given.source)
    target = _target(given.person, found)
    homeless = [f"no home: {one}" for one in found.homeless]
    text = writer.write(found.data, homeless, MODELINE)
    with (
        foreign("write", "can't write the file"),
        safe_folders.opened(os.curdir, str(people.FOLDER), make=True) as folder,
    ):
        folder.create(target.path.name, text.encode())
    console.show(found.homeless)
    console.say(f"wrote {target.path}; check it, then run: cvbuild build {target.name}")
    checked = profiles.check(target, workspace_library(given.template_path))
    console.show(checked.diagnostics)
    return int(checked.profile is None)


def _target(name: str | None, found: Imported) -> Person:
    """Return where the file will be; raises UsageError for a bad name, or one in use."""
    stem = starter_files.slug(name or str(found.data.get("name", "")))
    if not stem or stem in people.RESERVED or is_reserved(stem):
        raise UsageError.because("name", "the file has no name of a person", "give it: --as NAME")
    path = people.FOLDER / f"{stem}.yaml"
    if path.exists():
        raise UsageError.because(
            "exists", f"{path} exists already", "choose another name: --as NAME"
        )
    return Person(stem, path)
