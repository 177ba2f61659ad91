"""As many pages as a person asks for at most; and no last page that is nearly empty, and no hole.

The template's ``tex: paging`` and ``tex: fit`` list the steps that its style allows. The document
is set as it is; if that won't do, a trial shows what each step would make of it, and the first that
helps is taken, from the document as it was. So the result depends on nothing but the document.

What won the last time is only tried first: it is taken if a trial chooses it again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from cvbuild.common.diagnostics import Diagnostic
from cvbuild.outputs.pdf import trials
from cvbuild.outputs.pdf.expected import STUB
from cvbuild.outputs.pdf.latex.render import Rendered
from cvbuild.outputs.pdf.tex import preloaded_engine
from cvbuild.outputs.pdf.tex.types import Result
from cvbuild.outputs.pdf.trials import TIGHTER, Page, Step
from cvbuild.outputs.pdf.typeset import Typesetter
from cvbuild.outputs.styles import templates
from cvbuild.selection import inventory
from cvbuild.selection.one_page import fit, weights
from cvbuild.selection.selected import Selected

#: A page that lacks more at its foot has a hole, in pt: 30 mm.
_HOLE = 30 / 25.4 * 72
#: In a longer document nobody minds, and each step takes as long as the document.
_MOST_PAGES = 20
#: The most parts that a message names.
_NAMED = 3


class Paged(Struct, frozen=True):
    """The finished document, and what it shows.

    ``step`` counts the template's steps from 1, 0: none was needed; ``won`` is what to remember of
    it. ``runs`` is how often TeX ran. Of a single page (``filled_page``) ``fill`` is the part of
    its height that is used, 0 to 1, and ``density`` that of its text, as the manifest has it.
    """

    pdf: Path
    result: Result
    warnings: tuple[Diagnostic, ...]
    rendered: Rendered
    selected: Selected
    step: int = 0
    won: str = ""
    runs: int = 1
    fill: float | None = None
    density: Mapping[str, float] = field(default_factory=dict)

    @property
    def pages(self) -> list[Page]:
        """Its pages, as TeX tells."""
        return trials.pages(self.result.log)


#: The pages of a document as it is, and those that it would have with each step.
_Trial = tuple[list[Page], list[tuple[Step, list[Page]]]]


class _Fitting(Struct):
    """A document, what is wished of it, and what was found out about it.

    ``wish`` is how many pages it may have, 0 for any number; the first ``gentle`` of ``steps`` are
    those for a last page that is nearly empty.
    """

    setter: Typesetter
    rendered: Rendered
    wish: int = 0
    steps: list[Step] = field(default_factory=list)
    gentle: int = 0
    runs: int = 0

    def name(self, step: Step) -> str:
        """Return what a step is remembered by."""
        return f"{self.wish} pages, step {step.number}"

    def set(self, step: Step | None = None) -> Paged:
        """Typeset the document, as it is or with a step."""
        rendered, setter, selected = self.rendered, self.setter, self.setter.shown.selected
        if step:
            rendered = setter.render(selected, step.options)
        compiled = setter.compile(rendered, setter.about(selected))
        self.runs += 1
        number, won = (step.number, self.name(step)) if step else (0, "")
        return Paged(*compiled, rendered, selected, number, won)

    def trial(self) -> _Trial | None:
        """Return the pages of the document as it is, and with each step."""
        self.runs += 1
        tried = trials.run(self.setter, self.rendered, [step.options for step in self.steps])
        return (tried[0], [*zip(self.steps, tried[1:], strict=True)]) if tried else None

    def suits(self, pages: Sequence[Page]) -> bool:
        """Return whether the document is fine as it is."""
        is_ugly = _is_stub(pages) or _has_hole(pages, pages[0].height)
        return not (self.is_long(pages) or (len(pages) <= _MOST_PAGES and is_ugly))

    def is_long(self, pages: Sequence[Page]) -> bool:
        """Return whether there are more pages than were asked for."""
        return 0 < self.wish < len(pages)

    def choose(
        self, before: Sequence[Page], pairs: Sequence[tuple[Step, list[Page]]]
    ) -> Step | None:
        """Return the first step that helps; None if none does, or none is needed."""
        if self.suits(before):
            return None
        if not self.is_long(before):
            gentle = (pair for pair in pairs if pair[0].number <= self.gentle)
            return next((step for step, pages in gentle if _is_better(pages, before)), None)
        fitting = [(step, pages) for step, pages in pairs if pages and not self.is_long(pages)]
        full = [step for step, pages in fitting if not _is_stub(pages)]
        return next(iter([*full, *(step for step, _ in fitting)]), None)


def typeset(setter: Typesetter, rendered: Rendered, *, remembered: bool = True) -> Paged:
    """Typeset a document; if ``remembered``, what won the last time first. Raises DocumentError."""
    tex = setter.template.manifest.tex
    wish = int(setter.shown.options.get("pages", 0)) if tex.fit else 0
    steps = trials.steps(setter, [*tex.paging, *(tex.fit if wish else ())])
    fitting = _Fitting(setter, rendered, wish, steps, len(tex.paging))
    won = preloaded_engine.won_before(setter.keep, setter.cache) if remembered else ""
    likely = next((step for step in fitting.steps if fitting.name(step) == won), None)
    trial = None
    if likely:
        again = _early(setter, fitting.set(likely))
        trial = fitting.trial()
        step = fitting.choose(*trial) if trial else None
        if trial and step:
            again = again if step is likely else fitting.set(step)
            if (step, again.pages) in trial[1]:
                return _told(fitting, again, trial[0], step)
    first = fitting.set()
    before = first.pages
    if not before or not fitting.steps or fitting.suits(before):
        return replace(first, runs=fitting.runs)
    _early(setter, first)
    trial = trial or fitting.trial()
    if trial is None or trial[0] != before:
        return _one_by_one(fitting, first)
    step = fitting.choose(*trial)
    if step is None:
        return _untouched(fitting, first, trial[1])
    paged = fitting.set(step)
    if (step, paged.pages) not in trial[1]:
        return _one_by_one(fitting, first)
    return _told(fitting, paged, before, step)


def _early(setter: Typesetter, paged: Paged) -> Paged:
    """Show a document that may still be set anew."""
    if setter.early:
        setter.early(paged.pdf)
    return paged


def _one_by_one(fitting: _Fitting, first: Paged) -> Paged:
    """Typeset the document with each step until one helps: a trial can't tell for this style."""
    before, seen = first.pages, []
    for step in fitting.steps:
        paged = fitting.set(step)
        seen.append((step, paged.pages))
        if fitting.choose(before, seen[-1:]):
            return _told(fitting, paged, before, step)
    # The last step's files are in the place of the document's own.
    return _untouched(fitting, fitting.set(), seen)


def _untouched(fitting: _Fitting, paged: Paged, tried: Sequence[tuple[Step, list[Page]]]) -> Paged:
    """Return the document as it is, with what would make it as short as was asked for."""
    if not fitting.is_long(paged.pages):
        return replace(paged, runs=fitting.runs)
    tighter = (pair for pair in reversed(tried) if pair[0].way == TIGHTER)
    farthest = next(tighter, (None, paged.pages))
    fault = _unmet(fitting.setter, fitting.wish, len(paged.pages), *farthest)
    return replace(paged, warnings=(*paged.warnings, fault), runs=fitting.runs)


def _is_stub(pages: Sequence[Page]) -> bool:
    return len(pages) > 1 and pages[-1].fill < STUB


def _has_hole(pages: Sequence[Page], height: float) -> bool:
    return any(height - page.used > _HOLE for page in pages[:-1])


def _is_better(pages: Sequence[Page], before: Sequence[Page]) -> bool:
    """Return whether a step helps: there are fewer pages, or the last is filled without a hole."""
    if len(pages) != len(before):
        return 0 < len(pages) < len(before)
    # A step may set the text less high: what is then free at the foot is seen as well.
    return not (_is_stub(pages) or _has_hole(pages, before[0].height))


def _told(fitting: _Fitting, paged: Paged, before: Sequence[Page], step: Step) -> Paged:
    """Return the document with a note on what was changed and why."""
    fact = f"the last page was {before[-1].fill:.0%} full".replace("%", " %")
    if not _is_stub(before):
        fact = "a page had a hole at its foot"
    if fitting.is_long(before):
        fact = f"the document had {_counted(len(before), 'page')}"
    note = Diagnostic("note", "paging", f"{fact}; {step.way}: {step}")
    return replace(paged, warnings=(*paged.warnings, note), runs=fitting.runs)


def _unmet(
    setter: Typesetter, wish: int, now: int, step: Step | None, pages: Sequence[Page]
) -> Diagnostic:
    """Return a warning at the option: by how many lines, and what would do it.

    ``now`` is the number of pages that the document has, ``pages`` are those that it would have
    with ``step``, which goes as far as the style does; None if it goes nowhere.
    """
    how = f" at the tightest: {step}" if step else ""
    over = sum(page.used for page in pages[wish:])
    lines = max(1, math.ceil(over / pages[0].line))
    fact = f"{_counted(lines, 'line')} too long{how}"
    hint = _less(setter, wish, now, step, over)
    message = f"pages: {wish} doesn't fit, {fact}; the document has {_counted(now, 'page')}"
    task = setter.shown.task
    path = templates.origins(setter.template, task.profile, task.chosen)["pages"][1]
    span = setter.source.span(path) if path else None
    return Diagnostic("warning", "pages", message, span, hint)


def _less(setter: Typesetter, wish: int, now: int, step: Step | None, over: float) -> str:
    """Return what would make a document shorter: parts that count least, by their heights."""
    selected = setter.shown.selected
    blocks, _ = setter.measure(selected, step.options if step else {})
    kept = fit.fit(selected, blocks, fit.total(selected, blocks) - over)
    out = kept.left_out - selected.left_out
    parts = [unit.path for unit in weights.units(selected) if unit.path in out]
    named = "; ".join(inventory.name_of(selected.profile, path) for path in parts[:_NAMED])
    others = [f"pages: {now}", *(["template: one-page"] if wish == 1 else [])]
    if not parts:
        return f"write {' or '.join(others)}"
    more = f" and {len(parts) - _NAMED} more" if len(parts) > _NAMED else ""
    return f"leave out what counts least, {named}{more}; or write {' or '.join(others)}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' if count != 1 else ''}"
