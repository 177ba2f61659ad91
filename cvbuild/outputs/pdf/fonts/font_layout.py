"""Read what an OpenType font does with pairs of glyphs: kerns (GPOS), ligatures and figures (GSUB).

These are the features that LuaLaTeX applies to the same font, in the same way: lookups add up, and
in each the first subtable that knows a pair decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Any

#: Lookup types.
_SINGLE, _LIGATURE, _GSUB_EXTENSION = 1, 4, 7
_PAIR, _GPOS_EXTENSION = 2, 9


def kerns(font: Any, names: AbstractSet[str], script: str) -> dict[tuple[str, str], int]:
    """Return the kerns between glyphs, in the font's units, by pair of names, without zeros."""
    total: dict[tuple[str, str], int] = {}
    if "GPOS" not in font:
        return _old_kerns(font, names)
    for tables in _lookups(font["GPOS"].table, "kern", script, _PAIR, _GPOS_EXTENSION):
        found: dict[tuple[str, str], int] = {}
        for table in tables:
            for pair, value in _pairs(table, names):
                found.setdefault(pair, value)
        for pair, value in found.items():
            total[pair] = total.get(pair, 0) + value
    return {pair: value for pair, value in total.items() if value}


def _old_kerns(font: Any, names: AbstractSet[str]) -> dict[tuple[str, str], int]:
    """Return the pairs of a "kern" table, which is used where there is no GPOS."""
    return {
        pair: value
        for table in (font["kern"].kernTables if "kern" in font else ())
        for pair, value in getattr(table, "kernTable", {}).items()
        if names.issuperset(pair) and value
    }


def _pairs(table: Any, names: AbstractSet[str]) -> Iterator[tuple[tuple[str, str], int]]:
    """Yield all pairs that a subtable decides; zero is a decision, too."""
    covered = [(at, name) for at, name in enumerate(table.Coverage.glyphs) if name in names]
    if table.Format == 1:
        for at, left in covered:
            for record in table.PairSet[at].PairValueRecord:
                if record.SecondGlyph in names:
                    yield (left, record.SecondGlyph), _advance(record.Value1)
        return
    lefts, rights = table.ClassDef1.classDefs, table.ClassDef2.classDefs
    second = [(name, rights.get(name, 0)) for name in names]
    for _, left in covered:
        row = table.Class1Record[lefts.get(left, 0)].Class2Record
        values = [_advance(record.Value1) for record in row]
        for right, number in second:
            yield (left, right), values[number]


def _advance(value: Any) -> int:
    return int(getattr(value, "XAdvance", 0) or 0) if value else 0


def ligatures(font: Any, script: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the standard ligatures: the glyphs that join, and the glyph that they become."""
    if "GSUB" not in font:
        return
    for tables in _lookups(font["GSUB"].table, "liga", script, _LIGATURE, _GSUB_EXTENSION):
        for table in tables:
            for first, made in table.ligatures.items():
                for one in made:
                    yield (first, *one.Component), one.LigGlyph


def replaced(font: Any, names: Iterable[str], feature: str, script: str) -> dict[str, str]:
    """Return the glyphs that a feature puts in the place of others, such as lining figures."""
    found: dict[str, str] = {}
    if "GSUB" in font:
        for tables in _lookups(font["GSUB"].table, feature, script, _SINGLE, _GSUB_EXTENSION):
            for table in tables:
                found |= table.mapping
    return {name: found[name] for name in names if name in found}


def _lookups(
    table: Any, feature: str, script: str, kind: int, extension: int
) -> Iterator[list[Any]]:
    """Yield the subtables of each lookup of a feature, in the font's order."""
    if table.FeatureList is None or table.LookupList is None or table.ScriptList is None:
        return
    scripts = {record.ScriptTag: record.Script for record in table.ScriptList.ScriptRecord}
    chosen = scripts.get(script) or scripts.get("DFLT")
    language = chosen.DefaultLangSys if chosen else None
    if language is None:
        return
    numbers: set[int] = set()
    for at in language.FeatureIndex:
        record = table.FeatureList.FeatureRecord[at]
        if record.FeatureTag == feature:
            numbers.update(record.Feature.LookupListIndex)
    for number in sorted(numbers):
        lookup = table.LookupList.Lookup[number]
        tables = [
            one.ExtSubTable if lookup.LookupType == extension else one for one in lookup.SubTable
        ]
        found = [one for one in tables if one.LookupType == kind]
        if found:
            yield found
