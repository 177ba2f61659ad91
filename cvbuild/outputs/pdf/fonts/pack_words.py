"""Pack the words of a document into fonts of pdfTeX: which layout sets which words."""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator

from cvbuild.outputs.pdf.fonts import layouts
from cvbuild.outputs.pdf.fonts.layouts import Layout
from cvbuild.outputs.pdf.scripts import runs


def packed(
    units: Iterable[tuple[str, bool]],
) -> Iterator[tuple[Layout, list[tuple[str, bool]]]]:
    """Yield layouts and what they set: words that a fixed layout has, others, single characters.

    A unit is a word or a character, and whether it is code.
    """
    rest = list(units)
    for layout in layouts.FIXED_LAYOUTS if rest else ():
        have = frozenset(layout.slots.values())
        some = [unit for unit in rest if _is_word(unit[0]) and have.issuperset(unit[0])]
        if some:
            yield layout, some
            rest = [unit for unit in rest if unit not in set(some)]
    words = sorted(unit for unit in rest if _is_word(unit[0]))
    for used, some in _bins(words, layouts.ROOM):
        yield layouts.of_words(sorted(used)), some
    characters = sorted(unit for unit in rest if not _is_word(unit[0]))
    for used, some in _bins(characters, layouts.MOST):
        yield layouts.of_characters(sorted(used)), some


def _is_word(unit: str) -> bool:
    """Return whether it is set with kerns: not East Asian."""
    return not any(runs.script_of(c) in ("han", "kana", "hangul") for c in unit)


def _bins(
    units: Iterable[tuple[str, bool]], room: int
) -> Iterator[tuple[set[str], list[tuple[str, bool]]]]:
    """Yield units in groups with at most ``room`` different characters beside ASCII."""
    used: set[str] = set()
    some: list[tuple[str, bool]] = []
    for unit in units:
        more = {c for c in unit[0] if not c.isascii()} - used
        if some and len(used) + len(more) > room:
            yield used, some
            used, some, more = set(), [], {c for c in unit[0] if not c.isascii()}
        used |= more
        some.append(unit)
    if some:
        yield used, some


def letters(number: int) -> str:
    """Return a, b, .. z, aa, ab, .."""
    high, low = divmod(number, 26)
    return (letters(high - 1) if high else "") + string.ascii_lowercase[low]
