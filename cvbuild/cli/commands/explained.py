"""``cvbuild show --one-page``: explain what one page shows and leaves out, with its numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cvbuild.building import plan
from cvbuild.common.diagnostics import Diagnostic, id_of
from cvbuild.common.errors import UsageError
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import Profile, kinds
from cvbuild.model.locales.words import table
from cvbuild.outputs.pdf import paging
from cvbuild.outputs.pdf.output import as_pdf
from cvbuild.outputs.task import Settings, Task
from cvbuild.outputs.types import Shown
from cvbuild.selection import fit
from cvbuild.selection.fit import Explanation, Row
from cvbuild.selection.inventory import name_of
from cvbuild.selection.select import words_of
from cvbuild.selection.selected import DEFAULT_PRIORITY
from cvbuild.selection.weights import FIRST, PRIORITY, STEP, Unit

#: Columns of a part's words.
_WIDTH = 70
_LEGEND = (
    f"Weight: what the kind counts, less {STEP} for each item before it, {PRIORITY} more or less"
    f" for each priority\nover or under {DEFAULT_PRIORITY}, and {FIRST} more for the first ones,"
    " which go last. A bullet never weighs more than its item."
)


class Explained:
    """A document of one page and the explanation of what it shows."""

    def __init__(self, task: Task, settings: Settings) -> None:
        """Measure the document with TeX.

        Raises UsageError if its template isn't of one page, CvbuildError if TeX fails.
        """
        document = plan.prepare(task, settings)
        if not document.template.manifest.tex.density:
            fact = f"{document.template.name} isn't a template of one page"
            raise UsageError.because("one-page", fact, "name one that is, such as -t one-page")
        self.shown: Shown = document.shown
        choice = paging.choose(as_pdf(document.prepared).setter, document.selected)
        self.explained: Explanation = fit.explain(document.selected, choice)

    @property
    def faults(self) -> tuple[Diagnostic, ...]:
        """The error of a page that has no room for what must stay."""
        if self.explained.used <= self.explained.room:
            return ()
        return fit.too_much(self._source, self.explained.choice).diagnostics

    @property
    def _profile(self) -> Profile:
        return self.shown.profile

    @property
    def _source(self) -> Source:
        return self.shown.task.source

    def lines(self) -> Iterator[str]:
        """Yield the lines of the table."""
        found, task = self.explained, self.shown.task
        units = [row for row in found.rows if row.unit]
        out = sum(not row.shown for row in units)
        levels = self.shown.template.manifest.tex.density
        step = levels.index(dict(found.choice.density)) + 1
        density = ", ".join(f"{name} {value:g}" for name, value in found.choice.density.items())
        yield f"{task.person.name} {task.name} ({self._profile.locale})"
        yield f"density: {density} (step {step} of {len(levels)})"
        yield (
            f"height: {found.used:.0f} of {found.room:.0f} mm used, {found.head:.0f} by the head"
        )
        cut = found.cut
        if cut is None:
            yield "left out: nothing"
        else:
            yield (
                f"left out: {out} of {len(units)}, the lightest first:"
                f" all that weighs more than {cut.weight} is shown"
            )
        yield ""
        yield f"  {'weight':>6} {'mm':>5}"
        for row in found.rows:
            yield self._line(row)
        yield ""
        yield from _LEGEND.split("\n")

    def _line(self, row: Row) -> str:
        unit, mark = row.unit, "✓" if row.shown else "✗"
        if unit is None:
            return f"{mark} {'':>6} {row.height:>5.1f}  {self._title(row)}"
        words = ("  " if unit.is_item else "    ") + self._words(unit)
        if len(words) > _WIDTH:
            words = f"{words[: _WIDTH - 1].rstrip(' …')}…"
        return f"{mark} {unit.weight:>6} {row.height:>5.1f}  {words:<{_WIDTH}}  {_why(unit)}"

    def _title(self, row: Row) -> str:
        """Return the heading of a section, with what its kind counts, or of a group."""
        place = row.path
        section = next(one for one in self.shown.selected.sections if one.path == place[:2])
        if place != section.path:
            return f"  {words_of(self._profile, place)}"
        words = str(section.title or table(self._profile.locale).word(section.kind))
        kind = kinds.of(section.kind)
        first = {0: "", 1: "; the first goes last"}.get(
            kind.least, f"; the first {kind.least} go last"
        )
        return f"{words} ({kind.weight}{first})"

    def _words(self, unit: Unit) -> str:
        name = name_of if unit.is_item else words_of
        return name(self._profile, unit.path)

    def as_json(self) -> dict[str, Any]:
        """Return the same for scripts."""
        found, task = self.explained, self.shown.task
        return {
            "person": task.person.name,
            "variant": task.shown_variant,
            "template": task.template,
            "locale": self._profile.locale,
            "density": dict(found.choice.density),
            "room_mm": round(found.room, 1),
            "used_mm": round(found.used, 1),
            "head_mm": round(found.head, 1),
            "parts": [self._json(row) for row in found.rows],
        }

    def _json(self, row: Row) -> dict[str, Any]:
        unit = row.unit
        place = row.path[:-1] if row.path[-1] == "run" else row.path
        span = self._source.span(place)
        plain = {
            "path": id_of(row.path),
            "words": self._words(unit) if unit else self._title(row).strip(),
            "mm": round(row.height, 1),
            "shown": row.shown,
            "file": span.file,
            "line": span.line or None,
        }
        if unit is None:
            return plain
        return {
            **plain,
            "kind": unit.kind,
            "weight": unit.weight,
            "place": unit.place + 1,
            "count": unit.count,
            "priority": unit.priority,
            "first": unit.is_first,
            "keep": unit.kept_by is not None,
        }


def _why(unit: Unit) -> str:
    """Return what the weight is made of."""
    what = unit.kind if unit.is_item else "bullet"
    words = [f"{what} {unit.place + 1} of {unit.count}"]
    if unit.priority != DEFAULT_PRIORITY:
        words.append(f"priority {unit.priority}")
    if unit.is_first:
        words.append("goes last")
    if unit.kept_by:
        words.append("keep: true")
    return ", ".join(words)
