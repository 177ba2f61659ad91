"""Entries of a BibTeX file as items of a section of publications, which names it: ``bib:``.

They are put into the data before private values are removed and before it is validated, each with
its place in the BibTeX file, so that all later stages treat them as items that a person wrote.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace
from pydantic_core import PydanticCustomError

from cvbuild.common.diagnostics import CvbuildError, Diagnostic, FieldPath, Span, shown, suggest
from cvbuild.common.files import file_state, safe_files
from cvbuild.inputs.yaml.tree import Node, Source
from cvbuild.model.locales.dates import Date

if TYPE_CHECKING:
    from cvbuild.common.files.file_state import State
    from cvbuild.inputs.references.bibtex import Work

KIND, KEY = "publication", "bib"
_HINT = "name a BibTeX file in this file's folder"
_FILTERS = ("keys", "types", "keywords", "years")


def sections(data: object) -> Iterator[tuple[FieldPath, dict[str, Any]]]:
    """Yield the sections of a file's data that name a BibTeX file, with their paths."""
    listed = data.get("sections") if isinstance(data, dict) else None
    for at, section in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(section, dict) and section.get("kind") == KIND and section.get(KEY):
            yield ("sections", at), section


def expanded(source: Source, folder: Path) -> Source:
    """Return the file with the selected entries of its BibTeX files, which are in ``folder``."""
    faults: list[Diagnostic] = []
    files: dict[str, State] = {}
    for path, section in sections(source.data):
        setting = section[KEY]
        setting = {"file": setting} if isinstance(setting, str) else setting
        name = setting.get("file") if isinstance(setting, dict) else None
        if not isinstance(name, str):
            # The schema says what is wrong with it.
            continue
        named_at = (*path, KEY, "file") if isinstance(section[KEY], dict) else (*path, KEY)
        file = folder / name
        files.setdefault(str(file), file_state.look(str(file), 0))
        works, wrong = _read(source.span(named_at), name, folder)
        faults += wrong
        if works is None:
            continue
        selected, unknown = _select(source, (*path, KEY), setting, works)
        faults += unknown
        if not selected and not unknown and all(one.severity == "warning" for one in wrong):
            fact, hint = f"{shown(name)} has no entry", "write them as @article{key, title = {…}}"
            if works:
                fact = f"none of the {len(works)} entries of {shown(name)} is selected"
                hint = f"change what {', '.join(_FILTERS)} say"
            faults.append(Diagnostic("error", "bib-nothing", fact, source.span(named_at), hint))
        source = source.grafted(path, _joined(source.part(path), selected))
    return source.extended(faults, files)


def every(source: Source, folder: Path) -> Iterator[Mapping[str, Any]]:
    """Yield all works of a file's BibTeX files as items, also those that no section shows."""
    for path, section in sections(source.data):
        name = section[KEY].get("file") if isinstance(section[KEY], dict) else section[KEY]
        works, _ = _read(source.span((*path, KEY)), str(name), folder)
        yield from (work.item for work in works or ())


def _read(
    span: Span, name: str, folder: Path
) -> tuple[tuple[Work, ...] | None, Iterable[Diagnostic]]:
    """Return the works of a file that is named at ``span``, None for no such file, and faults."""
    from cvbuild.inputs.references import bibtex, bibtex_file

    most = bibtex_file.LARGEST
    try:
        data = safe_files.read_sibling(safe_files.sibling(name, folder), most)
        return bibtex.works(data, shown(str(Path(span.file).parent / name)))
    except safe_files.SiblingFileError as error:
        code, fact, hint = (*error.describe(name, "file", f"{most >> 20} MiB"), _HINT)[:3]
        return None, [Diagnostic("error", f"bib-{code}", fact, span, hint)]
    except CvbuildError as error:
        # What isn't about a place in the file is about what names it.
        faults = error.diagnostics
        return None, [one if one.span else dataclasses.replace(one, span=span) for one in faults]


def _select(
    source: Source, path: FieldPath, setting: dict[str, Any], works: Collection[Work]
) -> tuple[list[Work], list[Diagnostic]]:
    values = [setting.get(name) for name in _FILTERS[:3]]
    lists = [value if isinstance(value, list) else [value] for value in values]
    keys, types, keywords = (
        {at: one.casefold() for at, one in enumerate(listed) if isinstance(one, str)}
        for listed in lists
    )
    faults = []
    known = {work.key.casefold(): work.key for work in works}
    for at, key in keys.items():
        if key.casefold() not in known:
            place = source.span((*path, "keys", at))
            hint = suggest(key, known.values(), "its keys are")
            message = f'the BibTeX file has no entry "{key[:60]}"'
            faults.append(Diagnostic("error", "bib-key", message, place, hint))
    years = _years(setting.get("years"))
    chosen = [
        work
        for work in works
        if (not keys or work.key.casefold() in keys.values())
        and (not types or work.type in types.values())
        and (not keywords or work.keywords.intersection(keywords.values()))
    ]
    if years:
        dated = [(work, _years(work.item.get("date"))) for work in chosen]
        chosen = [one for one, own in dated if own and own[1] >= years[0] and own[0] <= years[1]]
    return chosen, faults


def _years(value: object) -> tuple[int, int] | None:
    """Return the first and the last year of a date; None if it is none."""
    try:
        key = Date.of(value).sort_key if value is not None else None
    except PydanticCustomError:
        return None  # the schema says what is wrong with it
    return (key[1][0], key[0][0]) if key else None


def _joined(section: Node, works: Iterable[Work]) -> Node:
    """Return a section with the works as items, or as what items that the person wrote lack."""
    from cvbuild.inputs.references import identity

    items = section.fields.get("items")
    if items is None or items.value is None:
        items = Node(section.fields[KEY].key or section.place, value=[])
    if not isinstance(items.value, list):
        return section  # The schema says what is wrong with it.
    written = [pair for pair in identity.items_in(section.data) if isinstance(pair[1], dict)]
    added = []
    section = section.grafted(("items",), items)
    for work in works:
        alike = (where for where, item in written if identity.is_same_item(KIND, item, work.item))
        where = next(alike, None)
        if where is None:
            added.append(_node(work.item, work.place, work.places))
            continue
        item: Any = section
        for step in where:
            item = item.value[step]
        for key, value in work.item.items():
            own = item.fields.get(key)
            if own is None or own.value is None:
                node = _node(value, work.places.get(key, work.place))
                section = section.grafted((*where, key), node)
    items = section.fields["items"]
    return section.grafted(("items",), replace(items, value=[*items.items, *added]))


def _node(value: Any, span: Span, places: Mapping[str, Span] = MappingProxyType({})) -> Node:
    """Return the node of a value that is at one place; ``places`` are those of its keys."""
    place = (span.line, span.column, span.end_line, span.end_column)
    node = Node.of(value, place, place, span.file)
    if places:
        below = {key: _node(one, places.get(key, span)) for key, one in value.items()}
        return replace(node, value=below)
    return node
