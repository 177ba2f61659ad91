"""The index of finished documents, which makes it cheap to see that nothing changed.

A cache and nothing more: each document's entry holds the state of every file that it was made
from, and an entry that can't be read, or has another form, counts as absent. Files that many
documents share are in groups.

Its file is sealed with the user's key. What is sealed so was written by ``_text``, so only the
world is compared, which has the number of its form. People are parsed only when they are needed, so
that a thousand take little time and memory.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cvbuild.common import sealed
from cvbuild.common.files import safe_files
from cvbuild.common.files.file_state import look, same

# Typed dictionaries take 1.5 ms to make, and nothing needs them at run time.
if TYPE_CHECKING:
    from typing import TypedDict

    from cvbuild.common.files.file_state import State

    #: A diagnostic or a document as --json prints it.
    JsonObject = dict[str, Any]
    Groups = dict[str, dict[str, State]]

    class Document(TypedDict):
        """A finished document: the groups that it ``needs``, and the states of its own files.

        ``files`` may be missing; then that is their state. ``day`` (since 1970) is the build's if
        the document may be another one on the next day, else None.
        """

        needs: list[str]
        files: list[tuple[str, State]]
        day: int | None
        output: tuple[str, State]
        record: tuple[str, State]
        outcome: JsonObject
        notes: list[JsonObject]

    class Person(TypedDict):
        """A person's file, those it names, the picked documents, and its diagnostics.

        The workspace's file is among those it names, whether it exists or not.

        ``failed`` has the first error of each document that failed when it was built last.

        ``picked`` are names of documents; ``formats`` are those that the person picked for each;
        ``variants`` are all that the person has, ``private`` those of them that show everything;
        ``daily`` those whose rules count back from the day; ``public`` counts what the public ones
        show of ``contact``, by field.
        """

        file: State
        named: list[tuple[str, State]]
        picked: list[str]
        formats: list[str]
        variants: list[str]
        private: list[str]
        daily: list[str]
        public: dict[str, int]
        said: list[JsonObject]
        documents: dict[str, Document]
        failed: dict[str, JsonObject]


#: The size of the file in bytes; a person takes about 5 kB.
_MOST = 256 << 20
#: Folder below ``out/.build``, with a file for each set of options; how many files it may have.
FOLDER, MOST_FILES = "index", 8
#: The names of its files, and of those that a killed run left behind.
_OURS = re.compile(r"[0-9a-f]{16}\.json(\.[0-9]+\.new)?")


class Index:
    """The index for one set of options, read from its file and written back.

    ``world`` is everything else that must be the same for its entries to be valid, ``key`` the
    user's.
    """

    def __init__(self, path: str, world: Mapping[str, object], key: bytes) -> None:
        self.path, self._key = path, key
        self.world = world
        self.changed = False
        self.renewed = 0
        """How many states were renewed by ``unchanged_person`` and ``is_up_to_date``."""
        self.groups, self._lines = _load(path, world, key) or ({}, {})
        self._people: dict[str, Person] = {}
        self._unchanged: dict[str, bool] = {}
        self._changed_people: set[str] = set()
        self._renewed_groups: set[str] = set()

    def is_unchanged(self, group: str, now: int) -> bool:
        """Return whether all files of a group are unchanged; they are looked at once."""
        if group not in self._unchanged:
            files = self.groups.get(group)
            self._unchanged[group] = files is not None and all(
                self._same(path, state, now) for path, state in files.items()
            )
        return self._unchanged[group]

    def add_files(self, group: str, paths: Iterable[str], now: int) -> dict[str, State]:
        """Return the group's states with those of ``paths``; renewed if a file has changed."""
        if not self.is_unchanged(group, now):
            self.drop_group(group)
            self._unchanged[group] = True
        files = self.groups.setdefault(group, {})
        for path in paths:
            if path not in files:
                files[path] = look(path, now)
        return files

    def drop_group(self, group: str) -> None:
        """Drop the group and every document that needs it."""
        self._unchanged.pop(group, None)
        self._renewed_groups.add(group)
        if self.groups.pop(group, None) is not None:
            self._lines = _without(self._lines, {group})
            for person in self._people.values():
                _drop(person, {group})

    def person(self, path: str) -> Person | None:
        """Return a person's entry; changes to it are stored by ``put``."""
        return self._people.get(path) or _parsed(self._lines.get(path, ""))

    def put(self, path: str, person: Person) -> None:
        """Store a person's entry."""
        self._people[path] = person
        self._changed_people.add(path)
        self.changed = True

    def remove(self, path: str) -> None:
        """Drop a person's entry."""
        self._changed_people.add(path)
        self._people.pop(path, None)
        self.changed = self._lines.pop(path, None) is not None or self.changed

    def unchanged_person(self, path: str, now: int) -> Person | None:
        """Return the entry of a person whose file, and those it names, are unchanged; else None."""
        person = self.person(path)
        if person is None:
            return None
        files = [(path, person["file"]), *person["named"]]
        return person if all(self._same(*file, now) for file in files) else None

    def is_up_to_date(self, document: Document, now: int, day: int | None) -> bool:
        """Return whether such a person's document is up to date.

        ``day`` is today, since 1970; None if the day of all documents is the same.
        """
        return (
            document["day"] in (None, day)
            and all(self.is_unchanged(group, now) for group in document["needs"])
            and all(self._same(*file, now) for file in document["files"])
            and self._same(*document["record"], now)
            and self._same(*document["output"], now)
        )

    def write(self) -> None:
        """Write the index, merged with what other runs have written in the meantime.

        A folder that can't be written is no error: the next run makes the exact check.
        """
        self._lines |= {path: _line(one) for path, one in self._people.items()}
        self._people.clear()
        groups, people = _load(self.path, self.world, self._key) or ({}, dict(self._lines))
        differing = {name for name in groups if self._differs(name, groups[name])}
        people = _without(people, differing)
        for path in self._changed_people:
            people.pop(path, None)
            if path in self._lines:
                people[path] = self._lines[path]
        for name, files in self.groups.items():
            before = {} if name in differing else groups.get(name, {})
            groups[name] = {**before, **files}
        people = {path: person for path, person in people.items() if os.path.lexists(path)}
        text = _text(self.world, groups, people, self._key)
        with contextlib.suppress(OSError):
            _write(self.path, text)
        self.changed = False

    def _differs(self, group: str, files: dict[str, State]) -> bool:
        """Return whether the file's states of a group differ from those found in this run."""
        ours = self.groups.get(group, {})
        if any(path in ours and ours[path][0] != state[0] for path, state in files.items()):
            return True
        return group in self._renewed_groups and not files.keys() <= ours.keys()

    def _same(self, path: str, state: State, now: int) -> bool:
        before = list(state)
        found = same(path, state, now)
        if state != before:
            self.renewed += 1
            self.changed = True
        return found


def _without(lines: dict[str, str], groups: set[str]) -> dict[str, str]:
    """Return the people without the documents that need any of the groups."""
    if not groups:
        return lines
    remaining = {}
    for path, line in lines.items():
        person = _parsed(line)
        if person is not None:
            _drop(person, groups)
            remaining[path] = _line(person)
    return remaining


def _drop(person: Person, groups: set[str]) -> None:
    """Remove the documents that need any of the groups."""
    documents = person["documents"]
    for name in [n for n, one in documents.items() if not groups.isdisjoint(one["needs"])]:
        del documents[name]


def _write(path: str, text: str) -> None:
    """Replace the file, and keep the newest few of our files: a killed run may have left some."""
    from cvbuild.common.files import safe_folders

    parent, name = os.path.split(path)
    with safe_folders.stored(Path(parent), make=True) as folder:
        folder.write(name, text.encode("ascii"), f"{name}.{os.getpid()}.new")
        entries = [
            (state.st_mtime_ns, name)
            for name in filter(_OURS.fullmatch, folder.names())
            if (state := folder.state(name))
        ]
        for _, old in sorted(entries, reverse=True)[MOST_FILES:]:
            with contextlib.suppress(OSError):
                folder.unlink(old)


def _load(
    path: str, world: Mapping[str, object], key: bytes
) -> tuple[Groups, dict[str, str]] | None:
    """Return groups and, unparsed, people; None if the file has no entries for this world.

    It vouches for documents, so it counts only if it was sealed with the user's ``key``.
    """
    try:
        text = safe_files.read(path, _MOST, links=False).decode("ascii")
        first, *lines = sealed.unseal(text, key).split("\n")
    except (OSError, ValueError, MemoryError):
        return None
    shared = json.loads(first)
    if shared.get("world") != world:
        return None
    named = (line.split("\t", 1) for line in lines)
    return shared["groups"], {json.loads(name): person for name, person in named}


def _text(
    world: Mapping[str, object], groups: Groups, people: Mapping[str, str], key: bytes
) -> str:
    """Return the text that ``_load`` reads: a line for what is shared, and one for each person."""
    # Not json.dump, which takes ten times as long.
    shared = {"world": world, "groups": groups}
    lines = [json.dumps(shared, separators=(",", ":"))]
    lines += [f"{json.dumps(path)}\t{person}" for path, person in people.items()]
    return sealed.seal("\n".join(lines), key)


def _parsed(text: str) -> Person | None:
    """Return the entry of a person from its line; None if there is none."""
    entry: Person | None = json.loads(text) if text else None
    return entry


def _line(person: Person) -> str:
    """Return the entry of a person as one line."""
    return json.dumps(person, separators=(",", ":"))
