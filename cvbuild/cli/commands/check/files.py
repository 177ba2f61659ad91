"""The files that ``cvbuild check`` is given: people's, applications, cvbuild.yaml.

A hook that runs before a commit gives it all that changed, and nothing else is read.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from cvbuild.building.environment import today
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs import people
from cvbuild.inputs.file_names import WORKSPACE
from cvbuild.inputs.people import Person
from cvbuild.outputs.styles.templates import Library

#: What it says holds for everybody.
_WORKSPACE = Path(WORKSPACE)
_APPLICATIONS = Path("applications")


def find(given: Sequence[str]) -> tuple[tuple[Person, ...], tuple[Person, ...]]:
    """Return the people, and the applications, of names and paths; everybody for none.

    An application is known by its path only. Raises UsageError for what there is not.
    """
    paths = {one: _place(one) for one in given}
    applications = [one for one in given if _is_application(paths[one])]
    named = [one for one in given if one not in applications and paths[one] != _WORKSPACE]
    is_all = is_whole(given)
    found = people.find([] if is_all else named) if named or is_all else ()
    return found, _files([paths[one].name for one in applications])


def is_whole(given: Sequence[str]) -> bool:
    """Return whether the whole workspace is meant: by nothing, or by cvbuild.yaml."""
    return not given or _WORKSPACE in [_place(one) for one in given]


def of_application(file: Person, library: Library) -> list[Diagnostic]:
    """Return what is wrong with an application, or with what it takes of its person."""
    from cvbuild.applications import documents, load

    day = datetime.fromtimestamp(today(), UTC).date()
    try:
        loaded = load.load(file.name, day)
        made = documents.of(loaded, library, day)
    except CvbuildError as error:
        return [*error.diagnostics]
    return [*loaded.warnings, *made.warnings]


def _place(name: str) -> Path:
    """Return a file's path from the workspace; its whole path if it is elsewhere."""
    here = Path.cwd()
    path = Path(os.path.normpath(here / name))
    return path.relative_to(here) if path.is_relative_to(here) else path


def _is_application(path: Path) -> bool:
    return path.parent == _APPLICATIONS and path.suffix == ".yaml"


def _files(names: Sequence[str]) -> tuple[Person, ...]:
    if not names:
        return ()
    from cvbuild.applications import load

    return tuple(Person(slug, _APPLICATIONS / f"{slug}.yaml") for slug in load.find(names))
