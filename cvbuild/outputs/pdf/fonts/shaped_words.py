"""Shape the words of a document, and turn them into slots of fonts that are made for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from cvbuild.outputs.font_files import FontError
from cvbuild.outputs.pdf.fonts import face_cache, layouts
from cvbuild.outputs.pdf.fonts.face_cache import Cuts
from cvbuild.outputs.pdf.fonts.layouts import Cluster, Placed
from cvbuild.outputs.pdf.latex.runs import JOINERS, NO_JOINERS, Face, FaceFiles, Setting
from cvbuild.outputs.typefaces import SHAPES

#: A face's name, a word, and whether it runs right to left.
Word = tuple[str, str, bool]
#: Where a cluster is: the number of its font, its slot, and the width that the font knows.
_Place = tuple[int, int, float]


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
        faces += _faces(face, [fonts for _, fonts in shapes], wanted)
    return replace(setting, used=tuple(faces), words=known)


def _set(
    name: str, how: FaceFiles, path: Path, words: Iterable[Word], place: Path
) -> tuple[Mapping[Word, str], tuple[str, ...]]:
    """Return the TeX of each word in one font file, and the names of its fonts."""
    shaper = Shaper(path, how.index, how.features)
    shaped_by_word = {word: shaper.shape(word[1], right=word[2]) for word in words}
    clusters: dict[tuple[object, ...], Cluster] = {}
    for word in shaped_by_word.values():
        for cluster in word:
            clusters.setdefault(_key(cluster), cluster)
    several = layouts.of_clusters(clusters.values())
    fonts = face_cache.fonts(path, how.index, several, place)
    if faults := [font.fault for font in fonts if font.fault]:
        raise FontError(f"{path} can't be used: {faults[0]}")
    places = {
        _key(one): (number, slot, one.width)
        for number, layout in enumerate(several)
        for slot, one in enumerate(layout.clusters)
    }
    codes = {word: "".join(_code(name, parts, places)) for word, parts in shaped_by_word.items()}
    return codes, tuple(font.name for font in fonts)


def _key(cluster: Cluster) -> tuple[object, ...]:
    """Return what tells clusters apart; a width that a kern has changed does not."""
    return (cluster.text, cluster.glyphs, cluster.hidden)


def _code(
    name: str, word: Iterable[Cluster], places: Mapping[tuple[object, ...], _Place]
) -> Iterator[str]:
    """Yield the TeX of a word: slots, and kerns where a width differs from the font's."""
    for cluster in word:
        font, slot, width = places[_key(cluster)]
        code = rf"\char{slot} "
        yield rf"\CvbScript{{{_numbered(name, font)}}}{{{code}}}" if font else code
        if kern := round((cluster.width - width) / 1000, 5):
            yield rf"\kern{kern:.5f}em "


def _faces(face: Face, files: list[tuple[str, ...]], wanted: Cuts) -> Iterator[Face]:
    """Yield as many faces for TeX as a shape has fonts."""
    for number in range(max(map(len, files))):
        fonts = (some[min(number, len(some) - 1)] for some in files)
        shapes = wanted.alike(dict(zip(SHAPES, fonts, strict=True)))
        yield replace(face, name=_numbered(face.name, number), shapes=shapes)


def _numbered(name: str, number: int) -> str:
    return f"{name}{number or ''}"


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
        glyphs = list(zip(buffer.glyph_infos, buffer.glyph_positions, strict=True))
        if any(info.codepoint == 0 for info, _ in glyphs):
            raise MissingGlyphError(word)
        starts = sorted({info.cluster for info, _ in glyphs})
        # A joiner at the end of a word has no letters beside it to be read between.
        ends = [*starts[1:], len(word.rstrip(JOINERS) if right else word)]
        shaped = [
            self._cluster(word[start:end], [one for one in glyphs if one[0].cluster == start])
            for start, end in zip(starts, ends, strict=True)
        ]
        return [
            part
            for one in shaped
            for part in (_letters(one, right) if right or len(one.text) > _LONG else [one])
        ]

    def _cluster(self, text: str, glyphs: list[tuple[Any, Any]]) -> Cluster:
        placed, at = [], 0
        for info, position in glyphs:
            across, up = at + position.x_offset, position.y_offset
            placed.append(Placed(info.codepoint, self._rounded(across), self._rounded(up)))
            at += position.x_advance
        return Cluster(text, tuple(placed), self._rounded(at))

    def _rounded(self, units: float) -> float:
        return round(units * self._scale, 2)


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
            Placed(one.glyph, round(one.across + across, 2), one.up) for one in cluster.glyphs
        )
        yield Cluster(character, glyphs, width, hidden=at > 0)
