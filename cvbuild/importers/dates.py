"""Dates of others as a person's file reads them: months in other languages, "heute", "Aug'19".

They are whole values of data formats, or stand at the ends of a document's lines.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

from pydantic_core import PydanticCustomError

from cvbuild.inputs.validation.date_hints import month_names
from cvbuild.model.locales.dates import MONTHS, PRESENT, Date
from cvbuild.model.text import texts

#: Signs between dates, and in them, as those that a person's file has.
_SIGNS = str.maketrans("‐‑‒−―→⇀⟶➔~’", "--––––––––'")
_SEASONS = {
    "fruhjahr": "Spring", "fruhling": "Spring", "sommer": "Summer", "herbst": "Fall",
    "sommersemester": "Summer", "sose": "Summer", "ss": "Summer", "wintersemester": "Winter",
    "wise": "Winter", "ws": "Winter", "printemps": "Spring", "ete": "Summer", "automne": "Fall",
    "primavera": "Spring", "verano": "Summer", "otono": "Fall",
}  # fmt: skip
_MONTHS = 12
_EAST_ASIAN = re.compile(r"(\d{4})\s*[年년](?:\s*(\d{1,2})\s*[月월])?(?:\s*(\d{1,2})\s*[日일])?")
#: The time of a day, which a CV doesn't have: 2019-05-01T00:00:00Z.
_TIME = re.compile(r"(\d{4}-\d{2}-\d{2})[T ]\d{2}:.*")
#: Sorts an item without a date behind all others.
UNDATED = ((0, 0, 0), (0, 0, 0))
#: "Aug'19"; the latest year of two figures that is in this century.
_SHORT_YEAR, _LATEST = re.compile(r"\b([^\W\d_]{3,9})\.? ?'(\d\d)(?!\d)"), 40
#: Characters at the end of a text that a date is looked for in.
_LONGEST = 120
_WORD = r"(?:[^\W\d_]{3,12}\.?|[WS]S)"
_YEAR = r"(?:19|20)\d\d(?!\d)"
_DAY = r"\d{1,2}(?:st|nd|rd|th|[.º])?"
_POINT = (
    rf"(?:(?:{_DAY} (?:de |of )?)?{_WORD},?\s{{0,3}}(?:{_DAY},? )?(?:(?:del?|of)\s?)?{_YEAR}"
    rf"|{_WORD} ?'\d\d(?!\d)|{_WORD}[/-]{_YEAR}|(?:\d{{1,2}}(?: ?[./] ?|-)){{1,2}}{_YEAR}"
    rf"|{_YEAR} ?/ ?{_YEAR}|{_YEAR}[年년] ?(?:\d{{1,2}} ?[月월])?"
    rf"|{_YEAR}(?:[-/.]\d{{1,2}}){{0,2}}(?!\d))"
)
#: "14.06.21", "09-18", "Jun-18": dates in ranges alone; "3.10" is a version, "3/10" a
#: grade, "10.30" a time.
_SHORT = (
    r"(?:(?:\d{1,2}\.\d{1,2}\.|\d\d\.(?!00|30)|\d[/-](?!10)|\d\d[/-]"
    rf"|{_WORD}-)\d\d(?![\d/.-]*\d))"
)
_TO_WORD = (
    r"(?:to|until|till?|through|bis|à|au|al?|hasta|at[ée]|fino a|tot|t/m|do|по|jusqu'(?:à|en))"
)
_TO = rf"(?: ?(?:-{{1,3}}|[–—]|/(?=\d{{4}})) ?|\s+{_TO_WORD}\s+)"
_SINCE = r"(?:(?:since|from|seit|von|ab|depuis|desde(?: de)?|dal|sinds|с):?\s+)"
#: How people say that something isn't over.
_NOW = (
    r"(?:(?:(?:up )?to |till |until |the |à |a |la |el |o |al |por |по )?"
    r"(?:present|date|now|today|current(?:ly)?|heute|ce jour|aujourd'hui|pr[ée]sente?|actualidad"
    r"|fecha|momento|hoy|oggi|hoje|настоящее время|сей день|н\. ?в\.)(?: day)?|ongoing|continuing"
    r"|jetzt|laufend|gegenw[äa]rtig|andauernd|aktuell"
    r"|en (?:cours|curso)|in corso|actuellement|heden|nu"
    r"|a[ct]?tual(?:e|mente|ment)?|pågående|nå|obecnie|teraz|сейчас|至今|现在|現在|현재)(?!\w)"
)
_EXPECTED = r"(?:(?:expected|anticipated|exp|est|vsl|voraussichtlich|prévu|previsto)[.:]? )"
#: A grade in words.
HONOURS = re.compile(
    r"(?i)(?:with )?(?:(?:(?:upper |lower )?second|first|third)[ -]class(?: hono?u?rs)?"
    r"|(?:high )?distinction|merit|(?:\w+ )?cum laude|2[:.][12]|(?:with|mit) (?:\w+ )?(?:honou?rs"
    r"|auszeichnung)|mention (?:(?:tr[èe]s|assez) )?(?:bien|passable|honorable))"
)
#: "1998/1999", "1998-99"
_SCHOOL_YEAR = re.compile(r"(?<!\d)(19|20)(\d\d)(?: ?/ ?(19|20)?|[–-])(\d\d)(?![\d./-])")
#: "02/23/2019", "31.12.2019"
_FIGURES = re.compile(r"(?<![\d/.])(\d{1,2})(/|\. ?)(\d{1,2})(?:/|\. ?)((?:19|20)\d\d)(?![\d/])")
#: How long it took, as LinkedIn and RenderCV say after a date.
_SOME_MONTHS = r"\d+ (?:months?|mos?|monate?|mois|mes(?:es|i)?)"
_SOME_YEARS = r"\d+ (?:years?|yrs?|jahre?|ans?|años?|anos?|ann[io])"
_LONG = rf"(?:{_SOME_YEARS}(?: {_SOME_MONTHS})?|{_SOME_MONTHS})\b"
_LENGTH = rf"(?: ?[·(] ?| [–—-] ){_LONG}\)?"
_RANGE = re.compile(
    rf"(?i)(?<![\w-])(?<!\d[./]){_SINCE}?(?:{_EXPECTED}?{_POINT}(?:{_TO}(?:{_EXPECTED}?{_POINT}|{_NOW}|\d\d(?!\d)))?"
    r"(?: ?[–—-](?=\W*$))?"
    rf"|{_SHORT}{_TO}(?:{_SHORT}|{_NOW})|{_WORD}{_TO}{_WORD} {_YEAR})"
    rf"(?: \((?:expected|anticipated)\)|{_LENGTH})?"
)
_SHORT_RANGE = re.compile(rf"(?i)({_SHORT}){_TO}(?:({_SHORT})|({_NOW}))")


def normal(text: str) -> str:
    """Return a date as a person's file reads it, else the text as it is."""
    text = " ".join(text.split()).strip(",; ")
    if len(text) > _LONGEST:
        return text
    if found := _TIME.fullmatch(text):
        return found[1]
    text = re.sub(rf"(?i){_LENGTH}$", "", text)
    form = _EAST_ASIAN.sub(
        lambda one: "-".join(part.zfill(2) for part in one.groups() if part),
        text.translate(_SIGNS),
    )
    # "2007 -2019", "2019.09-2023.06"
    form = re.sub(r"\s*-{2,3}\s*|\b(?: -|- )\b|(?<=[./]\d\d)-(?=\d{4}[./])", " – ", form)
    if found := _SHORT_RANGE.fullmatch(form):
        ends = found[1], found[2] or "present"
        form = " – ".join(re.sub(r"(.+?)[./-](\d\d)$", _with_year, one) for one in ends)
    form = _SCHOOL_YEAR.sub(_in_full, form)
    form = re.sub(r"\b([^\W\d_]{3,9})[/-](?=(?:19|20)\d\d\b)", r"\1 ", form)
    form = re.sub(r"(\d{4})-(?=[^\W\d_])", r"\1 – ", _SHORT_YEAR.sub(_with_year, form))
    form = _in_iso_form(form)
    form = re.sub(r"(?<!\d)(\d{1,2}) ?([./]) ?(?=(?:19|20)\d\d)", r"\1\2", form)
    form = re.sub(r"^(\d{4} – )\d{4} ?[-–—] ?\d{4} – (?=\d{4}$)", r"\1", form)
    # A semester has the name of its first year.
    form = re.sub(r"(?i)^((?:WS|WiSe|Winter\w*) \d{4})(?:/\d\d| – \d{4})$", r"\1", form)
    english = _in_english(form)
    return next(filter(_date, (form, english, english.removeprefix("since "))), text)


def between(start: str, end: str, *, goes_on: bool = True) -> str:
    """Return a range; without an end it goes on, unless not ``goes_on``."""
    start, end = normal(start), normal(end)
    if start and end:
        return start if start == end else f"{start} to {end}"
    return f"{start} to present" if start and goes_on else start or end


@cache
def _date(text: str) -> Date | None:
    """Return the date that a person's file has in this text; None if it can't have it as one."""
    try:
        return Date.of(text)
    except PydanticCustomError:
        return None


def is_point(text: str) -> bool:
    """Return whether a text is a date, and no range of dates."""
    found = _date(text)
    return bool(found and found.start and not (found.end or found.present or found.several))


def sort_key_of(item: Any) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """Return what the selection sorts an item by: its date, or the latest one of its roles."""
    if not isinstance(item, dict):
        return UNDATED
    parts = [item] if "date" in item else item.get("roles") or ()
    words = [str(part["date"]) for part in parts if isinstance(part, dict) and part.get("date")]
    known = [_date(text) or Date(text=text) for text in words]
    return max((date.sort_key or UNDATED for date in known), default=UNDATED)


@cache
def month_of(word: str, *, is_whole: bool = False) -> int | None:
    """Return the month that a word means in every language that has it.

    It may be the beginning of a name, unless it ``is_whole``: "Pro 2019" isn't prosinec 2019.
    """
    word, known = texts.unaccented(word), month_names()
    if word in known or is_whole or len(word) < 3:
        return known.get(word)
    months = {month for name, month in known.items() if name.startswith(word)}
    return months.pop() if len(months) == 1 else None


def _with_year(found: re.Match[str]) -> str:
    """Return "Aug'19", "09-18" or "14.06.21" with its whole year; what is no month as it is."""
    before, year = found[1], found[2]
    if before.isalpha() and not month_of(before):
        return found[0]
    mark = " " if before.isalpha() else "." if "." in before else "/"
    return f"{before}{mark}{20 if int(year) <= _LATEST else 19}{year}"


def _in_iso_form(text: str) -> str:
    """Return a text with its days in figures in ISO's form, where it is known which is the month.

    Dots are after the day first. Between slashes a number over 12 is the day, in all of a range;
    else a 1: things begin with a month.
    """
    known = _FIGURES.findall(text)
    is_first = any(int(one) > _MONTHS for one, *_ in known)
    is_second = any(int(other) > _MONTHS for _, _, other, _ in known)

    def day(found: re.Match[str]) -> str:
        one, mark, other, year = found[1], found[2], found[3], found[4]
        begins = mark != "/" or is_first or (not is_second and int(one) == 1)
        if (is_first and is_second) or not (begins or is_second or int(other) == 1):
            return found[0]
        day, month = (one, other) if begins else (other, one)
        return f"{year}-{int(month):02}-{int(day):02}" if int(month) <= _MONTHS else found[0]

    form = _FIGURES.sub(day, text)
    return form if form == text else re.sub(r"(?<=-\d\d)[–—-](?=\d{4}|[^\W\d])", " – ", form)


def _in_full(years: re.Match[str]) -> str:
    """Return "1998-99" with both years; months stay as they are."""
    century, first, second, last = years.groups()
    is_one = second or int(last) > max(12, int(first))
    return f"{century}{first} – {second or century}{last}" if is_one else years[0]


def without_length(text: str) -> str:
    """Return a text without the years and months that something took, which dates say."""
    return re.sub(rf"(?i){_LENGTH}", "", text)


def is_length(text: str) -> bool:
    """Return whether a text says how long something took: "3 years 7 months"."""
    return re.fullmatch(rf"(?i)\(?{_LONG}\)?", text.strip()) is not None


@lru_cache(1 << 12)
def is_date(text: str) -> bool:
    """Return whether a text is a date, or a range of dates, and nothing else."""
    if len(text) >= _LONGEST or not re.search(r"\d\d", text):
        return False
    return bool(re.search(_YEAR, form := normal(text)) and _date(form))


def unbracketed(text: str) -> str:
    """Return a text without the brackets around all of it."""
    is_inside = text.startswith("(") and text.endswith(")") and text.count("(") == 1
    return text[1:-1] if is_inside else text


def ends_in(text: str) -> tuple[str, str]:
    """Return a text without the date at its end, and the date; empty if there is none.

    The date may be in brackets.
    """
    before, tail = text[:-_LONGEST], text[-_LONGEST:].translate(_SIGNS)
    for start, end in spans(tail):
        if not tail[end:].strip(" )].*_"):
            rest = (before + text[-_LONGEST:][:start]).rstrip(" ([,;:–—|-*_")
            return rest + ")" * max(0, rest.count("(") - rest.count(")")), tail[start:end]
    return text, ""


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where dates and ranges of dates begin and end in a text."""
    text, at = text.translate(_SIGNS), 0
    while at < len(text) and (found := _RANGE.search(text, at)):
        if is_date(found[0].strip()):
            yield found.span()
            at = found.end()
        else:
            at = found.start() + 1


def begins_with(text: str) -> tuple[str, str]:
    """Return a text without the date at its start, and the date; empty if there is none."""
    first = _RANGE.match(text.translate(_SIGNS))
    if first is None or not is_date(first[0]):
        return text, ""
    rest = text[first.end() :]
    mark = re.match(r"\s*(?:[:–—|]|-(?=\s))\s*|\s*[,.)]\s+|\s{2,}|\t", rest)
    if mark is None and re.search(r"\d\W+\w+$", first[0]):
        # "2006–2008 Packer"
        mark = re.match(r"\s+(?=[^\W\d_a-z])", rest)
    return (rest[mark.end() :], first[0]) if mark else (text, "")


def _in_english(text: str) -> str:
    text = re.sub(
        rf"(?i)(^|(?<=\d){_TO}){_NOW}$", lambda to: " to " * bool(to[1]) + "present", text
    )
    text = re.sub(rf"(?i)\s+{_TO_WORD}\s+", " to ", re.sub(rf"(?i)^{_SINCE}", "since ", text))
    text = re.sub(rf"(?i)\b{_EXPECTED}", "expected ", text)
    text = re.sub(r"(?i)\b(?:de|del|of|d')\s*(?=\d{4})", "", text)

    def word(found: re.Match[str]) -> str:
        plain = texts.unaccented(found[0].replace("’", "'")).rstrip(".")
        if plain in MONTHS or plain in PRESENT:
            return found[0] if found[0].isascii() else plain.capitalize()
        # "Data Set, 2019" isn't settembre 2019: in most languages no comma stands before a year.
        is_word = len(plain) < 5 and found.string.startswith(",", found.end())
        is_whole = not found[0].endswith(".")
        month = None if is_word else month_of(plain, is_whole=is_whole)
        return calendar.month_name[month] if month else _SEASONS.get(plain, found[0])

    return re.sub(r"[^\W\d_]+(?:'[^\W\d_]+)*\.?", word, text)
