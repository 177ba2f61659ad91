"""Where templates and fonts are on this machine, by their folders and files.

Cheap to import: whether documents are up to date depends on what is there.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from collections.abc import Iterable
from functools import cache
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
    package = Path(__file__).resolve().parents[1]
    inside = package / "templates"
    return inside if inside.is_dir() else package.parent / "templates"


def are_built_in(folders: Iterable[Path]) -> bool:
    """Return whether all that is in these folders came with cvbuild, wherever links lead."""
    home = builtin_folder().resolve()
    return all(folder.resolve().is_relative_to(home) for folder in folders)


#: The package whose fonts are the same on every machine.
_PACKAGE = "rendercv_fonts"
#: Where a TeX Live of the system has OpenType fonts.
_OF_TEX = (
    "/usr/share/texmf/fonts/opentype/public/tex-gyre",
    "/usr/share/texlive/texmf-dist/fonts/opentype/public/tex-gyre",
)


class FontError(Exception):
    """A font file can't be used; the text says why."""


@cache
def package(name: str) -> Path | None:
    """Return the folder of a Python package, without importing it; None if it isn't installed."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places))) if places else None


def font_places() -> tuple[Path, ...]:
    """Return the folders in which the package, the system and the user may have fonts."""
    folder = package(_PACKAGE)
    return (*([folder] if folder else []), *_places_of_system())


def _places_of_system() -> tuple[Path, ...]:
    home = Path.home()
    if sys.platform == "darwin":
        return (home / "Library/Fonts", Path("/Library/Fonts"), Path("/System/Library/Fonts"))
    if sys.platform == "win32":
        return (Path(os.environ.get("SYSTEMROOT", "C:/Windows")) / "Fonts",)
    folders = (home / ".local/share/fonts", home / ".fonts")
    shared = ("/usr/local/share/fonts", "/usr/share/fonts", *_OF_TEX)
    return (*folders, *map(Path, shared))


@cache
def font_file(names: tuple[str, ...]) -> Path | None:
    """Return the first file that is installed; the package's, the same everywhere, come first."""
    bundled = package(_PACKAGE)
    for places in ((bundled,) if bundled else (), _places_of_system()):
        files = _index(places)
        if path := next((files[name] for name in names if name in files), None):
            return path
    return None


def look_again() -> None:
    """Forget what was found: a long-lived process would miss what was installed since."""
    for found in (font_file, _index, package):
        found.cache_clear()


@cache
def _index(places: tuple[Path, ...]) -> dict[str, Path]:
    paths: dict[str, Path] = {}
    for place in places:
        for folder, _, names in sorted(os.walk(place)):
            for name in names:
                if name.endswith((".ttf", ".otf", ".ttc", ".otc")):
                    paths.setdefault(name, Path(folder, name))
    return paths
