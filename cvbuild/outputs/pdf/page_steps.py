"""The steps by which a document is set tighter or airier, as options of its style."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cvbuild.outputs.pdf.typeset import Typesetter
from cvbuild.outputs.styles.options import SIDES, margins

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


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the template: its number in the list, from 1, and the style's options.

    ``way`` says in words what it does.
    """

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
    found: list[Step] = []
    for number, step in enumerate(listed, start=1):
        options: dict[str, float | str] = {
            key: float(chosen.get(key, 1)) * step[key] for key in step if key not in _ADDED
        }
        options |= {key: value for key in step if (value := _added(setter, key, step[key]))}
        if options and all(options != one.options for one in found):
            found.append(Step(number, options, _way(step)))
    return found


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
