"""Single dates as people write them: 2020-07, 2020/07, July 2020, 07/2020, Jul 14, 2020, Fall 2019.

Names of months are English here; a document shows those of its own language.
"""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date as Day
from types import MappingProxyType

from pydantic_core import PydanticCustomError

from cvbuild.model.refusals import refused

SEASONS = ("spring", "summer", "fall", "winter")
_SEASON_WORDS = {"autumn": "fall"} | {season: season for season in SEASONS}
#: The last month of each season, for sorting. Why: teaching in fall comes after summer.
_SEASON_END = {"spring": 5, "summer": 8, "fall": 11, "winter": 12}
#: The names of the months, in their order.
NAMES = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
#: The number of a month by its name: march, mar, sept.
MONTHS = MappingProxyType(
    {word: at for at, name in enumerate(NAMES, 1) for word in (name, name[:3])} | {"sept": 9}
)
#: All forms; the parts of each are those of year, month, day and word. They are compiled when they
#: are needed: most files have one or two of them.
_FORMS = (
    r"(?P<year>\d{4})(?:(?P<mark>[-/.])(?P<month>\d{1,2})(?:(?P=mark)(?P<day>\d{1,2}))?)?",
    r"(?P<month>\d{1,2})[-/.](?P<year>\d{4})",
    r"(?P<word>[A-Za-z]+)\.?,? ?(?P<year>\d{4})",
    r"(?P<word>[A-Za-z]+)\.? (?P<day>\d{1,2})(?:st|nd|rd|th)?,? (?P<year>\d{4})",
    r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)? (?P<word>[A-Za-z]+)\.?,? (?P<year>\d{4})",
    r"(?P<year>\d{4}),? (?P<word>[A-Za-z]+)\.?",
)


@dataclass(frozen=True, slots=True)
class Point:
    """One date: a year and what else is known of it."""

    year: int
    month: int | None = None
    day: int | None = None
    season: str | None = None

    @property
    def first(self) -> tuple[int, int, int]:
        """The earliest day that this can mean, as (year, month, day)."""
        if self.season:
            return (self.year, _SEASON_END[self.season] - 2, 1)
        return (self.year, self.month or 1, self.day or 1)

    @property
    def last(self) -> tuple[int, int, int]:
        """The latest day that this can mean, as (year, month, day)."""
        if self.season:
            return (self.year, _SEASON_END[self.season], 31)
        return (self.year, self.month or 12, self.day or 31)

    @property
    def iso(self) -> str:
        """YYYY, YYYY-MM or YYYY-MM-DD; of a season only the year."""
        return f"{self.year:04}" if self.season else str(self)

    def __str__(self) -> str:
        """Return the date as a file has it: 2019, 2019-03, Fall 2019."""
        if self.season:
            return f"{self.season.capitalize()} {self.year}"
        parts = (part for part in (self.month, self.day) if part)
        return "-".join((f"{self.year:04}", *(f"{part:02}" for part in parts)))


@dataclass(frozen=True, slots=True)
class Ago:
    """A time before a day that isn't known yet: so many months."""

    months: int

    def before(self, day: Day) -> Point:
        """Return the day so long before; the last of a month that is shorter."""
        year, month = divmod(day.year * 12 + day.month - 1 - self.months, 12)
        last = calendar.monthrange(year, month + 1)[1]
        return Point(year, month + 1, min(day.day, last))

    def __str__(self) -> str:
        """Return it as a file has it: 5 years, 18 months."""
        number, unit = (self.months, "month") if self.months % 12 else (self.months // 12, "year")
        return f"{number} {unit}{'' if number == 1 else 's'}"


#: 5 years, 18 months; at most a life.
_AGO = re.compile(r"(?i)(?:last )?([1-9]\d{0,2}) ?(year|month)s?")
_LONGEST = 100 * 12


def ago(text: str) -> Ago | None:
    """Return a time such as ``5 years`` or ``18 months``; None if the text is none."""
    match = _AGO.fullmatch(text.strip())
    if match is None:
        return None
    months = int(match[1]) * (12 if match[2].lower() == "year" else 1)
    return Ago(months) if months <= _LONGEST else None


#: What to do about a value that is no date.
DATE_HINT = (
    "write 2020, 2020-07, 2020-07-14, Fall 2019, 2017-03 to present, or {text: in press} for words"
)


def not_a_date(value: object) -> PydanticCustomError:
    """Return the error for a value that is no date."""
    if isinstance(value, dict | list) or value is None:
        return refused("date_form", "a date is a text, or a mapping of start and end", DATE_HINT)
    return refused("date_form", '"{value}" is not a date', DATE_HINT, value=str(value))


def point(text: str) -> Point:
    """Return one date without a range; raise PydanticCustomError."""
    text = text.strip()
    match = next(filter(None, (re.fullmatch(form, text) for form in _FORMS)), None)
    if match is None:
        raise not_a_date(text)
    parts = match.groupdict()
    word = (parts.get("word") or "").lower()
    season = _SEASON_WORDS.get(word) if parts.get("day") is None else None
    if word and not season and word not in MONTHS:
        raise not_a_date(text)
    year = _year(parts["year"])
    if season:
        return Point(year, season=season)
    written = parts.get("month")
    month = MONTHS[word] if word else int(written) if written else None
    if month is not None and not 1 <= month <= 12:
        hint = "months go from 01 to 12"
        raise refused("date_month", "there is no month {month}", hint, month=written)
    day = int(parts["day"]) if parts.get("day") else None
    if day is not None and not 1 <= day <= calendar.monthrange(year, month or 1)[1]:
        context = {"month": str(Point(year, month)), "day": day}
        raise refused("date_day", "{month} has no day {day}", "check the calendar", **context)
    return Point(year, month, day)


#: Dates inside of words, as the newest of them sorts the words: a month with its year, or a year.
_INSIDE = (
    r"(?<!\d)(?:1[89]|20)\d\d-\d\d(?!\d)|(?:\b[A-Za-z]{3,9}\.? )?(?<!\d)(?:1[89]|20)\d\d(?!\d)"
)


def points_in(words: str) -> list[Point]:
    """Return the dates in a text such as "to appear in May 2026"."""
    return [_inside(inside.group()) for inside in re.finditer(_INSIDE, words)]


def _inside(text: str) -> Point:
    try:
        return point(text)
    except PydanticCustomError:
        return Point(int(re.findall(r"\d{4}", text)[0]))


def _year(text: str) -> int:
    if not 1000 <= int(text) <= 2999:
        hint = "write the year with four digits"
        raise refused("date_year", "{year} is not a year of a CV", hint, year=text)
    return int(text)
