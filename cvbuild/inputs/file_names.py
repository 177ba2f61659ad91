"""Names of the files in a workspace that have a meaning of their own; cheap to import."""

from __future__ import annotations

from pathlib import PurePath

#: The workspace's file, in its top folder.
WORKSPACE = "cvbuild.yaml"


def is_overlay(path: PurePath) -> bool:
    """Return whether a file is meant for private values, even if its name is not quite right."""
    name = path.name.lower()
    return name.endswith((".private.yaml", ".private.yml")) and not name.startswith(".")
