"""Fonts for TeX, made from faces and layouts when first needed, and kept in the user's cache.

A font is named by its content, so a document's TeX and PDF are the same on every machine. An entry
of the cache says which font a face and a layout give, and which characters of the layout it has.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cvbuild.common import sealed, user_cache
from cvbuild.common.files import safe_files, work_folders
from cvbuild.outputs.pdf.fonts.installed import FontError
from cvbuild.outputs.pdf.fonts.layouts import Layout

if TYPE_CHECKING:
    from cvbuild.outputs.pdf.fonts.tex_fonts import ClusterLayout, TexFont

#: The version of the files in the cache: to be changed with the code that makes fonts.
_VERSION = "2"
_FOLDER = f"faces-{_VERSION}"
#: The size of a file in bytes, metrics and outlines each.
_MOST = 4 << 20
#: Fonts that weren't used for so long (seconds) are removed.
_DAY = 86400
_OLD = 30 * _DAY
_ENDS = (".tfm", ".pfb")
Files = tuple[bytes, ...]
"""Metrics and outlines; nothing for a face that has no character of a layout."""


@dataclass(frozen=True, slots=True)
class Made:
    """A font in the cache: its name for TeX, its slots by character; or the ``fault``: why none."""

    name: str
    slots: dict[str, int]
    fault: str = ""


def folder(place: Path) -> Path:
    """Return where TeX finds the fonts: in the cache folder ``place``, else one of this process."""
    home = Path(os.path.realpath(place)) / _FOLDER
    with contextlib.suppress(OSError):
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        safe = sys.platform == "win32" or sealed.is_ours(home.stat())
        if safe and os.access(home, os.W_OK):
            return home
    own = user_cache.private() / _FOLDER
    own.mkdir(exist_ok=True)
    return own


def is_empty(place: Path) -> bool:
    """Return whether no font was made yet in the cache folder ``place``."""
    return next(folder(place).glob("*.json"), None) is None


def fonts(
    path: Path, index: int, layouts: Iterable[Layout | ClusterLayout], place: Path
) -> tuple[Made, ...]:
    """Return the font for each layout of a face, made now if there is none; raises OSError."""
    wanted = tuple(layouts)
    try:
        state = path.stat()
    except OSError as error:
        return tuple(Made("", {}, error.strerror or "it can't be read") for _ in wanted)
    home = folder(place)
    face = f"{_VERSION}\0{path}\0{index}\0{state.st_mtime_ns}\0{state.st_size}"
    questions = (f"{face}\0{one.key}".encode("utf-8", "surrogateescape") for one in wanted)
    keys = [hashlib.sha256(question).hexdigest()[:24] for question in questions]
    loaded = [_load(home, key) for key in keys]
    if None not in loaded:
        return tuple(one for one in loaded if one)
    with work_folders.held(home / f"{keys[0][0]}.lock"):
        _tidy(home)
        loaded = [_load(home, key) for key in keys]
        missing = [at for at, one in enumerate(loaded) if one is None]
        made = _make(path, index, [wanted[at] for at in missing])
        for at, (font, files) in zip(missing, made, strict=True):
            loaded[at] = font
            _save(home, keys[at], font, files)
    return tuple(one for one in loaded if one)


def put_once(
    home: Path, name: str, make: Callable[[], Files], ends: tuple[str, ...] = _ENDS
) -> None:
    """Write a font whose name says what it is, unless it is there as it was; raises OSError."""
    if _load(home, name, ends) is None:
        _save(home, name, Made(name, {}), make(), ends)


def _load(home: Path, key: str, ends: tuple[str, ...] = _ENDS) -> Made | None:
    """Return an entry whose files are as they were written."""
    entry = home / f"{key}.json"
    try:
        data = sealed.load(entry)
        font = Made(data["name"], dict(data["slots"]), data["fault"])
        paths = [home / f"{font.name}{end}" for end in ends[: len(data["hashes"])]]
        for path, known in zip(paths, data["hashes"], strict=True):
            if hashlib.sha256(safe_files.read(path, _MOST, links=False)).hexdigest() != known:
                return None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    _mark_used(home, entry, *paths)
    return font


def _save(home: Path, key: str, font: Made, files: Files, ends: tuple[str, ...] = _ENDS) -> None:
    """Write the files of a font, and then its entry; raises OSError."""
    for end, content in zip(ends, files, strict=False):
        safe_files.replace(home / f"{font.name}{end}", content)
    hashes = [hashlib.sha256(content).hexdigest() for content in files]
    data = {"name": font.name, "slots": font.slots, "fault": font.fault, "hashes": hashes}
    sealed.save(home / f"{key}.json", data)


def _make(
    path: Path, index: int, layouts: list[Layout | ClusterLayout]
) -> list[tuple[Made, Files]]:
    from cvbuild.outputs.pdf.fonts import font_file, tex_fonts, text_fonts

    try:
        with font_file.opened(path, index) as face:
            found: list[tuple[TexFont | None, dict[str, int]]] = []
            for layout in layouts:
                if not isinstance(layout, Layout):
                    found.append((tex_fonts.make_clusters(face, layout), {}))
                    continue
                bold = layout.cut.heavier
                with font_file.opened(bold) if bold else contextlib.nullcontext() as heavier:
                    found.append(text_fonts.make(face, layout, heavier))
    except FontError as error:
        return [(Made("", {}, str(error)), ()) for _ in layouts]
    return [
        (Made(font.name, slots), (font.metrics, font.outlines)) if font else (Made("", slots), ())
        for font, slots in found
    ]


def _mark_used(home: Path, *files: Path) -> None:
    """Note that files were used, at most once a day."""
    with contextlib.suppress(OSError):
        if files[0].stat().st_mtime < home.stat().st_mtime - _DAY:
            for path in files:
                os.utime(path)


def _tidy(home: Path) -> None:
    """Remove what wasn't used for long."""
    with contextlib.suppress(OSError):
        os.utime(home)
        now = home.stat().st_mtime
        for path in home.iterdir():
            if path.stat().st_mtime < now - _OLD and path.suffix in (*_ENDS, ".otf", ".json"):
                path.unlink(missing_ok=True)


#: The font of pdfTeX's spaces between words: two glyphs without outlines. The embedded TeX lacks
#: the one of TeX Live, dummy-space, whose metrics these are.
_SPACE = "cvbspace"
#: Makes pdfTeX use that font; a format keeps neither of the two.
SPACE_COMMANDS = f"\\pdfmapline{{={_SPACE} <{_SPACE}.pfb}}\\pdfspacefont{{{_SPACE}}}"
#: For a TeX Live, which has its own: the maps of pdfTeX may not be read.
SPACE_MAP = "\\pdfmapline{=dummy-space <dummy-space.pfb}"


def put_space_font(place: Path) -> None:
    """Put the font of spaces where TeX finds it, in the cache folder ``place``; raises OSError."""
    put_once(folder(place), _SPACE, _space_font)


def _space_font() -> tuple[bytes, bytes]:
    """Return the metrics and outlines of the font of spaces."""
    from cvbuild.outputs.pdf.fonts import tfm, type1  # few runs make it

    # Of 1 pt: PDFium takes two spaces of 10 pt on both sides of a short word for one drawn twice.
    parameters = (0, 0.001, 0, 0, 0.4, 0.002, 0.001)
    metrics = tfm.Metrics({32: tfm.Box(0.001)}, parameters, size=1)
    outlines = type1.to_bytes(type1.Info("CvbSpace"), {"space": type1.Glyph(1)}, {32: "space"})
    return tfm.to_bytes(metrics), outlines
