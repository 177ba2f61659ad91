"""Where the machine's font files are."""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from pathlib import Path

from cvbuild.outputs.pdf.fonts import fallbacks

#: Paths that TeX accepts as a font's name.
_PLAIN = re.compile(r"[\w /.+@:\\-]+")


def places() -> tuple[Path, ...]:
    """Return the folders in which the system and the user may have fonts."""
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
    """Return the first of the files that is installed."""
    files = _index(folders())
    return next((files[name] for name in names if name in files), None)


def look_again() -> None:
    """Forget the files that this process has found."""
    _index.cache_clear()


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
                path = Path(folder, name)
                if name.endswith((".ttf", ".otf", ".ttc", ".otc")) and _PLAIN.fullmatch(str(path)):
                    found.setdefault(name, path)
    return found
