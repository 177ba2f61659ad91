"""What ``import`` says of how sure it is: counts, and what to look at first."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict, replace

from msgspec import Struct

from cvbuild.cli import console, table
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.importers import plausibility
from cvbuild.importers.types import Imported
from cvbuild.inputs.yaml.source import Source

#: Guesses that are named.
_FIRST = 5
#: Messages of a kind that are told each.
_EACH = 2
#: What a message is about, without the value and the key: "front matter", "design".
_KIND = re.compile(r'(?:"[^"]*"|[^".,:(])[^".,:(]*')
_COLUMNS = ("section", "items", "whole", "guessed", "lost")


class Report(Struct, frozen=True):
    """What an import came to: the person's file, and what was found.

    ``source`` is that file as it is now, None if it wasn't written; ``is_valid`` is False for one
    that can't be built yet. ``notes`` are what a file that is there keeps as it is.
    """

    path: str
    found: Imported
    source: Source | None = None
    is_valid: bool = True
    notes: tuple[Diagnostic, ...] = ()

    @property
    def needs_a_look(self) -> bool:
        """Whether anything was guessed, lost, or is probably wrong."""
        found = self.found
        return bool(found.guesses or found.lost or found.warnings or plausibility.poor(found))

    def first(self) -> list[Diagnostic]:
        """Return what to look at first: the guesses, those of the head before others."""
        return plausibility.guesses(self.found, self.source, self.path)

    def as_json(self) -> dict[str, object]:
        """Return a plain object for ``--json``."""
        return {
            "path": self.path,
            "written": self.source is not None,
            "valid": self.is_valid,
            "draft": self.found.draft,
            "poor": plausibility.poor(self.found),
            "sections": [asdict(one) for one in plausibility.counts(self.found)],
            "guesses": self.first(),
            "lost": [one.note for one in self.found.lost],
            "warnings": list(self.found.warnings),
            "notes": list(self.notes),
        }


def show_kinds(told: Iterable[Diagnostic]) -> None:
    """Print messages, of more than two of a kind the first, with how many more there are.

    The person's file has what was lost as comments, and ``--json`` has all messages.
    """
    kinds: dict[tuple[str, ...], list[Diagnostic]] = {}
    for one in told:
        kind = _KIND.match(one.message)
        about = re.sub('"[^"]*"', "", kind[0]) if kind else one.message
        kinds.setdefault((one.severity, one.code, about), []).append(one)
    for first, *others in kinds.values():
        if len(others) < _EACH:
            console.show([first, *others])
            continue
        line = max((one.span.line for one in others if one.span), default=0)
        more = f"and {len(others)} more like it{f', to line {line}' if line else ''}"
        console.show([replace(first, message=f"{first.message} ({more})")])


def show(report: Report) -> None:
    """Print the counts of each section, and what to look at first."""
    counts = plausibility.counts(report.found)
    rows = [_COLUMNS, *(tuple(str(getattr(one, key)) for key in _COLUMNS) for one in counts)]
    for line in table.lines(rows):
        console.say(f"  {line}")
    if poor := plausibility.warning(report.found, report.path):
        console.show([poor])
    first = report.first()
    if first:
        console.say("look at first:")
        console.show(first[:_FIRST])
    if len(first) > _FIRST:
        console.say(f"  and {len(first) - _FIRST} more that are marked # ?")
