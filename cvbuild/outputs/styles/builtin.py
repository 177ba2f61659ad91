"""Where the built-in templates are: apart, since TeX is started before templates are read."""

from __future__ import annotations

from pathlib import Path


def builtin_folder() -> Path:
    """Return the folder of built-in templates: in the package, or next to it in a checkout."""
    package = Path(__file__).resolve().parents[2]
    inside = package / "templates"
    return inside if inside.is_dir() else package.parent / "templates"
