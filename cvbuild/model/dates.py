"""Dates as a CV has them: a year, a month, a day, a season, a range, or words.

``2020``, ``2020-07``, ``2020-07-14``, ``Fall 2019``, ``2017-03 to present``; or a mapping
``{start: 2017-03, end: present}`` or ``{text: in press}``.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date as Day
from typing import Any

from pydantic import GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError

from cvbuild.model.base import Parsed, clean
from cvbuild.model.text import by_language, wording

SEASONS = ("spring", "summer", "fall", "winter")
_SEASON_WORDS = {"autumn": "fall"} | {season: season for season in SEASONS}
#: The last month of each season, for sorting. Why: teaching in fall comes after summer.
_SEASON_END = {"spring": 5, "summer": 8, "fall": 11, "winter": 12}
_POINT = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_SEASON = re.compile(r"([A-Za-z]+) (\d{4})")
_RANGE = re.compile(r"(.+?)\s+(?:to|until|-|–|—)\s+(.+)")
_YEARS = re.compile(r"(\d{4})\s*[-–—]\s*(\d{4}|present)", re.IGNORECASE)
_FAR = (9999, 12, 31)


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

    def __str__(self) -> str:
        """Return the date as a file has it: 2019, 2019-03, Fall 2019."""
        if self.season:
            return f"{self.season.capitalize()} {self.year}"
        parts = (part for part in (self.month, self.day) if part)
        return "-".join((f"{self.year:04}", *(f"{part:02}" for part in parts)))


@dataclass(frozen=True, slots=True)
class Date(Parsed):
    """A point, a range (``end`` or ``present``), or ``text`` alone."""

    start: Point | None = None
    end: Point | None = None
    present: bool = False
    text: str | None = None

    @property
    def sort_key(self) -> tuple[tuple[int, int, int], tuple[int, int, int]] | None:
        """(latest end, latest start): larger is newer. None for free text."""
        if self.start is None:
            return None
        if self.present:
            return _FAR, self.start.last
        return (self.end or self.start).last, self.start.last

    @property
    def lone_year(self) -> int | None:
        """The year, if the date is only a year."""
        start = self.start
        if start is None or self.end or self.present or start.month or start.season:
            return None
        return start.year

    @classmethod
    def of(cls, value: object) -> Date:
        """Read a value of a file; raise PydanticCustomError."""
        if isinstance(value, Date):
            return value
        if isinstance(value, Day):
            value = value.isoformat()
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, str):
            return _from_text(" ".join(clean(value).split()))
        if isinstance(value, dict):
            return _from_mapping(value)
        raise _not_a_date(value)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        point = {"type": ["string", "integer"]}
        return {
            "description": "2020, 2020-07, 2020-07-14, Fall 2019, 2017-03 to present, or a mapping",
            "anyOf": [
                point,
                {
                    "type": "object",
                    "properties": {"start": point, "end": point},
                    "required": ["start"],
                    "additionalProperties": False,
                },
                {
                    "type": "object",
                    "properties": {"text": {"anyOf": [{"type": "string"}, by_language()]}},
                    "required": ["text"],
                    "additionalProperties": False,
                },
            ],
        }


def _not_a_date(value: object) -> PydanticCustomError:
    if isinstance(value, dict | list) or value is None:
        return PydanticCustomError("date_form", "a date is a text, or a mapping of start and end")
    return PydanticCustomError("date_form", '"{value}" is not a date', {"value": str(value)})


def _from_text(text: str) -> Date:
    found = _YEARS.fullmatch(text) or _RANGE.fullmatch(text)
    if found:
        return _range(found[1], found[2])
    return Date(start=point(text))


def _from_mapping(value: dict[str, Any]) -> Date:
    for key in value:
        if key not in ("start", "end", "text"):
            raise PydanticCustomError(
                "date_keys", 'a date has no key "{key}"', {"key": str(key)[:60]}
            )
    given = {key: part for key, part in value.items() if part is not None}
    if set(given) == {"text"}:
        return Date(text=_words(given["text"]))
    if not {"start"} <= set(given) <= {"start", "end"}:
        raise PydanticCustomError("date_keys", "a date has start and perhaps end, or text alone")
    with _at("start"):
        start = _part(given["start"])
    if "end" not in given:
        return Date(start=start)
    with _at("end"):
        return _range(given["start"], given["end"])


def _words(value: object) -> str:
    """Return words that stand for a date; raise PydanticCustomError."""
    with _at("text"):
        return wording(value)


@contextmanager
def _at(key: str) -> Iterator[None]:
    """Make errors inside name the key of the mapping that is wrong."""
    try:
        yield
    except PydanticCustomError as error:
        context = {**(error.context or {}), "key": key}
        raise PydanticCustomError(error.type, error.message_template, context) from None


def _part(value: object) -> Point:
    if isinstance(value, dict | list):
        raise PydanticCustomError("date_form", "start and end are single dates")
    return point(clean(str(value)))


def _range(start_text: object, end_text: object) -> Date:
    start = _part(start_text)
    if str(end_text).strip().lower() in ("present", "now", "today"):
        return Date(start=start, present=True)
    end = _part(end_text)
    if end.last < start.first:
        raise PydanticCustomError(
            "date_order",
            "the range ends ({end}) before it starts ({start})",
            {"start": str(start_text).strip(), "end": str(end_text).strip()},
        )
    return Date(start=start, end=end)


def point(text: str) -> Point:
    """Return one date without a range; raise PydanticCustomError."""
    text = text.strip()
    if found := _SEASON.fullmatch(text):
        season = _SEASON_WORDS.get(found[1].lower())
        if season is None:
            raise _not_a_date(text)
        return Point(_year(found[2]), season=season)
    found = _POINT.fullmatch(text)
    if not found:
        raise _not_a_date(text)
    year = _year(found[1])
    month = int(found[2]) if found[2] else None
    if month is not None and not 1 <= month <= 12:
        raise PydanticCustomError("date_month", "there is no month {month}", {"month": found[2]})
    day = int(found[3]) if found[3] else None
    if day is not None and not 1 <= day <= calendar.monthrange(year, month or 1)[1]:
        raise PydanticCustomError(
            "date_day", "{month} has no day {day}", {"month": text.rpartition("-")[0], "day": day}
        )
    return Point(year, month, day)


def _year(text: str) -> int:
    if not 1000 <= int(text) <= 2999:
        raise PydanticCustomError("date_year", "{year} is not a year of a CV", {"year": text})
    return int(text)


def day(value: object) -> object:
    """Return a full date, checked before pydantic reads it; raise PydanticCustomError."""
    if isinstance(value, str):
        if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
            raise PydanticCustomError("day", '"{value}" is not a full date', {"value": value})
        point(value)
    return value
