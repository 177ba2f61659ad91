"""Read what an OpenType font does with pairs of glyphs: kerns (GPOS), ligatures and figures (GSUB).

They are applied as other programs apply them: lookups add up, and
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
    if "GPOS" not in font:
        return _old_kerns(font, names)
    total: dict[tuple[str, str], int] = {}
    for tables in _lookups(font["GPOS"].table, "kern", script, _PAIR, _GPOS_EXTENSION):
        kerns: dict[tuple[str, str], int] = {}
        decided: set[str] = set()
        for table in tables:
            lefts = [
                (at, name)
                for at, name in enumerate(table.Coverage.glyphs)
                if name in names and name not in decided
            ]
            if table.Format == 1:
                for pair, value in _pairs(table, lefts, names):
                    kerns.setdefault(pair, value)
            else:
                # Classes say something, or zero, of all glyphs that may follow.
                for pair, value in _class_pairs(table, lefts, names):
                    kerns.setdefault(pair, value)
                decided.update(name for _, name in lefts)
        for pair, value in kerns.items():
            total[pair] = total.get(pair, 0) + value
    return {pair: value for pair, value in total.items() if value}


def _old_kerns(font: Any, names: AbstractSet[str]) -> dict[tuple[str, str], int]:
    """Return the pairs of a "kern" table, which is used where there is no GPOS."""
    return {
        pair: value
        for table in (font["kern"].kernTables if "kern" in font else ())
        for pair, value in getattr(table, "kernTable", {}).items()
        if names >= set(pair) and value
    }


def _pairs(
    table: Any, lefts: list[tuple[int, str]], names: AbstractSet[str]
) -> Iterator[tuple[tuple[str, str], int]]:
    """Yield the pairs of a subtable that lists them; zero is a decision, too."""
    for at, left in lefts:
        for record in table.PairSet[at].PairValueRecord:
            if record.SecondGlyph in names:
                yield (left, record.SecondGlyph), _advance(record.Value1)


def _class_pairs(
    table: Any, lefts: list[tuple[int, str]], names: AbstractSet[str]
) -> Iterator[tuple[tuple[str, str], int]]:
    """Yield the pairs of a subtable of classes whose kern isn't zero."""
    first, second = table.ClassDef1.classDefs, table.ClassDef2.classDefs
    members: dict[int, list[str]] = {}
    for name in names:
        members.setdefault(second.get(name, 0), []).append(name)
    rows: dict[int, list[tuple[int, list[str]]]] = {}
    for _, left in lefts:
        row = first.get(left, 0)
        if row not in rows:
            records = table.Class1Record[row].Class2Record
            values = [(_advance(records[number].Value1), some) for number, some in members.items()]
            rows[row] = [(value, some) for value, some in values if value]
        for value, rights in rows[row]:
            for right in rights:
                yield (left, right), value


def _advance(value: Any) -> int:
    return int(getattr(value, "XAdvance", 0) or 0) if value else 0


def ligatures(font: Any, script: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the standard ligatures: the glyphs that join, and the glyph that they become."""
    if "GSUB" not in font:
        return
    for tables in _lookups(font["GSUB"].table, "liga", script, _LIGATURE, _GSUB_EXTENSION):
        for table in tables:
            for first, several in table.ligatures.items():
                for ligature in several:
                    yield (first, *ligature.Component), ligature.LigGlyph


def replaced(font: Any, names: Iterable[str], feature: str, script: str) -> dict[str, str]:
    """Return the glyphs that a feature puts in the place of others, such as lining figures."""
    glyphs: dict[str, str] = {}
    if "GSUB" in font:
        for tables in _lookups(font["GSUB"].table, feature, script, _SINGLE, _GSUB_EXTENSION):
            for table in tables:
                glyphs |= table.mapping
    return {name: glyphs[name] for name in names if name in glyphs}


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
        same = [one for one in tables if one.LookupType == kind]
        if same:
            yield same
