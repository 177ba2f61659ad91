"""What came of a document: for whoever prints it, and for whoever remembers it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cvbuild.common.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class Basis:
    """What a finished document rests on, for whoever remembers it.

    ``folders`` are the template's, ``looked_at`` the files that made its engine be taken, ``fonts``
    the faces from outside TeX's tree; ``tree_part`` and ``fonts_part`` are what the key has of
    these. ``said`` and ``notes`` are for as long as it lasts.
    """

    record: Path
    key: str
    file_hash: str
    folders: tuple[Path, ...]
    tree: tuple[Path, ...]
    tree_part: str
    looked_at: tuple[Path, ...]
    fonts: tuple[Path, ...]
    fonts_part: str
    said: tuple[Diagnostic, ...]
    notes: tuple[Diagnostic, ...]
    private: bool = False
    """Whether it shows what is private, and so rests on the overlay too."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one document; ``path`` is None if it failed.

    ``left_out`` are the fields that one page had no room for, ``fill`` is the part of that page's
    height that is used (0 to 1); ``notes`` concern the machine and not the document; ``verified``
    says how many texts, links, fonts and pages of the PDF were compared, in how many seconds.
    """

    person: str
    template: str
    path: Path | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    engine: str | None = None
    fonts: str | None = None
    pages: int | None = None
    seconds: float = 0.0
    cached: bool = False
    left_out: tuple[Diagnostic, ...] = ()
    fill: float | None = None
    verified: Mapping[str, float] | None = None
    log: Path | None = None
    exit_code: int = 0
    basis: Basis | None = None
    variant: str | None = None
    format: str = "pdf"

    @property
    def name(self) -> str:
        """What the document is called: the variant, else the template."""
        return self.variant or self.template

    def as_json(self) -> dict[str, Any]:
        """A plain object for ``--json``; without the notes."""
        return {
            "person": self.person,
            "template": self.template,
            "variant": self.variant,
            "format": self.format,
            "path": str(self.path) if self.path else None,
            "engine": self.engine,
            "fonts": self.fonts,
            "pages": self.pages,
            "seconds": self.seconds,
            "cached": self.cached,
            "fill": self.fill,
            "verified": dict(self.verified) if self.verified else None,
            "left_out": [item.as_json() for item in self.left_out],
            "log": str(self.log) if self.log else None,
            "diagnostics": [item.as_json() for item in self.diagnostics],
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any], notes: Iterable[Mapping[str, Any]]) -> Outcome:
        """The outcome of such an object of a document that is there."""
        rest = ("engine", "fonts", "pages", "seconds", "cached", "fill")
        return cls(
            **{name: plain[name] for name in ("person", "template", "variant", "format", *rest)},
            path=Path(plain["path"]),
            diagnostics=_diagnostics(plain["diagnostics"]),
            notes=_diagnostics(notes),
            left_out=_diagnostics(plain["left_out"]),
            verified=plain["verified"],
        )


def _diagnostics(plain: Iterable[Mapping[str, Any]]) -> tuple[Diagnostic, ...]:
    return tuple(map(Diagnostic.from_json, plain))
