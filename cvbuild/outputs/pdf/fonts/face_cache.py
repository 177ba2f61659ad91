"""Fonts for TeX, made from faces and layouts when first needed, and kept in the user's cache.

A font is named by its content, so a document's TeX and PDF are the same on every machine. An entry
of the cache says which font a face and a layout give, and which characters of the layout it has.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from cvbuild.common import sealed
from cvbuild.common.files import locks, safe_files
from cvbuild.outputs.pdf.fonts.layouts import Layout

if TYPE_CHECKING:
    from cvbuild.outputs.pdf.fonts.shaped_fonts import ClusterLayout

#: The version of the files in the cache: to be changed with the code that makes fonts.
_VERSION = "1"
_FOLDER = f"faces-{_VERSION}"
#: The size of a file in bytes, metrics and outlines each.
_MOST = 4 << 20
#: Fonts that weren't used for so long (seconds) are removed.
_OLD = 30 * 86400
_ENDS = (".tfm", ".pfb")


@dataclass(frozen=True, slots=True)
class Made:
    """A font in the cache's folder: its name for TeX, and its slots by character.

    ``fault`` says why there is none; then it has no characters.
    """

    name: str
    slots: dict[str, int]
    fault: str = ""


def folder(place: Path) -> Path:
    """Return where TeX finds the fonts, in the cache folder ``place``; made if it can be.

    A folder of this process, if the cache can't be written and has none.
    """
    return _folder(place.resolve())


@cache
def _folder(place: Path) -> Path:
    made = place / _FOLDER
    try:
        made.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.access(made, os.W_OK) and sealed.is_ours(made.stat()):
            return made
    except OSError:
        pass
    own = tempfile.mkdtemp(prefix="cvbuild-")
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    return Path(own)


def fonts(
    path: Path, index: int, layouts: Iterable[Layout | ClusterLayout], place: Path
) -> tuple[Made, ...]:
    """Return the font for each layout of a face, those that aren't in the cache made now.

    Raises OSError if they can't be written.
    """
    wanted = tuple(layouts)
    try:
        state = path.stat()
    except OSError as error:
        return tuple(Made("", {}, error.strerror or "it can't be read") for _ in wanted)
    home = folder(place)
    face = f"{_VERSION}\0{path}\0{index}\0{state.st_mtime_ns}\0{state.st_size}"
    keys = [_key(face, layout) for layout in wanted]
    found = [_load(home, key) for key in keys]
    if None not in found:
        return tuple(one for one in found if one)
    with locks.held(home / f"{keys[0][0]}.lock"):
        _tidy(home)
        found = [_load(home, key) for key in keys]
        missing = [at for at, one in enumerate(found) if one is None]
        made = _make(path, index, [wanted[at] for at in missing], home)
        for at, one in zip(missing, made, strict=True):
            found[at] = one
            _save(home, keys[at], one)
    return tuple(one for one in found if one)


def put(home: Path, name: str, files: Iterable[tuple[str, bytes]]) -> None:
    """Write the files of a font unless they are there; raises OSError."""
    for end, content in files:
        target = home / f"{name}{end}"
        if not target.is_file():
            safe_files.replace(target, content)


def _key(face: str, layout: Layout | ClusterLayout) -> str:
    return hashlib.sha256(f"{face}\0{layout.key}".encode("utf-8", "surrogateescape")).hexdigest()[
        :24
    ]


def _load(home: Path, key: str) -> Made | None:
    """Return an entry whose files are as they were written."""
    try:
        entry = home / f"{key}.json"
        data = json.loads(sealed.unseal(safe_files.read(entry, _MOST, links=False).decode("utf-8")))
        made = Made(data["name"], dict(data["slots"]), data["fault"])
        for end, known in zip(_ENDS, data["hashes"], strict=False):
            content = safe_files.read(home / f"{made.name}{end}", _MOST, links=False)
            if hashlib.sha256(content).hexdigest() != known:
                return None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return made


def _save(home: Path, key: str, made: Made) -> None:
    hashes = []
    if made.name:
        paths = [home / f"{made.name}{end}" for end in _ENDS]
        hashes = [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]
    data = {"name": made.name, "slots": made.slots, "fault": made.fault, "hashes": hashes}
    safe_files.replace(home / f"{key}.json", sealed.seal(json.dumps(data)).encode("utf-8"))


def _make(path: Path, index: int, layouts: list[Layout | ClusterLayout], home: Path) -> list[Made]:
    from cvbuild.outputs.pdf.fonts import font_file, shaped_fonts, text_fonts

    made = []
    try:
        with font_file.opened(path, index) as face:
            for layout in layouts:
                if isinstance(layout, Layout):
                    font, slots = text_fonts.make(face, layout)
                else:
                    font, slots = shaped_fonts.make(face, layout)
                if font is not None:
                    _replace(
                        home,
                        font.name,
                        [("." + name.rpartition(".")[2], data) for name, data in font.files],
                    )
                made.append(Made(font.name if font else "", slots))
    except font_file.FontError as error:
        return [Made("", {}, str(error)) for _ in layouts]
    return made


def _replace(home: Path, name: str, files: Iterable[tuple[str, bytes]]) -> None:
    """Write the files of a font, also over damaged ones."""
    for end, content in files:
        safe_files.replace(home / f"{name}{end}", content)


def _tidy(home: Path) -> None:
    """Remove what wasn't used for long."""
    with contextlib.suppress(OSError):
        for path in home.iterdir():
            age = home.stat().st_mtime - path.stat().st_mtime
            if age > _OLD:
                path.unlink(missing_ok=True)
