"""Dates of a form: their ends, whether they go on, and how they are printed."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from pydantic_core import PydanticCustomError

from cvbuild.common.diagnostics import FieldPath
from cvbuild.model import language_tags
from cvbuild.model.dates import PRESENT, Date
from cvbuild.model.locales.dates import date_text
from cvbuild.serve.documents import Json

#: A range, as it is written: its dates, and what is between them.
_RANGE = re.compile(
    r"(?P<start>.+?)(?P<between> to | until | till | through | ?[–—] ?| -{1,3} )(?P<end>.+)"
)


def read(data: Any, path: FieldPath, locale: object) -> Json:
    """Return a date as a form shows it, and as it is printed in a language."""
    if isinstance(data, dict):
        end = data.get("end") or ""
        found: Json = {"start": data["start"] or "", "end": end, "between": None}
    else:
        range_ = _RANGE.fullmatch(data or "")
        found = {"start": data or "", "end": "", "between": " to "}
        if range_ and _is_date(data):
            found = {name: range_[name].strip() for name in ("start", "end")}
            found["between"] = range_["between"]
    found["present"] = found["end"].lower() in PRESENT
    found["word"] = found["end"] if found["present"] else "present"
    found["printed"] = _printed(data, locale)
    found["path"] = list(path)
    return found


def _printed(data: Any, locale: object) -> str:
    tag = locale if isinstance(locale, str) and language_tags.is_known(locale) else "en"
    with suppress(PydanticCustomError, KeyError, TypeError, ValueError):
        return date_text(Date.of(data), tag) if data else ""
    return ""


def is_range(data: Any) -> bool:
    """Return whether a value is a date by its ends: ``{start: 2020, end: 2021}``."""
    return (
        isinstance(data, dict)
        and {"start"} <= set(data) <= {"start", "end"}
        and all(isinstance(one, str | None) for one in data.values())
    )


def _is_date(text: str) -> bool:
    with suppress(PydanticCustomError):
        return Date.of(text).start is not None
    return False
