"""One page means one page: TeX measures, Python chooses.

A draft pass on a very high page measures every block. If all blocks fit at the tightest density,
the loosest density at which they fit is chosen; else the least important are left out.
"""

from __future__ import annotations

from msgspec.structs import replace

from cvbuild.outputs.pdf.paging import Paged
from cvbuild.outputs.pdf.typeset import Typesetter
from cvbuild.selection.one_page import fit
from cvbuild.selection.one_page.fit import Choice
from cvbuild.selection.selected import Selected

#: How often to try again with less room if a page overflows after all, and how much less, in pt.
_TRIES, _STEP = 8, 12.0
#: What a page may take beside its blocks, in pt: so it seldom overflows, and is as ``show`` says.
_SLACK = 3.0


def typeset(setter: Typesetter, selected: Selected) -> Paged:
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
        compiled = setter.compile(rendered, setter.about(fitted))
        page = Paged(*compiled, rendered, fitted, density=choice.density)
        if page.result.pages == 1:
            fill = fit.total(fitted, choice.blocks) / choice.room
            return replace(page, fill=round(fill, 3))
    raise fit.too_much(setter.source, replace(choice, selected=fitted))


def tightest(setter: Typesetter, selected: Selected) -> Choice:
    """Return what fits on one page at the tightest density; raises DocumentError."""
    tight = setter.template.manifest.tex.density[-1]
    blocks, room = setter.measure(selected, tight)
    if fit.total(selected, blocks) > room - _SLACK:
        selected = fit.fit(selected, blocks, room - _SLACK)
    return Choice(tight, selected, blocks, room)


def choose(setter: Typesetter, selected: Selected) -> Choice:
    """Return the density and the selection that fill one page; raises DocumentError."""
    levels = setter.template.manifest.tex.density
    best = tightest(setter, selected)
    if best.selected is not selected:
        return best
    low, high = 0, len(levels) - 1
    while low < high:
        middle = (low + high) // 2
        blocks, room = setter.measure(selected, levels[middle])
        if fit.total(selected, blocks) <= room - _SLACK:
            best, high = replace(best, density=levels[middle], blocks=blocks, room=room), middle
        else:
            low = middle + 1
    return best
