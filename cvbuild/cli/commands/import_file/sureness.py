"""What ``import`` says of how sure it is: counts, and what to look at first."""

from __future__ import annotations

from dataclasses import asdict

from msgspec import Struct

from cvbuild.cli import console, table
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.importers import plausibility, tally
from cvbuild.importers.types import Imported
from cvbuild.inputs.yaml.source import Source

#: Guesses that are named.
_FIRST = 5
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
        return tally.guesses(self.found, self.source, self.path)

    def as_json(self) -> dict[str, object]:
        """Return a plain object for ``--json``."""
        return {
            "path": self.path,
            "written": self.source is not None,
            "valid": self.is_valid,
            "draft": self.found.draft,
            "poor": plausibility.poor(self.found),
            "sections": [asdict(one) for one in tally.of(self.found)],
            "guesses": self.first(),
            "lost": [one.note for one in self.found.lost],
            "warnings": list(self.found.warnings),
            "notes": list(self.notes),
        }


def show(report: Report) -> None:
    """Print the counts of each section, and what to look at first."""
    counts = tally.of(report.found)
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
