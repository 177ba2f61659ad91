"""Write what cvbuild knows of languages from CLDR, by Babel: ``python -m tools.cldr``.

To be run when Babel or a table of model/locales/tables has changed; a test compares them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date as Day
from pathlib import Path
from typing import Any

from babel import Locale
from babel.core import get_global
from babel.dates import format_date, format_skeleton
from babel.localedata import locale_identifiers

from cvbuild.model import locales
from cvbuild.model.locales import known, table
from cvbuild.model.locales.dates import Point
from cvbuild.model.text import language_tags

#: Numbers that occur once in any date; a day of one digit shows whether it gets a leading zero.
_YEAR, _DAY, _SHORT = 2345, 28, 5
_SKELETONS = {"year": "y", "month": "yMMM", "day": "yMMMd"}

Forms = dict[str, Any]


def languages() -> dict[str, Any]:
    """Return the content of ``cldr.json`` beside ``cvbuild.model.text.language_tags``."""
    identifiers = sorted(locale_identifiers())
    known_languages = {one.partition("_")[0] for one in identifiers}
    parents = get_global("parent_exceptions")
    likely = get_global("likely_subtags")
    return {
        "locales": {one: _facts(Locale.parse(one)) for one in identifiers},
        "british": [one for one in identifiers if one == "en_001" or parents.get(one) == "en_001"],
        "likely": {
            tag: whole for tag, whole in likely.items() if whole.split("_")[0] in known_languages
        },
        "aliases": {
            "language": dict(get_global("language_aliases")),
            "territory": {old: new[0] for old, new in get_global("territory_aliases").items()},
            "script": dict(get_global("script_aliases")),
            "variant": dict(get_global("variant_aliases")),
        },
        "names": {name.lower(): code for code, name in Locale("en").languages.items()},
    }


def _facts(found: Locale) -> list[Any]:
    likely = get_global("likely_subtags")
    short = f"{found.language}_{found.territory}"
    whole = (likely.get(short) or likely.get(found.language, "")).split("_")
    script = found.script or (whole[1] if len(whole) > 1 else "")
    return [found.get_display_name("en") or "", script, int(found.text_direction == "rtl")]


def listed_dates() -> dict[str, Forms]:
    """Return the forms of dates in all languages with a table; see ``model.locales``."""
    return {tag: _forms(tag) for tag in sorted(known() | {"en-US"})}


def other_dates() -> dict[str, Any]:
    """Return the forms of dates in all locales, each form once."""
    every: list[Forms] = []
    places: dict[str, int] = {}
    for one in sorted(locale_identifiers()):
        forms = _forms(one.replace("_", "-"))
        if forms not in every:
            every.append(forms)
        places[one] = every.index(forms)
    return {"forms": every, "locales": places}


def _forms(tag: str) -> Forms:
    def point(month: int = 0, day: int = 0) -> str:
        return by_cldr(Point(_YEAR, month or None, day or None), tag)

    def letter(month: int, day: int) -> str:
        return letter_by_cldr(Day(_YEAR, month, day), tag)

    months = range(1, 13)
    tells, where = table(tag), Locale.parse(tag, sep="-")

    def numeric(skeleton: str) -> str:
        """Return a form of numbers with two digits, without "г." and marks of direction."""
        text = str(format_skeleton(skeleton, Day(_YEAR, 11, _DAY), locale=where))
        text = text.replace("11", "{m:02}").replace("\u200f", "").removesuffix("\u202fг.")
        return _open(text).replace("{d}", "{d:02}")

    def full(month: int) -> str:
        pattern = tells.month.replace("LLLL", "LLL").replace("LLL", "LLLL")
        day = Day(_YEAR, month, 1)
        if "L" in pattern:
            return str(format_date(day, pattern, locale=where))
        return str(format_skeleton("yMMMM", day, locale=where))

    return {
        "year": _open(point()),
        "month": [_open(point(month)) for month in months],
        "day": [_form(point(month, _DAY), point(month, _SHORT)) for month in months],
        "full-month": [_open(full(month)) for month in months],
        "numeric-month": numeric("yM"),
        "numeric-day": numeric("yMd"),
        "long": [_form(letter(month, _DAY), letter(month, _SHORT)) for month in months],
    }


def _form(date: str, short: str) -> str:
    """Return the form of a day with two digits; ``short`` shows if one digit gets a zero."""
    form = _open(date)
    return form if form.format(y=_YEAR, d=_SHORT) == short else form.replace("{d}", "{d:02}")


def _open(text: str) -> str:
    """Return a date whose numbers are replaced by fields."""
    return text.replace(str(_YEAR), "{y}").replace(str(_DAY), "{d}")


def by_cldr(point: Point, locale: str) -> str:
    """Return a date without a season, by the language's table and Babel."""
    day = Day(point.year, point.month or 1, point.day or 1)
    precision = "day" if point.day else "month" if point.month else "year"
    pattern: str = getattr(table(locale), precision)
    where = Locale.parse(locale, sep="-")
    if pattern:
        return str(format_date(day, pattern, locale=where))
    return str(format_skeleton(_SKELETONS[precision], day, locale=where))


def letter_by_cldr(day: Day, locale: str) -> str:
    """Return a day for the head of a letter by Babel."""
    return str(format_date(day, "long", locale=Locale.parse(locale, sep="-")))


def files() -> Iterator[tuple[Path, str]]:
    """Yield the files and their contents."""
    yield language_tags.CLDR, json.dumps(languages(), ensure_ascii=False, separators=(",", ":"))
    lines = (f"{json.dumps(tag)}: {_line(forms)}" for tag, forms in listed_dates().items())
    yield locales.LISTED, "\n".join(("{", ",\n".join(lines), "}"))
    yield locales.OTHERS, json.dumps(other_dates(), ensure_ascii=False, separators=(",", ":"))


def _line(forms: Forms) -> str:
    return json.dumps(forms, ensure_ascii=False, sort_keys=True)


def main() -> None:
    """Write the files."""
    for path, text in files():
        path.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
