"""Put the files of a person aside, into ``people/removed/``, and back; nothing is deleted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from cvbuild.common.errors import UsageError
from cvbuild.common.files import safe_folders
from cvbuild.common.files.safe_folders import Folder
from cvbuild.inputs import people
from cvbuild.inputs.people import Person

#: The folder in that of people.
FOLDER = "removed"
#: Overlays are as private there.
_IGNORED = ".gitignore"
#: The person's own file is the last to go, and the first to come back.
_SUFFIXES = (".private.yaml", ".yaml")


def names() -> list[str]:
    """Return the names of the files in ``people/removed/`` that can be put back."""
    paths = sorted((people.FOLDER / FOLDER).glob("*.yaml"))
    return [path.stem for path in paths if not people.is_overlay(path)]


def put_aside(person: Person) -> str:
    """Move a person's file, and the overlay, to ``people/removed/``; return their name there.

    Raises UsageError for a file that is elsewhere, and as ``safe_folders.opened``.
    """
    if person.path.parent != people.FOLDER:
        fact = f"{person.path} is not in {people.FOLDER}/"
        raise UsageError.because("removed", fact, "remove the file yourself")
    names = (person.name if at == 1 else f"{person.name}-{at}" for at in count(1))
    with _opened() as (here, aside):
        if not aside.state(_IGNORED):
            aside.create(_IGNORED, b"*.private.yaml\n")
        name = next(name for name in names if not _is_there(name, aside))
        _move(person.name, here, name, aside, _SUFFIXES)
    return name


def put_back(removed: str, name: str) -> None:
    """Move the files ``removed`` back, under the name of a person; raises UsageError."""
    names = [Path(f"{one}.yaml") for one in (removed, name)]
    if any(map(people.is_overlay, names)) or name in people.RESERVED:
        raise UsageError.because("removed", "no person has this name", "reload the page")
    with _opened() as (here, aside):
        if not aside.state(f"{removed}.yaml"):
            fact = f"there is no {people.FOLDER}/{FOLDER}/{removed}.yaml"
            raise UsageError.because("removed", fact, "look into that folder")
        if _is_there(name, here):
            fact = f"{people.FOLDER}/{name}.yaml exists"
            raise UsageError.because("removed", fact, "rename one of the two files")
        _move(removed, aside, name, here, _SUFFIXES[::-1])


@contextmanager
def _opened() -> Iterator[tuple[Folder, Folder]]:
    """Yield the folder of people, and that of those who were put aside."""
    name = people.FOLDER.name
    try:
        with (
            safe_folders.opened(people.FOLDER.parent, name) as here,
            safe_folders.opened(people.FOLDER.parent, name, FOLDER, make=True) as aside,
        ):
            yield here, aside
    except OSError as error:
        fact = f"the files can't be moved: {error.strerror or error}"
        raise UsageError.because("removed", fact, "check the folder and its permissions") from None


def _is_there(name: str, folder: Folder) -> bool:
    return any(folder.state(f"{name}{suffix}") for suffix in _SUFFIXES)


def _move(old: str, source: Folder, new: str, target: Folder, suffixes: Iterable[str]) -> None:
    for suffix in suffixes:
        if source.state(f"{old}{suffix}"):
            source.rename(f"{old}{suffix}", f"{new}{suffix}", into=target)
