"""What to write for a text that is meant as a date but isn't one that is read."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from functools import cache

from pydantic_core import PydanticCustomError

from cvbuild.common.diagnostics import LONGEST, shown_value
from cvbuild.model import locales
from cvbuild.model.locales.dates import PRESENT, Date, point
from cvbuild.model.text import texts

#: Years written with two digits are of the last century from here on.
_CENTURY = 50
_NUMBERS = re.compile(r"(\d{1,2})[-/. ]+(\d{1,2})[-/. ]+(\d{4})")
_SHORT_YEAR = re.compile(r"([^\W\d]+)\.?[ ,]*['’]?(\d\d)|(\d{1,2})/['’]?(\d\d)")
_YEAR_MONTH = re.compile(r"(\d{4})\D{1,3}(\d{1,2})\D{0,3}")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_WORD = re.compile(r"[^\W\d]+")
_YEARS = re.compile(r"(?<![\d.])(\d{4})[-/–](\d\d)(?![-/.\d])")
_TWO = re.compile(r"(\d{4}) ?(?:[-–] ?(\d\d)|[/–] ?(\d{4}|\d\d))")
#: A day in figures, and what stands between two of them.
_FULL = re.compile(r"\d{1,2}[-/.]\d{1,2}[-/.]\d{4}|\d{8}")
_PARTS = re.compile(r" (?:to|until|bis|hasta|tot|fino a|-|–) |–")
#: What some write after the mark of a range.
_TILL = re.compile(r"^(?:till|until|to)\s+")
_UNDATED = re.compile(
    r"(?i)\W*(?:in press|in print|forthcoming|to appear|accepted|submitted|under review|in revision"
    r"|in preparation|unpublished|n\. ?d\.|no date)\W*"
)
#: Half a year of a university, by its names in English and German: WS 2016/17.
_SEMESTER = re.compile(
    r"(w(?:inter(?:semester)?|s|ise)|s(?:ommersemester|s|ose)) (\d{4})(?:[/–-](?:\d{2}|\d{4}))?"
)
_QUARTER = re.compile(r"q([1-4])[ /]*(\d{4})|(\d{4})[ /]*q([1-4])")


def hint(text: str, whole: object, *, full: bool = False) -> str | None:
    """Return how to write the date that a text probably means; None if nobody knows.

    ``whole`` is the value of the file that the text is from, or is a part of. If ``full``, only a
    day of a month will do.
    """
    if len(text) > LONGEST:
        return None
    is_part = text != whole
    text = " ".join(text.casefold().split())
    if full:
        days = [one for one in dict.fromkeys(_meanings(text)) if _DAY.fullmatch(one)]
        return f"write {' or '.join(days)}" if days else None
    if _is_present(text):
        return "write present" if is_part else "write since when, such as 2017-03 to present"
    if re.fullmatch(r"[a-z]+\.? \d", text):
        # In {…} YAML ends a value at a comma.
        return f'put the whole date in quotes: "{text.title()}, 2020"'
    meant = list(dict.fromkeys(_meanings(text)))
    return f"write {' or '.join(meant)}" if meant else None


def range_of(text: str) -> str | None:
    """Return two dates as they are to be written; None if one may mean several dates, or none."""
    first, *others = _PARTS.split(" ".join(text.casefold().split()), maxsplit=1)
    last = _TILL.sub("", others[0]) if others else ""
    starts = {*_meanings(first.strip())}
    ends = {"present"} if _is_present(last) else {*_meanings(last)}
    if len(starts) != 1 or len(ends) != 1:
        return None
    return f"{starts.pop().partition(' to ')[0]} to {ends.pop().rpartition(' to ')[2]}"


def _is_present(text: str) -> bool:
    every = (locales.table(tag).words["present"].casefold() for tag in locales.known())
    return text in PRESENT or text in every


def kept(text: str) -> tuple[str, str] | None:
    """Return fact and fix for words that stand as a date; None for those of a work not yet out."""
    if _UNDATED.fullmatch(text.strip()):
        return None
    fact, line = f"{shown_value(text)} is kept as words", " ".join(text.split())
    if len(line) <= LONGEST and not any(_is_two_years(*years) for years in _YEARS.findall(line)):
        # A month 13, 30 February, a range that ends before it starts.
        fix = "write the right date in the person's file"
        for form in (line, _in_english(line.casefold())):
            try:
                Date.of(form)
            except PydanticCustomError as error:
                if error.type != "date_form":
                    return f"{fact}: {error.message()}", fix
        days = [part for part in _PARTS.split(line) if _FULL.fullmatch(part)]
        if any(not list(_meanings(day)) for day in days):
            return f"{fact}: there is no such day", fix
    better = hint(text, text) or "write one such as 2024-05"
    return f"{fact}: it is not a date", f"{better} in the person's file"


def two_years(text: str) -> str | None:
    """Return 2015/16 or 2015-2016 as it is to be written; None for another text."""
    if (found := _TWO.fullmatch(text)) is None:
        return None
    first, last = found[1], found[2] or found[3]
    if len(last) == 4:
        return f"{first} to {last}" if int(first) < int(last) else None
    end = int(first) // 100 * 100 + int(last)
    end += 0 if end > int(first) else 100
    return f"{first} to {end}" if _is_two_years(first, last) else None


def _is_two_years(first: str, second: str) -> bool:
    """Return whether 2023/24 or 2010-13 is written, where the second is no month."""
    start, end = int(first), int(second)
    return (end > 12 and end > start % 100) or end == (start + 1) % 100


def _meanings(text: str) -> Iterator[str]:
    """Yield what can be meant, as it is to be written."""
    if re.fullmatch(r"\d{8}", text):
        yield from _days(int(text[:4]), int(text[4:6]), int(text[6:]))
    elif match := _NUMBERS.fullmatch(text):
        first, second, year = map(int, match.groups())
        # Only full stops are the same everywhere: the day comes first.
        yield from _days(year, second, first)
        if "." not in text:
            yield from _days(year, first, second)
    elif years := two_years(text):
        yield years
    elif match := _QUARTER.fullmatch(text):
        last, of_year = 3 * int(match[1] or match[4]), match[2] or match[3]
        yield f"{of_year}-{last - 2:02} to {of_year}-{last:02}"
    elif match := _SEMESTER.fullmatch(text):
        yield f"{'Winter' if match[1][0] == 'w' else 'Summer'} {match[2]}"
    elif match := _YEAR_MONTH.fullmatch(text):
        yield from _read(f"{match[1]}-{match[2]}")
    elif match := _SHORT_YEAR.fullmatch(text):
        month, two = match[1] or match[3], int(match[2] or match[4])
        year = 2000 + two if two < _CENTURY else 1900 + two
        yield from _read(f"{month}/{year}" if month.isdigit() else _in_english(f"{month} {year}"))
    else:
        yield from _read(re.sub(r" (?:to|until|-)$", "", _in_english(text)), open_end=text)


def _read(text: str, open_end: str = "") -> Iterator[str]:
    try:
        read = str(point(text))
    except PydanticCustomError:
        return
    yield f"{read} to present" if open_end.endswith((" to", " until")) else read


def _days(year: int, month: int, day: int) -> Iterator[str]:
    if 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year or 1, month)[1]:
        yield f"{year:04}-{month:02}-{day:02}"


def _in_english(text: str) -> str:
    """Return the text with a month of another language as its English name."""
    months = {
        month: found.start()
        for found in _WORD.finditer(text)
        if (month := month_names().get(texts.unaccented(found[0])))
    }
    if len(months) != 1:
        return text
    ((month, at),) = months.items()
    numbers = re.findall(r"\d+", text[:at]) + re.findall(r"\d+", text[at:])
    return " ".join([*numbers[:-1], calendar.month_name[month], *numbers[-1:]])


@cache
def month_names() -> dict[str, int]:
    """Return the months by their names, without accents, that mean one in all languages."""
    names: dict[str, set[int]] = {}
    for forms in map(locales.forms, locales.known()):
        for key in ("month", "day", "long"):
            words = [{*_WORD.findall(form.lower())} - {"d", "y"} for form in forms[key]]
            common = set.intersection(*words)
            for month, of_month in enumerate(words, 1):
                for word in of_month - common:
                    names.setdefault(texts.unaccented(word), set()).add(month)
    return {name: min(months) for name, months in names.items() if len(months) == 1}
