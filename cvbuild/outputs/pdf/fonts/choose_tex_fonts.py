"""Choose the fonts of pdfTeX for each word of a document, made from the typeface and others.

Words of the base layout need nothing. Any other word is set in another font of the same typeface; a
word that the typeface can't set, in that of another typeface, or in a face of its script.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from cvbuild.common.diagnostics import FieldPath
from cvbuild.common.files import safe_files
from cvbuild.model import language_tags
from cvbuild.model.text.rich_text import Break, Code, Link, Node, Span, Text
from cvbuild.outputs import font_files, typefaces
from cvbuild.outputs.font_files import FontError
from cvbuild.outputs.pdf.fonts import face_cache, fallbacks, font_file, layouts
from cvbuild.outputs.pdf.fonts.face_cache import Cuts, Made, Source
from cvbuild.outputs.pdf.fonts.layouts import COMMON, Cut, Layout, letters, packed
from cvbuild.outputs.pdf.latex import bidi, runs
from cvbuild.outputs.pdf.latex.runs import Face, Setting, Shaping
from cvbuild.outputs.typefaces import SHAPES, Found
from cvbuild.view.types import Content

#: Scripts whose characters stand beside each other, one glyph each.
_SIMPLE = frozenset((
    "", "latin", "greek", "cyrillic", "armenian", "georgian", "ethiopic", "cherokee", "han",
    "kana", "hangul",
))  # fmt: skip
#: Those on whose letters typefaces put marks.
_MARKED = frozenset(("latin", "greek", "cyrillic"))
#: The family of the document's typeface in TeX, and the beginnings of the names of others.
FAMILY, _WORDS, _CHARACTERS, _SHAPED = "cvb", "cvb", "cvbh", "cvbs"


class FieldText(Struct, frozen=True):
    """A text of the document: its field, and its characters in the family and in typewriter."""

    path: FieldPath
    parts: tuple[tuple[str, bool], ...]
    """(characters, whether they are code), in their order."""

    @classmethod
    def of(cls, content: Content) -> FieldText:
        """Return a text of a view."""
        return cls(content.path, tuple(_parts(content.nodes)))

    @property
    def plain(self) -> str:
        """All characters."""
        return "".join(part for part, _ in self.parts)


def _parts(nodes: Iterable[Node]) -> Iterator[tuple[str, bool]]:
    for node in nodes:
        match node:
            case Text(text):
                yield text, False
            case Code(text):
                yield text, True
            case Span(_, children) | Link(_, children):
                yield from _parts(children)
            case Break():
                yield " ", False


class MissingCharacter(Struct, frozen=True):
    """A character that can't be set, its field, and a package that may have a font for it."""

    path: FieldPath
    character: str
    text: str
    package: str | None = None


def can_set(text: str) -> bool:
    """Return whether pdfTeX sets the text with one glyph a character, from left to right."""
    return all(
        runs.script_of(c) in _SIMPLE
        and not runs.is_mark(c)
        and not runs.is_variation(c)
        and c not in runs.JOINERS
        for c in text
    ) and not bidi.runs_right(text)


def choose(
    texts: Collection[FieldText],
    typeface: Found,
    locale: str,
    place: Path,
    wanted: Cuts = face_cache.NONE,
) -> tuple[Setting, list[MissingCharacter]]:
    """Return how pdfTeX sets the texts, and the characters that it can't set, by field.

    ``place`` is the cache folder; ``wanted`` are the cuts of the typeface. Raises OSError if fonts
    can't be written there.
    """
    chooser = _Chooser(typeface, locale, place, wanted)
    for text in texts:
        chooser.add(text)
    used, faces = chooser.fonts()
    right = language_tags.runs_right(locale)
    setting = Setting(
        unicode=right or any(bidi.runs_right(text.plain) for text in texts),
        rtl=right,
        language=locale,
        family=chooser.family,
        space=typeface.typeface.space,
        used=used,
        faces=faces,
    )
    return setting, list(chooser.missing)


class _Chooser(Struct, dict=True):
    typeface: Found
    locale: str
    place: Path
    wanted: Cuts
    missing: dict[MissingCharacter, None] = field(default_factory=dict)
    _units: dict[Source, dict[tuple[str, bool], None]] = field(default_factory=dict)
    """What each source sets, in words or single characters."""
    has_code: bool = False
    _told: set[tuple[FieldPath, str]] = field(default_factory=set)
    _shaped: dict[Source, dict[tuple[str, bool], None]] = field(default_factory=dict)
    """What each source sets after it was shaped."""
    _known: dict[tuple[str, bool, frozenset[str]], Source | None] = field(default_factory=dict)

    @cached_property
    def _base(self) -> dict[str, Made]:
        """The typeface's font of the base layout in each shape; raises FontError."""
        return self._cut(self.wanted.shapes(self._files))

    def _cut(self, wanted: Iterable[tuple[str, Path, Cut]]) -> dict[str, Made]:
        """Return the typeface's fonts of the base layout, by shape; raises FontError."""
        shapes = tuple(wanted)
        by_shape: dict[str, Made] = {}
        for path in dict.fromkeys(path for _, path, _ in shapes):
            own = [(shape, cut) for shape, file, cut in shapes if file == path]
            some = [layouts.BASE.as_cut(cut) for _, cut in own]
            fonts = face_cache.fonts(path, 0, some, self.place)
            if fault := next((one.fault for one in fonts if one.fault), ""):
                raise FontError(f"{path} can't be used: {fault}")
            by_shape |= zip((shape for shape, _ in own), fonts, strict=True)
        return {shape: by_shape[shape] for shape, _, _ in shapes}

    @cached_property
    def _files(self) -> dict[str, Path]:
        return dict(zip(SHAPES, self.typeface.paths, strict=True))

    @cached_property
    def have(self) -> frozenset[str]:
        """What the base layout has in all shapes."""
        return frozenset.intersection(*(frozenset(made.slots) for made in self._base.values()))

    @cached_property
    def family(self) -> Face:
        """The document's typeface."""
        return self._face(FAMILY, self._base)

    @cached_property
    def _mono(self) -> tuple[Face, frozenset[str]] | None:
        return mono_face(self.typeface, self.place)

    @property
    def code(self) -> frozenset[str]:
        """What the font of code has."""
        return self._mono[1] if self._mono else font_file.TYPEWRITER

    def _face(self, name: str, made: Mapping[str, Made]) -> Face:
        shapes = tuple((shape, one.name) for shape, one in made.items())
        return Face(name, shapes, tuple(map(str, self.typeface.paths)))

    @cached_property
    def _own(self) -> Source:
        return face_cache.source_of(self.typeface)

    def add(self, text: FieldText) -> None:
        """Choose for every word of the text."""
        for part, code in text.parts:
            have = self.code if code else self.have
            self.has_code = self.has_code or code
            for word in runs.words(part):
                if have.issuperset(word) or runs.INVISIBLE.issuperset(word):
                    continue
                scripts = runs.scripts_of(text.plain)
                if not code and can_set(word) and self._covers(self._own, word) and _fits(word):
                    self._units.setdefault(self._own, {})[word, code] = None
                    continue
                for piece in runs.pieces(word):
                    if not have.issuperset(piece):
                        self._add_piece(text, piece, code, scripts)

    def _add_piece(self, text: FieldText, piece: str, code: bool, scripts: frozenset[str]) -> None:
        plain = can_set(piece)
        source = None
        if not plain or _fits(piece):
            source = self._source_of(piece, code, scripts)
        if source is not None:
            (self._units if plain else self._shaped).setdefault(source, {})[piece, code] = None
            return
        have = self.code if code else self.have
        lost = [c for c in dict.fromkeys(piece) if c not in have]
        bad = [c for c in lost if not self._source_of(c, code, scripts)]
        for character in bad or lost:
            script = runs.script_of(character)
            # Of a script that can't be set a text has many characters.
            about = (text.path, script or character)
            if about not in self._told:
                self._told.add(about)
                package = fallbacks.package(script)
                missing = MissingCharacter(text.path, character, text.plain, package)
                self.missing[missing] = None

    def _source_of(self, piece: str, code: bool, scripts: frozenset[str]) -> Source | None:
        key = (piece, code, scripts)
        if key not in self._known:
            sources = (one for one in self._sources(piece, scripts) if self._covers(one, piece))
            self._known[key] = next(sources, None)
        return self._known[key]

    def _sources(self, piece: str, scripts: frozenset[str]) -> Iterator[Source]:
        """Yield what may set a piece, best first."""
        own = self.typeface.typeface
        script = runs.first_script(piece)
        if can_set(piece) or script in _MARKED:
            yield self._own
            # The language that the piece's script implies, as for faces of scripts.
            language = "el" if runs.script_of(piece[0]) == "greek" else ""
            for typeface in typefaces.fallbacks(own):
                yield face_cache.source_of(typeface, typefaces.scale(typeface, own), language)
        faces = fallbacks.candidates(script, scripts, self.locale, sans=own.sans)
        for face in faces:
            if path := font_files.find(face.regular):
                bold = font_files.find(face.bold) or path
                shapes = tuple(zip(SHAPES, (path, path, bold, bold), strict=True))
                yield Source(shapes, face.index, face.scale, face.language, face.features)
        if script in SCRIPTS and (paths := go_files(self.place)):
            shapes = tuple(zip(SHAPES, paths, strict=True))
            yield Source(shapes, language=faces[0].language)

    def _covers(self, source: Source, text: str) -> bool:
        # In a script of letters a joiner only shapes them; in a sequence of emoji it is needed.
        needed = text.translate(runs.NO_JOINERS) if runs.script_of(text[0]) else text
        return all(
            font_file.with_accents(path, source.index).issuperset(map(ord, needed))
            for _, path in source.shapes
        )

    def fonts(self) -> tuple[tuple[Face, ...], dict[tuple[str, bool], str]]:
        """Return the faces in use, and the name of the face of each unit."""
        plan = [(one, *some) for one, units in self._units.items() for some in packed(units)]
        made = face_cache.fonts_of(
            ((source, layout) for source, layout, _ in plan), self.wanted, self.place
        )
        faces: list[Face] = []
        if self.wanted.oldstyle:
            lining = self._cut(face_cache.lining(self._files))
            faces.append(self._face(face_cache.LINING_FAMILY, lining))
        named: dict[tuple[str, bool], str] = {}
        counts = {True: 0, False: 0}
        if self.has_code and self._mono:
            faces.append(self._mono[0])
        for source, layout, some in plan:
            words = bool(layout.ligatures)
            name = letters(counts[words])
            counts[words] += 1
            face = face_cache.face_of(
                (_WORDS if words else _CHARACTERS) + name, source, layout, self.wanted, made
            )
            used = {character for unit, _ in some for character in unit}
            slots = [(c, slot) for c, slot in face.slots if c in used and COMMON.get(slot) != c]
            faces.append(replace(face, slots=tuple(slots)))
            named |= dict.fromkeys(some, face.name)
        for number, (source, units) in enumerate(self._shaped.items()):
            paths = [path for _, path in source.shapes]
            face = Face(
                _SHAPED + letters(number), (), tuple(map(str, dict.fromkeys(paths))),
                source.scale, source.language, words=False,
                shaping=Shaping(tuple(source.shapes), source.index, source.features),
            )  # fmt: skip
            faces.append(face)
            named |= dict.fromkeys(units, face.name)
        return tuple(faces), named


def _fits(word: str) -> bool:
    """Return whether all letters of a word fit into one font."""
    return len(set(word)) <= layouts.ROOM


# -- Fira ------------------------------------------------------------------------------------------
# Fira Mono is the typeface of code, set at the height of the text's small letters. Without it code
# is in Latin Modern Mono, which is part of TeX, and thin beside most typefaces. FiraGO has Arabic,
# Hebrew, Devanagari, Thai, Georgian, where there is no other face. They come with PyPI's
# pymupdf-fonts, as Python source that holds each font compressed and in base64. That source is
# read, not run, and the fonts are unpacked into the cache.


#: The scripts of other alphabets that FiraGO has.
SCRIPTS = frozenset(("arabic", "hebrew", "devanagari", "thai", "georgian"))
_SHAPES = ("Regular", "Italic", "Bold", "BoldItalic")
#: The size of the source of a font, and of a font, in bytes.
_MOST = 8 << 20
#: The family of Fira Mono in TeX, and the height of its small letters.
_MONO_FAMILY = "cvbmono"
_X_HEIGHT = 0.527
#: No kerns and no ligatures: all characters are equally wide.
_LAYOUT = Layout(layouts.BASE.slots, ())


def go_files(place: Path) -> tuple[Path, ...]:
    """Return FiraGO in the order of LaTeX's shapes, unpacked into the cache folder ``place``.

    Empty if the package isn't installed. Raises FontError if it is damaged, OSError if the cache
    can't be written.
    """
    package = font_files.package("pymupdf_fonts")
    if package is None:
        return ()
    return tuple(_unpacked(package, f"FiraGO_{shape}", place) for shape in _SHAPES)


def _mono(place: Path) -> tuple[Path, ...]:
    """Return Fira Mono, regular and bold; nothing if it isn't there, as in older installations."""
    package = font_files.package("pymupdf_fonts")
    names = ("FiraMono_Regular", "FiraMono_Bold")
    if package is None or not all((package / f"{name}.py").is_file() for name in names):
        return ()
    return tuple(_unpacked(package, name, place) for name in names)


def mono_face(typeface: Found, place: Path) -> tuple[Face, frozenset[str]] | None:
    """Return the face of code in a typeface, and its characters; None if it isn't installed.

    ``place`` is the cache folder. Raises FontError, and OSError if fonts can't be written there.
    """
    paths = _mono(place)
    if not paths:
        return None
    fonts = [face_cache.fonts(path, 0, (_LAYOUT,), place)[0] for path in paths]
    if fault := next((one.fault for one in fonts if one.fault), ""):
        raise FontError(f"{paths[0]} can't be used: {fault}")
    have = frozenset(fonts[0].slots) & frozenset(fonts[1].slots)
    return _face(typeface, [one.name for one in fonts], paths), have


def _face(typeface: Found, fonts: list[str], paths: tuple[Path, ...]) -> Face:
    regular, bold = fonts
    shapes = tuple(zip(SHAPES, (regular, regular, bold, bold), strict=True))
    scale = round(typeface.typeface.x_height / _X_HEIGHT, 2)
    return Face(_MONO_FAMILY, shapes, tuple(map(str, paths)), scale)


def _unpacked(package: Path, name: str, place: Path) -> Path:
    store, stem = face_cache.fonts_in(place), name.replace("_", "-")
    if store.get(stem) is None:
        source = package / f"{name}.py"
        store.put(stem, name, own={f"{stem}.ttf": _content(source)}, files=[source])
    return store.folder / f"{stem}.ttf"


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
