"""One page means one page: TeX measures, Python chooses.

A draft pass on a very high page measures every block. If all blocks fit at the tightest density,
the loosest density at which they fit is chosen; else the least important are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import DocumentError
from cvbuild.inputs.yaml.source import Source
from cvbuild.outputs.pdf.about import About
from cvbuild.outputs.pdf.latex.render import Rendered
from cvbuild.outputs.pdf.measured_blocks import MeasuredBlock
from cvbuild.outputs.pdf.one_page import fit, weights
from cvbuild.outputs.pdf.tex.types import Result
from cvbuild.outputs.pdf.typeset import Typesetter
from cvbuild.selection.selected import Selected

#: Points of TeX in a millimetre.
MM = 72.27 / 25.4
#: How often to try again with less room if a page overflows after all, and how much less, in pt.
_TRIES, _STEP = 8, 12.0


@dataclass(frozen=True, slots=True)
class OnePage:
    """The finished page; ``fill`` is the part of its height that is used, 0 to 1."""

    pdf: Path
    result: Result
    warnings: tuple[Diagnostic, ...]
    selected: Selected
    fill: float
    rendered: Rendered
    says: About


@dataclass(frozen=True, slots=True)
class Choice:
    """What one page shows, and how dense; ``room`` is the height of its text in pt."""

    density: Mapping[str, float]
    selected: Selected
    blocks: tuple[MeasuredBlock, ...]
    room: float


def typeset(setter: Typesetter, selected: Selected) -> OnePage:
    """Choose what fits and typeset it; raises DocumentError if TeX fails or too much must stay."""
    choice = choose(setter, selected)
    for attempt in range(_TRIES):
        room = choice.room - attempt * _STEP
        fitted = choice.selected
        if attempt:
            fitted = fit.fit(selected, choice.blocks, room)
        if fit.total(fitted, choice.blocks) > room:
            break
        rendered = setter.render(fitted, choice.density)
        says = setter.about(fitted)
        pdf, result, warnings = setter.compile(rendered, says)
        if result.pages == 1:
            height = fit.total(fitted, choice.blocks)
            fill = round(height / choice.room, 3)
            return OnePage(pdf, result, warnings, fitted, fill, rendered, says)
    raise too_much(setter.source, replace(choice, selected=fitted))


def too_much(source: Source, choice: Choice) -> DocumentError:
    """Return the error of a page that is too full with nothing but what must stay."""
    kept = [unit for unit in weights.units(choice.selected) if unit.kept_by]
    if not kept:
        fact, hint = (
            "the head of the document alone is more than a page",
            "shorten the contact data",
        )
        return DocumentError([Diagnostic("error", "one-page", fact, hint=hint)])
    height = fit.total(choice.selected, choice.blocks) / MM
    fact = f"what says keep: true needs {height:.0f} mm with the head of the document"
    fact += f", and one page has {choice.room / MM:.0f} mm"
    place = source.key_span((*(kept[0].kept_by or ()), "keep"))
    hint = "this counts least of it: remove keep here, or shorten the texts"
    return DocumentError([Diagnostic("error", "one-page", fact, place, hint)])


def choose(setter: Typesetter, selected: Selected) -> Choice:
    """Return the density and the selection that fill one page; raises DocumentError."""
    levels = setter.template.manifest.tex.density
    tight = levels[-1]
    blocks, room = setter.measure(selected, tight)
    if fit.total(selected, blocks) > room:
        return Choice(tight, fit.fit(selected, blocks, room), blocks, room)
    best = Choice(tight, selected, blocks, room)
    low, high = 0, len(levels) - 1
    while low < high:
        middle = (low + high) // 2
        blocks, room = setter.measure(selected, levels[middle])
        if fit.total(selected, blocks) <= room:
            best, high = replace(best, density=levels[middle], blocks=blocks, room=room), middle
        else:
            low = middle + 1
    return best
