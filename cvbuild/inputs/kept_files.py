"""Files that are chosen in the page or imported: checked, and kept beside the file that names them.

None is overwritten, so that undo leads back to the one before.
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path, PurePosixPath

from cvbuild.common.errors import UsageError
from cvbuild.common.files import sibling_files
from cvbuild.common.files.sibling_files import SiblingFileError
from cvbuild.inputs import new_files, pictures
from cvbuild.inputs.people import Person
from cvbuild.inputs.schema import starter_files
from cvbuild.inputs.yaml import edit

#: Files of one name, with a number behind it.
_MANY = 100
#: Characters of a chosen file's name, and those that no name may have.
_LONGEST = 120
_ODD = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]')


def photo(data: bytes, person: Person) -> str:
    """Write a photo as documents show it, small and without metadata, and return its file's name.

    It is called after the person. Raises CvbuildError for what is no photo or can't be written.
    """
    stem = starter_files.slug(person.name) or "photo"
    return keep(pictures.clean(data), f"{stem}.jpg", person.path.parent)


def with_photo(text: str, data: bytes, person: Person) -> str:
    """Keep a photo, and return the text of the person's file with its name."""
    return edit.put(text, ("photo",), photo(data, person))


def keep(data: bytes, name: str, folder: Path) -> str:
    """Write a file into a folder of the workspace, and return its name: a free one if need be.

    The same file is kept once. Raises UsageError if it can't be written.
    """
    stem, suffix = PurePosixPath(name).stem, PurePosixPath(name).suffix
    for number in range(1, _MANY):
        name = f"{stem}-{number}{suffix}" if number > 1 else f"{stem}{suffix}"
        if [*new_files.write(folder.parent, {(Path(folder.name) / name).as_posix(): data})]:
            return name
        if _is(data, name, folder):
            return name
    fact = f"{folder} has {_MANY - 1} files named {stem}"
    raise UsageError.because("file", fact, "delete those that no file names")


def plain_name(given: str) -> str:
    """Return a chosen file's name as one that stays in its folder; "" if nothing is left of it."""
    name = PurePosixPath(given.replace("\\", "/")).name
    return _ODD.sub("_", name).strip(" .-")[-_LONGEST:]


def _is(data: bytes, name: str, folder: Path) -> bool:
    with suppress(SiblingFileError):
        return sibling_files.read(sibling_files.find(name, folder), len(data)) == data
    return False
