"""A last page that is nearly empty is avoided: tighter, or airier, or by pages that end earlier.

The template's ``tex: paging`` lists the steps that its style allows. The first that helps is taken,
each from the document as it was, so the result depends on nothing but the document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cvbuild.common.diagnostics import Diagnostic
from cvbuild.outputs.pdf.latex.render import Rendered
from cvbuild.outputs.pdf.tex.types import Result
from cvbuild.outputs.pdf.typeset import Typesetter

#: A last page that is less full is nearly empty.
STUB = 0.25
#: Another page that is fuller has no hole at its foot.
_WHOLE = 0.85
#: In a longer document nobody minds, and each step takes as long as the document.
_MOST_PAGES = 20
#: cvb-fill: 86.4 697.2   (cvb-core-footers.sty: the height of a page that is used, and its own)
_FILL = re.compile(r"^cvb-fill: ([\d.]+) ([\d.]+)$", re.MULTILINE)
_Options = Mapping[str, float]
_TIGHTER = "set a little tighter"
_WORDS = {
    "gap": "space between blocks × {:g}",
    "leading": "leading × {:g}",
    "size": "{:g} pt",
    "height": "height of the text × {:g}",
}


@dataclass(frozen=True, slots=True)
class Paged:
    """The finished document; ``step`` counts the template's steps from 1, 0: none was needed."""

    pdf: Path
    rendered: Rendered
    result: Result
    warnings: tuple[Diagnostic, ...]
    step: int = 0


def typeset(setter: Typesetter, rendered: Rendered) -> Paged:
    """Typeset a document, which is ``rendered`` as it is; raises DocumentError if TeX fails."""
    first = _typeset(setter, rendered, 0)
    before = fills(first.result.log)
    if not (1 < len(before) <= _MOST_PAGES and before[-1] < STUB):
        return first
    tried = False
    for number, options in _in_order(setter, before):
        paged = _typeset(setter, setter.render(setter.shown.selected, options), number)
        if _is_better(fills(paged.result.log), before):
            return _told(paged, before[-1], options)
        tried = True
    # The last step's files are in the place of the document's own.
    return _typeset(setter, rendered, 0) if tried else first


def _in_order(setter: Typesetter, before: Sequence[float]) -> Iterator[tuple[int, _Options]]:
    """Yield the steps to try: none that are tighter if not even the tightest of them helps."""
    steps = list(_steps(setter))
    tighter = [step for step in steps if _way(step[1]) == _TIGHTER]
    if len(tighter) > 1:
        tightest = setter.render(setter.shown.selected, tighter[-1][1])
        if not _is_better(fills(_typeset(setter, tightest, 0).result.log), before):
            tighter = []
    yield from tighter
    yield from (step for step in steps if _way(step[1]) != _TIGHTER)


def _way(options: _Options) -> str:
    """Return what a step does, in words: pages that end earlier are balanced."""
    if options.get("height", 1) < 1:
        return "balanced"
    airier = any(options.get(key, 1) > 1 for key in ("gap", "leading"))
    return "set a little airier" if airier else _TIGHTER


def fills(log: str) -> list[float]:
    """Return the used part of each page's height; empty if the log doesn't say."""
    return [float(used) / float(height) for used, height in _FILL.findall(log) if float(height)]


def _is_better(pages: Sequence[float], before: Sequence[float]) -> bool:
    """Return whether a step helps: there are fewer pages, or the last is filled without a hole."""
    if len(pages) != len(before):
        return 0 < len(pages) < len(before)
    return pages[-1] >= STUB and min(pages[:-1]) >= min(_WHOLE, *before[:-1])


def _typeset(setter: Typesetter, rendered: Rendered, step: int) -> Paged:
    pdf, result, warnings = setter.compile(rendered, setter.about(setter.shown.selected))
    return Paged(pdf, rendered, result, warnings, step)


def _steps(setter: Typesetter) -> Iterator[tuple[int, _Options]]:
    """Yield the number and the options of each step that changes something, counted from 1."""
    chosen = setter.package_options()
    seen: list[_Options] = [{}]
    for number, step in enumerate(setter.template.manifest.tex.paging, start=1):
        options = {key: float(chosen.get(key, 1)) * step[key] for key in step if key != "size"}
        if size := _smaller(setter, step):
            options["size"] = size
        if options not in seen:
            seen.append(options)
            yield number, options


def _smaller(setter: Typesetter, step: Mapping[str, float]) -> float | None:
    """Return a step's size, at least the style's smallest; None if a person chose the size."""
    option = setter.template.manifest.options.get("size")
    if "size" not in step or option is None or setter.shown.options["size"] != option.default:
        return None
    sizes = [float(choice) for choice in option.choices] or [option.min or float(option.default)]
    return max(min(sizes), float(option.default) + step["size"])


def _told(paged: Paged, fill: float, options: _Options) -> Paged:
    """Return the document with a note on what was changed and why."""
    words = ", ".join(_WORDS[key].format(value) for key, value in options.items())
    message = f"the last page was {fill:.0%} full; {_way(options)}: {words}"
    note = Diagnostic("note", "paging", message.replace("%", " %"))
    return Paged(paged.pdf, paged.rendered, paged.result, (*paged.warnings, note), paged.step)
