"""Choose a face for each piece of a text, and find the characters that no font can set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from cvbuild.common.diagnostics import FieldPath
from cvbuild.model import language_tags
from cvbuild.model.text.rich_text import Break, Code, Link, Node, Span, Text
from cvbuild.outputs.pdf.fonts import coverage, cuts, fallbacks, installed, typefaces
from cvbuild.outputs.pdf.fonts.coverage import Coverage
from cvbuild.outputs.pdf.fonts.cuts import Cuts
from cvbuild.outputs.pdf.fonts.fallbacks import FallbackFace
from cvbuild.outputs.pdf.fonts.layouts import Cut
from cvbuild.outputs.pdf.fonts.typefaces import SHAPES
from cvbuild.outputs.pdf.scripts import runs
from cvbuild.outputs.pdf.scripts.runs import Face, Setting
from cvbuild.view.types import Content


@dataclass(frozen=True, slots=True)
class FieldText:
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


@dataclass(frozen=True, slots=True)
class MissingCharacter:
    """A character that can't be set, its field, and a package that may have a font for it."""

    path: FieldPath
    character: str
    text: str
    package: str | None = None


@dataclass(frozen=True, slots=True)
class Family:
    """The characters of the template's own typeface, and of its typewriter face."""

    text: Coverage
    code: Coverage
    sans: bool = False
    typeface: str = ""
    """The name of one of ``typefaces``; empty for a style's own."""


def of_files(
    name: str, files: Iterable[Path], place: Path | None = None, wanted: Cuts = cuts.NONE
) -> Face:
    """Return how LuaTeX loads a typeface, from its files in the order of ``SHAPES``.

    ``place`` is the cache folder, in which the files of its cuts are made; raises FontError, and
    OSError if they can't be written.
    """
    paths = dict(zip(SHAPES, files, strict=True))
    return _face(name, paths, wanted.shapes(paths), place)


def lining(files: Iterable[Path], place: Path) -> Face:
    """Return how LuaTeX loads the same typeface with lining figures (\\CvbLining)."""
    paths = dict(zip(SHAPES, files, strict=True))
    return _face(cuts.LINING_FAMILY, paths, cuts.lining(paths), place)


def _face(
    name: str,
    paths: Mapping[str, Path],
    shapes: Iterable[tuple[str, Path, Cut]],
    place: Path | None,
) -> Face:
    made = []
    for shape, path, cut in shapes:
        if place and installed.is_plain(place) and (cut.caps or cut.heavier):
            made.append((shape, cuts.for_lua(cuts.file_of(path, cut, place))))
        else:
            made.append((shape, cuts.for_lua(cut.heavier or path, cut)))
    return Face(name, tuple(made), tuple(dict.fromkeys(map(str, paths.values()))))


def choose(
    texts: Iterable[FieldText],
    family: Family,
    locale: str,
    cache: Path | None,
    wanted: Cuts = cuts.NONE,
) -> tuple[Setting, list[MissingCharacter]]:
    """Return how LuaTeX sets the texts, and the characters that no installed font has, by field."""
    chooser = _Chooser(family, locale, cache, wanted)
    every = tuple(texts)
    chooser.clashing = _clashing(every, family.text.shared)
    for text in every:
        chooser.add(text)
    setting = Setting(
        unicode=True,
        rtl=language_tags.runs_right(locale),
        language=locale,
        used=tuple(chooser.used[name] for name in sorted(set(chooser.faces.values()))),
        faces=chooser.faces,
    )
    return setting, list(chooser.missing)


@dataclass
class _Chooser:
    family: Family
    locale: str
    cache: Path | None
    wanted: Cuts
    clashing: frozenset[str] = frozenset()
    faces: dict[tuple[str, bool], str] = field(default_factory=dict)
    used: dict[str, Face] = field(default_factory=dict)
    missing: dict[MissingCharacter, None] = field(default_factory=dict)
    _found: dict[tuple[str, frozenset[str]], Face | None] = field(default_factory=dict)

    def add(self, text: FieldText) -> None:
        """Choose for every piece of the text."""
        scripts = runs.scripts_of(text.plain)
        for part, code in text.parts:
            for piece in (one for word in runs.words(part) for one in runs.pieces(word)):
                if (piece, code) in self.faces or self._in_family(piece, code):
                    continue
                face = self._face(piece, scripts)
                if face is not None:
                    self.faces[piece, code] = face.name
                    continue
                for character in self._lost(piece, code, scripts):
                    package = fallbacks.package(runs.script_of(character))
                    self.missing[MissingCharacter(text.path, character, text.plain, package)] = None

    def _in_family(self, piece: str, code: bool) -> bool:
        """Return whether the family has the piece; marks on a letter need another face."""
        bare = "".join(c for c in piece if c not in runs.INVISIBLE | set(runs.JOINERS))
        have = self.family.code if code else self.family.text
        return (
            have.has(bare)
            and not any(runs.is_mark(character) for character in bare)
            and (code or not self.clashing & set(bare))
        )

    def _face(self, piece: str, found: frozenset[str]) -> Face | None:
        """Return the first installed face that has all of the piece, looked for once."""
        if (piece, found) not in self._found:
            self._found[piece, found] = self._first_face(piece, found)
        return self._found[piece, found]

    def _first_face(self, piece: str, scripts: frozenset[str]) -> Face | None:
        script = runs.first_script(piece)
        # In a script of letters a joiner only shapes them; in a sequence of emoji it is needed.
        needed = piece.translate(runs.NO_JOINERS) if script else piece
        marked = any(map(runs.is_mark, piece))
        own = typefaces.fallback_faces(self.family.typeface, script) if self.family.typeface else ()
        others = fallbacks.candidates(script, scripts, self.locale, sans=self.family.sans)
        for candidate in (*own, *others):
            if candidate.is_typeface and marked:
                continue
            path = installed.find(candidate.regular)
            if path and installed.is_plain(path):
                have = coverage.of(path, candidate.index)
                if have.has(needed):
                    return self._use(candidate, path)
        return None

    def _use(self, candidate: FallbackFace, path: Path) -> Face:
        face = self.used.get(candidate.name)
        if face is None:
            bold = installed.find(candidate.bold) or path
            italic = installed.find(candidate.italic) or path
            files = (path, italic, bold, installed.find(candidate.bold_italic) or bold)
            if candidate.is_typeface:
                face = of_files(candidate.name, files, self.cache, self.wanted)
            else:
                end = f"({candidate.index}):mode=harf;{candidate.features}"
                fonts = {shape: f"[{file}]{end}" for shape, file in zip(SHAPES, files, strict=True)}
                paths = tuple(map(str, dict.fromkeys(files)))
                face = Face(candidate.name, self.wanted.alike(fonts), paths, words=False)
            face = replace(face, scale=candidate.scale, language=candidate.language)
            self.used[candidate.name] = face
        return face

    def _lost(self, piece: str, code: bool, scripts: frozenset[str]) -> Iterator[str]:
        """Yield the characters that no font has; all marks if only they can't be placed."""
        characters = dict.fromkeys(piece)
        lost = [
            c for c in characters if not self._in_family(c, code) and not self._face(c, scripts)
        ]
        yield from lost or [c for c in characters if runs.is_mark(c)] or characters


#: Blocks whose characters take another font if two characters share a glyph.
_YIELDING = ((0x0250, 0x02FF), (0x1D00, 0x1DFF), (0xA720, 0xABFF), (0x2126, 0x212B))


def _clashing(texts: Iterable[FieldText], shared: Iterable[tuple[int, ...]]) -> frozenset[str]:
    """Return characters that extract as another one of the document, since both share a glyph."""

    def yields(code: int) -> bool:
        return any(first <= code <= last for first, last in _YIELDING)

    present = {ord(character) for text in texts for character in text.plain}
    lost: set[str] = set()
    for group in shared:
        both = sorted(present & set(group), key=lambda code: (yields(code), code))
        lost.update(map(chr, both[1:]))
    return frozenset(lost)
