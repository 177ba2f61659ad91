"""``cvbuild diff``: list what differs between two versions of a person's facts, by field."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from cvbuild.applications import load, versions
from cvbuild.building.environment import counted_from, known_locale, workspace_library
from cvbuild.cli import console
from cvbuild.cli.report import counted
from cvbuild.cli.workspace import epoch
from cvbuild.common.errors import UsageError
from cvbuild.inputs.people import Person
from cvbuild.inputs.yaml.source import Source

_MARKS = {"same": "{}", "gone": "[-{}-]", "new": "{{+{}+}}"}


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

    def read(person: Person, at: int) -> tuple[Any, Source | None]:
        if person.path.parent.name == load.FOLDER or not (variants[at] or locales[at]):
            return versions.facts(person)
        return versions.shown_facts(person, library, variants[at], locales[at], day), None

    labels = [
        ", ".join(filter(None, (one.label, variants[at], locales[at])))
        for at, one in enumerate((first, second))
    ]
    files = [(one.name, one.as_json()) for one in versions.compared(first, second, read)]
    if given.json:
        before, after = labels
        plain = [{"file": name, "changes": changes} for name, changes in files]
        console.print_json({"before": before, "after": after, "files": plain, "diagnostics": []})
    else:
        say(files, " → ".join(labels))
    return int(any(changes for _, changes in files))


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


def say(files: Sequence[tuple[str, Sequence[dict[str, Any]]]], labels: str) -> None:
    """Print the changes of each file, a line each, with the words that differ marked."""
    for name, changes in files:
        number = counted(len(changes), "change", "changes") if changes else "no change"
        console.answer(f"{name}: {number}, {labels}")
        for one in changes:
            line = f"line {one['line']}: " if one["line"] else ""
            console.answer(f"  {one['kind']:8} {line}{one['place']}")
            marks = _MARKS if one["kind"] == "changed" else dict.fromkeys(_MARKS, "{}")
            words = " ".join(marks[what].format(text) for what, text in one["words"])
            console.answer(f"           {words}")
