"""The interface to other formats: what an importer receives, and what it returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from cvbuild.common.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of reading a file.

    ``data`` has the keys of a person's file: texts, lists and mappings of texts. ``homeless`` lists
    values that have no key there, each with its position: nothing is left out silently.
    """

    data: Mapping[str, Any]
    homeless: tuple[Diagnostic, ...] = ()


class Importer(Protocol):
    """A format that a CV can be read from.

    A package registers a class without arguments under the entry point ``cvbuild.importers``.
    """

    name: str
    """The name after ``--from``: lower-case letters, digits, hyphens."""
    suffixes: tuple[str, ...]
    """The usual ends of its file names, with the full stop."""

    def recognises(self, head: bytes) -> bool:
        """Return whether a file that begins with ``head`` (at most 64 KiB) has this format."""

    def read(self, data: bytes, name: str) -> Imported:
        """Read a whole file; ``name`` is its name in messages.

        The file is untrusted. Raises CvbuildError with its errors.
        """
