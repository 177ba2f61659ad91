"""What is remembered of finished documents, so that it is cheap to see that nothing changed.

A memory and nothing more: each document's entry holds the state of every file that it was made
from, and whatever of it can't be read, or is of another form, is as if it weren't there.

Files that many documents share are in groups; ``shapes`` says what is kept of a person.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from cvbuild.building.cache import index_format
from cvbuild.common import safe_files
from cvbuild.common.file_state import look, same

if TYPE_CHECKING:
    from cvbuild.building.cache.index_format import Document, Person
    from cvbuild.common.file_state import State

#: Folder below ``out/.build``; a file for each set of options, so many are kept.
FOLDER, KEPT = "index", 8
#: The names of its files, and of those that a killed run left.
_OURS = re.compile(r"[0-9a-f]{16}\.json(\.[0-9]+\.new)?")


class Index:
    """The memory of one set of options, read from its file and written back.

    ``world`` is what else must be the same for any of it to count.
    """

    def __init__(self, path: str, world: Mapping[str, object]) -> None:
        self.path = path
        self.world = world
        self.changed = False
        self.renewed = 0
        """How many states were made anew by ``fresh`` and ``finished``; who asked may ``put``."""
        self.groups, self._lines = index_format.load(path, world) or ({}, {})
        self._people: dict[str, Person] = {}
        self._holding: dict[str, bool] = {}
        self._touched: set[str] = set()
        self._remade: set[str] = set()

    def holds(self, group: str, now: int) -> bool:
        """Whether all files of a group are what they were; they are looked at once."""
        if group not in self._holding:
            files = self.groups.get(group)
            self._holding[group] = files is not None and all(
                self._same(path, state, now) for path, state in files.items()
            )
        return self._holding[group]

    def enter(self, group: str, paths: Iterable[str], now: int) -> dict[str, State]:
        """The group's states, with those of ``paths``; made anew where it doesn't hold."""
        if not self.holds(group, now):
            self.forget(group)
            self._holding[group] = True
        files = self.groups.setdefault(group, {})
        for path in paths:
            if path not in files:
                files[path] = look(path, now)
        return files

    def forget(self, group: str) -> None:
        """Drop the group and every document that needs it."""
        self._holding.pop(group, None)
        self._remade.add(group)
        if self.groups.pop(group, None) is not None:
            self._lines = _without(self._lines, {group})
            for person in self._people.values():
                _drop(person, {group})

    def person(self, path: str) -> Person | None:
        """What is kept of a person; changes to it are kept by ``put``."""
        return self._people.get(path) or index_format.person(self._lines.get(path, ""))

    def put(self, path: str, person: Person) -> None:
        """Keep what is known of a person."""
        self._people[path] = person
        self._touched.add(path)
        self.changed = True

    def lose(self, path: str) -> None:
        """Forget a person."""
        self._touched.add(path)
        self._people.pop(path, None)
        self.changed = self._lines.pop(path, None) is not None or self.changed

    def fresh(self, path: str, now: int) -> Person | None:
        """What is kept of a person whose file and photo are what they were."""
        person = self.person(path)
        if person is None:
            return None
        photo = person["photo"]
        if not self._same(path, person["file"], now):
            return None
        return person if not photo or self._same(*photo, now) else None

    def finished(self, document: Document, now: int) -> bool:
        """Whether a document of such a person is what its inputs say."""
        return (
            all(self.holds(group, now) for group in document["needs"])
            and all(self._same(*file, now) for file in document["files"])
            and self._same(*document["record"], now)
            and self._same(*document["output"], now)
        )

    def write(self) -> None:
        """Write it all, with what others have written meanwhile.

        A folder that can't be written is no fault: the next run asks the exact question.
        """
        self._lines |= {path: index_format.text(one) for path, one in self._people.items()}
        self._people.clear()
        groups, people = index_format.load(self.path, self.world) or ({}, dict(self._lines))
        differing = {name for name in groups if self._differs(name, groups[name])}
        people = _without(people, differing)
        for path in self._touched:
            people.pop(path, None)
            if path in self._lines:
                people[path] = self._lines[path]
        for name, files in self.groups.items():
            before = {} if name in differing else groups.get(name, {})
            groups[name] = {**before, **files}
        people = {path: person for path, person in people.items() if os.path.lexists(path)}
        with contextlib.suppress(OSError):
            _write(self.path, index_format.dump(self.world, groups, people))
            _prune(os.path.dirname(self.path))
        self.changed = False

    def _differs(self, group: str, files: dict[str, State]) -> bool:
        """Whether what the file says of a group is not what was found in this run."""
        ours = self.groups.get(group, {})
        if any(path in ours and ours[path][0] != state[0] for path, state in files.items()):
            return True
        return group in self._remade and not files.keys() <= ours.keys()

    def _same(self, path: str, state: State, now: int) -> bool:
        before = list(state)
        found = same(path, state, now)
        if state != before:
            self.renewed += 1
            self.changed = True
        return found


def _without(lines: dict[str, str], groups: set[str]) -> dict[str, str]:
    """The people without the documents that need any of the groups."""
    if not groups:
        return lines
    kept = {}
    for path, line in lines.items():
        person = index_format.person(line)
        if person is not None:
            _drop(person, groups)
            kept[path] = index_format.text(person)
    return kept


def _drop(person: Person, groups: set[str]) -> None:
    """Take out the documents that need any of the groups."""
    documents = person["documents"]
    for name in [n for n, one in documents.items() if not groups.isdisjoint(one["needs"])]:
        del documents[name]


def _write(path: str, text: str) -> None:
    """Beside, then in place."""
    folder, name = os.path.split(path)
    os.makedirs(folder, exist_ok=True)
    safe_files.replace(path, text.encode("ascii"), f"{name}.{os.getpid()}.new")


def _prune(folder: str) -> None:
    """Keep the newest few of ours; what a killed run left goes with the old."""
    with safe_files.open_folder(*os.path.split(folder)) as handle:
        if handle is None:
            return
        found = [
            (os.stat(name, dir_fd=handle, follow_symlinks=False).st_mtime_ns, name)
            for name in os.listdir(handle)
            if _OURS.fullmatch(name)
        ]
        for _, name in sorted(found, reverse=True)[KEPT:]:
            with contextlib.suppress(OSError):
                os.unlink(name, dir_fd=handle)
