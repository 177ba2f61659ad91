"""Where the machine's font files are."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from functools import cache
from pathlib import Path

from cvbuild.outputs.pdf.fonts import fallbacks

#: Paths that TeX accepts as a font's name.
_PLAIN = re.compile(r"[\w /.+@:\\-]+")


def wheel() -> Path | None:
    """Return the folder of the package rendercv-fonts, without importing it."""
    try:
        spec = importlib.util.find_spec("rendercv_fonts")
    except (ImportError, ValueError):
        return None
    found = spec.submodule_search_locations if spec else None
    return Path(next(iter(found))) if found else None


def places() -> tuple[Path, ...]:
    """Return the folders in which the package, the system and the user may have fonts."""
    package = wheel()
    return (*([package] if package else []), *_places_of_system())


def _places_of_system() -> tuple[Path, ...]:
    home = Path.home()
    if sys.platform == "darwin":
        return (home / "Library/Fonts", Path("/Library/Fonts"), Path("/System/Library/Fonts"))
    if sys.platform == "win32":
        return (Path(os.environ.get("SYSTEMROOT", "C:/Windows")) / "Fonts",)
    own = (home / ".local/share/fonts", home / ".fonts")
    return (*own, Path("/usr/local/share/fonts"), Path("/usr/share/fonts"))


def folders() -> tuple[Path, ...]:
    """Return those folders for fonts that exist."""
    return tuple(folder for folder in places() if folder.is_dir())


def find(names: tuple[str, ...]) -> Path | None:
    """Return the first of the files that is installed; those of the package come first.

    The package is the same on every machine, and quick to search.
    """
    package = _package()
    if package:
        files = _index((package,))
        if found := next((files[name] for name in names if name in files), None):
            return found
    files = _index(tuple(folder for folder in _places_of_system() if folder.is_dir()))
    return next((files[name] for name in names if name in files), None)


@cache
def _package() -> Path | None:
    return wheel()


def is_plain(path: Path) -> bool:
    """Return whether LuaTeX accepts the path as a font's name."""
    return _PLAIN.fullmatch(str(path)) is not None


def look_again() -> None:
    """Forget the files that this process has found."""
    _index.cache_clear()
    _package.cache_clear()


def survey() -> dict[str, tuple[Path | None, str]]:
    """Return for `cvbuild doctor`, by script, a font file or None, and a package that has one."""
    found = {}
    for script, title in fallbacks.SHOWN.items():
        faces = fallbacks.candidates(script, frozenset(), "en", sans=False)
        path = find(tuple(name for face in faces for name in face.regular))
        found[title] = (path, faces[0].package)
    return found


@cache
def _index(places: tuple[Path, ...]) -> dict[str, Path]:
    """Return all font files by name; the first of each name counts."""
    found: dict[str, Path] = {}
    for place in places:
        for folder, _, names in sorted(os.walk(place)):
            for name in names:
                if name.endswith((".ttf", ".otf", ".ttc", ".otc")):
                    found.setdefault(name, Path(folder, name))
    return found
