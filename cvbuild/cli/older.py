"""Documents that were built before and show what has become private: in all output folders."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from cvbuild.applications import load
from cvbuild.building.check import older_documents
from cvbuild.building.check.older_documents import Place
from cvbuild.building.environment import today
from cvbuild.cli.summary import HANDFUL, some
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs import people, workspace
from cvbuild.inputs.file_names import WORKSPACE
from cvbuild.inputs.output_folder import DefaultFolder
from cvbuild.inputs.people import Person
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import APPLICATIONS, day_of

#: Their warnings, each with the person.
Found = Sequence[tuple[Person, Diagnostic]]


def folders_of(persons: Iterable[Person], out: str) -> dict[Person, Path]:
    """Return for each person the folder with the folders of people.

    It is ``out``, unless nobody named that and cvbuild.yaml has another for the person's group.
    """
    shared = workspace.load(Path(WORKSPACE)) if isinstance(out, DefaultFolder) else None
    return {one: Path((shared and shared.out(one.name)) or out) for one in persons}


def find(
    folders: Mapping[Person, Path], given_out: str, library: Library, built: Collection[str] = ()
) -> Found:
    """Return the older documents of people that show what is private by now.

    ``folders`` has for each person the folder with the folders of people, ``given_out`` is that of
    the site and the applications, ``built`` are the paths of documents that are up to date.
    """
    out = Path(given_out)
    option = "" if isinstance(given_out, DefaultFolder) else f" -o {shlex.quote(given_out)}"
    places = {
        person: [
            Place(folder / person.name, option=option),
            Place(out / "site" / "people" / person.name, "cvbuild site"),
        ]
        for person, folder in folders.items()
    }
    for person, place in _applications(out / APPLICATIONS):
        if person in places:
            places[person].append(place)
    return [*older_documents.showing_private(places, library.names(), built)]


def _applications(out: Path) -> Iterator[tuple[Person, Place]]:
    """Yield the folders of public applications that were built, with who applies."""
    day = day_of(today())
    for folder in sorted(one for one in out.glob("[!.]*") if one.is_dir()):
        with suppress(CvbuildError):
            data = load.load(folder.name, day).data
            if not data.private:
                command, document = f"cvbuild apply {folder.name}", data.variant or data.template
                yield people.find([data.person])[0], Place(folder, command, document=document)


def in_short(found: Found) -> list[Diagnostic]:
    """Return the warnings; one line for many."""
    if len(found) <= HANDFUL:
        return [warning for _, warning in found]
    names = [*dict.fromkeys(person.name for person, _ in found)]
    whose = some(names) if len(names) == 1 else f"{len(names)} people: {some(names)}"
    fact = (
        f"{len(found)} documents that were built before show, or may show, what is private by now"
    )
    hint = "delete them, or build them again; cvbuild check --json lists them"
    return [Diagnostic("warning", found[0][1].code, f"{fact} ({whose})", hint=hint)]
