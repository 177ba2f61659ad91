"""The words of a document that its author doesn't write, by language: headings, labels, dates.

CLDR has no "present" and no headings of a CV, so there is one table per language:
``tables/<tag>.toml``. A word that a table lacks is the English one, and a note says so. The keys:

``quotes``   the four quotation marks, outer and inner: those of CLDR 47 (``delimiters``), which
             Babel doesn't have. Different on purpose: British English and Dutch have single
             marks outside and double ones inside, as is usual in print, French has “ ” inside
             « », and ``pt`` is Portugal's.
``range``    two dates, ``{start}`` and ``{end}``; ``years``: two bare years; ``season``: a season
             and its ``{year}``.
``year``, ``month``, ``day``
             patterns of dates (UTS 35) if CVs in the language differ from CLDR's skeletons y, yMMM
             and yMMMd; empty if these are right.
``words``    labels, and the heading of each kind of section; ``letter-...``: the fixed texts of a
             letter, to a ``{name}``, about a ``{position}``, and from a ``{name}`` (signature);
             ``site-...``: what the pages of a site say; ``authors``: that there are 1,000 of them;
             ``letter-email`` goes on after an opening: with a small letter where that is usual.
             None of them depends on a person's gender.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from datetime import date as Day
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec import Struct, field

from cvbuild.model.locales.dates import Date, Point
from cvbuild.model.text import language_tags

_FOLDER = Path(__file__).with_name("tables")
#: Languages without a table, and the one whose table they use.
SAME = MappingProxyType({"no": "nb", "nn": "nb", "iw": "he"})


class Table(Struct, frozen=True):
    """The words and the typography of one language; ``language`` is the tag of the table."""

    language: str
    words: Mapping[str, str]
    quotes: tuple[str, ...]
    range: str
    years: str
    season: str
    year: str
    month: str
    day: str


@cache
def known() -> frozenset[str]:
    """Return the tags of all tables."""
    return frozenset(path.stem for path in _FOLDER.glob("*.toml"))


def language_of(tag: str) -> str | None:
    """Return the tag of a locale's table; None if there is none and English is used."""
    first, *rest = language_tags.canonical(tag).split("-")
    canonical = "-".join((SAME.get(first, first), *rest))
    if canonical in known() or canonical == "en-US":
        return canonical.removesuffix("-US")
    known_locale = language_tags.locale(canonical)
    if known_locale and (known_locale.british or known_locale.id == "en_GB"):
        return "en-GB"
    if known_locale and known_locale.language == "zh":
        return "zh-Hant" if language_tags.script(canonical) == "Hant" else "zh"
    return next((one for one in language_tags.chain(canonical) if one in known()), None)


@cache
def table(tag: str) -> Table:
    """Return the table of a locale: that of its region, else of its language, else English."""
    language = language_of(tag) or "en"
    data = tomllib.loads((_FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    words, quotes = data.pop("words"), tuple(data.pop("quotes"))
    if language == "en-GB":
        words = {**table("en").words, **words}
    return Table(language=language, words=MappingProxyType(words), quotes=quotes, **data)


# -- what stands between texts: commas, colons, brackets, stops ------------------------------------

#: Beside these stands a Chinese or Japanese mark: ideographs, kana, and their own marks.
_EAST_ASIAN = re.compile(
    r"[\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)
#: Beside these stands an Arabic mark: Arabic letters, with their marks.
_ARABIC = re.compile(r"[\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufefc]")
_CHINESE = {
    ", ": "，",
    "; ": "；",
    ": ": "：",
    " (": "（",
    "(": "（",
    ")": "）",
    ".": "。",
    " ": "",
}


class Writing(Struct, frozen=True):
    """The marks of a language: ``own`` are those that differ from English, by the English one.

    All but the colon are for texts in its script: they stand beside ``letters``. ``leading`` is how
    much further apart its lines are than Latin ones.
    """

    own: Mapping[str, str] = field(default_factory=dict)
    letters: re.Pattern[str] | None = None
    leading: float = 1

    def mark(self, english: str, before: str, after: str = "") -> str:
        """Return what stands for an English mark, with its spaces, between two texts: ", ", ".".

        Names in Latin letters keep the Latin comma. Markdown's asterisks don't count.
        """
        beside = f"{before.rstrip('*')[-1:]}{after.lstrip('*')[:1]}"
        is_own = english == ": " or not self.letters or self.letters.search(beside)
        return self.own.get(english, english) if is_own else english

    def join(self, texts: Iterable[str]) -> str:
        """Return texts with commas between them; empty ones are skipped."""
        joined = ""
        for text in filter(None, texts):
            joined += f"{self.mark(', ', joined, text)}{text}" if joined else text
        return joined


#: Ideographs fill their squares; Arabic, Indic and Thai letters have marks above and below.
_SQUARE, _TALL = 1.18, 1.2
_WRITING = {
    "ar": Writing({", ": "، ", "; ": "؛ "}, _ARABIC, _TALL),
    "fr": Writing({": ": "\u00a0: "}),
    "ja": Writing({**_CHINESE, ", ": "、"}, _EAST_ASIAN, _SQUARE),
    "ko": Writing(leading=_SQUARE),
    "zh": Writing(_CHINESE, _EAST_ASIAN, _SQUARE),
    **dict.fromkeys(("hi", "mr", "ne", "sa", "th"), Writing(leading=_TALL)),
}
_WRITING |= dict.fromkeys(("ckb", "fa", "ku", "ps", "sd", "ug", "ur"), _WRITING["ar"])
_ENGLISH_WRITING = Writing()


def writing(tag: str) -> Writing:
    """Return the marks of a language (BCP 47 tag); those of English if it has no others."""
    return _WRITING.get(tag.partition("-")[0], _ENGLISH_WRITING)


# -- dates, as readers of a language expect them ---------------------------------------------------
#
# Month names and the order of a date's parts are CLDR's, unless the language's table has its own
# pattern. Digits are Latin in all languages (``-u-nu-latn``), years are of the Gregorian calendar:
# software that reads CVs expects both.
#
# ``dates.json`` has the forms of dates in the languages with a table, ``other_dates.json`` those in
# all locales of CLDR: of a year, of each month and of a day in it, in numbers, and with the month's
# full name ("long" is a day), for ``str.format``. They are written by ``python -m tools.cldr``.

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


def date_text(date: Date, locale: str, form: str = FORMS[0]) -> str:
    """Return the date as readers of the locale (a BCP 47 tag) expect it, in one of ``FORMS``."""
    if date.several:
        return ", ".join(date_text(one, locale, form) for one in date.several)
    if date.start is None:
        return date.text or ""
    start, words = date.start, table(locale)
    text = _point(start, locale, form)
    between, years = (_BETWEEN, _YEARS) if form == "iso" else (words.range, words.years)
    if date.present:
        # 2020–present beside 2018–2019; languages with a sign for years have another pattern.
        lone = not (start.month or start.season) and years == _YEARS
        text = (_YEARS if lone else between).format(start=text, end=words.words["present"])
    elif date.end and date.end != start:
        if any(point.month or point.season for point in (start, date.end)):
            text = between.format(start=text, end=_point(date.end, locale, form))
        else:
            text = years.format(start=start.year, end=date.end.year)
    return f"{text} ({words.words['expected']})" if date.expected else text


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
