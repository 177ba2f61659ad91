"""``cvbuild check``: validate files of people and workspaces, all or those that changed."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from cvbuild.building import pipeline, profiles
from cvbuild.cli import console, findings
from cvbuild.cli.main import request_of
from cvbuild.common import processes
from cvbuild.common.diagnostics import CvbuildError, Diagnostic, FieldPath, Span
from cvbuild.inputs import people
from cvbuild.inputs.people import WORKSPACE, Person
from cvbuild.inputs.person import settings
from cvbuild.inputs.person.person_file import PersonFile
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml import writer
from cvbuild.model.contact import phone_link
from cvbuild.outputs.request import Request
from cvbuild.selection import select

#: What it says holds for everybody.
_WORKSPACE = Path(WORKSPACE)
_APPLICATIONS = Path("applications")


def run(given: argparse.Namespace) -> int:
    """Show everything that is wrong with people's files; return 1 if anything is."""
    request = request_of(given)
    persons, applications, is_whole = _find(given.people)
    by_file = {person: _diagnostics(person, request) for person in persons}
    if given.facts:
        from cvbuild.applications import versions  # few ask for it

        for person in persons:
            by_file[person] += versions.new_facts(person, given.facts)
    for file in applications:
        # What is wrong with it, or with what it takes of its person.
        from cvbuild.applications import documents, load

        try:
            loaded = load.load(file.name, request.day)
            taken = documents.of(loaded, request, request.day)
            by_file[file] = [*loaded.warnings, *taken.warnings]
        except CvbuildError as error:
            by_file[file] = [*error.diagnostics]
    # What is wrong with the workspace, and with files that belong to nobody.
    others = list[Diagnostic]()
    if is_whole:
        others += [*profiles.check_workspace(_WORKSPACE, persons, request.library), *_unread()]
    # What is wrong with cvbuild.yaml is wrong with everybody, and is told once: as an error.
    faults = [*dict.fromkeys([*(item for items in by_file.values() for item in items), *others])]
    wrong = dict.fromkeys(item for item in faults if item.severity == "error")
    errors = {(item.span, item.message) for item in wrong}
    faults = [item for item in faults if item in wrong or (item.span, item.message) not in errors]
    valid = {file: wrong.keys().isdisjoint(items) for file, items in by_file.items()}
    rest = [*others, *(item for file in applications for item in by_file[file])]
    findings.write(given, {person: by_file[person] for person in persons}, rest)
    if given.json:
        answer = [
            {"person": file.name, "path": str(file.path), "ok": ok} for file, ok in valid.items()
        ]
        console.print_json({"people": answer, "diagnostics": faults})
    else:
        console.show(faults)
        words = f"{sum(valid.values())} of {len(valid)} files are fine"
        if any(item.span and item.span.file == WORKSPACE for item in wrong):
            words += f": {WORKSPACE} has an error, and holds for all"
        console.say(words)
    return int(bool(wrong))


def _diagnostics(person: Person, request: Request) -> list[Diagnostic]:
    """Return all diagnostics of the public part, and of everything with the overlay."""
    public = whole = profiles.check(person, request.library)
    source, overlay = public.source, people.overlay(person.path)
    if source is not None and (source.private or os.path.lexists(overlay)):
        whole = profiles.check(person, request.library, private=True)
    items = [*public.diagnostics, *whole.diagnostics]
    items += of_variants(public, request, private=False)
    items = [*dict.fromkeys((*items, *of_variants(whole, request, private=True)))]
    if whole.profile and whole.source:
        phones = whole.profile.contact.phone
        if local := [at for at, phone in enumerate(phones) if phone_link(phone.number) is None]:
            fact = "this phone number lacks its country: it is shown as written, without a link"
            fact += f" ({len(local)} such numbers)" if len(local) > 1 else ""
            hint, span = "write the country first, such as +1 …", ("contact", "phone", local[0])
            items.append(Diagnostic("note", "phone-local", fact, whole.source.span(span), hint))
    if source is not None:
        items += _unconfirmed(person)
        items += settings.call_notes(source.calls, request.counted_from)
    if public.profile and source is not None:
        contact = public.profile.contact
        places: list[tuple[str, FieldPath]] = [
            ("a phone number", ("contact", "phone", at)) for at in range(len(contact.phone))
        ]
        if contact.birth_date is not None:
            places.append(("the date of birth", ("contact", "birth-date")))
        for what, path in places:
            fact = f"{what} is in every CV that is built"
            hint = f"move it to {overlay}, or write it as {{value: …, private: true}}"
            items.append(Diagnostic("warning", "public", fact, source.span(path), hint))
    if os.path.lexists(overlay):
        from cvbuild.applications import versions  # few people have one

        asked = ("check-ignore", "--quiet", "--no-index", "--", f"./{overlay.name}")
        with suppress(processes.StartError, processes.TimeLimitError):
            # 1: no rule ignores it; outside of git, and without it, nothing takes the file.
            if versions.git(overlay, *asked).code == 1:
                fact = "git doesn't ignore this file, which is private"
                hint = "add the line *.private.yaml to .gitignore"
                items.append(Diagnostic("warning", "overlay-taken", fact, Span(str(overlay)), hint))
    return items


def _unconfirmed(person: Person) -> Iterator[Diagnostic]:
    """Yield what an import marked and nobody has confirmed: what is implausible, one by one."""
    # The source itself has no text any more, where private values were taken out of it.
    file, text = source_stage.text_of(person.path)
    marks = [mark for mark in writer.doubts(text) if mark.kind == "guess"]
    for mark in marks:
        if mark.words:
            what = mark.key or "an item"
            is_of_all = mark.words.startswith(writer.POOR)
            fact = mark.words if is_of_all else f"{what} is probably wrong ({mark.words})"
            hint = f"correct it, or delete the comment {writer.MARK} if it is right"
            yield Diagnostic("warning", "guess", fact, Span(file, mark.line, mark.column), hint)
    if rest := [mark for mark in marks if not mark.words]:
        fact = f"{len(rest)} guess{'es' * (len(rest) > 1)} of the import, marked {writer.MARK}"
        hint = "correct each, or delete its mark if it is right"
        yield Diagnostic("note", "guess", fact, Span(file, rest[0].line, rest[0].column), hint)


def of_variants(checked: PersonFile, request: Request, *, private: bool) -> Iterator[Diagnostic]:
    """Yield which variants, private ones or others, select nothing or go over a limit."""
    variants, day = checked.profile.variants if checked.profile else {}, request.counted_from
    for name in [name for name, variant in variants.items() if variant.private == private]:
        task = profiles.task(checked, name, request)
        try:
            shown = pipeline.choose(task)
            select.require(shown.selected, task.source)
            yield from pipeline.within_limits(shown)
        except CvbuildError as error:
            note = profiles.nothing(task.profile, task.source, task.name, day)
            yield from [note] if note else error.diagnostics


def _unread() -> Iterator[Diagnostic]:
    """Yield a warning for each file in people/ that belongs to no person, or is not read."""
    for path in sorted(people.FOLDER.iterdir()):
        code, fact, hint = "nobodys", "this file isn't read, and git doesn't ignore it", ""
        if people.is_overlay(path):
            person = people.FOLDER / f"{path.name[: path.name.lower().rindex('.private.')]}.yaml"
            expected = people.overlay(person).name
            if path.name != expected:
                hint = f"rename it to {expected}"
            elif not person.exists():
                fact = f"there is no {person} that this belongs to"
                hint = "give it the name of the person's file"
        elif path.suffix == ".yml":
            code, fact = "file-ending", "this file isn't read"
            hint = f"rename it to {path.stem}.yaml"
        if hint:
            yield Diagnostic("warning", code, fact, Span(str(path)), hint)


def _find(arguments: Sequence[str]) -> tuple[tuple[Person, ...], tuple[Person, ...], bool]:
    """Return the people and the applications of names and paths, and whether all are meant."""
    here, named, slugs, is_whole = Path.cwd(), list[str](), list[str](), not arguments
    for name in dict.fromkeys(arguments):
        path = Path(os.path.normpath(here / name))
        path = path.relative_to(here) if path.is_relative_to(here) else path
        if path == _WORKSPACE:
            is_whole = True
        elif path.parent == _APPLICATIONS and path.suffix == ".yaml":
            slugs.append(path.name)
        else:
            named.append(name)
    persons = people.find([] if is_whole else named) if named or is_whole else ()
    if not slugs:
        return persons, (), is_whole
    from cvbuild.applications import load

    files = (Person(slug, _APPLICATIONS / f"{slug}.yaml") for slug in load.find(slugs))
    return persons, tuple(files), is_whole
