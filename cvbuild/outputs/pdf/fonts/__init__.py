"""Choose the fonts of pdfTeX for each word of a document, made from the typeface and others.

Words of the base layout need nothing. Any other word is set in another font of the same typeface; a
word that the typeface can't set, in that of another typeface, or in a face of its script.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from cvbuild.common.diagnostics import FieldPath
from cvbuild.model import language_tags
from cvbuild.model.rich_text import Break, Code, Link, Node, Span, Text
from cvbuild.outputs import installed, typefaces
from cvbuild.outputs.installed import FontError
from cvbuild.outputs.pdf.fonts import face_cache, fallbacks, layouts
from cvbuild.outputs.pdf.fonts.face_cache import Cuts, Fonts
from cvbuild.outputs.pdf.fonts.layouts import (
    COMMON,
    ROOM,
    Cluster,
    ClusterLayout,
    Cut,
    Placed,
    letters,
    packed,
)
from cvbuild.outputs.pdf.latex import bidi, typography
from cvbuild.outputs.pdf.latex.typography import JOINERS, NO_JOINERS, Face, FaceFiles, Setting
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
        typography.script_of(c) in _SIMPLE
        and not typography.is_mark(c)
        and not typography.VARIATIONS.match(c)
        and c not in typography.JOINERS
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
    right = language_tags.runs_right(locale)
    unicode = right or any(bidi.runs_right(str(text)) for text in texts)
    space, fonts = typeface.typeface.space, chooser.fonts()
    setting = Setting(unicode, right, locale, chooser.family, space, *fonts)
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

    @cached_property
    def _mono(self) -> tuple[Face, frozenset[str]] | None:
        return fallbacks.mono_face(self.typeface, self.place)

    @property
    def code(self) -> frozenset[str]:
        """What the font of code has."""
        return self._mono[1] if self._mono else layouts.TYPEWRITER

    def add(self, text: Content) -> None:
        """Choose for every word of the text."""
        plain = str(text)
        for part, code in _parts(text.nodes):
            have = self.code if code else self.have
            self.has_code = self.has_code or code
            for word in typography.words(part):
                if have.issuperset(word) or typography.INVISIBLE.issuperset(word):
                    continue
                scripts = frozenset(filter(None, map(typography.script_of, plain)))
                if (
                    not code
                    and can_set(word)
                    and self._covers(self._own, word)
                    and len(set(word)) <= ROOM
                ):
                    self._units.setdefault(self._own, {})[word, code] = None
                    continue
                for piece in typography.pieces(word):
                    if not have.issuperset(piece):
                        self._add_piece(text, piece, code, scripts)

    def _add_piece(self, text: Content, piece: str, code: bool, scripts: frozenset[str]) -> None:
        plain = can_set(piece)
        can_fit = not plain or len(set(piece)) <= ROOM
        if can_fit and (files := self._files_of(piece, code, scripts)):
            (self._units if plain else self._shaped).setdefault(files, {})[piece, code] = None
            return
        have = self.code if code else self.have
        lost = [c for c in dict.fromkeys(piece) if c not in have]
        bad = [c for c in lost if not self._files_of(c, code, scripts)]
        for character in bad or lost:
            script = typography.script_of(character)
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
            self._known[key] = next((face for face in every if self._covers(face, piece)), None)
        return self._known[key]

    def _candidates(self, piece: str, scripts: frozenset[str]) -> Iterator[FaceFiles]:
        """Yield what may set a piece, best first."""
        main = self.typeface.typeface
        script = next(filter(None, map(typography.script_of, piece)), "")
        if can_set(piece) or script in _MARKED:
            yield self._own
            # The language that the piece's script implies, as for faces of scripts.
            language = "el" if typography.script_of(piece[0]) == "greek" else ""
            for typeface in typefaces.fallbacks(main):
                # Its small letters are as tall as the document's own.
                ratio = main.x_height / typeface.typeface.x_height
                scale = round(min(max(ratio, 0.9), 1.1), 2)
                yield face_cache.files_of(typeface, scale, language)
        faces = fallbacks.candidates(script, scripts, self.locale, sans=main.sans)
        for face in faces:
            if path := installed.font_file(face.regular):
                bold = installed.font_file(face.bold) or path
                shapes = tuple(zip(SHAPES, (path, path, bold, bold), strict=True))
                yield FaceFiles(shapes, face.index, face.scale, face.language, face.features)
        if script in fallbacks.FIRA_GO and (paths := fallbacks.go_files(self.place)):
            shapes = tuple(zip(SHAPES, paths, strict=True))
            yield FaceFiles(shapes, language=faces[0].language)

    def _covers(self, files: FaceFiles, text: str) -> bool:
        # In a script of letters a joiner only shapes them; in a sequence of emoji it is needed.
        needed = text.translate(typography.NO_JOINERS) if typography.script_of(text[0]) else text
        return all(
            layouts.with_accents(path, files.index).issuperset(map(ord, needed))
            for _, path in files.shapes
        )

    def fonts(self) -> tuple[tuple[Face, ...], dict[tuple[str, bool], str]]:
        """Return the faces in use, and the name of the face of each unit."""
        plan = [(face, *group) for face, units in self._units.items() for group in packed(units)]
        fonts = face_cache.fonts_of(
            ((files, layout) for files, layout, _ in plan), self.wanted, self.place
        )
        faces: list[Face] = []
        if self.wanted.oldstyle:
            # All figures of one width.
            layout, shapes = layouts.BASE.as_cut(Cut(layouts.TABULAR)), {}
            for shape in ("m/n", "b/n"):
                (font,) = face_cache.fonts(dict(self._own.shapes)[shape], 0, [layout], self.place)
                shapes[shape] = font.name
            faces.append(Face(LINING_FAMILY, tuple(shapes.items()), self.family.files))
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


# -- words of scripts that are shaped: slots of fonts that are made for them -----------------------

#: A face's name, a word, and whether it runs right to left.
Word = tuple[str, str, bool]


def shaped(
    setting: Setting, words: Iterable[Word], place: Path, wanted: Cuts = face_cache.NONE
) -> Setting:
    """Return the setting with the TeX of its words, and the faces that they need.

    ``place`` is the cache folder; ``wanted`` are the cuts that the document needs. Raises FontError
    for a font that can't be used, OSError if fonts can't be written.
    """
    known: dict[Word, tuple[str, ...]] = {}
    faces: list[Face] = []
    every = sorted(set(words))
    for face in setting.used:
        if face.shaping is None:
            faces.append(face)
            continue
        of_face = [word for word in every if word[0] == face.name]
        by_file = {
            path: _set(face.name, face.shaping, path, of_face, place)
            for path in dict.fromkeys(path for _, path in face.shaping.shapes)
        }
        shapes = [by_file[path] for _, path in face.shaping.shapes]
        for word in of_face:
            first, *others = (codes[word] for codes, _ in shapes)
            known[word] = (first, *(code if code != first else "" for code in others))
        # As many faces for TeX as a shape has fonts.
        for number in range(max(len(fonts) for _, fonts in shapes)):
            names = (fonts[min(number, len(fonts) - 1)] for _, fonts in shapes)
            alike = wanted.alike(dict(zip(SHAPES, names, strict=True)))
            faces.append(replace(face, name=f"{face.name}{number or ''}", shapes=alike))
    return replace(setting, used=tuple(faces), words=known)


def _set(
    name: str, how: FaceFiles, path: Path, words: Iterable[Word], place: Path
) -> tuple[Mapping[Word, str], tuple[str, ...]]:
    """Return the TeX of each word in one font file, and the names of its fonts."""
    shaper = Shaper(path, how.index, how.features)
    shaped_by_word = {word: shaper.shape(word[1], right=word[2]) for word in words}
    different: dict[object, Cluster] = {}
    for cluster in chain.from_iterable(shaped_by_word.values()):
        # A width that a kern has changed makes no other cluster.
        different.setdefault(cluster.shape, cluster)
    every, starts = tuple(different.values()), range(0, len(different), layouts.MOST)
    several = [ClusterLayout(every[at : at + layouts.MOST]) for at in starts]
    fonts = face_cache.fonts(path, how.index, several, place)
    if faults := [font.fault for font in fonts if font.fault]:
        raise FontError(f"{path} can't be used: {faults[0]}")
    places = {
        cluster.shape: (number, slot, cluster.width)
        for number, layout in enumerate(several)
        for slot, cluster in enumerate(layout.clusters)
    }
    codes = dict.fromkeys(shaped_by_word, "")
    for word, clusters in shaped_by_word.items():
        for cluster in clusters:
            font, slot, width = places[cluster.shape]
            code = rf"\char{slot} "
            codes[word] += rf"\CvbScript{{{name}{font}}}{{{code}}}" if font else code
            if kern := round((cluster.width - width) / 1000, 5):
                codes[word] += rf"\kern{kern:.5f}em "
    return codes, tuple(font.name for font in fonts)


# -- shaping with HarfBuzz: the glyphs of each cluster, and where they are drawn -------------------
# A cluster is the least part of a text that glyphs can be given to: a letter with its marks, a
# ligature, a syllable of Devanagari. uharfbuzz is imported when the first font is opened.


#: More characters than the name of a glyph should tell.
_LONG = 20
#: The width of a joiner, in thousandths of the font's size.
_JOINER = 4.0


class MissingGlyphError(Exception):
    """A font has no glyph for a part of a text."""


class Shaper:
    """A font file opened for shaping, at any size."""

    def __init__(self, path: Path, index: int = 0, features: str = "") -> None:
        """Open the font; raises OSError if the file can't be read."""
        import uharfbuzz

        self._harfbuzz: Any = uharfbuzz
        face = uharfbuzz.Face(uharfbuzz.Blob(path.read_bytes()), index)
        self._font = uharfbuzz.Font(face)
        self._scale: float = 1000 / face.upem
        self._features = {
            name[1:]: name[0] == "+" for name in features.split(";") if name[:1] in ("+", "-")
        }

    def shape(self, word: str, *, right: bool) -> list[Cluster]:
        """Return the word's clusters as they are read; raises MissingGlyphError."""
        harfbuzz = self._harfbuzz
        buffer = harfbuzz.Buffer()
        buffer.add_str(word)
        buffer.guess_segment_properties()
        buffer.direction = "rtl" if right else "ltr"
        buffer.language = "und"  # not that of the process
        harfbuzz.shape(self._font, buffer, self._features)
        # By where a cluster begins: its glyphs, and its width.
        placed: dict[int, tuple[list[Placed], int]] = {}
        for info, position in zip(buffer.glyph_infos, buffer.glyph_positions, strict=True):
            if info.codepoint == 0:
                raise MissingGlyphError(word)
            glyphs, at = placed.get(info.cluster, ([], 0))
            across, up = at + position.x_offset, position.y_offset
            sides = (round(units * self._scale, 2) for units in (across, up))
            placed[info.cluster] = (
                [*glyphs, Placed(info.codepoint, *sides)],
                at + position.x_advance,
            )
        # A joiner at the end of a word has no letters beside it to be read between.
        ends = [*sorted(placed)[1:], len(word.rstrip(JOINERS) if right else word)]
        clusters: list[Cluster] = []
        for (start, (glyphs, width)), end in zip(sorted(placed.items()), ends, strict=True):
            part = Cluster(word[start:end], tuple(glyphs), round(width * self._scale, 2))
            clusters += _letters(part, right) if right or end - start > _LONG else [part]
        return clusters


def _letters(cluster: Cluster, right: bool) -> Iterator[Cluster]:
    """Yield a part of a cluster for each of its characters; the first one draws all glyphs.

    Readers disagree about the order of several letters of one glyph that run right to left.
    """
    # Joiners have had their effect; with a little width they are read between the letters.
    letters = len(cluster.text.translate(NO_JOINERS))
    if not cluster.text:
        return
    share = (cluster.width - _JOINER * (len(cluster.text) - letters)) / max(letters, 1)
    before = 0.0
    for at, character in enumerate(cluster.text):
        width = round(_JOINER if character in JOINERS else share, 2)
        # The glyphs begin at the left edge of the cluster.
        across = before + width - cluster.width if right else -before
        before += width
        glyphs = tuple(
            Placed(glyph.glyph, round(glyph.across + across, 2), glyph.up)
            for glyph in cluster.glyphs
        )
        yield Cluster(character, glyphs, width, hidden=at > 0)
