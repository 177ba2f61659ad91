"""Format dates as readers of a language expect them.

Month names and the order of a date's parts are CLDR's, unless the language's table has its own
pattern. Digits are Latin in all languages (``-u-nu-latn``), years are of the Gregorian calendar:
software that reads CVs expects both.

``dates.json`` has the forms of dates in the languages with a table, ``other_dates.json`` those in
all locales of CLDR: of a year, of each month and of a day in it, in numbers, and with the month's
full name ("long" is a day), for ``str.format``. They are written by ``python -m tools.cldr``, with
Babel.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date as Day
from functools import cache
from pathlib import Path
from typing import Any

from cvbuild.model import language_tags
from cvbuild.model.dates import Date, Point
from cvbuild.model.locales.words import table

_YEARS, _BETWEEN = "{start}–{end}", "{start} – {end}"
#: What a document may choose of for its dates: "Jul 2020", "July 2020", "07/2020", "2020-07".
FORMS = ("short", "long", "numeric", "iso")
LISTED = Path(__file__).with_name("dates.json")
OTHERS = Path(__file__).with_name("other_dates.json")


@cache
def _read(path: Path) -> Mapping[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def forms(locale: str) -> Mapping[str, Any]:
    """Return forms of a tag: 12 of "month", "day", "full-month", "long"; one of the others."""
    listed_ones: Mapping[str, Any] | None = _read(LISTED).get(locale)
    if listed_ones is not None:
        return listed_ones
    known, others = language_tags.locale(locale), _read(OTHERS)
    return others["forms"][others["locales"][known.id if known else "en"]]  # type: ignore[no-any-return]


def listed() -> tuple[Mapping[str, Any], ...]:
    """Return the forms of the languages with a table: see ``forms``."""
    return tuple(_read(LISTED).values())


def date_text(date: Date, locale: str, form: str = FORMS[0]) -> str:
    """Return the date as readers of the locale (a BCP 47 tag) expect it, in one of ``FORMS``."""
    if date.several:
        return ", ".join(date_text(one, locale, form) for one in date.several)
    if date.start is None:
        return date.text or ""
    words = table(locale)
    text = _dates(date, date.start, locale, form)
    return f"{text} ({words.words['expected']})" if date.expected else text


def _dates(date: Date, start: Point, locale: str, form: str) -> str:
    """Return the date without whether it is expected; ``start`` is its start."""
    words, first = table(locale), _point(start, locale, form)
    between, years = (_BETWEEN, _YEARS) if form == "iso" else (words.range, words.years)
    if date.present:
        # 2020–present beside 2018–2019; languages with a sign for years have another pattern.
        lone = not (start.month or start.season) and years == _YEARS
        return (_YEARS if lone else between).format(start=first, end=words.words["present"])
    if date.end is None or date.end == start:
        return first
    if not any(point.month or point.season for point in (start, date.end)):
        return years.format(start=start.year, end=date.end.year)
    return between.format(start=first, end=_point(date.end, locale, form))


def _point(point: Point, locale: str, form: str = FORMS[0]) -> str:
    if point.season:
        words = table(locale)
        return words.season.format(season=words.words[point.season], year=point.year)
    if form == "iso":
        return point.iso
    patterns = forms(locale)
    if point.month is None:
        return str(patterns["year"].format(y=point.year))
    if form == "numeric":
        numbers: str = patterns["numeric-day" if point.day else "numeric-month"]
        return numbers.format(y=point.year, m=point.month, d=point.day)
    keys = ("day", "month") if form == "short" else ("long", "full-month")
    named: str = patterns[keys[0] if point.day else keys[1]][point.month - 1]
    return named.format(y=point.year, d=point.day)


def letter_text(day: Day, locale: str) -> str:
    """Return a day for the head of a letter, with the month's full name: March 5, 2026."""
    form: str = forms(locale)["long"][day.month - 1]
    return form.format(y=day.year, d=day.day)
