"""``cvbuild import``: write people's files from CVs in other formats, or add to one."""

from __future__ import annotations

import argparse
import difflib
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import replace as replaced
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.building import profiles
from cvbuild.cli import console
from cvbuild.common.diagnostics import CvbuildError, Diagnostic, Span, UsageError, foreign, quoted
from cvbuild.common.files import safe_folders
from cvbuild.importers import merging, new_file, registry, types
from cvbuild.importers.documents import plausibility
from cvbuild.importers.types import Imported
from cvbuild.inputs import people, saving
from cvbuild.inputs.people import Person
from cvbuild.inputs.references import bibliography, identity
from cvbuild.inputs.yaml import edit
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.edit import EditError
from cvbuild.inputs.yaml.tree import Source
from cvbuild.outputs.styles.templates import Library


def run(given: argparse.Namespace) -> int:
    """Write people/NAME.yaml, or add to it; return 1 if it isn't valid, or sure if --strict."""
    if given.each:
        return _each(given)
    found, notes = new_file.read(given.files, given.source, given.person)
    console.show(notes)
    target = people.of_stem(new_file.stem(given.person, found))
    report = write_found(given.files[0], found, target, given)
    if poor := plausibility.warning(report.imported, report.path):
        console.show([poor])
    if first := report.first():
        console.say("look at first:")
        console.show(first[:_FIRST])
    if len(first) > _FIRST:
        console.say(f"  and {len(first) - _FIRST} more that are marked # ?")
    if given.json:
        console.print_json({"imports": [report]})
    return int(not report.is_fine(given))


def _each(given: argparse.Namespace) -> int:
    if given.person:
        hint = "leave --as out, or import the file by itself"
        raise UsageError.because("import", "with --each the name is that in each file", hint)
    if given.merge and not (given.yes or given.dry_run):
        require_terminal()
    # All that is in the one folder that is given.
    paths = [Path(file) for file in dict.fromkeys(given.files)]
    if len(paths) == 1 and (folder := paths[0]).is_dir():
        with foreign("import", "can't read the folder"):
            paths = sorted(at for at in folder.iterdir() if not at.name.startswith((".", "~$")))
        if not paths:
            raise UsageError.because("import", f"{folder} is empty", "name the folder of the CVs")
    rows, reports = [("FILE", "PERSON", "")], list[Report]()
    file_of: dict[Person, str] = {}
    for file in map(str, paths):
        try:
            read = registry.read(types.opened(Path(file)), given.source)
            target = people.of_stem(new_file.stem(None, read))
            if other := file_of.get(target):
                names = identity.name_forms(read.data.get("name"))
                fact = f"this is of {quoted(names[0])}, and {other} is of the same name"
                hint = f"import it by itself: --as {target.name}-2 for another person, "
                hint += f"--as {target.name} --merge for the same one"
                raise CvbuildError.because("people", fact, hint)
            file_of[target] = file
            if given.dry_run and not given.json:
                console.answer(f"# -- {target.path}, of {file}")
            report = write_found(file, read, target, given)
        except CvbuildError as error:
            # With the file's name, if neither place nor words tell it.
            console.show(
                item if item.span or file in item.message else replaced(item, span=Span(file))
                for item in error.diagnostics
            )
            rows.append((file, "not imported, as said above", ""))
            continue
        reports.append(report)
        rows.append((file, report.path, report.in_words()))
    imported = sum(report.is_fine(given) for report in reports)
    for line in console.aligned(rows):
        console.say(line)
    console.say(f"{imported} of {len(paths)} imported")
    if given.json:
        console.print_json({"imports": reports})
    return int(imported < len(paths))


# -- how sure it is: what to look at first ---------------------------------------------------------

#: Guesses that are named.
_FIRST = 5
#: Messages of a kind that are told each.
_EACH = 2


class Report(Struct, frozen=True):
    """What an import came to; ``source`` is the file as it is now, None if it wasn't written."""

    path: str
    imported: Imported
    source: Source | None = None
    is_valid: bool = True
    notes: tuple[Diagnostic, ...] = ()

    def is_fine(self, given: argparse.Namespace) -> bool:
        """Return whether it is valid; with --strict also whether nothing needs a look."""
        read = self.imported
        doubts = read.guesses or read.lost or read.warnings or plausibility.poor(read)
        return self.is_valid and not (given.strict and doubts)

    def first(self) -> list[Diagnostic]:
        """Return what to look at first: the guesses, those of the head before others."""
        return plausibility.guesses(self.imported, self.source, self.path)

    def in_words(self) -> str:
        """Return how much came in, and what needs a look: 24 items, 3 guessed, 1 lost."""
        sections = self.imported.data.get("sections") or ()
        groups = [group for section in sections for group in section.get("groups") or [section]]
        # A section of prose has no items.
        parts = [console.counted(sum(len(group.get("items") or "1") for group in groups), "item")]
        counts = {
            "guessed": len(self.first()),
            "lost": len(self.imported.lost),
            "doubtful": len(self.imported.warnings),
        }
        parts += [f"{count} {what}" for what, count in counts.items() if count]
        return ", ".join([*parts, *(["poor"] if plausibility.poor(self.imported) else [])])

    def as_json(self) -> dict[str, object]:
        """Return a plain object for ``--json``."""
        return {
            "path": self.path,
            "written": self.source is not None,
            "valid": self.is_valid,
            "draft": self.imported.draft,
            "poor": plausibility.poor(self.imported),
            "guesses": self.first(),
            "lost": [loss.note for loss in self.imported.lost],
            "warnings": list(self.imported.warnings),
            "notes": list(self.notes),
        }


# -- writing a file --------------------------------------------------------------------------------


def write_found(file: str, imported: Imported, target: Person, given: argparse.Namespace) -> Report:
    """Write what was found in a file, or add it with --merge; return what that came to."""
    is_there = target.path.exists()
    if is_there and not given.merge:
        message = f"{target.path} exists already"
        hint = "add to it with --merge, or choose another name: --as NAME"
        raise UsageError.because("exists", message, hint)
    imported, photo = (imported, None) if is_there or given.dry_run else new_file.photo_of(imported)
    # Of more than two of a kind the first, with how many more there are.
    kinds: dict[tuple[str, ...], list[Diagnostic]] = {}
    for item in (*(loss.note for loss in imported.lost), *imported.warnings):
        # Without the value and the key: "front matter", "design".
        about = re.split('[".,:(]', item.message, maxsplit=1)[0]
        kinds.setdefault((item.severity, item.code, about), []).append(item)
    for first, *others in kinds.values():
        line = max((item.span.line for item in others if item.span), default=0)
        more = f"and {len(others)} more like it{f', to line {line}' if line else ''}"
        whole = [replaced(first, message=f"{first.message} ({more})")]
        console.show(whole if len(others) >= _EACH else [first, *others])
    if is_there:
        return _merge(file, target, imported, given)
    text, imported, notes = new_file.text(file, imported, given.person)
    console.show(notes)
    if given.dry_run:
        if not given.json:
            console.answer(text.rstrip("\n"))
        return Report(str(target.path), imported)
    if photo:
        text = edit.put(text, ("photo",), saving.photo(photo, target))
    with foreign("write", "can't write the file"):
        folder = safe_folders.real(os.curdir, str(people.FOLDER), make=True)
        safe_folders.create(folder / target.path.name, text.encode())
    todo = "" if given.each else f"; check it, then run: cvbuild build {target.name}"
    console.say(f"wrote {target.path}{todo}")
    is_valid = _checked(target, given)
    return Report(str(target.path), imported, source_stage.parse(text, str(target.path)), is_valid)


def _checked(target: Person, given: argparse.Namespace) -> bool:
    checked = profiles.check(target, Library.of_workspace(given.template_path))
    console.show(checked.diagnostics)
    return checked.profile is not None


# -- into a file that is there ---------------------------------------------------------------------


def _merge(file: str, target: Person, imported: Imported, given: argparse.Namespace) -> Report:
    """Show what would be added and add it; nothing that is there is changed."""
    there = source_stage.load(target.path)
    # It may be another person's, unless --as names it.
    name = there.data.get("name") if isinstance(there.data, dict) else None
    both_names = ((str(target.path), name), (file, imported.data.get("name")))
    hint = f"if it is the same person, say so: --as {target.name}"
    if difference := merging.difference(both_names, hint):
        if not given.person:
            raise CvbuildError([difference])
        console.show([replaced(difference, severity="warning", hint=new_file.AS_SAYS)])
    overlay = people.overlay(target.path)
    known = source_stage.load(overlay).data if overlay.exists() else None
    facts = bibliography.expanded(there, target.path.parent).data
    merged = merging.merge(there.data, imported.data, known, facts)  # type: ignore[arg-type]
    text = there.text
    if merged.additions:
        text = with_additions(there.name, text, merged.additions)
    # Who is asked still has the file as it was.
    is_asked = not given.yes or given.dry_run
    after = there if is_asked else source_stage.parse(text, there.name)
    notes = [
        replaced(note, span=after.span(path if is_asked else merged.path_of(path)))
        for path, note in merged.notes
    ]
    notes.sort(key=lambda note: note.span or Span(""))
    console.show(notes)
    report = Report(str(target.path), imported, notes=tuple(notes))
    for path, date in () if given.yes or given.dry_run else merged.ended:
        place = f"{there.span(path)}: it ended, {identity.first_text(date)}"
        if agreed(f"{place}: write that?"):
            text = edit.put(text, merged.path_of(path), date)
    if text == there.text:
        what = "nothing else to add" if notes else "all of it already"
        console.say(f"{target.path} has {what}")
        return report
    if not given.json:
        both, names = (there.text.splitlines(), text.splitlines()), f"{there.name}, merged"
        for line in difflib.unified_diff(*both, there.name, names, lineterm=""):
            console.answer(line)
    if given.dry_run:
        return report
    if not given.yes and not agreed(f"write {target.path}?"):
        console.say("nothing was written")
        return replace(report, is_valid=False)

    saving.replace(target.path, there.text, text)
    console.say(f"added to {target.path}")
    return replace(report, is_valid=_checked(target, given))


def with_additions(
    name: str,
    text: str,
    additions: Sequence[edit.Addition],
    hint: str = "import into a new file with --as NAME, and copy from there",
) -> str:
    """Return the text with the additions; raises CvbuildError if it would hold anything else."""
    try:
        return edit.add(text if text.endswith("\n") else f"{text}\n", additions)
    except (EditError, CvbuildError):
        fact = f"nothing can be added to {name} without changing the rest of it"
        raise CvbuildError.because("merge", fact, hint) from None


def require_terminal() -> None:
    """Raise UsageError if nobody is there to be asked."""
    if not sys.stdin.isatty():
        raise UsageError.because("merge", "nobody can be asked here", "write it with --yes")


def agreed(question: str) -> bool:
    """Return whether the person at the terminal says yes; raises UsageError if nobody is there."""
    require_terminal()
    console.say(f"{question} [y/N]")
    return sys.stdin.readline().strip().lower() in ("y", "yes")
