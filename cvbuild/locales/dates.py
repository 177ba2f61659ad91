"""Format dates as readers of a language expect them.

Month names and the order of a date's parts are CLDR's, by Babel, unless the language's table has
its own pattern. Digits are Latin in all languages (``-u-nu-latn``), years are of the Gregorian
calendar: software that reads CVs expects both.

As Babel takes 50 ms to load, ``dates.json`` has its results for the languages with a table: the
forms of a year, of each month and of a day in it, and those of a day in a letter ("long"), for
``str.format``. It is written by ``python -m cvbuild.locales.derive_dates``, and a test compares the
two.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date as Day
from functools import cache
from pathlib import Path
from typing import Any

from cvbuild.locales.words import Table, table
from cvbuild.model import language_tags
from cvbuild.model.dates import Date, Point

FORMS = Path(__file__).with_name("dates.json")
_SKELETONS = {"year": "y", "month": "yMMM", "day": "yMMMd"}


@cache
def _forms() -> Mapping[str, Any]:
    """Return {tag: {"year": form, "month": 12 forms, "day": 12 forms, "long": 12 forms}}."""
    forms: dict[str, Any] = json.loads(FORMS.read_text(encoding="utf-8"))
    return forms


def date_text(date: Date, locale: str) -> str:
    """Return the date as readers of the locale (a BCP 47 tag) expect it."""
    if date.start is None:
        return date.text or ""
    words, first = table(locale), _point(date.start, locale)
    if date.present:
        return words.range.format(start=first, end=words.words["present"])
    if date.end is None or date.end == date.start:
        return first
    if not any(point.month or point.season for point in (date.start, date.end)):
        return words.years.format(start=date.start.year, end=date.end.year)
    return words.range.format(start=first, end=_point(date.end, locale))


def _point(point: Point, locale: str) -> str:
    if point.season:
        words = table(locale)
        return words.season.format(season=words.words[point.season], year=point.year)
    forms = _forms().get(locale)
    if forms is None:
        return by_cldr(point, locale)
    if point.month is None:
        return str(forms["year"].format(y=point.year))
    form: str = forms["day" if point.day else "month"][point.month - 1]
    return form.format(y=point.year, d=point.day)


def by_cldr(point: Point, locale: str) -> str:
    """Return a date without a season, by the language's table and Babel."""
    from babel.dates import format_date, format_skeleton

    words: Table = table(locale)
    day = Day(point.year, point.month or 1, point.day or 1)
    precision = "day" if point.day else "month" if point.month else "year"
    pattern: str = getattr(words, precision)
    where = language_tags.locale(locale)
    if pattern:
        return str(format_date(day, pattern, locale=where))
    return str(format_skeleton(_SKELETONS[precision], day, locale=where))


def letter_text(day: Day, locale: str) -> str:
    """Return a day for the head of a letter, with the month's full name: March 5, 2026."""
    forms = _forms().get(locale)
    if forms is None:
        return letter_by_cldr(day, locale)
    form: str = forms["long"][day.month - 1]
    return form.format(y=day.year, d=day.day)


def letter_by_cldr(day: Day, locale: str) -> str:
    """Return the same by Babel."""
    from babel.dates import format_date

    return str(format_date(day, "long", locale=language_tags.locale(locale)))
