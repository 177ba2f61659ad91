"""``cvbuild status --since DATE``: the people whose files nobody has changed since a day."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from datetime import date as Day
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import asdict
from pydantic_core import PydanticCustomError

from cvbuild.building.environment import counted_from
from cvbuild.cli import console, table
from cvbuild.cli.request import epoch
from cvbuild.cli.summary import counted
from cvbuild.common import git_dates
from cvbuild.common.errors import UsageError
from cvbuild.common.git_dates import History
from cvbuild.inputs import people, person_names
from cvbuild.inputs.people import Person
from cvbuild.model.date_points import ago, point
from cvbuild.outputs.task import day_of

if TYPE_CHECKING:
    from cvbuild.applications.packet.email import Draft

_GIT, _FILE = "git", "file"
_CUT = "git's history is cut off here, so days may be too new; git fetch --unshallow gets the rest"


class _Changed(Struct, frozen=True):
    """A person with the day of the last change, by git or by the file's own date."""

    person: str
    name: str
    path: str
    changed: str
    by: str


def run(given: argparse.Namespace) -> int:
    """Print who has changed nothing since the day, the oldest first; return 0."""
    day = _day(given.since)
    persons = people.find(given.people)
    histories = {folder: git_dates.read(folder) for folder in {one.path.parent for one in persons}}
    names = person_names.read(one.path for one in persons)
    every = [
        _changed(one, next(iter(names[one.path]), ""), histories[one.path.parent])
        for one in persons
    ]
    found = [one for one in every if one.changed < day.isoformat()]
    found.sort(key=lambda one: (one.changed, one.person))
    is_cut = any(one and one.is_cut for one in histories.values())
    if given.mail:
        _remind(every, found)
    if given.json:
        console.print_json({"since": day.isoformat(), "people": [asdict(one) for one in found]})
        return 0
    by = {_GIT: "", _FILE: "by the file's date"}
    rows = [(one.person, one.name, one.changed, by[one.by]) for one in found]
    for line in table.lines([("PERSON", "NAME", "CHANGED", ""), *rows]) if rows else ():
        console.answer(line)
    who = f"{len(found)} of {counted(len(every), 'person', 'people')}"
    console.answer(f"{who} changed nothing since {day.isoformat()}")
    if is_cut:
        console.say(f"note: {_CUT}")
    return 0


def _remind(every: Iterable[_Changed], found: Iterable[_Changed]) -> None:
    """Write a draft to each person whose file is old; the drafts of the others are removed."""
    from cvbuild.cli import mail

    drafts: dict[str, Draft | None] = {one.person: None for one in every}
    for one in found:
        fact = f"Your CV in {one.path} was changed last on {one.changed}."
        todo = "Please look through it, and send what is new, or write that nothing is."
        person = Person(one.person, Path(one.path))
        subject = f"Your CV of {one.changed}"
        drafts[one.person] = mail.to(person, one.name or one.person, subject, f"{fact} {todo}")
    mail.put(mail.UPDATES, drafts)


def _day(text: str) -> Day:
    """Return the first day that is meant; raises UsageError for a text that is no date."""
    time = ago(text)
    try:
        date = time.before(counted_from(epoch())) if time else point(text)
    except PydanticCustomError as error:
        hint = "write a day, a month or a year, such as 2026-04-01, or a time, such as 6 months"
        raise UsageError.because("since", str(error), hint) from None
    return Day(*date.first)


def _changed(person: Person, name: str, history: History | None) -> _Changed:
    """Return the last change of a person's file and of the overlay."""
    over = people.overlay(person.path)
    files = [person.path, *([over] if over.exists() else [])]
    day, by = max(_last(path, history) for path in files)
    return _Changed(person.name, name, str(person.path), day, by)


def _last(path: Path, history: History | None) -> tuple[str, str]:
    """Return the day of a file's last change, and by what it is known."""
    committed = history.files.get(path.name) if history else None
    if committed and git_dates.is_committed(path, committed):
        return day_of(committed.seconds).isoformat(), _GIT
    return day_of(int(path.stat().st_mtime)).isoformat(), _FILE
