"""``cvbuild import``: write a person's file from CVs in other formats, or add to one."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from cvbuild.building.check import profiles
from cvbuild.building.environment import workspace_library
from cvbuild.cli import console
from cvbuild.common.diagnostics import Diagnostic, FieldPath
from cvbuild.common.errors import CvbuildError, UsageError, foreign
from cvbuild.common.files import safe_folders
from cvbuild.common.files.reserved_names import is_reserved
from cvbuild.inputs import bibliography, people
from cvbuild.inputs.importers import files, merging, registry
from cvbuild.inputs.importers.types import Imported
from cvbuild.inputs.people import Person
from cvbuild.inputs.schema import starter_files
from cvbuild.inputs.schema.json_schema import MODELINE
from cvbuild.inputs.yaml import insertions, writer
from cvbuild.inputs.yaml import source as source_stage

#: The comment at the top of what is no more than a draft.
_ROUGH = "A draft: the source doesn't say what its texts mean. Look through every line."


def run(given: argparse.Namespace) -> int:
    """Write people/<name>.yaml, or add to it with --merge; return 1 if it isn't valid then."""
    found = merging.combined(
        [registry.read(files.opened(Path(file)), given.source) for file in given.files]
    )
    target = _target(given.person, found)
    console.show([one.note for one in found.lost])
    if target.path.exists():
        if not given.merge:
            message = f"{target.path} exists already"
            hint = "add to it with --merge, or choose another name: --as NAME"
            raise UsageError.because("exists", message, hint)
        return _merge(target, found, given)
    if not found.data:
        message = f"{given.files[0]} has nothing that a CV could show"
        raise CvbuildError.because("empty", message, "is it the right file?")
    found = _named(found, given.person)
    text = _text(found)
    if given.dry_run:
        console.answer(text.rstrip("\n"))
        return 0
    with (
        foreign("write", "can't write the file"),
        safe_folders.opened(os.curdir, str(people.FOLDER), make=True) as folder,
    ):
        folder.create(target.path.name, text.encode())
    console.say(f"wrote {target.path}; check it, then run: cvbuild build {target.name}")
    return _checked(target, given)


def _checked(target: Person, given: argparse.Namespace) -> int:
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
    comments: dict[FieldPath, list[str]] = {}
    for one in found.lost:
        words = f"no home: {one.note.message if one.near else one.note}"
        comments.setdefault(one.near, []).append(words)
    first = f"{MODELINE}\n# {_ROUGH}" if found.draft else MODELINE
    return writer.write(found.data, comments, first)


def _target(name: str | None, found: Imported) -> Person:
    """Return whose file it is; raises UsageError for a name that can't be one."""
    written = found.data.get("name", "")
    if isinstance(written, dict):
        written = written.get("full") or f"{written.get('given', '')} {written.get('family', '')}"
    stem = starter_files.slug(name or str(written))
    if not stem or stem in people.RESERVED or is_reserved(stem):
        raise UsageError.because("name", "the file has no name of a person", "give it: --as NAME")
    return Person(stem, people.FOLDER / f"{stem}.yaml")


# -- into a file that is there ---------------------------------------------------------------------


def _merge(target: Person, found: Imported, given: argparse.Namespace) -> int:
    """Show what would be added and add it; never change what is there."""
    there = source_stage.load(target.path)
    overlay = people.overlay(target.path)
    known = source_stage.load(overlay).data if overlay.exists() else None
    facts = bibliography.expanded(there, target.path.parent).source.data
    merged = merging.merge(there.data, found.data, known, facts)  # type: ignore[arg-type]
    console.show(merged.notes)
    if not merged.additions:
        console.say(f"{target.path} has all of it already")
        return 0
    text = _with_additions(there.name, there.text, there.data, merged.additions)
    _show_difference(there.name, there.text, text)
    if given.dry_run:
        return 0
    if not given.yes and not _agreed(f"write {target.path}?"):
        console.say("nothing was written")
        return 1
    with (
        foreign("write", "can't write the file"),
        safe_folders.opened(os.curdir, str(people.FOLDER)) as folder,
    ):
        folder.write(target.path.name, text.encode())
    console.say(f"added to {target.path}")
    return _checked(target, given)


def _with_additions(
    name: str, text: str, data: object, additions: Sequence[insertions.Addition]
) -> str:
    """Return the text with the additions; raises CvbuildError if it would hold anything else."""
    try:
        made = insertions.insert(text if text.endswith("\n") else f"{text}\n", additions)
        if source_stage.parse(made, name).data == insertions.apply(data, additions):
            return made
    except (insertions.InsertionError, CvbuildError):
        pass
    raise CvbuildError(
        [
            Diagnostic(
                "error",
                "merge",
                f"nothing can be added to {name} without changing the rest of it",
                None,
                "import into a new file with --as NAME, and copy from there",
            )
        ]
    )


def _show_difference(name: str, before: str, after: str) -> None:
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), name, f"{name}, merged", lineterm=""
    )
    for line in lines:
        console.answer(line)


def _agreed(question: str) -> bool:
    """Return whether the person at the terminal says yes; raises UsageError if nobody is there."""
    if not sys.stdin.isatty():
        raise UsageError.because("merge", "nobody can be asked here", "write it with --yes")
    console.say(f"{question} [y/N]")
    return sys.stdin.readline().strip().lower() in ("y", "yes")
