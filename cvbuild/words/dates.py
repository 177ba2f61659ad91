"""Dates as a reader of a language expects them.

Month names and the order of a date's parts are CLDR's, through Babel, where the language's table
has no pattern of its own. Digits are Latin in all languages (``-u-nu-latn``), years are of the
Gregorian calendar: what reads a CV by machine expects both.
"""

from __future__ import annotations

from datetime import date as Day

from cvbuild.model import languages
from cvbuild.model.dates import Date, Point
from cvbuild.words import Table, table

_SKELETONS = {"year": "y", "month": "yMMM", "day": "yMMMd"}


def date_text(date: Date, locale: str) -> str:
    """The date as a reader of the locale (a BCP 47 tag) expects it."""
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
    from babel.dates import format_date, format_skeleton

    words: Table = table(locale)
    if point.season:
        return words.season.format(season=words.words[point.season], year=point.year)
    day = Day(point.year, point.month or 1, point.day or 1)
    precision = "day" if point.day else "month" if point.month else "year"
    pattern: str = getattr(words, precision)
    where = languages.locale(locale)
    if pattern:
        return str(format_date(day, pattern, locale=where))
    return str(format_skeleton(_SKELETONS[precision], day, locale=where))
