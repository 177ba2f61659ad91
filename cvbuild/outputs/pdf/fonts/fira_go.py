"""FiraGO, a typeface with Arabic, Hebrew, Devanagari, Thai, Georgian, where there is no other.

It comes with PyPI's pymupdf-fonts, as Python source that holds each font compressed and in base64.
That source is read, not run, and the fonts are unpacked into the cache.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

from cvbuild.common.files import safe_files
from cvbuild.outputs.pdf.fonts.font_error import FontError

#: The scripts of other alphabets that it has.
SCRIPTS = frozenset(("arabic", "hebrew", "devanagari", "thai", "georgian"))
_SHAPES = ("Regular", "Italic", "Bold", "BoldItalic")
_FOLDER = "fira-go-1"
#: The size of the source of a font, and of a font, in bytes.
_MOST = 8 << 20


def files(place: Path) -> tuple[Path, ...]:
    """Return its files in the order of LaTeX's shapes, unpacked into the cache folder ``place``.

    Empty if the package isn't installed. Raises FontError if it is damaged, OSError if the cache
    can't be written.
    """
    package = _package()
    if package is None:
        return ()
    return tuple(_unpacked(package, f"FiraGO_{shape}", place / _FOLDER) for shape in _SHAPES)


def mono(folder: Path) -> tuple[Path, ...]:
    """Return Fira Mono, regular and bold, unpacked into ``folder``; raises as ``files``.

    Empty if it isn't installed: older installations lack it.
    """
    package = _package()
    names = ("FiraMono_Regular", "FiraMono_Bold")
    if package is None or not all((package / f"{name}.py").is_file() for name in names):
        return ()
    return tuple(_unpacked(package, name, folder) for name in names)


def _package() -> Path | None:
    try:
        spec = importlib.util.find_spec("pymupdf_fonts")
    except (ImportError, ValueError):
        return None
    found = spec.submodule_search_locations if spec else None
    return Path(next(iter(found))) if found else None


def _unpacked(package: Path, name: str, folder: Path) -> Path:
    target = folder / f"{name.replace('_', '-')}.ttf"
    if not target.is_file():
        content = _content(package / f"{name}.py")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        safe_files.replace(target, content)
    return target


def _content(source: Path) -> bytes:
    """Return the font that a module of the package holds; raises FontError."""
    import base64
    import lzma
    import re

    try:
        text = safe_files.read(source, _MOST)
        packed = base64.b64decode(b"".join(re.findall(rb"b'([A-Za-z0-9+/=]+)'", text)))
        unpacker = lzma.LZMADecompressor(memlimit=1 << 28)
        content = unpacker.decompress(packed, _MOST)
    except (OSError, ValueError, EOFError, lzma.LZMAError) as error:
        raise FontError(f"{source} can't be used: it is damaged") from error
    if not unpacker.eof:
        raise FontError(f"{source} can't be used: it is damaged")
    return content
