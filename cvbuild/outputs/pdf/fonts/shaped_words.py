"""Shape the words of a document, and turn them into slots of fonts that are made for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec.structs import replace

from cvbuild.outputs.pdf.fonts import cuts, face_cache, tex_fonts
from cvbuild.outputs.pdf.fonts.cuts import Cuts
from cvbuild.outputs.pdf.fonts.installed import FontError
from cvbuild.outputs.pdf.fonts.typefaces import SHAPES
from cvbuild.outputs.pdf.scripts.runs import Face, Setting, Shaping
from cvbuild.outputs.pdf.scripts.shaping import Cluster, Shaper

#: A face's name, a word, and whether it runs right to left.
Word = tuple[str, str, bool]
#: Where a cluster is: the number of its font, its slot, and the width that the font knows.
_Place = tuple[int, int, float]


def shaped(
    setting: Setting, words: Iterable[Word], place: Path, wanted: Cuts = cuts.NONE
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
        own = [word for word in every if word[0] == face.name]
        by_file = {
            path: _set(face.name, face.shaping, path, own, place)
            for path in dict.fromkeys(path for _, path in face.shaping.files)
        }
        shapes = [by_file[path] for _, path in face.shaping.files]
        for word in own:
            first, *others = (codes[word] for codes, _ in shapes)
            known[word] = (first, *(code if code != first else "" for code in others))
        faces += _faces(face, [fonts for _, fonts in shapes], wanted)
    return replace(setting, used=tuple(faces), words=known)


def _set(
    name: str, how: Shaping, path: Path, words: Iterable[Word], place: Path
) -> tuple[Mapping[Word, str], tuple[str, ...]]:
    """Return the TeX of each word in one font file, and the names of its fonts."""
    shaper = Shaper(path, how.index, how.features)
    shaped_by_word = {word: shaper.shape(word[1], right=word[2]) for word in words}
    clusters: dict[tuple[object, ...], Cluster] = {}
    for word in shaped_by_word.values():
        for cluster in word:
            clusters.setdefault(_key(cluster), cluster)
    layouts = tex_fonts.layouts(clusters.values())
    fonts = face_cache.fonts(path, how.index, layouts, place)
    if faults := [font.fault for font in fonts if font.fault]:
        raise FontError(f"{path} can't be used: {faults[0]}")
    places = {
        _key(one): (number, slot, one.width)
        for number, layout in enumerate(layouts)
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
