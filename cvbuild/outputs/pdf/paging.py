"""As many pages as a person asks for at most; no last page that is nearly empty, and no hole.

The template's ``tex: paging`` and ``tex: fit`` list the steps that its style allows. The document
is set as it is; if that won't do, a trial shows what each step would make of it, and the first that
helps is taken, from the document as it was. So the result depends on nothing but the document.

What won the last time, as the last .tex shows, is only tried first: it is taken if a trial chooses
it again.

A style of one page fills that one, and leaves out what has no room there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.common.diagnostics import Diagnostic, DocumentError
from cvbuild.common.files import safe_files, safe_folders
from cvbuild.outputs.pdf import STUB, Job
from cvbuild.outputs.pdf.tex import JOBNAME, Tex
from cvbuild.outputs.pdf.typeset import Page, Pdf, Typeset, pages
from cvbuild.outputs.styles import templates
from cvbuild.outputs.styles.manifests import margins
from cvbuild.selection import fit
from cvbuild.selection.fit import Choice
from cvbuild.selection.selected import name_of

#: A page that lacks more at its foot has a hole, in pt: 30 mm.
_HOLE = 30 / 25.4 * 72
#: In a longer document nobody minds, and each step takes as long as the document.
_MOST_PAGES = 20
#: Bytes of the longest .tex that is looked at for what won.
_MOST_TEXT = 4 << 20
#: The most parts that a message names.
_NAMED = 3


# -- the steps of a template -----------------------------------------------------------------------


#: What a step is called.
TIGHTER, AIRIER, BALANCED = "set a little tighter", "set a little airier", "balanced"
#: What is added to the value of an option, which may have been chosen.
_ADDED = ("size", "margin")
_WORDS = {
    "gap": "space between blocks × {}",
    "leading": "leading × {}",
    "size": "{} pt",
    "height": "height of the text × {}",
    "margin": "margins {} mm",
}


class Step(Struct, frozen=True):
    """A step of the template: its number from 1, the style's options, and in words its ``way``."""

    number: int
    options: Mapping[str, float | str]
    way: str

    def __str__(self) -> str:
        return ", ".join(
            _WORDS[key].format(value.strip("{}") if isinstance(value, str) else f"{value:g}")
            for key, value in self.options.items()
        )


def steps(pdf: Pdf, listed: Iterable[Mapping[str, float]]) -> list[Step]:
    """Return the steps of a template's list that change something, with their options."""
    # ``gap``, ``leading`` and ``height`` are factors; pt are added to the ``size``, and mm to the
    # ``margin`` at the top and at the foot, within the bounds of these options.
    chosen = pdf.package_options()
    every: list[Step] = []
    for number, step in enumerate(listed, start=1):
        options: dict[str, float | str] = {}
        for key, more in step.items():
            if key not in _ADDED:
                options[key] = float(chosen.get(key, 1)) * more
            elif value := _added(pdf, key, more):
                options[key] = value
        if options and all(options != other.options for other in every):
            is_airier = any(step.get(key, 1) > 1 for key in ("gap", "leading"))
            is_airier = is_airier or any(step.get(key, 0) > 0 for key in _ADDED)
            is_balanced = step.get("height", 1) < 1
            way = BALANCED if is_balanced else AIRIER if is_airier else TIGHTER
            every.append(Step(number, options, way))
    return every


def _added(pdf: Pdf, key: str, more: float) -> float | str | None:
    """Return what a step makes of the size or the margins; None if a person chose them."""
    option = pdf.template.manifest.options.get(key)
    default: Any = option.read(option.default) if option else None
    if option is None or pdf.options[key] != default:
        return None
    least, most = option.min or 0, option.max or 99
    if key == "size":
        sizes = [float(choice) for choice in option.choices] or [least, most]
        return max(min(sizes), min(max(sizes), float(option.default) + more))
    lengths = [max(least, min(most, length + more)) for length in default[:2]]
    words = margins((*lengths, *default[2:]))
    return f"{{{words}}}" if "=" in words else words


# -- which of them is taken ------------------------------------------------------------------------


#: The pages of a document as it is (None), which come first, and with steps.
_Tried = Sequence[tuple[Step | None, list[Page]]]
_TRY, _END = "cvb-try\n", "\\end{document}"


def typeset(pdf: Pdf, job: Job) -> Typeset:
    """Typeset a document, with what won the last time first; raises DocumentError."""
    tex = pdf.template.manifest.tex
    wish = int(pdf.options.get("pages", 0)) if tex.fit else 0
    listed = steps(pdf, [*tex.paging, *(tex.fit if wish else ())])
    fitting = _Fitting(pdf, job, wish, listed, len(tex.paging))
    before = ""
    with suppress(OSError, ValueError):
        if listed and not pdf.request.force:
            file = pdf.keep / f"{JOBNAME}.tex"
            before = safe_files.read(file, _MOST_TEXT, links=False).decode("utf-8")
    chosen = ((step, f"{{{pdf.style_options(step.options)}}}") for step in listed)
    likely = next((step for step, options in chosen if options in before), None)
    paged = fitting.set(likely)
    if not likely and (not listed or fitting.suits(paged.sheets)):
        return fitting.ended(paged)
    if pdf.request.early:
        pdf.request.early(paged.content)
    tried = fitting.trial()
    step = fitting.choose(tried) if tried else None
    if step is not likely:
        paged = fitting.set(step)
    if (step, paged.sheets) in tried:
        return fitting.ended(paged, step, tried)
    # The trial tells nothing of this style.
    plain = fitting.set() if step else paged
    return fitting.ended(plain, None, [(None, plain.sheets)])


class _Fitting(Struct):
    """A document, what is wished of it, and how often it was set.

    ``wish`` is how many pages it may have, 0 for any number; the first ``gentle`` of the template's
    steps are those for a last page that is nearly empty.
    """

    pdf: Pdf
    job: Job
    wish: int
    steps: list[Step]
    gentle: int
    runs: int = 0

    def set(self, step: Step | None = None) -> Typeset:
        job, pdf = self.job, self.pdf
        if step:
            job = pdf.render(pdf.selected, step.options)
        self.runs += 1
        return replace(pdf.compile(job), figures={"paging_step": step.number if step else 0})

    def trial(self) -> _Tried:
        """Return the document's pages as it is and with each step, from one draft run of TeX."""
        # The document's text is in the run several times (``\CvbTry``, cvb-core-try.sty), first and
        # last as the document is. Empty if it can't be found out so: a template has a skeleton of
        # its own, TeX fails, or these two differ, as the style remembers more of the text than TeX
        # was told to forget.
        self.runs += 1
        pdf, setup = self.pdf, self.job.setup
        lines = self.job.tex.split("\n")
        if not setup or _END not in lines[setup:]:
            return []
        end, text = lines.index(_END, setup), lines[:setup]
        for options in ({}, *(step.options for step in self.steps), {}):
            chosen = f"\\CvbTry{{{pdf.style_options(options)}}}"
            text += [chosen, *lines[setup:end], "\\CvbTryEnd"]
        with safe_folders.folder(pdf.request.scratch) as folder:
            job = replace(self.job, folder=folder, tex="\n".join([*text, *lines[end:]]))
            try:
                log = Tex(job, pdf.engine).draft().log
            except DocumentError:
                return []
        *tried, again = [pages(part) for part in log.split(_TRY)[1:]] or [[]]
        is_sound = len(tried) == len(self.steps) + 1 and tried[0] and tried[0] == again
        return [*zip((None, *self.steps), tried, strict=True)] if is_sound else []

    def suits(self, pages: Sequence[Page]) -> bool:
        """Return whether the document is fine as it is, or nothing is known of its pages."""
        if not pages or self.is_long(pages):
            return not pages
        is_ugly = _is_stub(pages) or _has_hole(pages, pages[0].height)
        return len(pages) > _MOST_PAGES or not is_ugly

    def is_long(self, pages: Sequence[Page]) -> bool:
        return 0 < self.wish < len(pages)

    def choose(self, tried: _Tried) -> Step | None:
        """Return the first step that helps; None if none does, or none is needed."""
        (_, before), *others = tried
        if self.suits(before):
            return None
        pairs = [(step, pages) for step, pages in others if step and pages]
        if self.is_long(before):
            fitting = [(step, pages) for step, pages in pairs if not self.is_long(pages)]
            # A full last page first.
            fitting.sort(key=lambda pair: _is_stub(pair[1]))
            return fitting[0][0] if fitting else None
        for step, sheets in (pair for pair in pairs if pair[0].number <= self.gentle):
            # A step may set the text less high: what is then free at the foot is seen as well.
            is_ugly = _is_stub(sheets) or _has_hole(sheets, before[0].height)
            if len(sheets) < len(before) or (len(sheets) == len(before) and not is_ugly):
                return step
        return None

    def ended(self, paged: Typeset, step: Step | None = None, tried: _Tried = ()) -> Typeset:
        """Return the document with its figures, what was changed and why, and what remains."""
        before: Sequence[Page] = tried[0][1] if tried else ()
        sheets, warnings = paged.sheets, paged.warnings
        figures = {**paged.figures, "runs": self.runs}
        if step:
            fault = "a page had a hole at its foot"
            if self.is_long(before):
                fault = f"the document had {_counted(len(before), 'page')}"
            elif _is_stub(before):
                fault = f"the last page was {_fullness(before[-1])}"
            warnings += (Diagnostic("note", "paging", f"{fault}; {step.way}: {step}"),)
        elif self.is_long(before):
            tighter = (pair for pair in reversed(tried) if pair[0] and pair[0].way == TIGHTER)
            farthest = next(tighter, (None, paged.sheets))
            warnings += (self.unmet(len(paged.sheets), *farthest),)
        if sheets:
            figures["last_page_fill"] = round(sheets[-1].fill, 3)
        if _is_stub(sheets):
            fact = f"the last page is {_fullness(sheets[-1])}"
            hint = "leave something out, or add something"
            warnings += (Diagnostic("note", "stub", fact, hint=hint),)
        return replace(paged, warnings=warnings, figures=figures)

    def unmet(self, now: int, step: Step | None, pages: Sequence[Page]) -> Diagnostic:
        """Return a warning at the option: by how many lines, and what would do it."""
        # ``now`` is the number of pages that the document has, ``pages`` are those that it would
        # have with ``step``, which goes as far as the style does; None if it goes nowhere.
        pdf, wish = self.pdf, self.wish
        over = sum(page.used for page in pages[wish:])
        lines = _counted(max(1, math.ceil(over / pages[0].line)), "line")
        fact = f"{lines} too long{f' at the tightest: {step}' if step else ''}"
        # What counts least goes first, by the heights of the blocks.
        selected = pdf.selected
        blocks, _ = pdf.measure(selected, step.options if step else {})
        kept = fit.fit(selected, blocks, fit.total(selected, blocks) - over)
        out = kept.left_out - selected.left_out
        parts = [unit.path for unit in fit.units(selected) if unit.path in out]
        named = "; ".join(name_of(selected.profile, path) for path in parts[:_NAMED])
        more = f" and {len(parts) - _NAMED} more" if len(parts) > _NAMED else ""
        hint = f"write pages: {now}{' or template: one-page' if wish == 1 else ''}"
        if parts:
            hint = f"leave out what counts least, {named}{more}; or {hint}"
        message = f"pages: {wish} doesn't fit, {fact}; the document has {_counted(now, 'page')}"
        path = templates.origins(pdf.template, pdf.profile, pdf.chosen)["pages"][1]
        span = pdf.source.span(path) if path else None
        return Diagnostic("warning", "pages", message, span, hint)


def _fullness(page: Page) -> str:
    return f"{page.fill:.0%} full".replace("%", " %")


def _is_stub(pages: Sequence[Page]) -> bool:
    return len(pages) > 1 and pages[-1].fill < STUB


def _has_hole(pages: Sequence[Page], height: float) -> bool:
    return any(height - page.used > _HOLE for page in pages[:-1])


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' if count != 1 else ''}"


# -- a style of one page: TeX measures, Python chooses ---------------------------------------------


#: How often to try again with less room if a page overflows after all, and how much less, in pt.
_TRIES, _STEP = 8, 12.0
#: What a page may take beside its blocks, in pt: so it seldom overflows, and is as ``show`` says.
_SLACK = 3.0


def fill(pdf: Pdf) -> Typeset:
    """Choose what fits and typeset it; raises DocumentError if TeX fails or too much must stay."""
    selected, choice = pdf.selected, choice_of(pdf)
    for attempt in range(_TRIES):
        room = choice.room - attempt * _STEP
        fitted = fit.fit(selected, choice.blocks, room) if attempt else choice.selected
        used = fit.total(fitted, choice.blocks)
        if used > room:
            break
        page = pdf.compile(pdf.render(fitted, choice.density))
        if page.pages == 1:
            left_out = fitted.left_out - selected.left_out
            # An item, but not its bullets.
            outermost = (
                path
                for path in sorted(left_out)
                if not any(path[:length] in left_out for length in range(1, len(path)))
            )
            return replace(page, left_out=tuple(outermost), fill=round(used / choice.room, 3))
    raise fit.too_much(pdf.source, replace(choice, selected=fitted))


def choice_of(pdf: Pdf) -> Choice:
    """Return the density and the selection that fill one page; raises DocumentError."""
    # A draft pass on a very high page measures every block. If all blocks fit at the tightest
    # density, the loosest at which they fit is chosen; else the least important are left out.
    selected, levels = pdf.selected, pdf.template.manifest.tex.density
    blocks, room = pdf.measure(selected, levels[-1])
    best = Choice(levels[-1], selected, blocks, room)
    if fit.total(selected, blocks) > room - _SLACK:
        return replace(best, selected=fit.fit(selected, blocks, room - _SLACK))
    low, high = 0, len(levels) - 1
    while low < high:
        middle = (low + high) // 2
        blocks, room = pdf.measure(selected, levels[middle])
        if fit.total(selected, blocks) <= room - _SLACK:
            best, high = replace(best, density=levels[middle], blocks=blocks, room=room), middle
        else:
            low = middle + 1
    return best
