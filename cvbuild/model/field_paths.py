"""Field paths as text: ``("sections", 3, "items", 2)`` is ``sections.3.items.2``."""

from __future__ import annotations

import re

from cvbuild.common.diagnostics import FieldPath


def path_of(name: str) -> FieldPath:
    """Return ``sections.3.items.2`` as a field path."""
    return tuple(int(s) if re.fullmatch("[0-9]+", s) else s for s in name.split("."))


def id_of(path: FieldPath) -> str:
    """Return a field path as the id of a block."""
    return ".".join(str(step) for step in path)
