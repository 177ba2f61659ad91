"""Choose the fonts of pdfTeX for each word of a document, made from the typeface and others.

Words of the base layout need nothing. Any other word is set in another font of the same typeface; a
word that the typeface can't set, in that of another typeface, or in a face of its script.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from cvbuild.common.diagnostics import FieldPath
from cvbuild.model import language_tags
from cvbuild.model.text.rich_text import Break, Code, Link, Node, Span, Text
from cvbuild.outputs import font_files, typefaces
from cvbuild.outputs.font_files import FontError
from cvbuild.outputs.pdf.fonts import characters, face_cache, fallbacks, layouts
from cvbuild.outputs.pdf.fonts.face_cache import Cuts, Fonts
from cvbuild.outputs.pdf.fonts.layouts import COMMON, Cut, letters, packed
from cvbuild.outputs.pdf.latex import bidi, runs
from cvbuild.outputs.pdf.latex.runs import Face, FaceFiles, Setting
from cvbuild.outputs.typefaces import SHAPES, FontFamily
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
#: The family that has lining figures in a document with old-style ones (\CvbLining).
LINING_FAMILY = "cvblining"


def _parts(nodes: Iterable[Node]) -> Iterator[tuple[str, bool]]:
    """Yield characters, and whether they are code."""
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
    texts: Collection[Content],
    typeface: FontFamily,
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
        unicode=right or any(bidi.runs_right(str(text)) for text in texts),
        rtl=right,
        language=locale,
        family=chooser.family,
        space=typeface.typeface.space,
        used=used,
        faces=faces,
    )
    return setting, list(chooser.missing)


class _Chooser(Struct, dict=True):
    typeface: FontFamily
    locale: str
    place: Path
    wanted: Cuts
    missing: dict[MissingCharacter, None] = field(default_factory=dict)
    _units: dict[FaceFiles, dict[tuple[str, bool], None]] = field(default_factory=dict)
    """What each of them sets, in words or single characters."""
    has_code: bool = False
    _told: set[tuple[FieldPath, str]] = field(default_factory=set)
    _shaped: dict[FaceFiles, dict[tuple[str, bool], None]] = field(default_factory=dict)
    """What each of them sets after it was shaped."""
    _known: dict[tuple[str, bool, frozenset[str]], FaceFiles | None] = field(default_factory=dict)

    @cached_property
    def _own(self) -> FaceFiles:
        return face_cache.files_of(self.typeface)

    @cached_property
    def _base(self) -> Fonts:
        """The typeface's fonts of the base layout; raises FontError."""
        fonts = face_cache.fonts_of([(self._own, layouts.BASE)], self.wanted, self.place)
        for (path, *_), font in fonts.items():
            if font.fault:
                raise FontError(f"{path} can't be used: {font.fault}")
        return fonts

    @cached_property
    def have(self) -> frozenset[str]:
        """What the base layout has in all shapes."""
        return frozenset.intersection(*(frozenset(made.slots) for made in self._base.values()))

    @cached_property
    def family(self) -> Face:
        """The document's typeface."""
        face = face_cache.face_of(FAMILY, self._own, layouts.BASE, self.wanted, self._base)
        return replace(face, slots=())

    def _lining(self) -> Face:
        """Return the family with lining figures, all of one width."""
        layout, shapes = layouts.BASE.as_cut(Cut(layouts.TABULAR)), {}
        for shape in ("m/n", "b/n"):
            (font,) = face_cache.fonts(dict(self._own.shapes)[shape], 0, [layout], self.place)
            shapes[shape] = font.name
        return Face(LINING_FAMILY, tuple(shapes.items()), self.family.files)

    @cached_property
    def _mono(self) -> tuple[Face, frozenset[str]] | None:
        return fallbacks.mono_face(self.typeface, self.place)

    @property
    def code(self) -> frozenset[str]:
        """What the font of code has."""
        return self._mono[1] if self._mono else characters.TYPEWRITER

    def add(self, text: Content) -> None:
        """Choose for every word of the text."""
        plain = str(text)
        for part, code in _parts(text.nodes):
            have = self.code if code else self.have
            self.has_code = self.has_code or code
            for word in runs.words(part):
                if have.issuperset(word) or runs.INVISIBLE.issuperset(word):
                    continue
                scripts = runs.scripts_of(plain)
                if not code and can_set(word) and self._covers(self._own, word) and _fits(word):
                    self._units.setdefault(self._own, {})[word, code] = None
                    continue
                for piece in runs.pieces(word):
                    if not have.issuperset(piece):
                        self._add_piece(text, piece, code, scripts)

    def _add_piece(self, text: Content, piece: str, code: bool, scripts: frozenset[str]) -> None:
        plain = can_set(piece)
        files = None
        if not plain or _fits(piece):
            files = self._files_of(piece, code, scripts)
        if files is not None:
            (self._units if plain else self._shaped).setdefault(files, {})[piece, code] = None
            return
        have = self.code if code else self.have
        lost = [c for c in dict.fromkeys(piece) if c not in have]
        bad = [c for c in lost if not self._files_of(c, code, scripts)]
        for character in bad or lost:
            script = runs.script_of(character)
            # Of a script that can't be set a text has many characters.
            about = (text.path, script or character)
            if about not in self._told:
                self._told.add(about)
                package = fallbacks.package(script)
                missing = MissingCharacter(text.path, character, str(text), package)
                self.missing[missing] = None

    def _files_of(self, piece: str, code: bool, scripts: frozenset[str]) -> FaceFiles | None:
        key = (piece, code, scripts)
        if key not in self._known:
            every = self._candidates(piece, scripts)
            self._known[key] = next((one for one in every if self._covers(one, piece)), None)
        return self._known[key]

    def _candidates(self, piece: str, scripts: frozenset[str]) -> Iterator[FaceFiles]:
        """Yield what may set a piece, best first."""
        main = self.typeface.typeface
        script = runs.first_script(piece)
        if can_set(piece) or script in _MARKED:
            yield self._own
            # The language that the piece's script implies, as for faces of scripts.
            language = "el" if runs.script_of(piece[0]) == "greek" else ""
            for typeface in typefaces.fallbacks(main):
                yield face_cache.files_of(typeface, typefaces.scale(typeface, main), language)
        faces = fallbacks.candidates(script, scripts, self.locale, sans=main.sans)
        for face in faces:
            if path := font_files.find(face.regular):
                bold = font_files.find(face.bold) or path
                shapes = tuple(zip(SHAPES, (path, path, bold, bold), strict=True))
                yield FaceFiles(shapes, face.index, face.scale, face.language, face.features)
        if script in fallbacks.FIRA_GO and (paths := fallbacks.go_files(self.place)):
            shapes = tuple(zip(SHAPES, paths, strict=True))
            yield FaceFiles(shapes, language=faces[0].language)

    def _covers(self, files: FaceFiles, text: str) -> bool:
        # In a script of letters a joiner only shapes them; in a sequence of emoji it is needed.
        needed = text.translate(runs.NO_JOINERS) if runs.script_of(text[0]) else text
        return all(
            characters.with_accents(path, files.index).issuperset(map(ord, needed))
            for _, path in files.shapes
        )

    def fonts(self) -> tuple[tuple[Face, ...], dict[tuple[str, bool], str]]:
        """Return the faces in use, and the name of the face of each unit."""
        plan = [(one, *group) for one, units in self._units.items() for group in packed(units)]
        fonts = face_cache.fonts_of(
            ((files, layout) for files, layout, _ in plan), self.wanted, self.place
        )
        faces: list[Face] = []
        if self.wanted.oldstyle:
            faces.append(self._lining())
        named: dict[tuple[str, bool], str] = {}
        counts = {True: 0, False: 0}
        if self.has_code and self._mono:
            faces.append(self._mono[0])
        for files, layout, group in plan:
            words = bool(layout.ligatures)
            name = letters(counts[words])
            counts[words] += 1
            face = face_cache.face_of(
                (_WORDS if words else _CHARACTERS) + name, files, layout, self.wanted, fonts
            )
            used = {character for unit, _ in group for character in unit}
            slots = [(c, slot) for c, slot in face.slots if c in used and COMMON.get(slot) != c]
            faces.append(replace(face, slots=tuple(slots)))
            named |= dict.fromkeys(group, face.name)
        for number, (files, units) in enumerate(self._shaped.items()):
            paths = [path for _, path in files.shapes]
            face = Face(
                _SHAPED + letters(number), (), tuple(map(str, dict.fromkeys(paths))),
                files.scale, files.language, words=False,
                shaping=files,
            )  # fmt: skip
            faces.append(face)
            named |= dict.fromkeys(units, face.name)
        return tuple(faces), named


def _fits(word: str) -> bool:
    """Return whether all letters of a word fit into one font."""
    return len(set(word)) <= layouts.ROOM
