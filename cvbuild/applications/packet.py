"""What goes to an employer, in one folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol


class Application(Protocol):
    """What this package's other modules ask of an application."""

    @property
    def slug(self) -> str:
        """The stem of its file."""

    @property
    def person(self) -> str:
        """Whose it is."""

    @property
    def employer(self) -> str:
        """Where it goes."""

    @property
    def position(self) -> str:
        """What it is for."""


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet that was built.

    ``files`` are names in ``folder``; ``inputs`` all that it was made from, each with the name that
    it has in a workspace (people/ada.yaml) and its path. ``built`` is what ``manifest.Built`` says.
    """

    application: Application
    folder: Path
    files: tuple[str, ...]
    inputs: tuple[tuple[str, Path], ...]
    built: Mapping[str, Any]
