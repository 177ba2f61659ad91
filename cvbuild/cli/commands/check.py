"""``cvbuild check``: validate files of people and workspaces, without building.

A hook that runs before a commit gives it all files that changed; no others are read.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from cvbuild.building import pipeline, profiles
from cvbuild.building import variants as variants_check
from cvbuild.building.requested import counted_from, today, workspace_library
from cvbuild.cli import console, reports
from cvbuild.cli.main import epoch
from cvbuild.common import processes
from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs import layers, people
from cvbuild.inputs.people import WORKSPACE, Person
from cvbuild.inputs.person_file import PersonFile
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml import writer
from cvbuild.inputs.yaml.writer import MARK, POOR
from cvbuild.model.contact import phone_link
from cvbuild.outputs.templates import Library
from cvbuild.outputs.types import day_of
from cvbuild.selection import select

#: What it says holds for everybody.
_WORKSPACE = Path(WORKSPACE)
_APPLICATIONS = Path("applications")


def run(given: argparse.Namespace) -> int:
    """Show everything that is wrong with people's files; return 1 if anything is."""
    library = workspace_library(given.template_path)
    persons, applications, is_whole = _find(given.people)
    by_file = {person: _diagnostics(person, library) for person in persons}
    if given.facts:
        from cvbuild.applications import versions  # few ask for it

        for person in persons:
            by_file[person] += versions.new_facts(person, given.facts)
    by_file |= {file: _of_application(file, library) for file in applications}
    others = list[Diagnostic]()
    if is_whole:
        others += profiles.check_workspace(_WORKSPACE, persons, library)
        # And what is wrong with files that belong to nobody.
        others += _unread()
    # What is wrong with cvbuild.yaml is wrong with everybody, and is told once: as an error.
    faults = [*dict.fromkeys([*(item for items in by_file.values() for item in items), *others])]
    wrong = dict.fromkeys(item for item in faults if item.severity == "error")
    errors = {(item.span, item.message) for item in wrong}
    faults = [item for item in faults if item in wrong or (item.span, item.message) not in errors]
    valid = [all(item.severity != "error" for item in items) for items in by_file.values()]
    words = f"{sum(valid)} of {len(valid)} files are fine"
    if any(item.span and item.span.file == WORKSPACE for item in wrong):
        words += f": {WORKSPACE} has an error, and holds for all"
    rest = [*others, *(item for file in applications for item in by_file[file])]
    reports.write(given, {person: by_file[person] for person in persons}, rest)
    if given.json:
        console.print_json(
            {
                "people": [
                    {"person": person.name, "path": str(person.path), "ok": ok}
                    for person, ok in zip(by_file, valid, strict=True)
                ],
                "diagnostics": faults,
            }
        )
    else:
        console.show(faults)
        console.say(words)
    return int(bool(wrong))


def _diagnostics(person: Person, library: Library) -> list[Diagnostic]:
    """Return all diagnostics of the public part, and of everything with the overlay."""
    public = whole = profiles.check(person, library)
    source, overlay = public.source, people.overlay(person.path)
    if source is not None and (source.private or os.path.lexists(overlay)):
        whole = profiles.check(person, library, private=True)
    items = (*public.diagnostics, *whole.diagnostics)
    items += (*of_variants(public, library, private=False),)
    items += (*of_variants(whole, library, private=True),)
    more = (*_public_contacts(public), *_committed_overlay(overlay))
    notes = (*_local_phones(whole), *_unconfirmed(public))
    if source is not None:
        notes += (*layers.call_notes(public.calls, counted_from(epoch())),)
    return [*dict.fromkeys(items), *notes, *more]


def _unconfirmed(checked: PersonFile) -> Iterator[Diagnostic]:
    """Yield what an import marked and nobody has confirmed: what is implausible, one by one."""
    if checked.source is None:
        return
    # The source itself has no text any more, where private values were taken out of it.
    file, text = source_stage.text_of(checked.person.path)
    marks = [mark for mark in writer.doubts(text) if mark.kind == "guess"]
    for mark in marks:
        if mark.words:
            what = mark.key or "an item"
            is_of_all = mark.words.startswith(POOR)
            fact = mark.words if is_of_all else f"{what} is probably wrong ({mark.words})"
            hint = f"correct it, or delete the comment {MARK} if it is right"
            yield Diagnostic("warning", "guess", fact, Span(file, mark.line, mark.column), hint)
    if rest := [mark for mark in marks if not mark.words]:
        fact = f"{len(rest)} guess{'es' * (len(rest) > 1)} of the import, marked {MARK}"
        hint = "correct each, or delete its mark if it is right"
        yield Diagnostic("note", "guess", fact, Span(file, rest[0].line, rest[0].column), hint)


def _local_phones(checked: PersonFile) -> Iterator[Diagnostic]:
    """Yield a note, one for each person, on phone numbers that lack their country."""
    if checked.profile is None or checked.source is None:
        return
    phones = checked.profile.contact.phone
    if local := [at for at, phone in enumerate(phones) if phone_link(phone.number) is None]:
        fact = "this phone number lacks its country: it is shown as written, without a link"
        more = f" ({len(local)} such numbers)" if len(local) > 1 else ""
        hint, span = "write the country first, such as +1 …", ("contact", "phone", local[0])
        yield Diagnostic("note", "phone-local", fact + more, checked.source.span(span), hint)


def of_variants(checked: PersonFile, library: Library, *, private: bool) -> Iterator[Diagnostic]:
    """Yield what is wrong with the private variants of a person, or with the others.

    That is one that selects nothing of what it may show, or goes over a limit.
    """
    variants, day = checked.profile.variants if checked.profile else {}, counted_from(epoch())
    for name in [name for name, variant in variants.items() if variant.private == private]:
        task = profiles.task(checked, name)
        try:
            shown = pipeline.choose(task, library, None, day)
            select.require(shown.selected, task.source)
            yield from pipeline.within_limits(shown)
        except CvbuildError as error:
            note = variants_check.nothing(task.profile, task.source, task.name, day)
            yield from [note] if note else error.diagnostics


def _public_contacts(checked: PersonFile) -> Iterator[Diagnostic]:
    """Yield warnings for contact data that is public and should rather be private."""
    if checked.profile is None or checked.source is None:
        return
    contact = checked.profile.contact
    public: list[tuple[str, FieldPath]] = [
        ("a phone number", ("contact", "phone", at)) for at in range(len(contact.phone))
    ]
    if contact.birth_date is not None:
        public.append(("the date of birth", ("contact", "birth-date")))
    file = people.overlay(checked.person.path)
    for what, path in public:
        fact = f"{what} is in every CV that is built"
        hint = f"move it to {file}, or write it as {{value: …, private: true}}"
        yield Diagnostic("warning", "public", fact, checked.source.span(path), hint)


def _committed_overlay(overlay: Path) -> Iterator[Diagnostic]:
    """Yield a warning for an overlay that git doesn't ignore."""
    if not os.path.lexists(overlay):
        return
    from cvbuild.applications import versions  # few people have one

    # 1: no rule ignores it; outside of git, and without it, nothing takes the file.
    asked = ("check-ignore", "--quiet", "--no-index", "--", f"./{overlay.name}")
    with suppress(processes.StartError, processes.TimeLimitError):
        if versions.git(overlay, *asked).code != 1:
            return
        message = "git doesn't ignore this file, which is private"
        hint = "add the line *.private.yaml to .gitignore"
        yield Diagnostic("warning", "overlay-taken", message, Span(str(overlay)), hint)


def _unread() -> Iterator[Diagnostic]:
    """Yield a warning for each file in people/ that belongs to no person, or is not read."""
    for path in sorted(people.FOLDER.iterdir()):
        if people.is_overlay(path):
            person = people.FOLDER / f"{path.name[: path.name.lower().rindex('.private.')]}.yaml"
            code, expected = "nobodys", people.overlay(person).name
            if path.name != expected:
                message = "this file isn't read, and git doesn't ignore it"
                hint = f"rename it to {expected}"
            elif not person.exists():
                message = f"there is no {person} that this belongs to"
                hint = "give it the name of the person's file"
            else:
                continue
        elif path.suffix == ".yml":
            code, message, hint = (
                "file-ending",
                "this file isn't read",
                f"rename it to {path.stem}.yaml",
            )
        else:
            continue
        yield Diagnostic("warning", code, message, Span(str(path)), hint)


def _find(arguments: Sequence[str]) -> tuple[tuple[Person, ...], tuple[Person, ...], bool]:
    """Return the people and the applications of names and paths, and whether everybody is meant.

    That is so for nothing, and for cvbuild.yaml. An application is known by its path only. Raises
    UsageError for what there is not.
    """
    paths = {name: _place(name) for name in arguments}
    is_whole = not arguments or _WORKSPACE in paths.values()
    applications = [
        name
        for name, path in paths.items()
        if path.parent == _APPLICATIONS and path.suffix == ".yaml"
    ]
    named = [name for name in arguments if name not in applications and paths[name] != _WORKSPACE]
    persons = people.find([] if is_whole else named) if named or is_whole else ()
    if not applications:
        return persons, (), is_whole
    from cvbuild.applications import load

    slugs = load.find([paths[name].name for name in applications])
    files = (Person(slug, _APPLICATIONS / f"{slug}.yaml") for slug in slugs)
    return persons, tuple(files), is_whole


def _of_application(file: Person, library: Library) -> list[Diagnostic]:
    """Return what is wrong with an application, or with what it takes of its person."""
    from cvbuild.applications import documents, load

    day = day_of(today())
    try:
        loaded = load.load(file.name, day)
        taken = documents.of(loaded, library, day)
    except CvbuildError as error:
        return [*error.diagnostics]
    return [*loaded.warnings, *taken.warnings]


def _place(name: str) -> Path:
    """Return a file's path from the workspace; its whole path if it is elsewhere."""
    here = Path.cwd()
    path = Path(os.path.normpath(here / name))
    return path.relative_to(here) if path.is_relative_to(here) else path
