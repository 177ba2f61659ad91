"""Dates of other programs as a person's file has them, also with months in other languages."""

from __future__ import annotations

import re
from functools import cache

from pydantic_core import PydanticCustomError

from cvbuild.inputs.references import texts
from cvbuild.model.dates import Date
from cvbuild.model.locales import dates as locale_dates

#: Characters of a date.
_LONGEST = 60
_WORD = re.compile(r"[^\W\d_]+")
_YEAR = re.compile(r"(?<!\d)(\d{4})(?!\d)")
_EAST_ASIAN = re.compile(r"(\d{4})\s*[年년]\s*(?:(\d{1,2})\s*[月월])?\s*(?:(\d{1,2})\s*[日일])?")
#: The time of a day, which a CV doesn't have: 2019-05-01T00:00:00Z.
_TIME = re.compile(r"(\d{4}-\d{2}-\d{2})[T ]\d{2}:.*")

#: Sorts an item without a date behind all others.
UNDATED = ((0, 0, 0), (0, 0, 0))
#: Letters of words that stand beside a month: de, del, года.
_SHORT = 4


@cache
def is_date(text: str) -> bool:
    """Return whether a person's file can have this text as a date."""
    try:
        Date.of(text)
    except PydanticCustomError:
        return False
    return True


def read(text: str) -> str:
    """Return a date as it is written if a file can have it so, else in ISO's form if it is one."""
    text = " ".join(text.split())
    if not text or len(text) > _LONGEST or is_date(text):
        return text
    if found := _TIME.fullmatch(text):
        return found[1]
    if found := _EAST_ASIAN.fullmatch(text):
        year, month, day = found.groups()
        return "-".join([year, *(part.zfill(2) for part in (month, day) if part)])
    return _named(text) or text


def between(start: str, end: str, *, goes_on: bool = True) -> str:
    """Return a range; without an end it goes on, unless not ``goes_on``."""
    start, end = read(start), read(end)
    if start and end:
        return start if start == end else f"{start} to {end}"
    return f"{start} to present" if start and goes_on else start or end


def _named(text: str) -> str:
    """Return a date whose month has a name in another language: déc. 2018, 3 mars 2020."""
    years = _YEAR.findall(text)
    words = {word: month_of(word) for word in _WORD.findall(text.lower())}
    if any(month is None and len(word) > _SHORT for word, month in words.items()):
        # It says more than a date.
        return ""
    months = {month for month in words.values() if month}
    days = [day for day in re.findall(r"(?<!\d)(\d{1,2})(?!\d)", text) if 1 <= int(day) <= 31]
    if len(years) != 1 or len(months) != 1 or len(days) > 1:
        return ""
    (month,) = months
    return "-".join([years[0], f"{month:02}", *(day.zfill(2) for day in days)])


def is_point(text: str) -> bool:
    """Return whether a text is a date, and no range of dates."""
    try:
        found = Date.of(text)
    except PydanticCustomError:
        return False
    return found.start is not None and not (found.end or found.present or found.several)


def sort_key(date: object) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """Return what items with this date are sorted by, also of words; the last one for none."""
    try:
        found = Date.of(date) if date else None
    except PydanticCustomError:
        found = Date(text=str(date))
    return (found and found.sort_key) or UNDATED


def month_of(word: str, *, is_whole: bool = False) -> int | None:
    """Return the month that a word means in every language that has it.

    It may be the beginning of a name, unless it ``is_whole``: "Pro 2019" isn't prosinec 2019.
    """
    whole, begun = _names()
    word = texts.unaccented(word)
    found = whole.get(word) or (not is_whole and begun.get(word)) or set()
    return next(iter(found)) if len(found) == 1 else None


@cache
def _names() -> tuple[dict[str, set[int]], dict[str, set[int]]]:
    """Return the months by their names in all languages that have a table, and by what begins one.

    They are without accents. Three letters begin a name.
    """
    names: dict[str, set[int]] = {}
    for forms in locale_dates.listed():
        for key in ("month", "day", "long"):
            words = [set(_WORD.findall(form.lower())) - {"d", "y"} for form in forms[key]]
            common = set.intersection(*words)
            for month, of_month in enumerate(words, 1):
                for word in of_month - common:
                    names.setdefault(texts.unaccented(word), set()).add(month)
    begun: dict[str, set[int]] = {}
    for name, months in names.items():
        for end in range(3, len(name)):
            begun.setdefault(name[:end], set()).update(months)
    return names, begun
