"""Find a person by the name in the file, however it is spelt: case and accents don't count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path

from cvbuild.common.errors import ProfileError
from cvbuild.common.positions import quoted
from cvbuild.common.suggestions import nearest
from cvbuild.inputs import name_words
from cvbuild.inputs.yaml import source
from cvbuild.model.contact import Name


def read(files: Iterable[Path]) -> dict[Path, tuple[str, ...]]:
    """Return the names of the person of each file; none for a file that can't be read."""
    return {file: _names(file) for file in files}


def find(name: str, known: Mapping[Path, Iterable[str]]) -> list[Path]:
    """Return the files of the people who have the name; else those with that family name."""
    sought = name_words.spellings(name)
    forms = {file: _spelt(file, known[file]) for file in known}
    whole = [file for file in known if sought & forms[file]]
    ends = tuple(f" {one}" for one in sought if one)
    return whole or [
        file for file in known if ends and any(one.endswith(ends) for one in forms[file])
    ]


def suggestion(name: str, known: Mapping[Path, Iterable[str]]) -> str | None:
    """Return a hint at the person with the most similar name, if any has one."""
    names = {
        word: file
        for file in known
        for one in _spelt(file, known[file])
        # A word alone is not similar to a whole name.
        for word in (one, *one.split())
    }
    close = nearest(name_words.plain(name), names)
    if close is None:
        return None
    file = names[close]
    whole = next(iter(known[file]), file.stem)
    by_file = name_words.spellings(file.stem)
    is_told = close in by_file or by_file & name_words.spellings(whole)
    return f'did you mean "{file.stem}"{"" if is_told else f", {quoted(whole)}"}?'


def forms(name: object) -> list[str]:
    """Return all forms of a written name, those among authors too; the usual one comes first."""
    found = _texts(name)
    more = [name.get("short"), name.get("author")] if isinstance(name, dict) else []
    for value in more:
        found += map(str, value) if isinstance(value, list) else _each(value)
    return [one for one in found if one.strip()]


def _spelt(file: Path, names: Iterable[str]) -> set[str]:
    """Return all spellings of a person's names, and that of the file."""
    texts = [file.stem, *names, *(name_words.untitled(one.casefold()) for one in names)]
    # Example, Ada
    texts += [f"{given} {family}" for one in names for family, _, given in [one.partition(", ")]]
    return {one for text in texts for one in name_words.spellings(text)}


def _names(file: Path) -> tuple[str, ...]:
    try:
        data = source.load(file).data
    except ProfileError:
        return ()
    return tuple(_texts(data.get("name") if isinstance(data, dict) else None))


def _texts(name: object) -> list[str]:
    """Return what a written name reads as, in each language that it is written in."""
    if not isinstance(name, dict):
        return _each(name)
    if not {*Name.model_fields}.isdisjoint(name):
        parts = product(_each(name.get("given")) or [""], _each(name.get("family")) or [""])
        both = [" ".join(filter(None, one)) for one in parts]
        return [*_each(name.get("full")), *filter(None, both), *_each(name.get("native"))]
    return _each(name)


def _each(value: object) -> list[str]:
    """Return a text, or those of a mapping from languages to texts."""
    found = value.values() if isinstance(value, dict) else [value]
    return [one for one in found if isinstance(one, str)]
