"""What came of a document: a record for the next build, an outcome to print and to remember.

A **record** stands beside what a document was made in. It has a key, a hash of all that the
document was made from, and the key's parts, so that ``status --why`` can say which of them changed.
What came with a clone counts as none: it has no code made with the user's key.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import asdict

from cvbuild.common import safe_folders, user_cache
from cvbuild.common.diagnostics import Diagnostic

#: Parts of a key that may differ between machines on which a document has the same bytes.
OF_MACHINE = ("tree", "fonts")
#: Fields of an outcome that --json has as they are.
_PLAIN = (
    "person", "template", "variant", "format", "engine", "fonts", "pages", "seconds", "cached",
    "fill",
)  # fmt: skip


class Record(Struct, frozen=True):
    """What is stored about a finished document."""

    key: str
    epoch: int
    file_hash: str
    pages: int | None = None
    engine: str | None = None
    fonts: str | None = None
    left_out: tuple[str, ...] = ()
    fill: float | None = None
    verified: dict[str, float] | None = None
    """What was compared with the PDF: numbers of texts, links, fonts, pages; seconds."""
    private: bool = False
    """Whether it showed what is private; another build of the same name may be public."""
    parts: dict[str, str] = field(default_factory=dict)
    """What the key was made from."""

    @classmethod
    def read(cls, path: Path, cache: Path | None) -> Record | None:
        """Return what is stored, None if none counts; ``cache`` has the key, or the user's own."""
        try:
            data = user_cache.load(path, user_cache.key(user_cache.resolved(cache)))
            return cls(**{**data, "left_out": tuple(data["left_out"])})
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def write(self, path: Path, cache: Path | None) -> None:
        """Write it into a document's folder; raises OSError."""
        key = user_cache.key(user_cache.resolved(cache))
        safe_folders.write(path, user_cache.seal(json.dumps(asdict(self)), key))


class Outcome(Struct, frozen=True):
    """The outcome of one document; ``path`` is None if it failed.

    ``left_out`` had no room on one page, of which ``fill`` (0 to 1) is used; ``notes`` concern the
    machine; ``verified`` counts what was compared. For the quick check: ``keep`` is the folder of
    the ``record``, ``machine`` has the files of its "tree" and "fonts", and ``passing`` isn't told
    again while the document is up to date.
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
    keep: Path | None = None
    record: Record | None = None
    machine: tuple[tuple[Path, ...], tuple[Path, ...]] = ((), ())
    passing: tuple[Diagnostic, ...] = ()
    variant: str | None = None
    format: str = "pdf"

    @property
    def name(self) -> str:
        """The name of the document: the variant, else the template."""
        return self.variant or self.template

    def as_json(self) -> dict[str, Any]:
        """Return a plain object for ``--json``; without the notes."""
        return {
            **{name: getattr(self, name) for name in _PLAIN},
            "path": str(self.path) if self.path else None,
            "verified": dict(self.verified) if self.verified else None,
            "left_out": [item.as_json() for item in self.left_out],
            "log": str(self.log) if self.log else None,
            "diagnostics": [item.as_json() for item in self.diagnostics],
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any], notes: Iterable[Mapping[str, Any]]) -> Outcome:
        """Return the outcome that such an object of a finished document describes."""
        return cls(
            **{name: plain[name] for name in _PLAIN},
            path=Path(plain["path"]),
            diagnostics=tuple(map(Diagnostic.from_json, plain["diagnostics"])),
            notes=tuple(map(Diagnostic.from_json, notes)),
            left_out=tuple(map(Diagnostic.from_json, plain["left_out"])),
            verified=plain["verified"],
        )
