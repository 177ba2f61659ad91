"""What is remembered of finished documents, so that it is cheap to see that nothing changed.

A memory and nothing more: each document's entry holds the state of every file that it was made
from, and whatever of it can't be read, or is of another form, is as if it weren't there.

    {"world": ..., "groups": {name: {path: state}}, "people": {path: person}}

``shapes`` says what a person and a document are. Files that many documents share are in groups.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Mapping

from cvbuild import shapes, stamps
from cvbuild.shapes import Document, Person, State

#: Folder below ``out/.build``; a file for each set of options, so many are kept.
FOLDER, KEPT = "index", 8
#: A file is trusted by its stamp if it was last changed longer ago than this (ns) when looked at.
_TICK = 2_000_000_000


def look(path: str, now: int) -> State:
    """The state of a file; ``now`` is the time in ns since 1970, or any before it.

    A file that was written just now, or in the future, may be written again without another
    stamp, so that its stamp is not to be trusted.
    """
    stamp = stamps.of(path)
    if stamp is None:
        return ["", 1]
    identity = stamps.identity(path)
    sure = now - max(stamp[0], stamp[1]) > _TICK and stamps.of(path) == stamp
    return [identity, int(sure), *stamp]


def same(path: str, state: State, now: int) -> bool:
    """Whether the file is what it was; a state that isn't trusted is made anew if so."""
    stamp = stamps.of(path)
    if stamp is None:
        return str(state[0]) == ""
    if state[1] == 1 and tuple(state[2:]) == stamp:
        return True
    seen = look(path, now)
    if not seen[0] or seen[0] != state[0]:
        return False
    state[:] = seen
    return True


class Index:
    """The memory of one set of options, read from its file and written back.

    ``world`` is what else must be the same for any of it to count.
    """

    def __init__(self, path: str, world: Mapping[str, object]) -> None:
        self.path = path
        self.world = world
        self.groups, self.people = shapes.load(path, world) or ({}, {})
        self.changed = False
        self._holding: dict[str, bool] = {}
        self._touched: set[str] = set()

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
        self.groups.pop(group, None)
        self._holding.pop(group, None)
        _drop(self.people, {group})

    def fresh(self, path: str, now: int) -> Person | None:
        """The entry of a person whose file and photo are what they were."""
        person = self.people.get(path)
        if person is None:
            return None
        photo = person["photo"]
        if not self._same(path, person["file"], now, path):
            return None
        return person if photo is None or self._same(*photo, now, path) else None

    def finished(self, path: str, document: Document, now: int) -> bool:
        """Whether a document of such a person is what its inputs say."""
        return (
            all(self.holds(group, now) for group in document["needs"])
            and self._same(*document["record"], now, path)
            and self._same(*document["pdf"], now, path)
        )

    def person(self, path: str, file: State, photo: tuple[str, State] | None) -> Person:
        """A person's entry for a file and a photo in that state.

        It has the documents that it had, if both are what they were.
        """
        self._touched.add(path)
        self.changed = True
        known = self.people.get(path)
        if known and known["file"][0] == file[0] and _identity(known["photo"]) == _identity(photo):
            known["file"], known["photo"] = file, photo
            return known
        entry: Person = {"file": file, "photo": photo, "picked": [], "said": [], "documents": {}}
        self.people[path] = entry
        return entry

    def lose(self, path: str) -> None:
        """Forget a person."""
        self._touched.add(path)
        self.changed = self.people.pop(path, None) is not None or self.changed

    def write(self) -> None:
        """Write it all, with what others have written meanwhile.

        A folder that can't be written is no fault: the next run asks the exact question.
        """
        groups, people = shapes.load(self.path, self.world) or ({}, dict(self.people))
        _drop(people, {name for name in groups if _differ(groups[name], self.groups.get(name, {}))})
        for path in self._touched:
            people.pop(path, None)
            if path in self.people:
                people[path] = self.people[path]
        for name, files in self.groups.items():
            groups[name] = {**groups.get(name, {}), **files}
        people = {path: person for path, person in people.items() if os.path.lexists(path)}
        with contextlib.suppress(OSError):
            _write(self.path, {"world": self.world, "groups": groups, "people": people})
            _prune(os.path.dirname(self.path))
        self.changed = False

    def _same(self, path: str, state: State, now: int, person: str | None = None) -> bool:
        trusted = state[1]
        before = list(state)
        same_file = same(path, state, now)
        if state[1] != trusted or state != before:
            self.changed = True
            if person is not None:
                self._touched.add(person)
        return same_file


def _identity(photo: tuple[str, State] | None) -> object:
    return photo and (photo[0], photo[1][0])


def _differ(one: dict[str, State], other: dict[str, State]) -> bool:
    """Whether two states of a group say different things of a file."""
    return any(path in other and other[path][0] != state[0] for path, state in one.items())


def _drop(people: dict[str, Person], groups: set[str]) -> None:
    """Take out the documents that need any of the groups."""
    for person in people.values():
        documents = person["documents"]
        for name in [n for n, one in documents.items() if not groups.isdisjoint(one["needs"])]:
            del documents[name]


def _write(path: str, data: Mapping[str, object]) -> None:
    """Beside, then in place."""
    beside = f"{path}.{os.getpid()}.new"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        with open(beside, "w", encoding="ascii") as file:
            # Not json.dump, which takes ten times as long.
            file.write(json.dumps(data, separators=(",", ":")))
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


def _prune(folder: str) -> None:
    """Keep the newest few; what a killed run left goes with the old."""
    found = sorted(os.scandir(folder), key=lambda entry: entry.stat().st_mtime_ns, reverse=True)
    for entry in found[KEPT:]:
        with contextlib.suppress(OSError):
            os.unlink(entry.path)
