"""The steps that set a document tighter or airier, and how each would make it fill its pages.

One draft run of TeX tries them all: the document's text is in the run several times (``\\CvbTry``,
cvb-core-try.sty), first and last as the document is. If these two differ, a style remembers more of
the text than TeX was told to forget, and nothing that the run says is believed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.common.errors import DocumentError
from cvbuild.common.files import work_folders
from cvbuild.outputs.pdf.latex.render import Rendered
from cvbuild.outputs.pdf.tex import drivers
from cvbuild.outputs.pdf.typeset import Typesetter
from cvbuild.outputs.styles.options import SIDES, margins

#: cvb-fill: 86.4 697.2 13.5   (cvb-core-footers.sty: of a page, and of a line of text)
_FILL = re.compile(r"^cvb-fill: ([\d.]+) ([\d.]+) ([\d.]+)$", re.MULTILINE)
_TRY, _END = "cvb-try\n", "\\end{document}"


class Page(Struct, frozen=True):
    """A page: the height that its text uses, the most that it could, that of a line; in pt."""

    used: float
    height: float
    line: float

    @property
    def fill(self) -> float:
        """The used part of the height."""
        return self.used / self.height


def pages(log: str) -> list[Page]:
    """Return the pages that a log tells of; none if it doesn't say."""
    measured = (Page(*map(float, numbers)) for numbers in _FILL.findall(log))
    return [page for page in measured if page.height]


def run(
    setter: Typesetter, rendered: Rendered, tries: Sequence[Mapping[str, float | str]]
) -> list[list[Page]] | None:
    """Return the document's pages as it is, then with each of these options.

    None if that can't be found out so: a template has a skeleton of its own, TeX fails, or the run
    contradicts itself.
    """
    lines = rendered.tex.split("\n")
    if not rendered.setup or _END not in lines[rendered.setup :]:
        return None
    end = lines.index(_END, rendered.setup)
    text = lines[: rendered.setup]
    for options in ({}, *tries, {}):
        chosen = ", ".join(
            f"{key}={value}"
            for key, value in setter.style_options(setter.shown.selected, options).items()
        )
        text += [f"\\CvbTry{{{chosen}}}", *lines[rendered.setup : end], "\\CvbTryEnd"]
    with work_folders.folder(setter.scratch) as folder:
        job = replace(setter.job(rendered, folder), tex="\n".join([*text, *lines[end:]]))
        try:
            log = drivers.draft(job, setter.engine).log
        except DocumentError:
            return None
    as_is, *tried = [pages(part) for part in log.split(_TRY)[1:]]
    is_sound = len(tried) == len(tries) + 1 and as_is and tried.pop() == as_is
    return [as_is, *tried] if is_sound else None


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
        told = (
            _WORDS[key].format(value.strip("{}") if isinstance(value, str) else f"{value:g}")
            for key, value in self.options.items()
        )
        return ", ".join(told)


def steps(setter: Typesetter, listed: Iterable[Mapping[str, float]]) -> list[Step]:
    """Return the steps of a template's list that change something, with their options.

    ``gap``, ``leading`` and ``height`` are factors; pt are added to the ``size``, and mm to the
    ``margin`` at the top and at the foot, within the bounds of these options.
    """
    chosen = setter.package_options()
    every: list[Step] = []
    for number, step in enumerate(listed, start=1):
        options: dict[str, float | str] = {
            key: float(chosen.get(key, 1)) * step[key] for key in step if key not in _ADDED
        }
        options |= {key: value for key in step if (value := _added(setter, key, step[key]))}
        if options and all(options != one.options for one in every):
            every.append(Step(number, options, _way(step)))
    return every


def _way(step: Mapping[str, float]) -> str:
    if step.get("height", 1) < 1:
        return BALANCED
    airier = any(step.get(key, 1) > 1 for key in ("gap", "leading"))
    return AIRIER if airier or any(step.get(key, 0) > 0 for key in _ADDED) else TIGHTER


def _added(setter: Typesetter, key: str, more: float) -> float | str | None:
    """Return what a step makes of the size or the margins; None if a person chose them."""
    option = setter.template.manifest.options.get(key)
    if key not in _ADDED or option is None:
        return None
    default = option.read(option.default)
    if setter.shown.options[key] != default:
        return None
    if key == "size":
        sizes = [float(choice) for choice in option.choices]
        least, most = (min(sizes), max(sizes)) if sizes else (option.min or 0, option.max or 99)
        return max(least, min(most, float(option.default) + more))
    lengths = [
        max(option.min or 0, min(option.max or 99, length + more)) if side in SIDES[:2] else length
        for side, length in zip(SIDES, default, strict=True)  # type: ignore[call-overload]
    ]
    told = margins(lengths)
    return f"{{{told}}}" if "=" in told else told
