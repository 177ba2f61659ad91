"""Dates of a page: the words of the view, with the date that each stands for."""

from __future__ import annotations

from typing import NamedTuple

from cvbuild.common.diagnostics import FieldPath
from cvbuild.model import Profile
from cvbuild.model.dates import Date
from cvbuild.model.locales.dates import FORMS, date_text
from cvbuild.view.types import Content


class Part(NamedTuple):
    """Some words; with ``machine`` they are a date, as HTML writes it, in the role ``role``."""

    text: str
    role: str = ""
    machine: str = ""


def parts(content: Content, profile: Profile, single: str = "dt-start") -> tuple[Part, ...]:
    """Return the words of a date in parts; ``single`` is the role of one that is no range."""
    shown, date = str(content), at(content.path, profile)
    if date is None or date.start is None or date.several:
        return (Part(shown),)
    if not date.end and not date.present:
        return (Part(shown, single, date.start.iso),)
    form = next((one for one in FORMS if date_text(date, profile.locale, one) == shown), FORMS[0])
    first = date_text(Date(start=date.start), profile.locale, form)
    last = date_text(Date(start=date.end), profile.locale, form) if date.end else ""
    begin, end = shown.find(first), shown.rfind(last)
    if begin < 0 or end < begin + len(first):
        return (Part(shown),)
    pieces = [Part(shown[:begin]), Part(first, "dt-start", date.start.iso)]
    if date.end is None:
        pieces.append(Part(shown[begin + len(first) :]))
    else:
        pieces += [
            Part(shown[begin + len(first) : end]),
            Part(last, "dt-end", date.end.iso),
            Part(shown[end + len(last) :]),
        ]
    return tuple(part for part in pieces if part.text)


def at(path: FieldPath, profile: Profile) -> Date | None:
    """Return the date in a person's file at a path; None where there is none."""
    here: object = profile
    for step in path:
        if isinstance(step, int):
            here = here[step] if isinstance(here, tuple) and step < len(here) else None
        else:
            here = getattr(here, step.replace("-", "_"), None)
    return here if isinstance(here, Date) else None
