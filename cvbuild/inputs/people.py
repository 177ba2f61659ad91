"""The people of a folder, ``people/<person>.yaml``: found, renamed, copied, put aside.

All is cheap to import: the quick check needs it first.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import NamedTuple, NoReturn

from cvbuild.common.files import safe_files, safe_folders
from cvbuild.common.files.safe_files import is_overlay as is_overlay  # noqa: PLC0414 - for the callers
from cvbuild.common.files.safe_files import is_reserved

#: The workspace's file, in its top folder.
WORKSPACE = "cvbuild.yaml"

FOLDER = Path("people")
APPLICATIONS = Path("applications")
#: The folder in the output folder for drafts of e-mails to people.
MAIL = "mail"
RESERVED = ("applications", MAIL, "site")
_RENAME = "rename {} to {}.yaml: a person's file ends in .yaml"


class Person(NamedTuple):
    """One person's file; ``name`` is its stem and the folder under out/.

    ``text`` is read in place of the file's content, if there is one: it isn't saved yet.
    """

    name: str
    path: Path
    text: str | None = None


def overlay(path: Path) -> Path:
    """Return the path where a person's overlay may be, next to their file."""
    return path.with_name(f"{path.stem}.private.yaml")


def everyone(folder: Path = FOLDER) -> tuple[Person, ...]:
    """Return all people of the folder, by name; overlays (``*.private.yaml``) are skipped."""
    paths = filter(_is_person, sorted(folder.glob("*.yaml")))
    return tuple(Person(path.stem, path) for path in paths if path.stem not in RESERVED)


def of_stem(stem: str, folder: Path = FOLDER) -> Person:
    """Return the person whose file is, or would be, called so: søren.yaml for soren, too."""
    from cvbuild.inputs.references import identity

    known = (one for one in everyone(folder) if identity.plain_name(one.name) == stem)
    path = folder / f"{stem}.yaml"
    return Person(stem, path) if path.exists() else next(known, Person(stem, path))


def _is_person(path: Path) -> bool:
    return not is_overlay(path) and not path.name.startswith(".")


def find(names: Iterable[str], folder: Path = FOLDER) -> tuple[Person, ...]:
    """Return the people of these names or paths; all of them for none.

    A name is that of a file, or the one that it was named after. Raises UsageError for an unknown
    or a reserved name, and if there are no people.
    """
    unique = list(dict.fromkeys(names))
    if not unique:
        people = everyone(folder)
        if not people:
            require_folder(folder)
        if taken := [name for name in RESERVED if _is_file(folder / f"{name}.yaml")]:
            hint = f"rename the file; out/{taken[0]}/ is a folder of its own"
            _refuse("person", f'"{taken[0]}.yaml" is not a person', hint)
        if not people:
            other = next(iter(sorted(folder.glob("*.yml"))), None)
            hint = _RENAME.format(other, other.stem) if other else "make one with: cvbuild new NAME"
            _refuse("nobody", f"there is no person in {folder}/", hint)
        return people
    listed = tuple(_one(name, folder) for name in unique)
    # Some systems take names that differ in case for one.
    plain = [person.name.casefold() for person in listed]
    doubled = {person.name for person in listed if plain.count(person.name.casefold()) > 1}
    if doubled:
        fact = f'two of the files are called "{min(doubled)}" and would overwrite each other'
        _refuse("person-twice", fact, "build them one by one, each with its own -o")
    return listed


def _one(name: str, folder: Path) -> Person:
    path = Path(name)
    if path.suffix in (".yaml", ".yml") or len(path.parts) > 1:
        if not _is_file(path):
            _refuse("person", f'there is no file "{name}"')
    else:
        path = folder / f"{name}.yaml"
        if name in RESERVED or not _is_person(path) or not _is_file(path):
            # A file is named after a person: Ada Example, ada-example.yaml.
            require_folder(folder)
            other = folder / f"{name}.yml"
            if name not in RESERVED and _is_file(other):
                _refuse("person", f'unknown person "{name}"', _RENAME.format(other, other.stem))
            from cvbuild.common.diagnostics import suggest
            from cvbuild.inputs.references import identity

            known = {person.name: person for person in everyone(folder)}
            if person := known.get(of_stem(identity.slug(name), folder).name):
                return person
            hint = suggest(name, known, "the people are")
            _refuse("person", f'unknown person "{name}"', hint)
    if path.name == WORKSPACE and path.parent.name != FOLDER.name:
        _refuse("person", f'"{path.name}" is not a person', "it has settings of all people")
    if is_overlay(path):
        _refuse("person", f'"{path.name}" is not a person', "name the file that it adds to")
    if path.stem in RESERVED or not _is_person(path) or is_reserved(path.stem):
        _refuse("person", f'"{path.name}" is not a person', "the name is reserved")
    return Person(path.stem, path)


def require_folder(folder: Path = FOLDER) -> None:
    """Raise UsageError if there is no folder of people, or none that can be read."""
    if folder.is_dir():
        if not os.access(folder, os.R_OK | os.X_OK):
            fact = f"{folder}/ can't be read: permission denied"
            _refuse("people-folder", fact, "check its permissions")
        return
    here = Path.cwd() / folder.parent
    todo = "change to your workspace, or make one: cvbuild init DIR"
    above = next((one for one in here.parents if _is_file(one / WORKSPACE)), None)
    if above:
        todo = f"{above} is a workspace, but not yours alone; if you trust it: cvbuild -C {above}"
    _refuse("no-workspace", f"{here} has no {folder.name}{os.sep} folder", todo)


def _is_file(path: Path) -> bool:
    """Return whether the file exists, or can't be checked: then reading it reports the error."""
    try:
        return path.is_file()
    except OSError:
        return True


def _refuse(code: str, message: str, hint: str | None = None) -> NoReturn:
    # Imported here: the cheap check also looks for people, and normally has no error.
    from cvbuild.common.diagnostics import UsageError

    raise UsageError.because(code, message, hint)


# -- files that are renamed, copied or put aside, into ``removed/``; none is deleted ---------------

#: The folder in that of people, and in that of applications.
REMOVED = "removed"
#: Overlays are as private there.
_IGNORED = ".gitignore"
#: Beside a person's file: the works that ``cvbuild sync`` leaves alone.
LEFT_ALONE = ".not-mine.txt"
#: The person's own file is the last to go, and the first to come back.
_SUFFIXES = (".private.yaml", LEFT_ALONE, ".yaml")
#: Seconds to wait until another program has saved.
_PATIENCE = 5.0


def removed_names(folder: Path = FOLDER) -> list[str]:
    """Return the names of the files in ``removed/`` that can be put back."""
    paths = sorted((folder / REMOVED).glob("*.yaml"))
    return [path.stem for path in paths if not is_overlay(path)]


def put_aside(path: Path) -> Path:
    """Move a person's or an application's file to ``removed/``; return its path. UsageError."""
    folder = path.parent
    names = (path.stem if at == 1 else f"{path.stem}-{at}" for at in count(1))
    with _alone(path, APPLICATIONS):
        aside = safe_folders.real(folder, REMOVED, make=True)
        if folder == FOLDER and not os.path.lexists(ignoring := aside / _IGNORED):
            safe_folders.create(ignoring, b"*.private.yaml\n")
        name = next(name for name in names if not _is_there(aside / name))
        _move(folder / path.stem, aside / name, _SUFFIXES)
    return folder / REMOVED / f"{name}.yaml"


def put_back(removed: str, path: Path) -> None:
    """Move the files ``removed`` back, to be called as a path says; raises UsageError."""
    folder, name = path.parent, path.stem
    names = [Path(f"{one}.yaml") for one in (removed, name)]
    if folder == FOLDER and (any(map(is_overlay, names)) or name in RESERVED):
        _refuse("removed", "no person has this name", "reload the page")
    with _alone(path, APPLICATIONS):
        aside = safe_folders.real(folder, REMOVED, make=True)
        if not os.path.lexists(aside / f"{removed}.yaml"):
            fact = f"there is no {folder}/{REMOVED}/{removed}.yaml"
            _refuse("removed", fact, "look into that folder")
        if _is_there(folder / name):
            fact = f"{path} exists"
            _refuse("removed", fact, "rename one of the two files")
        _move(aside / removed, folder / name, _SUFFIXES[::-1])


def rename(person: Person, stem: str) -> Path:
    """Rename a person's file, and the overlay; return its path. Raises as ``put_aside``."""
    if stem in RESERVED:
        _refuse("name", f"the name {stem} is reserved", "choose another name")
    with _alone(person.path):
        if _is_there(FOLDER / stem):
            _refuse("exists", f"{FOLDER}/{stem}.yaml exists", "choose another name")
        _move(FOLDER / person.name, FOLDER / stem, _SUFFIXES)
    return FOLDER / f"{stem}.yaml"


def copy(person: Person) -> Path:
    """Copy a person's file, and the overlay, under the next free name; return the file's path."""
    names = (f"{person.name}-{number}" for number in count(2))
    with _alone(person.path):
        stem = next(name for name in names if not _is_there(FOLDER / name))
        for suffix in _SUFFIXES:
            old = FOLDER / f"{person.name}{suffix}"
            if os.path.lexists(old):
                state = old.lstat()
                data = safe_files.read(old, state.st_size, links=False)
                new = FOLDER / f"{stem}{suffix}"
                safe_folders.create(new, data, stat.S_IMODE(state.st_mode))
    return FOLDER / f"{stem}.yaml"


@contextmanager
def _alone(path: Path, *others: Path) -> Iterator[None]:
    """Let nobody save in a file's folder meanwhile, which must be that of people or another one."""
    folder = path.parent
    if folder not in (FOLDER, *others):
        _refuse("removed", f"{path} is not in {FOLDER}/", "move the file yourself")
    try:
        real = safe_folders.real(folder.parent, folder.name)
        with safe_folders.locked(real, _PATIENCE) as is_locked:
            if is_locked is False:
                fact = f"another program has locked {folder}/"
                _refuse("removed", fact, "end it, and try again")
            yield
    except OSError as error:
        fact = f"the files can't be moved: {error.strerror or error}"
        _refuse("removed", fact, "check the folder and its permissions")


def _is_there(stem: Path) -> bool:
    return any(os.path.lexists(f"{stem}{suffix}") for suffix in _SUFFIXES)


def _move(old: Path, new: Path, suffixes: Iterable[str]) -> None:
    for suffix in suffixes:
        if os.path.lexists(f"{old}{suffix}"):
            safe_files.move(f"{old}{suffix}", f"{new}{suffix}")
