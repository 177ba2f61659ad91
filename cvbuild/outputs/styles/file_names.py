"""TODO outputs.styles.file_names."""

from __future__ import annotations

import re
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


#: The file that makes a folder a template, if it has such a name.
MANIFEST = "template.yaml"


TEMPLATE = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*")
