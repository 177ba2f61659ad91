"""Dates as a CV has them: a year, a month, a day, a season, a range, or words.

``2020``, ``2020-07``, ``2020-07-14``, ``Fall 2019``, ``2017-03 to present``; or a mapping
``{start: 2017-03, end: present}`` or ``{text: in press}``; or a list of dates.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date as Day
from types import MappingProxyType
from typing import Any, ClassVar

from pydantic_core import PydanticCustomError

from cvbuild.common.diagnostics import refused
from cvbuild.model.base import Parsed, clean
from cvbuild.model.text.lines import by_language, wording

__all__ = ["PRESENT", "SEASONS", "Date", "Point", "day", "point"]

#: How a person says that something isn't over.
PRESENT = frozenset(("present", "current", "currently", "now", "today", "ongoing", "date"))
_FAR = (9999, 12, 31)
#: What stands between the two dates of a range, the surest first. The last is a hyphen without
#: spaces, which can't be one between year and month.
_BETWEEN = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r" (?:to|until|till|through) ",
        r" ?[–—−] ?",
        r" -{1,3} |(?<=\d)-{2,3}(?=\w)",
        r"(?<=\w)-(?=[A-Za-z])|(?<=\d{4})-(?=\d{4}|\d{1,2}[/.])|(?<=/\d\d)-(?=\d{4}/)",
    )
)
_OPEN = re.compile(r"(?:since|from) (.+)|(.+?) ?[-–—−]", re.IGNORECASE)
_EXPECTED = re.compile(
    r"(?:expected|anticipated):?(?: in| by)? (.+)|(.+?),? \(?(?:expected|anticipated)\)?",
    re.IGNORECASE,
)


#: Forms of dates in JSON Schema.
_POINT = {"type": ["string", "integer"]}
_OBJECT = {"type": "object", "additionalProperties": False}
_RANGED = {**_OBJECT, "properties": {"start": _POINT, "end": _POINT}, "required": ["start"]}
_WORDS = {"anyOf": [{"type": "string"}, by_language()]}
_TEXT = {**_OBJECT, "properties": {"text": _WORDS}, "required": ["text"]}


@dataclass(frozen=True, slots=True)
class Date(Parsed):
    """A point, a range (``end`` or ``present``), or ``text`` alone.

    ``expected`` says that the last date is still to come.
    """

    start: Point | None = None
    end: Point | None = None
    present: bool = False
    text: str | None = None
    expected: bool = False
    #: All dates of a list, in the file's order; the other fields are those of the newest.
    several: tuple[Date, ...] = ()
    json_schema: ClassVar[Mapping[str, Any]] = {
        "description": "2020, 2020-07, 2020-07-14, Fall 2019, 2017-03 to present, a mapping, "
        "or a list of dates",
        "anyOf": [
            _POINT,
            {"type": "array", "items": {"anyOf": [_POINT, _RANGED]}, "minItems": 1},
            _RANGED,
            _TEXT,
        ],
    }

    @property
    def sort_key(self) -> tuple[tuple[int, int, int], tuple[int, int, int]] | None:
        """(latest end, latest start): larger is newer. None for words without a year."""
        if self.start is None:
            # "To appear in May 2026" is of that month.
            inside = []
            for words in re.findall(_INSIDE, self.text or ""):
                try:
                    inside.append(point(words).last)
                except PydanticCustomError:
                    inside.append(Point(int(re.findall(r"\d{4}", words)[0])).last)
            return (max(inside), min(inside)) if inside else None
        if self.present:
            return _FAR, self.start.last
        return (self.end or self.start).last, self.start.last

    @property
    def lone_year(self) -> int | None:
        """The year, if the date is only a year."""
        start = self.start
        if start is None or start != Point(start.year) or self != Date(start):
            return None
        return start.year

    @classmethod
    def of(cls, value: object) -> Date:
        """Read a value of a file; raise PydanticCustomError."""
        if isinstance(value, Date):
            return value
        if isinstance(value, list) and value:
            return _several(value)
        if isinstance(value, Day):
            value = value.isoformat()
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, str):
            text, expected = _without_expected(" ".join(clean(value).split()))
            return replace(_known(text), expected=True) if expected else _known(text)
        if isinstance(value, dict):
            return _from_mapping(value)
        raise not_a_date(value)


def _several(values: list[object]) -> Date:
    """Return a list of dates as one; its position in time is that of the newest."""
    dates = []
    for index, value in enumerate(values):
        with _at(index):
            date = Date.of(value)
            if date.sort_key is None or date.several:
                raise refused("date_form", "each of several dates must be one date", DATE_HINT)
            dates.append(date)
    if len(dates) == 1:
        return dates[0]
    return replace(max(dates, key=lambda date: date.sort_key or ()), several=tuple(dates))


def _without_expected(text: str) -> tuple[str, bool]:
    """Return what is expected, and whether the text says that it is: 2026 (expected)."""
    match = _EXPECTED.fullmatch(text)
    return (match[1] or match[2], True) if match else (text, False)


def _known(text: str) -> Date:
    """Return the date or the range that a text is."""
    for between in _BETWEEN:
        match = between.search(text)
        start, end = (text[: match.start()], text[match.end() :]) if match else ("", "")
        if start and end:
            start = re.sub("^from ", "", start, flags=re.IGNORECASE)
            if start.rstrip(".").lower() in (*MONTHS, *SEASONS):
                # Jun to Aug 2019: both are of one year.
                start += end[-5:] if re.fullmatch(r".* \d{4}", end) else ""
            return _range(start, end)
    if match := _OPEN.fullmatch(text):
        return Date(start=point(match[1] or match[2]), present=True)
    return Date(start=point(text))


_KEYS_HINT = "write {start: 2017-03, end: present} or {text: in press}"


def _from_mapping(value: dict[str, Any]) -> Date:
    for key in value:
        if key not in ("start", "end", "text"):
            raise refused("date_keys", 'a date has no key "{key}"', _KEYS_HINT, key=str(key)[:60])
    parts = {key: part for key, part in value.items() if part is not None}
    if set(parts) == {"text"}:
        with _at("text"):
            return Date(text=wording(parts["text"]))
    if not {"start"} <= set(parts) <= {"start", "end"}:
        raise refused("date_keys", "a date has start and perhaps end, or text alone", _KEYS_HINT)
    with _at("start"):
        start = _part(parts["start"])
    if "end" not in parts:
        return Date(start=start, present=True)
    with _at("end"):
        return _range(parts["start"], parts["end"])


@contextmanager
def _at(key: str | int) -> Iterator[None]:
    """Make errors inside name the key of the mapping, or the place in the list, that is wrong."""
    try:
        yield
    except PydanticCustomError as error:
        context = {**(error.context or {}), "key": key}
        raise PydanticCustomError(error.type, error.message_template, context) from None


def _part(value: object) -> Point:
    if isinstance(value, dict | list):
        raise refused("date_form", "start and end are single dates", DATE_HINT)
    return point(clean(str(value)))


def _range(start_text: object, end_text: object) -> Date:
    start = _part(start_text)
    written, expected = _without_expected(str(end_text).strip())
    if written.lower() in PRESENT:
        return Date(start=start, present=True)
    end = _part(written if isinstance(end_text, str) else end_text)
    if end.last < start.first:
        fact = "the range ends ({end}) before it starts ({start})"
        hint, begun = "swap the dates or correct the wrong one", str(start_text).strip()
        raise refused("date_order", fact, hint, start=begun, end=written)
    return Date(start=start, end=end, expected=expected)


#: What to do about a value that is no full date.
DAY_HINT = "write a full date such as 2026-01-31"


def day(value: object) -> object:
    """Return a full date, checked before pydantic reads it; raise PydanticCustomError."""
    if isinstance(value, str):
        if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
            raise refused("day", '"{value}" is not a full date', DAY_HINT, value=value)
        point(value)
    return value


# -- single dates ----------------------------------------------------------------------------------
#
# 2020-07, 2020/07, July 2020, 07/2020, Jul 14, 2020, 14.07.2020, Fall 2019. Names of months are
# English here; a document shows those of its own language.

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
    r"(?P<day>\d{1,2})\. ?(?P<month>\d{1,2})\. ?(?P<year>\d{4})",
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
    year = int(parts["year"])
    if not 1000 <= year <= 2999:
        hint = "write the year with four digits"
        raise refused("date_year", "{year} is not a year of a CV", hint, year=parts["year"])
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
