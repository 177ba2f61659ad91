"""``cvbuild diff``: list what differs between two versions of a person's facts, by field."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from cvbuild.applications import versions
from cvbuild.cli import console
from cvbuild.cli.report import counted

_MARKS = {"same": "{}", "gone": "[-{}-]", "new": "{{+{}+}}"}


def run(given: argparse.Namespace) -> int:
    """Compare two versions; return 1 if they differ, as diff does."""
    first = versions.find(given.first)
    if given.second:
        second = versions.find(given.second)
    elif first.is_now:
        (person,) = first.files.values()
        first, second = versions.at_revision(person, "HEAD"), first
    else:
        second = versions.today(first)
    files = [(one.name, one.as_json()) for one in versions.compared(first, second)]
    if given.json:
        plain = [{"file": name, "changes": changes} for name, changes in files]
        labels = {"before": first.label, "after": second.label}
        console.print_json({**labels, "files": plain, "diagnostics": []})
    else:
        _say(files, f"{first.label} → {second.label}")
    return int(any(changes for _, changes in files))


def _say(files: Sequence[tuple[str, Sequence[dict[str, Any]]]], labels: str) -> None:
    for name, changes in files:
        number = counted(len(changes), "change", "changes") if changes else "no change"
        console.answer(f"{name}: {number}, {labels}")
        for one in changes:
            line = f"line {one['line']}: " if one["line"] else ""
            console.answer(f"  {one['kind']:8} {line}{one['place']}")
            marks = _MARKS if one["kind"] == "changed" else dict.fromkeys(_MARKS, "{}")
            words = " ".join(marks[what].format(text) for what, text in one["words"])
            console.answer(f"           {words}")
