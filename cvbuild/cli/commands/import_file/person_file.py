"""Write what was found in one person's CV, or add it to a file that is there."""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import os
import sys
from collections.abc import Sequence

from msgspec.structs import replace

from cvbuild.building.check import profiles, texts
from cvbuild.building.environment import workspace_library
from cvbuild.cli import console
from cvbuild.cli.commands.import_file import sureness
from cvbuild.cli.commands.import_file.sureness import Report
from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import CvbuildError, UsageError, foreign
from cvbuild.common.files import safe_folders
from cvbuild.importers import files, merging, new_file
from cvbuild.importers.types import Imported
from cvbuild.inputs import new_files, people, person_names
from cvbuild.inputs.people import Person
from cvbuild.inputs.references import bibliography, same_items
from cvbuild.inputs.yaml import edit
from cvbuild.inputs.yaml import source as source_stage


def put(file: str, found: Imported, target: Person, given: argparse.Namespace) -> Report:
    """Write what was found in a file, or add it with --merge; return what that came to."""
    is_there = target.path.exists()
    if is_there and not given.merge:
        message = f"{target.path} exists already"
        hint = "add to it with --merge, or choose another name: --as NAME"
        raise UsageError.because("exists", message, hint)
    found, photo = (found, None) if is_there or given.dry_run else new_file.photo_of(found)
    sureness.show_kinds([*(one.note for one in found.lost), *found.warnings])
    if is_there:
        return _merge(file, target, found, given)
    text, found, notes = new_file.text(file, found, given.person)
    console.show(notes)
    if given.dry_run:
        if not given.json:
            console.answer(text.rstrip("\n"))
        return Report(str(target.path), found)
    if photo:
        text = new_files.with_photo(text, photo, target)
    with (
        foreign("write", "can't write the file"),
        safe_folders.opened(os.curdir, str(people.FOLDER), make=True) as folder,
    ):
        folder.create(target.path.name, text.encode())
    todo = "" if given.each else f"; check it, then run: cvbuild build {target.name}"
    console.say(f"wrote {target.path}{todo}")
    is_valid = _checked(target, given)
    return Report(str(target.path), found, source_stage.parse(text, str(target.path)), is_valid)


def _checked(target: Person, given: argparse.Namespace) -> bool:
    checked = profiles.check(target, workspace_library(given.template_path))
    # The import has told of these dates, with their place in the source.
    console.show(item for item in checked.diagnostics if item.code != texts.DATE)
    return checked.profile is not None


# -- into a file that is there ---------------------------------------------------------------------


def _merge(file: str, target: Person, found: Imported, given: argparse.Namespace) -> Report:
    """Show what would be added and add it; nothing that is there is changed."""
    there = source_stage.load(target.path)
    _same_person(file, found, target, there.data, given)
    overlay = people.overlay(target.path)
    known = source_stage.load(overlay).data if overlay.exists() else None
    facts = bibliography.expanded(there, target.path.parent).source.data
    merged = merging.merge(there.data, found.data, known, facts, by_date=True)  # type: ignore[arg-type]
    text = there.text
    if merged.additions:
        text = _with_additions(there.name, text, merged.additions)
    # Who is asked still has the file as it was.
    is_asked = not given.yes or given.dry_run
    made = there if is_asked else source_stage.parse(text, there.name)
    notes = [
        dataclasses.replace(note, span=made.span(path if is_asked else merged.path_of(path)))
        for path, note in merged.notes
    ]
    notes.sort(key=lambda note: note.span or Span(""))
    console.show(notes)
    report = Report(str(target.path), found, notes=tuple(notes))
    for path, date in () if given.yes or given.dry_run else merged.ended:
        place = f"{there.span(path)}: it ended, {same_items.first(date)}"
        if _agreed(f"{place}: write that?"):
            text = edit.put(text, merged.path_of(path), date)
    if text == there.text:
        told = "nothing else to add" if notes else "all of it already"
        console.say(f"{target.path} has {told}")
        return report
    if not given.json:
        _show_difference(there.name, there.text, text)
    if given.dry_run:
        return report
    if not given.yes and not _agreed(f"write {target.path}?"):
        console.say("nothing was written")
        return replace(report, is_valid=False)

    def unchanged() -> None:
        """Raise CvbuildError if another program has saved the file since it was read."""
        if source_stage.load(target.path).text != there.text:
            fact, hint = "another program has changed the file meanwhile", "import again"
            raise CvbuildError.because("write", fact, hint, Span(there.name))

    with (
        foreign("write", "can't write the file"),
        safe_folders.opened(os.curdir, str(people.FOLDER)) as folder,
    ):
        folder.write(target.path.name, text.encode(), check=unchanged)
    console.say(f"added to {target.path}")
    return replace(report, is_valid=_checked(target, given))


def _same_person(
    file: str, found: Imported, target: Person, there: object, given: argparse.Namespace
) -> None:
    """Raise CvbuildError if the file that is there is another person's, unless --as names it."""
    name = there.get("name") if isinstance(there, dict) else None
    known = (str(target.path), person_names.forms(name), ())
    hint = f"if it is the same person, say so: --as {target.name}"
    difference = files.difference([known, files.named(file, found)], hint)
    if difference and not given.person:
        raise CvbuildError([difference])
    if difference:
        console.show([dataclasses.replace(difference, severity="warning", hint=new_file.AS_SAYS)])


def _with_additions(name: str, text: str, additions: Sequence[edit.Addition]) -> str:
    """Return the text with the additions; raises CvbuildError if it would hold anything else."""
    try:
        return edit.add(text if text.endswith("\n") else f"{text}\n", additions)
    except (edit.EditError, CvbuildError):
        fact = f"nothing can be added to {name} without changing the rest of it"
        hint = "import into a new file with --as NAME, and copy from there"
        raise CvbuildError.because("merge", fact, hint) from None


def _show_difference(name: str, before: str, after: str) -> None:
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), name, f"{name}, merged", lineterm=""
    )
    for line in lines:
        console.answer(line)


def require_terminal() -> None:
    """Raise UsageError if nobody is there to be asked."""
    if not sys.stdin.isatty():
        raise UsageError.because("merge", "nobody can be asked here", "write it with --yes")


def _agreed(question: str) -> bool:
    """Return whether the person at the terminal says yes; raises UsageError if nobody is there."""
    require_terminal()
    console.say(f"{question} [y/N]")
    return sys.stdin.readline().strip().lower() in ("y", "yes")
