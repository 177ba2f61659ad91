"""Styles: folders with a manifest, and their typed options.

Here are the names of their files: cheap to import, for code that only looks at folders.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

#: The file that makes a folder a template, if the folder's name matches TEMPLATE.
MANIFEST = "template.yaml"
TEMPLATE = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*")
#: The folder that every template extends, perhaps through others. Its manifest is only inherited.
BASE = "_core"
#: The folder of the parts that letters have besides a template.
LETTER = "letter"


def builtin_folder() -> Path:
    """Return the folder of built-in templates: in the package, or next to it in a checkout."""
    package = Path(__file__).resolve().parents[2]
    inside = package / "templates"
    return inside if inside.is_dir() else package.parent / "templates"


def are_built_in(folders: Iterable[Path]) -> bool:
    """Return whether all that is in these folders came with cvbuild, wherever links lead."""
    home = builtin_folder().resolve()
    return all(folder.resolve().is_relative_to(home) for folder in folders)
