"""Files of a person's own that options name: a typeface from font files, the picture of a logo.

They are beside the person's file or the workspace's, or below it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from string import ascii_letters, digits

from cvbuild.common.diagnostics import Diagnostic, FieldPath, ProfileError, quoted
from cvbuild.common.files import safe_files, user_cache
from cvbuild.common.files.safe_files import SiblingFileError
from cvbuild.inputs.person import settings
from cvbuild.inputs.yaml.tree import Source
from cvbuild.outputs.installed import FontError
from cvbuild.outputs.styles.manifests import FONT, LOGO, is_font_file, mapping
from cvbuild.outputs.styles.typefaces import FontFamily, Typeface

MAX_BYTES = 20 << 20
#: The ends of the names of files beside the regular one, without spaces and hyphens.
_ENDS = {
    "italic": ("italic", "oblique", "it"),
    "bold": ("bold", "bd"),
    "bolditalic": ("bolditalic", "boldoblique", "boldit"),
}
_REGULAR = ("regular", "roman", "book", "")
_HINT = "name an .otf or .ttf file in this file's folder, or in the workspace's"
_OTHER = "choose another .otf or .ttf file, or one of the typefaces"
#: What OpenType requires, beside outlines and characters.
_TABLES = frozenset(("OS/2", "head", "hhea", "hmtx", "maxp", "name", "post"))
#: The styles of Panose that have serifs.
_SERIFS = range(2, 11)


def family(name: str, person: Path, source: Source, path: FieldPath) -> FontFamily:
    """Return the typeface of a font file and its other shapes beside it; raises ProfileError."""
    # A shape that isn't there is set as the nearest one.
    folder = settings.folder_of(name, person)
    try:
        file = safe_files.sibling(name, folder)
        safe_files.read_sibling(file, MAX_BYTES)
    except SiblingFileError as error:
        message = error.describe(name, "font", "20 MiB")
        hint = _OTHER if message[0] == "large" else _HINT
        code, fact = f"font-{message[0]}", message[1]
        raise ProfileError.because(code, fact, hint, source.span(path)) from None
    typeface = _typeface(file)
    if isinstance(typeface, str):
        fact = f"the font {quoted(name, 100)} {typeface}"
        raise ProfileError.because("font-unusable", fact, _OTHER, source.span(path))
    paths = _beside(file)
    italic, bold = (paths.get(shape, file) for shape in ("italic", "bold"))
    both = paths.get("bolditalic", bold if "bold" in paths else italic)
    return FontFamily(typeface, (file, italic, bold, both))


def notes(typeface: FontFamily, source: Source, path: FieldPath) -> Iterator[Diagnostic]:
    """Yield a note of the shapes that a typeface lacks."""
    regular, *others = typeface.paths
    lacking = [shape for shape, file in zip(_ENDS, others, strict=True) if file == regular]
    if lacking:
        fact = f"{typeface} has no file for {' and '.join(lacking)}: set as the regular letters"
        hint = "put it beside the regular one, as House-Bold.otf"
        yield Diagnostic("note", "font-shapes", fact, source.span(path), hint)


def named(data: object, option: str = FONT) -> Iterator[tuple[FieldPath, str]]:
    """Yield the files that an option names in a person's data, with their places."""
    # Options of the person, of a template or of a variant.
    whole = mapping(data)
    general = mapping(whole.get("options"))
    layers: list[tuple[FieldPath, object]] = [(("options",), general)]
    layers += [(("options", key), value) for key, value in general.items()]
    for key, variant in mapping(whole.get("variants")).items():
        layers.append((("variants", key, "options"), mapping(variant).get("options")))
    for path, layer in layers:
        name = mapping(layer).get(option)
        with suppress(ValueError):
            if name and isinstance(name, str) and (option != FONT or is_font_file(name)):
                yield (*path, option), name


def states(data: object, person: Path) -> Iterator[Path]:
    """Yield the files and folders that pictures, typefaces and logos depend on, there or not."""
    whole = mapping(data)
    for name in (whole.get("photo"), mapping(whole.get("closing")).get("signature")):
        if isinstance(name, str):
            yield person.parent / name
    for _, name in named(data):
        folder = settings.folder_of(name, person)
        yield from (folder / name, (folder / name).parent)
        with suppress(SiblingFileError):
            yield from _beside(safe_files.sibling(name, folder)).values()
    for _, name in named(data, LOGO):
        yield settings.folder_of(name, person) / name


def _beside(regular: Path) -> dict[str, Path]:
    """Return the usable files of the other shapes, by their names in the regular file's folder."""
    stem = _plain(regular.stem)
    family = next(stem.removesuffix(end) for end in _REGULAR if stem.endswith(end)) or stem
    names = {f"{family}{end}": shape for shape, ends in _ENDS.items() for end in ends}
    paths: dict[str, Path] = {}
    for path in sorted(regular.parent.iterdir()):
        shape = names.get(_plain(path.stem))
        if shape and path.suffix.lower() in (".otf", ".ttf") and not path.is_symlink():
            with suppress(SiblingFileError):
                safe_files.read_sibling(path, MAX_BYTES)
                if isinstance(_typeface(path), Typeface):
                    paths.setdefault(shape, path)
    return paths


def _plain(stem: str) -> str:
    return "".join(c for c in stem.lower() if c not in " -_")


def _typeface(path: Path) -> Typeface | str:
    try:
        state = path.stat()
    except OSError:
        return "can't be read"
    return _examined(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=32)
def _examined(path: Path, *_: int) -> Typeface | str:
    # Few people have fonts of their own.
    from cvbuild.outputs.pdf.fonts import face_cache, font_file

    with path.open("rb") as file:
        if (start := file.read(4)) in (b"ttcf", b"wOFF", b"wOF2"):
            kind = "a collection" if start == b"ttcf" else "a font for the web"
            return f"is {kind}, whatever its name says"
    try:
        with font_file.opened(path) as face:
            if lost := sorted(_TABLES - set(face.font.keys())):
                return f"has no table {lost[0]}"
            lacking = [c for c in ascii_letters + digits + ".,-" if ord(c) not in face.glyphs]
            if lacking:
                return f"has no {lacking[0]}: a CV needs Latin letters and digits"
            empty = [c for c in ascii_letters if not face.outlines_of(c).contours]
            if empty:
                return f"has nothing for {empty[0]}"
            names = face.font["name"]
            written = names.getDebugName(16) or names.getDebugName(1) or ""
            name = "".join(c for c in written if c.isalnum() or c in " -")[:40].strip() or face.name
            is_serif = "serif" in name.lower().replace("sans serif", "")
            is_serif = is_serif or face.font["OS/2"].panose.bSerifStyle in _SERIFS
            fallback = "Gentium" if is_serif else "Noto Sans"
            typeface = Typeface(name, (), face.x_height / 1000, not is_serif, 0, fallback)
        # What it takes to set most words; a build needs it, too.
        (font,) = face_cache.fonts(path, 0, [face_cache.MOST_WORDS], user_cache.resolved())
    except (FontError, OSError) as error:
        return f"can't be used: {getattr(error, 'strerror', error)}"
    return f"can't be used: {font.fault}" if font.fault else typeface
