"""Dates as a CV has them: a year, a month, a day, a season, a range, or words.

``2020``, ``2020-07``, ``2020-07-14``, ``Fall 2019``, ``2017-03 to present``; or a mapping
``{start: 2017-03, end: present}`` or ``{text: in press}``; or a list of dates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date as Day
from typing import Any

from pydantic import GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError

from cvbuild.model.base import Parsed, clean
from cvbuild.model.date_points import (
    DATE_HINT,
    MONTHS,
    SEASONS,
    Point,
    not_a_date,
    point,
    points_in,
)
from cvbuild.model.refusals import refused
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
        r"(?<=\w)-(?=[A-Za-z])|(?<=\d{4})-(?=\d{4}|\d{1,2}/)|(?<=/\d\d)-(?=\d{4}/)",
    )
)
_OPEN = re.compile(r"(?:since|from) (.+)|(.+?) ?[-–—−]", re.IGNORECASE)
_EXPECTED = re.compile(
    r"(?:expected|anticipated):?(?: in| by)? (.+)|(.+?),? \(?(?:expected|anticipated)\)?",
    re.IGNORECASE,
)


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

    @property
    def sort_key(self) -> tuple[tuple[int, int, int], tuple[int, int, int]] | None:
        """(latest end, latest start): larger is newer. None for words without a year."""
        if self.start is None:
            inside = sorted(point.last for point in points_in(self.text or ""))
            return (inside[-1], inside[0]) if inside else None
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

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        point: dict[str, Any] = {"type": ["string", "integer"]}
        ranged = {
            "type": "object",
            "properties": {"start": point, "end": point},
            "required": ["start"],
            "additionalProperties": False,
        }
        return {
            "description": "2020, 2020-07, 2020-07-14, Fall 2019, 2017-03 to present, a mapping, "
            "or a list of dates",
            "anyOf": [
                point,
                {"type": "array", "items": {"anyOf": [point, ranged]}, "minItems": 1},
                ranged,
                {
                    "type": "object",
                    "properties": {"text": {"anyOf": [{"type": "string"}, by_language()]}},
                    "required": ["text"],
                    "additionalProperties": False,
                },
            ],
        }


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
        start, mark, end = _parted(between, text)
        if mark:
            return _range(start, end)
    if match := _OPEN.fullmatch(text):
        return Date(start=point(match[1] or match[2]), present=True)
    return Date(start=point(text))


def _parted(between: re.Pattern[str], text: str) -> tuple[str, str, str]:
    """Return the two dates of a range and what stands between them; empty if nothing does."""
    match = between.search(text)
    start, end = (text[: match.start()], text[match.end() :]) if match else ("", "")
    if not (match and start and end):
        return text, "", ""
    start = re.sub("^from ", "", start, flags=re.IGNORECASE)
    if start.rstrip(".").lower() in (*MONTHS, *SEASONS):
        # Jun to Aug 2019: both are of one year.
        start += end[-5:] if re.fullmatch(r".* \d{4}", end) else ""
    return start, match.group(), end


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
        hint = "swap the dates or correct the wrong one"
        raise refused(
            "date_order",
            "the range ends ({end}) before it starts ({start})",
            hint,
            start=str(start_text).strip(),
            end=written,
        )
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
