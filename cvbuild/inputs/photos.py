"""A photo that is chosen in the page or imported: checked, and kept beside the person's file."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from cvbuild.common.errors import UsageError
from cvbuild.common.files import sibling_files
from cvbuild.common.files.sibling_files import SiblingFileError
from cvbuild.inputs import new_files, pictures
from cvbuild.inputs.people import Person
from cvbuild.inputs.schema import starter_files
from cvbuild.inputs.yaml import changes

#: Photos of one person: none is overwritten, so that undo leads back to the one before.
_MANY = 100


def keep(data: bytes, person: Person) -> str:
    """Write a photo as documents show it, small and without metadata, and return its file's name.

    It is called after the person. Raises CvbuildError for what is no photo or can't be written.
    """
    photo, folder = pictures.clean(data), person.path.parent
    stem = starter_files.slug(person.name) or "photo"
    for number in range(1, _MANY):
        name = f"{stem}-{number}.jpg" if number > 1 else f"{stem}.jpg"
        if [*new_files.write(folder.parent, {(Path(folder.name) / name).as_posix(): photo})]:
            return name
        if _is(photo, name, folder):
            return name
    fact = f"{person.name} has {_MANY - 1} photos in {folder}"
    raise UsageError.because("photo", fact, "delete those that no file names")


def named(text: str, data: bytes, person: Person) -> str:
    """Keep a photo, and return the text of the person's file with its name."""
    return changes.put(text, ("photo",), keep(data, person))


def _is(photo: bytes, name: str, folder: Path) -> bool:
    with suppress(SiblingFileError):
        return sibling_files.read(sibling_files.find(name, folder), pictures.MAX_BYTES) == photo
    return False
