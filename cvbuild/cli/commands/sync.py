"""``cvbuild sync``: works that services list and a file lacks, each added if somebody agrees."""

from __future__ import annotations

import argparse
import dataclasses
import os
import re
import sys
from collections.abc import Collection, Iterable, Sequence

from cvbuild.building import profiles
from cvbuild.cli import console
from cvbuild.cli.commands import import_file
from cvbuild.cli.console import counted
from cvbuild.common.diagnostics import CvbuildError, Diagnostic, UsageError, foreign, quoted
from cvbuild.common.files import safe_files, safe_folders
from cvbuild.importers import merging, online
from cvbuild.importers.online import new_works
from cvbuild.importers.online.new_works import Proposal
from cvbuild.inputs import people, saving
from cvbuild.inputs.references import bibliography, identity
from cvbuild.inputs.yaml import source
from cvbuild.inputs.yaml.tree import Source
from cvbuild.outputs.styles.templates import Library

#: The most bytes of the list of works to leave alone.
_MOST = 1 << 20


def run(given: argparse.Namespace) -> int:
    """Show what could be added, and add what somebody agrees to; return 1 if anything failed."""
    (person,) = people.find([given.person])
    if person.path.parent != people.FOLDER:
        fact, hint = f"{person.path} is not in {people.FOLDER}/", "move the file there"
        raise UsageError.because("sync", fact, hint)
    there = source.load(person.path)
    accounts = online.accounts(there.data)
    if not any(accounts.values()):
        fact = f"{person.path} has no account that can be asked for"
        hint = f"write contact.profiles with one of {', '.join(accounts)}"
        raise UsageError.because("sync", fact, hint)
    is_asked = not (given.yes or given.dry_run or given.json)
    if is_asked:
        import_file.require_terminal()
    answers = online.ask(accounts, given.server or "")
    proposals, notes = _compare(person, there, answers)
    console.show(notes)
    for at, proposal in enumerate(proposals, start=1) if not given.json else ():
        console.answer(f"{at:3} {_line(there, proposal)}")
    agreed = list(proposals) if given.yes and not given.dry_run else []
    if is_asked:
        agreed, alone = _ask(proposals)
        _left_alone(person, alone)
    errors = list[Diagnostic]()
    is_written = bool(additions := new_works.additions(there.data, agreed))  # type: ignore[arg-type]
    if additions:
        hint = "write what --dry-run lists yourself"
        text = import_file.with_additions(there.name, there.text, additions, hint)
        library = Library.of_workspace(given.template_path)
        errors = [*profiles.check(person._replace(text=text), library).errors]
        # Nothing is written that has errors.
        is_written = not errors
        if is_written:
            saving.replace(person.path, there.text, text)
    console.show(errors)
    if given.json:
        works = [
            {
                "title": work.title,
                "line": there.span(work.path).line if work.path else 0,
                "adds": work.item,
                "services": work.services,
            }
            for work in proposals
        ]
        listed = {"person": person.name, "written": is_written, "works": works}
        console.print_json({**listed, "diagnostics": [*notes, *errors]})
    elif is_written:
        console.say(f"wrote {person.path}: {counted(len(agreed), 'work', 'works')}")
    else:
        console.say("nothing was written" if proposals else f"{person.path} has all of it already")
    return int(bool(answers.failed or errors))


def _compare(
    person: people.Person, there: Source, answers: online.Answers
) -> tuple[list[Proposal], list[Diagnostic]]:
    """Return what could be added, and notes; raises CvbuildError for a namesake's account."""
    data: dict[str, object] = there.data  # type: ignore[assignment]
    names = identity.name_forms(data.get("name"))
    for account, name in answers.names:
        whose = (f"ORCID's record {account}", name)
        if merging.difference([(str(person.path), data.get("name")), whose], ""):
            other = identity.name_forms(name)[0]
            fact = f"the record {account} of ORCID is of {quoted(other)}: nothing is added"
            hint, place = "correct contact.profiles.orcid", ("contact", "profiles", "orcid")
            raise CvbuildError.because("namesake", fact, hint, there.span(place))
    works = new_works.together(answers.works)
    notes = list(answers.failed)
    if others := [work for work in works if not new_works.is_of(work, names)]:
        titles = ", ".join(quoted(identity.first_text(work.item["title"])) for work in others[:5])
        fact = f"{counted(len(others), 'work', 'works')} of others of that account: {titles}"
        hint = "name.author has other spellings of the name among authors"
        notes.append(Diagnostic("warning", "namesake", fact, None, hint))
    overlay = people.overlay(person.path)
    private = source.load(overlay).data if overlay.exists() else None
    elsewhere = [
        *(work for _, work in new_works.works_in(private if isinstance(private, dict) else {})),
        *bibliography.every(there, person.path.parent),
    ]
    expanded = bibliography.expanded(there, person.path.parent).data
    own = (work for work in works if work not in others)
    proposals = [*new_works.find(own, data, expanded, elsewhere, _left_alone(person))]  # type: ignore[arg-type]
    notes += [
        dataclasses.replace(note, span=there.span(path))
        for work in proposals
        for path, note in work.notes
    ]
    return [work for work in proposals if work.item], notes


def _line(there: Source, proposal: Proposal) -> str:
    words = {key: ", ".join(identity.texts_of(value)) for key, value in proposal.item.items()}
    if proposal.path:
        parts = [f"{there.span(proposal.path)}: {proposal.title}", *map(": ".join, words.items())]
    else:
        keys = ("authors", "book", "venue", "date", "doi", "arxiv", "url")
        parts = [f"new: {proposal.title}", *(words[key] for key in keys if key in words)]
    return " | ".join([*parts, ", ".join(proposal.services)])


def _ask(proposals: Sequence[Proposal]) -> tuple[list[Proposal], list[Proposal]]:
    agreed, alone = [], []
    for at, proposal in enumerate(proposals, start=1):
        question = "[y/N, or m: it is not mine, never ask again]"
        console.say(f"{at}: add {quoted(proposal.title)}? {question}")
        answer = sys.stdin.readline().strip().lower()
        if answer in ("y", "yes"):
            agreed.append(proposal)
        elif answer in ("m", "not mine"):
            alone.append(proposal)
    return agreed, alone


# -- what is left alone ----------------------------------------------------------------------------

_HEAD = "# What cvbuild sync leaves alone, a line each: a DOI, or the letters of a title\n"


def _left_alone(person: people.Person, more: Iterable[Proposal] = ()) -> Collection[str]:
    """Return the names of works that are never proposed; ``more`` are written to the file, too."""
    name = f"{person.name}{people.LEFT_ALONE}"
    with foreign("sync", f"can't read or write {people.FOLDER}/{name}"):
        path, text = safe_folders.real(os.curdir, str(people.FOLDER)) / name, _HEAD
        if os.path.lexists(path):
            text = safe_files.read(path, _MOST, links=False).decode("utf-8", "replace")
        if lines := "".join(f"{work.name} {work.title}\n" for work in more):
            text = f"{text.rstrip()}\n{lines}"
            safe_folders.write(path, text.encode())
    words = (line.split()[0].casefold() for line in text.splitlines() if line.strip())
    return {re.sub(r"^.*(?:doi\.org/|doi:)", "", word) for word in words}
