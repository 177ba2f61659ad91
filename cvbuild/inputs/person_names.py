"""Find a person by the name in the file, however it is spelt: case and accents don't count."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import product
from pathlib import Path

from cvbuild.common.diagnostics import nearest, quoted
from cvbuild.common.errors import ProfileError
from cvbuild.inputs.yaml import source
from cvbuild.model.contact import Name

#: Latin letters that Unicode doesn't decompose, and marks that are written without.
_LATIN = str.maketrans(
    {
        "æ": "ae", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ł": "l", "ŋ": "ng", "ø": "o",
        "œ": "oe", "þ": "th", "ŧ": "t", "ə": "e", "ɓ": "b", "ɗ": "d", "ɖ": "d", "ɛ": "e",
        "ƒ": "f", "ɣ": "g", "ƙ": "k", "ɔ": "o", "ŀ": "l", "ƴ": "y", "ʋ": "v", "ĸ": "k",
        "ʻ": "", "ʼ": "", "ʾ": "", "ʿ": "", "ʹ": "",
    }
)  # fmt: skip
#: How these are written where there are no such letters: Mueller, Soerensen, Aarhus.
_DIGRAPHS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
#: Titles before a name and after it.
TITLES = re.compile(
    r"(?:(?:dr|doctor|prof|professor|mr|mrs|ms|mx|sir|dame|dipl|ing|habil|rer nat|h c) )+"
)
_SUFFIXES = re.compile(
    r"(?:[ ,]+(?:ph ?d|m ?d|d ?phil|sc ?d|[bm] ?sc|[bm] ?a|[bm] ?eng|mba|jr|sr|ii|iii|iv|esq))+$"
)
#: What is between white space and punctuation; marks of Indic scripts are a part of it.
_WORD = re.compile(r"[^\s.,;:/&_()\"“”„«»\-‐‑–]+")
#: Letters of a word that may be initials without full stops: Smith AB.
_INITIALS = 3


def plain(text: str) -> str:
    """Return a text in small letters without accents; Latin letters are those of ASCII."""
    parts = unicodedata.normalize("NFKD", text.casefold()).translate(_LATIN)
    kept = "".join(char for char in parts if not unicodedata.combining(char))
    return unicodedata.normalize("NFC", kept)


@lru_cache(maxsize=4096)
def spellings(text: str) -> frozenset[str]:
    """Return the words of a text without accents, and with two letters for one: muller, mueller."""
    composed = unicodedata.normalize("NFC", text.casefold())
    forms = (plain(text), plain(composed.translate(_DIGRAPHS)))
    return frozenset(" ".join(_words(form)) for form in forms)


def untitled(key: str) -> str:
    """Return a name in small letters without its titles; the same if one word would be left."""
    rest = bare(key)
    return rest if " " in rest else key


def bare(key: str) -> str:
    """Return what is left of a name in small letters without its titles."""
    return _SUFFIXES.sub("", TITLES.sub("", f"{key} ", count=1).rstrip())


def is_suffix(text: str) -> bool:
    """Return whether a text is a title after a name: Ph.D."""
    return bool(_SUFFIXES.fullmatch(f" {' '.join(_words(plain(text)))}"))


def agree(one: str, other: str) -> bool:
    """Return whether two names may be one person's.

    Each word of the shorter one is in the other, in any order; an initial stands for a word.
    """
    return any(
        _contains(*sorted((these, those), key=len, reverse=True))
        for these in _readings(one)
        for those in _readings(other)
    )


def _words(text: str) -> list[str]:
    return _WORD.findall(re.sub("['’]", "", text))


def _readings(name: str) -> list[list[str]]:
    """Return the words of a name without titles; once more with initials that stand together."""
    words = untitled(" ".join(_words(name.casefold()))).split()
    capitals = {word.casefold() for word in _words(name) if word.isupper()}
    is_short = {word for word in capitals if 1 < len(word) <= _INITIALS}
    if not is_short or len(capitals) == len(words):
        return [words]
    return [words, [part for word in words for part in (word if word in is_short else [word])]]


def _contains(longer: Iterable[str], shorter: list[str]) -> bool:
    left = [spellings(word) for word in longer]
    sought = [spellings(word) for word in shorter]
    if {"".join(map(min, left))} == {"".join(map(min, sought))}:
        return True
    whole = 0
    # Whole words first: an initial may stand for any that is left then.
    for word in sorted(sought, key=lambda forms: -len(min(forms))):
        same = next((one for one in left if one & word), None)
        whole += same is not None and len(min(word)) > 1
        same = same or next((one for one in left if _is_initial(one, word)), None)
        if same is None:
            return False
        left.remove(same)
    return whole > 0


def _is_initial(one: Iterable[str], other: Iterable[str]) -> bool:
    """Return whether one of two words is a letter that the other begins with."""
    return any(
        min(len(this), len(that)) == 1 and this[0] == that[0] for this in one for that in other
    )


def read(files: Iterable[Path]) -> dict[Path, tuple[str, ...]]:
    """Return the names of the person of each file; none for a file that can't be read."""
    return {file: _names(file) for file in files}


def find(name: str, known: Mapping[Path, Iterable[str]]) -> list[Path]:
    """Return the files of the people who have the name; else those with that family name."""
    sought = spellings(name)
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
    close = nearest(plain(name), names)
    if close is None:
        return None
    file = names[close]
    whole = next(iter(known[file]), file.stem)
    by_file = spellings(file.stem)
    is_told = close in by_file or by_file & spellings(whole)
    return f'did you mean "{file.stem}"{"" if is_told else f", {quoted(whole)}"}?'


def forms(name: object) -> list[str]:
    """Return all forms of a written name, those among authors too; the usual one comes first."""
    texts = _texts(name)
    more = [name.get("short"), name.get("author")] if isinstance(name, dict) else []
    for value in more:
        texts += map(str, value) if isinstance(value, list) else _each(value)
    return [one for one in texts if one.strip()]


def _spelt(file: Path, names: Iterable[str]) -> set[str]:
    """Return all spellings of a person's names, and that of the file."""
    texts = [file.stem, *names, *(untitled(one.casefold()) for one in names)]
    # Example, Ada
    texts += [f"{given} {family}" for one in names for family, _, given in [one.partition(", ")]]
    return {one for text in texts for one in spellings(text)}


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
    values = value.values() if isinstance(value, dict) else [value]
    return [one for one in values if isinstance(one, str)]
