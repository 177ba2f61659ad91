"""``cvbuild diff``: list what differs between two versions of a person's facts, by field."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from cvbuild.applications import load, versions
from cvbuild.applications.versions import Version
from cvbuild.building.environment import counted_from, known_locale, workspace_library
from cvbuild.cli import console
from cvbuild.cli.report import counted
from cvbuild.cli.workspace import epoch
from cvbuild.common.diagnostics import id_of
from cvbuild.common.errors import UsageError
from cvbuild.inputs import changes
from cvbuild.inputs.changes import Change
from cvbuild.inputs.people import Person
from cvbuild.inputs.yaml.source import Source

_MARKS = {"same": "{}", "gone": "[-{}-]", "new": "{{+{}+}}"}


class _File(Struct, frozen=True):
    """The changes of one file; ``name`` is its name today."""

    name: str
    before: Any
    after: Any
    changes: tuple[Change, ...]
    source: Source | None = None
    """The second version, where places in it are those of the changes."""

    def place(self, one: Change) -> str:
        """Return the words for the place of a change."""
        if one.kind == "added":
            return changes.place(self.after, one.target)
        return changes.place(self.before, one.path)

    def line(self, one: Change) -> int | None:
        """Return the line of a change in the second version, if it is there."""
        if self.source is None or one.kind == "removed":
            return None
        return self.source.span(one.target).line


def run(given: argparse.Namespace) -> int:
    """Compare two versions; return 1 if they differ, as diff does."""
    variants, locales = _pair("variant", given.variant), _pair("locale", given.locale)
    first = versions.find(given.first)
    if given.second:
        second = versions.find(given.second)
    elif first.is_now and variants[0] == variants[1] and locales[0] == locales[1]:
        (person,) = first.files.values()
        first, second = versions.at_revision(person, "HEAD"), first
    else:
        second = versions.today(first)
    library, day = workspace_library(given.template_path), counted_from(epoch())

    def facts(person: Person | None, at: int) -> tuple[Any, Source | None]:
        if person is None:
            return {}, None
        if person.path.parent.name == load.FOLDER or not (variants[at] or locales[at]):
            return versions.facts(person)
        return versions.shown_facts(person, library, variants[at], locales[at], day), None

    labels = [
        ", ".join(filter(None, (one.label, variants[at], locales[at])))
        for at, one in enumerate((first, second))
    ]
    files = []
    for name, one, other in _same_files(first, second):
        (before, _), (after, source) = facts(one, 0), facts(other, 1)
        files.append(_File(name, before, after, changes.compare(before, after), source))
    if given.json:
        plain = [{"file": one.name, "changes": [*_plain(one)]} for one in files]
        before, after = labels
        console.print_json({"before": before, "after": after, "files": plain, "diagnostics": []})
    else:
        _say(files, *labels)
    return int(any(one.changes for one in files))


def _pair(name: str, text: str | None) -> tuple[str | None, str | None]:
    """Return what both versions are shown as: one for both, or each its own."""
    if text is None:
        return None, None
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > 2 or "" in parts:
        raise UsageError.because(name, f"--{name} takes one, or two of them", f"--{name} A,B")
    for part in parts if name == "locale" else ():
        known_locale(part)
    return parts[0], parts[-1]


def _same_files(
    first: Version, second: Version
) -> Iterator[tuple[str, Person | None, Person | None]]:
    """Yield each file by name with both versions of it; of two single files, these."""
    if len(first.files) == len(second.files) == 1:
        ((_, one),), ((name, other),) = first.files.items(), second.files.items()
        yield name, one, other
        return
    for name in dict.fromkeys((*first.files, *second.files)):
        yield name, first.files.get(name), second.files.get(name)


def _say(files: list[_File], before: str, after: str) -> None:
    for file in files:
        number = counted(len(file.changes), "change", "changes") if file.changes else "no change"
        console.answer(f"{file.name}: {number}, {before} → {after}")
        for one in file.changes:
            line = file.line(one)
            at = f"line {line}: " if line else ""
            console.answer(f"  {one.kind:8} {at}{file.place(one)}")
            console.answer(f"           {_words(one)}")


def _words(one: Change) -> str:
    match one.kind:
        case "moved":
            return f"was number {int(one.path[-1]) + 1}, is number {int(one.target[-1]) + 1}"
        case "changed":
            words = changes.marked(changes.words_of(one.before), changes.words_of(one.after))
            return " ".join(_MARKS[what].format(text) for what, text in words)
    return changes.short(changes.words_of(one.before if one.kind == "removed" else one.after))


def _plain(file: _File) -> Iterator[dict[str, Any]]:
    for one in file.changes:
        yield {
            "kind": one.kind,
            "place": file.place(one),
            "line": file.line(one),
            "path": id_of(one.path),
            "target": id_of(one.target),
            "before": one.before,
            "after": one.after,
        }
