"""Choose the fonts of pdfTeX for each word of a document, made from the typeface and others.

Words of the base layout need nothing. Any other word is set in another font of the same typeface; a
word that the typeface can't set, in that of another typeface, or in a face of its script.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from cvbuild.common.diagnostics import FieldPath
from cvbuild.model import language_tags
from cvbuild.outputs.pdf.fonts import (
    coverage,
    face_cache,
    fallbacks,
    fira_go,
    installed,
    layouts,
    typefaces,
)
from cvbuild.outputs.pdf.fonts.choose_faces import FieldText, MissingCharacter
from cvbuild.outputs.pdf.fonts.coverage import Coverage
from cvbuild.outputs.pdf.fonts.face_cache import Made
from cvbuild.outputs.pdf.fonts.font_error import FontError
from cvbuild.outputs.pdf.fonts.layouts import COMMON, Layout
from cvbuild.outputs.pdf.fonts.pack_words import letters, packed
from cvbuild.outputs.pdf.fonts.typefaces import SHAPES, Found
from cvbuild.outputs.pdf.scripts import bidi, runs, shaping
from cvbuild.outputs.pdf.scripts.runs import Face, Setting, Shaping

#: Scripts whose characters stand beside each other, one glyph each.
_SIMPLE = frozenset(
    (
        "",
        "latin",
        "greek",
        "cyrillic",
        "armenian",
        "georgian",
        "ethiopic",
        "cherokee",
        "han",
        "kana",
    )
) | {"hangul"}
#: Those on whose letters typefaces put marks.
_MARKED = frozenset(("latin", "greek", "cyrillic"))
_NO_JOINERS = dict.fromkeys(map(ord, runs.JOINERS))
#: The family of the document's typeface in TeX, and the beginnings of the names of others.
FAMILY, _WORDS, _CHARACTERS, _SHAPED = "cvb", "cvb", "cvbh", "cvbs"


@dataclass(frozen=True, slots=True)
class _Source:
    """Font files by shape that set a piece: a typeface, or a face of a script."""

    shapes: tuple[tuple[str, Path], ...]
    index: int = 0
    scale: float = 1.0
    language: str = ""
    features: str = ""


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
    texts: Collection[FieldText], typeface: Found, code: frozenset[str], locale: str, place: Path
) -> tuple[Setting, list[MissingCharacter]]:
    """Return how pdfTeX sets the texts, and the characters that it can't set, by field.

    ``code`` are the characters of the typewriter font; ``place`` is the cache folder. Raises
    OSError if fonts can't be written there.
    """
    chooser = _Chooser(typeface, code, locale, place)
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


@dataclass
class _Chooser:
    typeface: Found
    code: frozenset[str]
    locale: str
    place: Path
    missing: dict[MissingCharacter, None] = field(default_factory=dict)
    _units: dict[_Source, dict[tuple[str, bool], None]] = field(default_factory=dict)
    """What each source sets, in words or single characters."""
    _told: set[tuple[FieldPath, str]] = field(default_factory=set)
    _shaped: dict[_Source, dict[tuple[str, bool], None]] = field(default_factory=dict)
    """What each source sets after it was shaped."""
    _coverages: dict[tuple[Path, int], Coverage] = field(default_factory=dict)
    _known: dict[tuple[str, bool, frozenset[str]], _Source | None] = field(default_factory=dict)

    @cached_property
    def _base(self) -> tuple[Made, ...]:
        """The typeface's font of the base layout in each shape; raises FontError."""
        made = []
        for path in self.typeface.paths:
            made.append(_font(path, 0, layouts.BASE, self.place))
            if made[-1].fault:
                raise FontError(f"{path} can't be used: {made[-1].fault}")
        return tuple(made)

    @cached_property
    def have(self) -> frozenset[str]:
        """What the base layout has in all shapes."""
        return frozenset.intersection(*(frozenset(made.slots) for made in self._base))

    @cached_property
    def family(self) -> Face:
        """The document's typeface."""
        shapes = tuple((shape, made.name) for shape, made in zip(SHAPES, self._base, strict=True))
        return Face(FAMILY, shapes, tuple(map(str, self.typeface.paths)))

    @cached_property
    def _own(self) -> _Source:
        return _source(self.typeface)

    def add(self, text: FieldText) -> None:
        """Choose for every word of the text."""
        for part, code in text.parts:
            have = self.code if code else self.have
            for word in runs.words(part):
                if have.issuperset(word) or runs.INVISIBLE.issuperset(word):
                    continue
                scripts = frozenset(filter(None, map(runs.script_of, text.plain)))
                if not code and can_set(word) and self._covers(self._own, word) and _fits(word):
                    self._use(self._own, word, code)
                    continue
                for piece in runs.pieces(word):
                    if not have.issuperset(piece):
                        self._add_piece(text, piece, code, scripts)

    def _add_piece(self, text: FieldText, piece: str, code: bool, scripts: frozenset[str]) -> None:
        plain = can_set(piece)
        shaped = not plain and shaping.is_installed()
        source = None
        if shaped or (plain and _fits(piece)):
            source = self._source_of(piece, code, scripts)
        if source is not None and shaped:
            self._shaped.setdefault(source, {})[piece, code] = None
            return
        if source is not None:
            self._use(source, piece, code)
            return
        have = self.code if code else self.have
        lost = [c for c in dict.fromkeys(piece) if c not in have]
        if not plain and not shaped:
            lost = [c for c in lost if not can_set(c)]
        bad = [c for c in lost if not self._source_of(c, code, scripts)]
        unshaped = not bad and not plain and not shaped
        for character in bad or lost:
            script = runs.script_of(character)
            # Of a script that can't be set a text has many characters.
            about = (text.path, "shaping" if unshaped else script or character)
            if about not in self._told:
                self._told.add(about)
                package = fallbacks.package(script)
                one = MissingCharacter(text.path, character, text.plain, package, unshaped)
                self.missing[one] = None

    def _use(self, source: _Source, unit: str, code: bool) -> None:
        self._units.setdefault(source, {})[unit, code] = None

    def _source_of(self, piece: str, code: bool, scripts: frozenset[str]) -> _Source | None:
        key = (piece, code, scripts)
        if key not in self._known:
            found = (one for one in self._sources(piece, scripts) if self._covers(one, piece))
            self._known[key] = next(found, None)
        return self._known[key]

    def _sources(self, piece: str, scripts: frozenset[str]) -> Iterator[_Source]:
        """Yield what may set a piece, best first."""
        name = self.typeface.typeface.name
        script = runs.script_of(piece[0])
        if can_set(piece) or script in _MARKED:
            yield self._own
            for found in typefaces.fallbacks(name):
                yield _source(found, typefaces.scale(found, name), _language(piece))
        sans = self.typeface.typeface.sans
        for one in (script, *(sorted(scripts - {script}) if not script else ())):
            for face in fallbacks.candidates(one, scripts, self.locale, sans=sans):
                if path := installed.find(face.regular):
                    bold = installed.find(face.bold) or path
                    shapes = tuple(zip(SHAPES, (path, path, bold, bold), strict=True))
                    yield _Source(shapes, face.index, face.scale, face.language, face.features)
        if script in fira_go.SCRIPTS and (paths := fira_go.files(self.place)):
            known = fallbacks.candidates(script, scripts, self.locale, sans=sans)[0]
            shapes = tuple(zip(SHAPES, paths, strict=True))
            yield _Source(shapes, language=known.language)

    def _covers(self, source: _Source, text: str) -> bool:
        # In a script of letters a joiner only shapes them; in a sequence of emoji it is needed.
        needed = text.translate(_NO_JOINERS) if runs.script_of(text[0]) else text
        return all(self._coverage(path, source.index).has(needed) for _, path in source.shapes)

    def _coverage(self, path: Path, index: int) -> Coverage:
        if (path, index) not in self._coverages:
            self._coverages[path, index] = coverage.of(path, index, self.place)
        return self._coverages[path, index]

    def fonts(self) -> tuple[tuple[Face, ...], dict[tuple[str, bool], str]]:
        """Return the faces in use, and the name of the face of each unit."""
        plan = [(one, *some) for one, units in self._units.items() for some in packed(units)]
        made = self._made((source, layout) for source, layout, _ in plan)
        faces: list[Face] = []
        named: dict[tuple[str, bool], str] = {}
        for source, layout, some in plan:
            words = bool(layout.ligatures)
            count = sum(face.words == words for face in faces)
            face = _face((_WORDS if words else _CHARACTERS) + letters(count), source, layout, made)
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

    def _made(self, wanted: Iterable[tuple[_Source, Layout]]) -> _Fonts:
        """Return the font of each file and layout; each file is opened once at most."""
        by_file: dict[tuple[Path, int], dict[Layout, None]] = {}
        for source, layout in wanted:
            for _, path in source.shapes:
                by_file.setdefault((path, source.index), {})[layout] = None
        found: _Fonts = {}
        for (path, index), some in by_file.items():
            made = face_cache.fonts(path, index, some, self.place)
            found |= {(path, index, layout): one for layout, one in zip(some, made, strict=True)}
        return found


_Fonts = dict[tuple[Path, int, Layout], Made]


def _face(name: str, source: _Source, layout: Layout, made: _Fonts) -> Face:
    """Return a face with all of its slots."""
    found = [(shape, made[path, source.index, layout]) for shape, path in source.shapes]
    return Face(
        name,
        tuple((shape, one.name) for shape, one in found),
        tuple(dict.fromkeys(str(path) for _, path in source.shapes)),
        source.scale,
        source.language,
        tuple(sorted(found[0][1].slots.items())),
        bool(layout.ligatures),
    )


def _font(path: Path, index: int, layout: Layout, place: Path) -> Made:
    return face_cache.fonts(path, index, (layout,), place)[0]


def _source(found: Found, scale: float = 1.0, language: str = "") -> _Source:
    shapes = tuple(zip(SHAPES, found.paths, strict=True))
    return _Source(shapes, 0, scale, language, "-locl;+lnum")


def _language(piece: str) -> str:
    """Return the language that a piece's script implies, as for faces of scripts."""
    return "el" if runs.script_of(piece[0]) == "greek" else ""


def _fits(word: str) -> bool:
    """Return whether all letters of a word fit into one font."""
    return len(set(word)) <= layouts.ROOM
