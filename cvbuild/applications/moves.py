"""Give a person's file another name everywhere, or copy an application; nothing is replaced."""

from __future__ import annotations

import contextlib
import re
from itertools import count
from pathlib import Path

from cvbuild.applications import load
from cvbuild.common import safe_folders
from cvbuild.common.errors import CvbuildError, foreign
from cvbuild.inputs import letters, new_files, people
from cvbuild.inputs.people import WORKSPACE, Person
from cvbuild.inputs.yaml import edit
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.source import MAX_BYTES

_HINT = "check the folder and its permissions"
_LETTER_FILE = (*letters.PATH, "file")


def rename_person(person: Person, name: str) -> Path:
    """Rename a person's file; applications and groups that name it follow, and its documents.

    Returns its path. Raises CvbuildError as ``people.rename``, and for files that can't be
    written.
    """
    path = people.rename(person, new_files.safe(new_files.slug(name), name))
    names_it = re.compile(
        rf"""^(person:[ \t]*)(["']?){re.escape(person.name)}\2(?=[ \t]*(?:#|\r?$))""".encode(),
        re.MULTILINE,
    )
    fact = f"{path.as_posix()} has its new name, but not everywhere"
    with foreign("write", fact, _HINT):
        for slug in load.slugs():
            with safe_folders.opened(load.FOLDER) as folder:
                before = folder.read(f"{slug}.yaml", MAX_BYTES)
                after = names_it.sub(rb"\g<1>" + path.stem.encode(), before)
                if after != before:
                    folder.write(f"{slug}.yaml", after)
        _rename_in_groups(person.name, path.stem)
    # What was built is built anew if it can't be moved.
    with (
        contextlib.suppress(OSError, CvbuildError),
        safe_folders.opened(people.output_folder()) as out,
    ):
        if out.state(person.name) and not out.state(path.stem):
            out.rename(person.name, path.stem)
    return path


def _rename_in_groups(old: str, new: str) -> None:
    """Name a person anew in the groups of the workspace; raises CvbuildError and OSError."""
    if not Path(WORKSPACE).is_file():
        return
    before = text = source_stage.text_of(Path(WORKSPACE))[1]
    data = source_stage.load(Path(WORKSPACE)).data
    groups = data.get("groups") if isinstance(data, dict) else None
    for name, group in groups.items() if isinstance(groups, dict) else ():
        for key in ("people", "without") if isinstance(group, dict) else ():
            place, names = ("groups", name, key), group.get(key)
            if names == old:
                text = edit.put(text, place, new)
            for at, one in enumerate(names) if isinstance(names, list) else ():
                if one == old:
                    text = edit.put(text, (*place, at), new)
    if text != before:
        with safe_folders.opened(".") as folder:
            folder.write(WORKSPACE, text.encode())


def copy_application(slug: str) -> Path:
    """Copy an application under the next free name, and the file of its letter; return its path.

    Raises CvbuildError for files that can't be read or written.
    """
    path = Path(load.FOLDER, f"{slug}.yaml")
    source = source_stage.load(path, load.BEGIN)
    text = source_stage.text_of(path)[1]
    letter = letters.markdown(source, path.parent)
    with foreign("write", "can't copy the application", _HINT):
        if letter:
            # Or what is written in the one would change the other.
            own = _copied(letter.path.resolve(), letter.path.read_bytes())
            part = source.find(letters.PATH)
            place = letters.PATH if part and isinstance(part.data, str) else _LETTER_FILE
            text = edit.put(text, place, own.relative_to(path.parent.resolve()).as_posix())
        return _copied(path, text.encode())


def _copied(path: Path, data: bytes) -> Path:
    """Write a file beside another one, under the next free name of it; return its path."""
    with safe_folders.opened(path.parent) as folder:
        names = (f"{path.stem}-{number}{path.suffix}" for number in count(2))
        name = next(name for name in names if not folder.state(name))
        folder.create(name, data)
    return path.with_name(name)
