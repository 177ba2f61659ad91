"""Write dates.json: ``python -m cvbuild.locales.derive_dates``, if CLDR or a table has changed."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date as Day

from cvbuild.locales import dates
from cvbuild.locales.words import known
from cvbuild.model.dates import Point

#: Numbers that occur once in any date; a day of one digit shows whether it gets a leading zero.
_YEAR, _DAY, _SHORT = 2345, 28, 5


def forms() -> dict[str, dict[str, object]]:
    """Return the forms of dates in all languages with a table; see ``dates``."""
    return {
        tag: {
            "year": _form(Point(_YEAR), tag),
            "month": [_form(Point(_YEAR, month), tag) for month in range(1, 13)],
            "day": [_form(Point(_YEAR, month, _DAY), tag) for month in range(1, 13)],
            "long": [_long(month, tag) for month in range(1, 13)],
        }
        for tag in sorted(known() | {"en-US"})
    }


def _form(point: Point, tag: str) -> str:
    form = _open(dates.by_cldr(point, tag))
    if point.day and form.format(y=_YEAR, d=_SHORT) != dates.by_cldr(
        replace(point, day=_SHORT), tag
    ):
        form = form.replace("{d}", "{d:02}")
    return form


def _long(month: int, tag: str) -> str:
    return _open(dates.letter_by_cldr(Day(_YEAR, month, _DAY), tag))


def _open(text: str) -> str:
    """Return a date whose numbers are replaced by fields."""
    return text.replace(str(_YEAR), "{y}").replace(str(_DAY), "{d}")


def main() -> None:
    """Write the file."""
    text = json.dumps(forms(), ensure_ascii=False, indent=1, sort_keys=True)
    dates.FORMS.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
