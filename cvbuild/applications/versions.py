"""Versions of a person's facts to compare: a file, one of git's revisions, what was sent."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

from msgspec import Struct

from cvbuild.applications import load
from cvbuild.applications.packets import history
from cvbuild.building import pipeline, profiles
from cvbuild.common import limits, processes
from cvbuild.common.diagnostics import Diagnostic, Span, UsageError, id_of, quoted, shown
from cvbuild.common.files import safe_files
from cvbuild.inputs import changes, people
from cvbuild.inputs.changes import find_new
from cvbuild.inputs.people import Person
from cvbuild.inputs.yaml import source
from cvbuild.inputs.yaml.tree import Source
from cvbuild.model.text import language_tags
from cvbuild.outputs.request import Request

#: Nothing of git's that a folder from elsewhere may have set is run, and nothing is fetched.
_GIT = {
    "GIT_CONFIG_NOSYSTEM": "1", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0",
}  # fmt: skip
_REVISION = re.compile(r"[A-Za-z0-9_@^~./{}][\w@^~./{}+-]*")
_SECONDS = 20
#: Files of text beside those of YAML: letters, references.
_TEXTS = (".md", ".txt", ".bib")


class Version(Struct, frozen=True):
    """Files as they are or were, each with its name today: a person's, and an application's."""

    label: str
    files: Mapping[str, Person]

    @property
    def is_now(self) -> bool:
        """Whether it is one file as it is now."""
        return [(Path(name), None) for name in self.files] == [
            (file.path, file.text) for file in self.files.values()
        ]


def today(version: Version) -> Version:
    """Return the same files as they are now; those that are gone are absent."""
    files = {name: Person(file.name, Path(name)) for name, file in version.files.items()}
    return Version("now", {name: file for name, file in files.items() if file.path.is_file()})


def find(text: str) -> Version:
    """Return a person, ``PERSON@REVISION``, or an application that was sent; raises UsageError."""
    name, _, revision = text.rpartition("@")
    if name and not os.path.lexists(text):
        return at_revision(people.find([name])[0], revision)
    path = Path(text)
    packets = [sent for sent in history.packets(Path()) if text in (sent.slug, sent.folder.name)]
    if (path / history.SUMS).is_file():
        packets = [history.Sent(path)]
    if packets:
        return of_sent(packets[-1])
    (person,) = people.find([text])
    return Version(person.path.as_posix(), {person.path.as_posix(): person})


def of_sent(packet: history.Sent) -> Version:
    """Return the files of people and of the application from which a packet was made."""
    files = {}
    for folder in (people.FOLDER, Path(load.FOLDER)):
        for path in sorted((packet.folder / history.INPUTS / folder).glob("*")):
            if path.suffix in (".yaml", *_TEXTS) and not people.is_overlay(path):
                files[(folder / path.name).as_posix()] = Person(path.stem, path)
    if not files:
        reason = f"{shown(str(packet.folder))} has no inputs"
        raise UsageError.because("version", reason, "it was kept by another program")
    return Version(f"sent on {packet.date}", files)


def at_revision(person: Person, revision: str) -> Version:
    """Return a person's file in a revision of git; raises UsageError."""
    name = person.path.as_posix()
    hint = "a revision is such as HEAD, HEAD~3, main or 4ae2e85: git log lists them"
    if not _REVISION.fullmatch(revision):
        raise UsageError.because("version", f"{quoted(revision)} is no revision", hint)
    try:
        done = git(person.path, "cat-file", "blob", f"{revision}:./{person.path.name}")
    except processes.StartError:
        raise UsageError.because("version", "git can't be started", "install git") from None
    if done.code:
        said = shown(done.output.strip().removeprefix("fatal: ")[:200])
        raise UsageError.because("version", f"git can't show {name}: {said}", hint)
    return Version(f"{name} at {revision}", {name: Person(person.name, person.path, done.output)})


def revisions(path: Path, most: int) -> Iterator[tuple[str, int]]:
    """Yield git's last revisions of a file, each with its time in seconds since 1970."""
    with suppress(processes.StartError):
        last = ("--timestamp", f"--max-count={most}", "HEAD", "--", f"./{path.name}")
        for line in git(path, "rev-list", *last).output.splitlines():
            if listed := re.fullmatch(r"(\d+) ([0-9a-f]{40,64})", line):
                yield listed[2], int(listed[1])


def git(path: Path, *arguments: str) -> processes.Finished:
    """Run git in the folder of a file; raises StartError."""
    where, environment = path.resolve().parent, {**os.environ, **_GIT}
    return processes.run(["git", *arguments], cwd=where, env=environment, timeout=_SECONDS)


def facts(person: Person) -> tuple[Any, Source | None]:
    """Return the facts of a file, valid or not, and their places; of a text its paragraphs."""
    if person.path.suffix in _TEXTS:
        text = person.text
        if text is None:
            text = safe_files.read_inside(person.path, source.MAX_BYTES).decode("utf-8", "replace")
        return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()], None
    read = source.load(person.path, text=person.text)
    return read.data, read


class Compared(Struct, frozen=True):
    """The changes of a file between two versions; ``name`` is its name today."""

    name: str
    before: Any
    after: Any
    source: Source | None = None
    """The second version, where places in it are those of the changes."""

    def as_json(self) -> list[dict[str, Any]]:
        """Return the changes as plain objects; raises CvbuildError if that takes too long."""
        with limits.bounded(f"comparing {self.name}"):
            differences = tuple(changes.compare(self.before, self.after))
        there = self.source
        return [
            {
                "kind": change.kind,
                "place": changes.place(change, self.before, self.after),
                # In the second version, if it is there.
                "line": there.span(change.target).line
                if there and change.kind != "removed"
                else None,
                "path": id_of(change.path),
                "target": id_of(change.target),
                "before": change.before,
                "after": change.after,
                "words": changes.words(change),
            }
            for change in differences
        ]


def compared(
    first: Version, second: Version, read: Callable[[Person, int], tuple[Any, Source | None]]
) -> Iterator[Compared]:
    """Yield each file with both versions; ``read`` gives the first (0) or second (1) of a file."""
    names = [(name, name) for name in dict.fromkeys((*first.files, *second.files))]
    if len(first.files) == len(second.files) == 1:
        names = [*zip(first.files, second.files, strict=True)]
    for name, other in names:
        file, two = first.files.get(name), second.files.get(other)
        before = read(file, 0)[0] if file else {}
        yield Compared(other, before, *(read(two, 1) if two else ({}, None)))


def shown_facts(person: Person, variant: str | None, request: Request) -> Any:
    """Return the facts that a document shows, in its language; raises CvbuildError."""
    checked, locale = profiles.check(person, request.library), request.locale
    profile, source = checked.require()
    if variant and variant not in profile.variants:
        known = ", ".join(profile.variants) or "there are none"
        reason = f"{shown(str(person.path))} has no variant {quoted(variant)}"
        raise UsageError.because("version", reason, f"its variants: {known}")
    data = deepcopy(source.data)
    if variant:
        task = profiles.task(checked, variant, request)
        data = deepcopy(task.source.data)
        for path in sorted(pipeline.choose(task).selected.left_out, reverse=True):
            *above, last = path
            inside: Any = data
            for step in above:
                inside = inside[step]
            del inside[last]
        locale = locale or profile.variants[variant].locale
    return _in_language(data, locale or profile.locale) if locale else data


def _in_language(value: Any, locale: str) -> Any:
    """Return the data with one text in place of each of several languages."""
    if isinstance(value, dict):
        if value and all(map(language_tags.is_key, value)):
            tag = language_tags.choose(value, locale)
            return value[tag] if tag else next(iter(value.values()))
        return {key: _in_language(inner, locale) for key, inner in value.items()}
    if isinstance(value, list):
        return [_in_language(inner, locale) for inner in value]
    return value


def new_facts(person: Person, before: str) -> Iterator[Diagnostic]:
    """Yield an error for each fact that an older file, or a revision of git, doesn't have."""
    path = Path(before)
    old = Version(before, {before: Person(path.stem, path)}) if path.is_file() else None
    version = old or at_revision(person, before)
    ((known, _),) = map(facts, version.files.values())
    data, source = facts(person)
    for new in find_new(known, data):
        fact = f"{quoted(new.words)} is a new fact ({new.kind}): {version.label} doesn't say it"
        hint = "keep it if it is true, else take it out"
        span = source.span(new.path) if source else Span(str(person.path))
        yield Diagnostic("error", "new-fact", fact, span, hint)
