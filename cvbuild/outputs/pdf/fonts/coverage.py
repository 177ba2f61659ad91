"""The characters of OpenType fonts, from their own tables; kept on disk between builds."""

from __future__ import annotations

import bisect
import contextlib
import hashlib
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from cvbuild.common import sealed
from cvbuild.outputs.pdf.fonts.font_error import FontError

#: The version of the files in the cache.
_VERSION = "2"


@dataclass(frozen=True, slots=True, eq=False)
class _Codes(AbstractSet[int]):
    """A set of numbers in ranges: quicker to load than a set of 40,000."""

    firsts: tuple[int, ...]
    lasts: tuple[int, ...]

    @classmethod
    def _from_iterable(cls, it: Iterable[Any]) -> AbstractSet[Any]:
        return frozenset(it)

    def __contains__(self, code: object) -> bool:
        if not isinstance(code, int):
            return False
        at = bisect.bisect_right(self.firsts, code) - 1
        return at >= 0 and code <= self.lasts[at]

    def __iter__(self) -> Iterator[int]:
        for first, last in zip(self.firsts, self.lasts, strict=True):
            yield from range(first, last + 1)

    def __len__(self) -> int:
        return sum(self.lasts) - sum(self.firsts) + len(self.firsts)


@dataclass(frozen=True, slots=True)
class Coverage:
    """A font's characters, and those that share a glyph with others (groups of code points)."""

    codes: AbstractSet[int]
    shared: tuple[tuple[int, ...], ...] = ()

    def has(self, text: str) -> bool:
        """Return whether every character of the text has a glyph."""
        return all(ord(character) in self.codes for character in text)

    def __and__(self, other: Coverage) -> Coverage:
        return Coverage(
            frozenset(self.codes).intersection(other.codes), (*self.shared, *other.shared)
        )


def of(path: Path, index: int = 0, cache: Path | None = None) -> Coverage:
    """Return the coverage of a font file; an empty one if the file can't be used.

    In the folder ``cache`` it is kept by the font file's path, time and size.
    """
    try:
        state = path.stat()
    except OSError:
        return Coverage(frozenset())
    return _of(path, index, cache, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=64)
def _of(path: Path, index: int, cache: Path | None, modified: int, size: int) -> Coverage:
    key = f"{_VERSION}\0{path}\0{index}\0{modified}\0{size}"
    place = (
        cache / "glyphs" / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"
        if cache
        else None
    )
    if place is not None:
        try:
            data = sealed.load(place)
            firsts, lasts = zip(*data["ranges"], strict=True)
            return Coverage(_Codes(firsts, lasts), tuple(map(tuple, data["shared"])))
        except (OSError, ValueError, KeyError, TypeError):
            pass
    found = _parse(path, index)
    if place is not None and found.codes:
        _save(place, found)
    return found


def _parse(path: Path, index: int) -> Coverage:
    from cvbuild.outputs.pdf.fonts import font_file

    try:
        with font_file.opened(path, index) as face:
            table = face.font.getBestCmap() or {}
    except FontError:
        return Coverage(frozenset())
    glyphs: dict[str, list[int]] = {}
    for code, glyph in table.items():
        glyphs.setdefault(glyph, []).append(code)
    shared = tuple(tuple(sorted(codes)) for codes in glyphs.values() if len(codes) > 1)
    return Coverage(frozenset(table), shared)


def _save(path: Path, found: Coverage) -> None:
    """Write it for other builds; do nothing if the cache can't be written."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        sealed.save(path, {"ranges": _ranges(found.codes), "shared": found.shared})


def _ranges(codes: Iterable[int]) -> list[list[int]]:
    """Return the codes as ranges: [first, last]."""
    made: list[list[int]] = []
    for code in sorted(codes):
        if made and code == made[-1][1] + 1:
            made[-1][1] = code
        else:
            made.append([code, code])
    return made
