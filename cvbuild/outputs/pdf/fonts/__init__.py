"""Choose the fonts of pdfTeX for each word of a document, made from the typeface and others.

Words of the base layout need nothing. Any other word is set in another font of the same typeface; a
word that the typeface can't set, in that of another typeface, or in a face of its script.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from cvbuild.common.diagnostics import FieldPath
from cvbuild.model.text import language_tags
from cvbuild.model.text.rich_text import Break, Code, Link, Node, Span, Text
from cvbuild.outputs import installed
from cvbuild.outputs.installed import FontError
from cvbuild.outputs.pdf.fonts import face_cache, fallbacks, layouts
from cvbuild.outputs.pdf.fonts.face_cache import Cuts
from cvbuild.outputs.pdf.fonts.layouts import (
    COMMON,
    ROOM,
    Cluster,
    Cut,
    Placed,
    letters,
    packed,
)
from cvbuild.outputs.pdf.latex import bidi, typography
from cvbuild.outputs.pdf.latex.typography import JOINERS, NO_JOINERS, Face, FaceFiles, Setting
from cvbuild.outputs.styles import typefaces
from cvbuild.outputs.styles.typefaces import SHAPES, FontFamily
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
    """Return how pdfTeX sets the texts, and the characters that it can't set, by field."""
    # ``place`` is the cache folder; ``wanted`` are the cuts of the typeface. Raises FontError if it
    # can't be used, OSError if fonts can't be written.
    own = face_cache.files_of(typeface)
    base = face_cache.fonts_of([(own, layouts.BASE)], wanted, place)
    for (path, *_), font in base.items():
        if font.fault:
            raise FontError(f"{path} can't be used: {font.fault}")
    have = frozenset.intersection(*(frozenset(font.slots) for font in base.values()))
    chooser = _Chooser(typeface, locale, place, wanted, own, have)
    for text in texts:
        chooser.add(text)
    family = face_cache.face_of(FAMILY, own, layouts.BASE, wanted, base)
    right, space = language_tags.runs_right(locale), typeface.typeface.space
    unicode = right or any(bidi.runs_right(str(text)) for text in texts)
    setting = Setting(unicode, right, locale, replace(family, slots=()), space, *chooser.faces())
    return setting, list(chooser.missing.values())


class _Chooser(Struct, dict=True):
    typeface: FontFamily
    locale: str
    place: Path
    wanted: Cuts
    own: FaceFiles
    """Those of the typeface."""
    have: frozenset[str]
    """What its base layout has in all shapes."""
    missing: dict[tuple[FieldPath, str], MissingCharacter] = field(default_factory=dict)
    """The first of each field and script: of one that can't be set a text has many characters."""
    units: dict[FaceFiles, dict[tuple[str, bool], None]] = field(default_factory=dict)
    """What each of them sets, in words or single characters."""
    shaped: dict[FaceFiles, dict[tuple[str, bool], None]] = field(default_factory=dict)
    """What each of them sets after it was shaped."""
    has_code: bool = False
    known: dict[tuple[str, frozenset[str]], FaceFiles | None] = field(default_factory=dict)

    @cached_property
    def mono(self) -> tuple[Face | None, frozenset[str]]:
        """The face of code, if it isn't TeX's own, and what it has."""
        return fallbacks.mono_face(self.typeface, self.place) or (None, layouts.TYPEWRITER)

    def add(self, text: Content) -> None:
        scripts = frozenset(filter(None, map(typography.script_of, str(text))))
        for part, code in _parts(text.nodes):
            have = self.mono[1] if code else self.have
            self.has_code = self.has_code or code
            for word in typography.words(part):
                if have.issuperset(word) or typography.INVISIBLE.issuperset(word):
                    continue
                fits = not code and can_set(word) and len(set(word)) <= ROOM
                if fits and self.covers(self.own, word):
                    self.units.setdefault(self.own, {})[word, code] = None
                    continue
                for piece in typography.pieces(word):
                    if have.issuperset(piece):
                        continue
                    plain = can_set(piece)
                    can_fit = not plain or len(set(piece)) <= ROOM
                    if can_fit and (files := self.files_of(piece, scripts)):
                        units = self.units if plain else self.shaped
                        units.setdefault(files, {})[piece, code] = None
                        continue
                    lost = [c for c in dict.fromkeys(piece) if c not in have]
                    for character in [c for c in lost if not self.files_of(c, scripts)] or lost:
                        script = typography.script_of(character)
                        package = fallbacks.package(script)
                        fault = MissingCharacter(text.path, character, str(text), package)
                        self.missing.setdefault((text.path, script or character), fault)

    def files_of(self, piece: str, scripts: frozenset[str]) -> FaceFiles | None:
        key = (piece, scripts)
        if key not in self.known:
            every = self.candidates(piece, scripts)
            self.known[key] = next((face for face in every if self.covers(face, piece)), None)
        return self.known[key]

    def candidates(self, piece: str, scripts: frozenset[str]) -> Iterator[FaceFiles]:
        """Yield what may set a piece, best first."""
        main = self.typeface.typeface
        script = next(filter(None, map(typography.script_of, piece)), "")
        if can_set(piece) or script in _MARKED:
            yield self.own
            # The language that the piece's script implies, as for faces of scripts.
            language = "el" if typography.script_of(piece[0]) == "greek" else ""
            name, passed = main.fallback, {main.name}
            while name and name not in passed:
                following = typefaces.TYPEFACES[name]
                # Its small letters are as tall as the document's own.
                scale = round(min(max(main.x_height / following.x_height, 0.9), 1.1), 2)
                if family := typefaces.find(name):
                    yield face_cache.files_of(family, scale, language)
                passed.add(name)
                name = following.fallback
        faces = fallbacks.candidates(script, scripts, self.locale, sans=main.sans)
        for face in faces:
            if path := installed.font_file(face.regular):
                bold = installed.font_file(face.bold) or path
                shapes = tuple(zip(SHAPES, (path, path, bold, bold), strict=True))
                yield FaceFiles(shapes, face.index, face.scale, face.language, face.features)
        if script in fallbacks.FIRA_GO and (paths := fallbacks.go_files(self.place)):
            shapes = tuple(zip(SHAPES, paths, strict=True))
            yield FaceFiles(shapes, language=faces[0].language)

    def covers(self, files: FaceFiles, text: str) -> bool:
        # In a script of letters a joiner only shapes them; in a sequence of emoji it is needed.
        needed = text.translate(typography.NO_JOINERS) if typography.script_of(text[0]) else text
        codes = (layouts.coverage(path, files.index) for _, path in files.shapes)
        lacking = (({*map(ord, needed)} - have, have) for have in codes)
        return all(not lost or lost <= layouts.composed(have).keys() for lost, have in lacking)

    def faces(self) -> tuple[tuple[Face, ...], dict[tuple[str, bool], str]]:
        """Return the faces in use, and the name of the face of each unit."""
        plan = [(face, *group) for face, units in self.units.items() for group in packed(units)]
        fonts = face_cache.fonts_of(
            ((files, layout) for files, layout, _ in plan), self.wanted, self.place
        )
        faces: list[Face] = []
        if self.wanted.oldstyle:
            # All figures of one width.
            layout, paths = layouts.BASE.as_cut(Cut(layouts.TABULAR)), dict(self.own.shapes)
            shapes = tuple(
                (shape, face_cache.fonts(paths[shape], 0, [layout], self.place)[0].name)
                for shape in ("m/n", "b/n")
            )
            faces.append(Face(LINING_FAMILY, shapes, self.own.paths))
        named: dict[tuple[str, bool], str] = {}
        counts = Counter[str]()
        if self.has_code and self.mono[0]:
            faces.append(self.mono[0])
        for files, layout, group in plan:
            kind = _WORDS if layout.ligatures else _CHARACTERS
            name = kind + letters(counts[kind])
            counts[kind] += 1
            face = face_cache.face_of(name, files, layout, self.wanted, fonts)
            used = {character for unit, _ in group for character in unit}
            slots = [(c, slot) for c, slot in face.slots if c in used and COMMON.get(slot) != c]
            faces.append(replace(face, slots=tuple(slots)))
            named |= dict.fromkeys(group, face.name)
        for number, (files, units) in enumerate(self.shaped.items()):
            name = _SHAPED + letters(number)
            face = Face(
                name, (), files.paths, files.scale, files.language, words=False, shaping=files
            )
            faces.append(face)
            named |= dict.fromkeys(units, name)
        return tuple(faces), named


# -- words of scripts that are shaped: slots of fonts that are made for them -----------------------

#: A face's name, a word, and whether it runs right to left.
Word = tuple[str, str, bool]


def shaped(
    setting: Setting, words: Iterable[Word], place: Path, wanted: Cuts = face_cache.NONE
) -> Setting:
    """Return the setting with the TeX of its words, and their faces; raises FontError, OSError."""
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
    shaped_by_word = _shaped(how, path, words)
    different: dict[object, Cluster] = {}
    for cluster in chain.from_iterable(shaped_by_word.values()):
        # A width that a kern has changed makes no other cluster.
        different.setdefault(cluster.shape, cluster)
    every, starts = tuple(different.values()), range(0, len(different), layouts.MOST)
    several = [every[at : at + layouts.MOST] for at in starts]
    fonts = face_cache.fonts(path, how.index, several, place)
    if faults := [font.fault for font in fonts if font.fault]:
        raise FontError(f"{path} can't be used: {faults[0]}")
    codes = dict.fromkeys(shaped_by_word, "")
    places = {shape: divmod(at, layouts.MOST) for at, shape in enumerate(different)}
    for word, clusters in shaped_by_word.items():
        for cluster in clusters:
            font, slot = places[cluster.shape]
            code = rf"\char{slot} "
            codes[word] += rf"\CvbScript{{{name}{font}}}{{{code}}}" if font else code
            kern = round((cluster.width - different[cluster.shape].width) / 1000, 5)
            codes[word] += rf"\kern{kern:.5f}em " if kern else ""
    return codes, tuple(font.name for font in fonts)


# -- shaping with HarfBuzz: the glyphs of each cluster, and where they are drawn -------------------
# A cluster is the least part of a text that glyphs can be given to: a letter with its marks, a
# ligature, a syllable of Devanagari.


#: More characters than the name of a glyph should tell.
_LONG = 20
#: The width of a joiner, in thousandths of the font's size.
_JOINER = 4.0


def _shaped(how: FaceFiles, path: Path, words: Iterable[Word]) -> dict[Word, list[Cluster]]:
    """Return the clusters of each word as they are read; raises FontError, and OSError."""
    import uharfbuzz as harfbuzz  # few documents have such words

    face = harfbuzz.Face(harfbuzz.Blob(path.read_bytes()), how.index)
    font, scale = harfbuzz.Font(face), 1000 / face.upem
    features = {name[1:]: name[0] == "+" for name in how.features.split(";") if name}
    shaped: dict[Word, list[Cluster]] = {}
    for word in words:
        _, text, right = word
        buffer = harfbuzz.Buffer()
        buffer.add_str(text)
        buffer.guess_segment_properties()
        buffer.direction = "rtl" if right else "ltr"
        buffer.language = "und"  # not that of the process
        harfbuzz.shape(font, buffer, features)
        # By where a cluster begins: its glyphs, and its width.
        placed: dict[int, tuple[list[Placed], int]] = {}
        for info, position in zip(buffer.glyph_infos, buffer.glyph_positions, strict=True):
            if info.codepoint == 0:
                raise FontError(f"{path} has no glyph for a part of {text}")
            glyphs, at = placed.get(info.cluster, ([], 0))
            across, up = at + position.x_offset, position.y_offset
            sides = (round(units * scale, 2) for units in (across, up))
            glyphs = [*glyphs, Placed(info.codepoint, *sides)]
            placed[info.cluster] = glyphs, at + position.x_advance
        # A joiner at the end of a word has no letters beside it to be read between.
        read = (right and text.rstrip(JOINERS)) or text
        ends = [*sorted(placed)[1:], len(read)]
        shaped[word] = []
        for (start, (glyphs, width)), end in zip(sorted(placed.items()), ends, strict=True):
            part = Cluster(text[start:end], tuple(glyphs), round(width * scale, 2))
            shaped[word] += _letters(part, right) if right or end - start > _LONG else [part]
    return shaped


def _letters(cluster: Cluster, right: bool) -> Iterator[Cluster]:
    """Yield a part of a cluster for each of its characters; the first one draws all glyphs."""
    # Readers disagree about the order of several letters of one glyph that run right to left.
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
