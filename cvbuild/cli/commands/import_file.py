"""``cvbuild import``: write a person's file from CVs in other formats."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path

from cvbuild.building.check import profiles
from cvbuild.building.environment import workspace_library
from cvbuild.cli import console
from cvbuild.common.errors import UsageError, foreign
from cvbuild.common.files import safe_folders
from cvbuild.common.files.reserved_names import is_reserved
from cvbuild.inputs import people
from cvbuild.inputs.importers import files, registry
from cvbuild.inputs.importers.types import Imported, Lost
from cvbuild.inputs.people import Person
from cvbuild.inputs.schema import starter_files
from cvbuild.inputs.schema.json_schema import MODELINE
from cvbuild.inputs.yaml import writer

#: The comment at the top of what is no more than a draft.
_ROUGH = "A draft: the source doesn't say what its texts mean. Look through every line."


def run(given: argparse.Namespace) -> int:
    """Write people/<name>.yaml, never over an existing file; return 1 if it isn't valid."""
    found = _named(registry.read(files.opened(Path(given.file)), given.source), given.person)
    target = _target(given.person, found)
    text = _text(found)
    console.show([one.note for one in found.lost])
    if given.dry_run:
        console.answer(text.rstrip("\n"))
        return 0
    with (
        foreign("write", "can't write the file"),
        safe_folders.opened(os.curdir, str(people.FOLDER), make=True) as folder,
    ):
        folder.create(target.path.name, text.encode())
    console.say(f"wrote {target.path}; check it, then run: cvbuild build {target.name}")
    checked = profiles.check(target, workspace_library(given.template_path))
    console.show(checked.diagnostics)
    return int(checked.profile is None)


def _named(found: Imported, person: str | None) -> Imported:
    """Return the same with a name: that of ``--as``, where the file has no person."""
    if not person or "name" in found.data:
        return found
    words = person if " " in person else person.replace("-", " ").title()
    return replace(found, data={"name": words, **found.data})


def _text(found: Imported) -> str:
    """Return the text of the new file; what has no home is a comment where it belongs."""
    comments: dict[tuple[str | int, ...], list[str]] = {}
    for one in found.lost:
        comments.setdefault(one.near, []).append(_comment(one))
    first = f"{MODELINE}\n# {_ROUGH}" if found.draft else MODELINE
    return writer.write(found.data, comments, first)


def _comment(one: Lost) -> str:
    return f"no home: {one.note}" if not one.near else f"no home: {one.note.message}"


def _target(name: str | None, found: Imported) -> Person:
    """Return where the file will be; raises UsageError for a bad name, or one in use."""
    written = found.data.get("name", "")
    if isinstance(written, dict):
        written = written.get("full") or f"{written.get('given', '')} {written.get('family', '')}"
    stem = starter_files.slug(name or str(written))
    if not stem or stem in people.RESERVED or is_reserved(stem):
        raise UsageError.because("name", "the file has no name of a person", "give it: --as NAME")
    path = people.FOLDER / f"{stem}.yaml"
    if path.exists():
        raise UsageError.because(
            "exists", f"{path} exists already", "choose another name: --as NAME"
        )
    return Person(stem, path)
