"""The seam to other formats: what an importer is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from cvbuild.common.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class Imported:
    """What was read of a file.

    ``data`` are the keys of a person's file: texts, lists and mappings of texts. ``homeless`` names
    what has no key there, each with its place: nothing is left out in silence.
    """

    data: Mapping[str, Any]
    homeless: tuple[Diagnostic, ...] = ()


class Importer(Protocol):
    """A format that a CV can be read from.

    A package registers a class without arguments under the entry point ``cvbuild.importers``.
    """

    name: str
    """What ``--from`` calls it: lower-case letters, digits, hyphens."""
    suffixes: tuple[str, ...]
    """How its files usually end, with the full stop."""

    def recognises(self, head: bytes) -> bool:
        """Whether a file that begins with ``head`` (at most 64 KiB) is of this format."""

    def read(self, data: bytes, name: str) -> Imported:
        """Read a whole file; ``name`` stands for it in places.

        The file is untrusted. Raises CvbuildError with what is wrong.
        """
