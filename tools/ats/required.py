"""The figures that each document and reader must reach; exemptions.toml has those with a reason."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cvbuild.outputs.styles.templates import Library
from tools.ats.figures import Figures

#: Least figures of every document and reader that nothing exempts.
REQUIRED = {"recall": 1.0, "order": 0.99, "placed": 1.0, "contact": 1.0}
TEMPLATES = Library.at().names()
#: CVs that are written from right to left.
RIGHT_TO_LEFT = ("arabic", "hebrew-mixed")


@dataclass(frozen=True)
class Exemption:
    """Lower figures for some documents and readers; empty ``cvs`` or ``templates`` mean all."""

    why: str
    readers: tuple[str, ...]
    least: Mapping[str, float]
    cvs: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()
    reported: bool = False
    """Whether it may turn out not to be needed: a reader of which less is asked in general."""

    def covers(self, cv: str, template: str, reader: str) -> bool:
        """Return whether it applies to a document and reader."""
        return (
            reader in self.readers
            and (not self.cvs or cv in self.cvs)
            and (not self.templates or template in self.templates)
        )


EXEMPTIONS = tuple(
    Exemption(**fields)
    for fields in tomllib.loads(
        Path(__file__).with_name("exemptions.toml").read_text(encoding="utf-8")
    )["exemption"]
)


def least(cv: str, template: str, reader: str) -> dict[str, float]:
    """Return the lowest figures allowed for a document and reader."""
    required = dict(REQUIRED)
    for exemption in EXEMPTIONS:
        if exemption.covers(cv, template, reader):
            for name, number in exemption.least.items():
                required[name] = min(number, required[name])
    return required


def short_of(figures: Figures, required: Mapping[str, float]) -> list[str]:
    """Return the figures that are too low, in words, with what is missing; empty if none is."""
    below = [
        f"{name} {getattr(figures, name):.3f} < {number:g}"
        for name, number in required.items()
        if getattr(figures, name) < number
    ]
    detail = {"missing": figures.missing, "misplaced": figures.misplaced, "unread": figures.unread}
    return [*below, *(f"{name}: {texts[:8]}" for name, texts in detail.items() if texts and below)]
