"""The values of a form: rows of a list, texts in languages, dates, lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from msgspec import Struct
from pydantic_core import PydanticCustomError

from cvbuild.common.diagnostics import FieldPath
from cvbuild.inputs import privacy
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import language_tags
from cvbuild.model.base import Shorthand
from cvbuild.model.dates import PRESENT, Date
from cvbuild.model.locales import date_text
from cvbuild.model.paragraphs import LIST_MARK
from cvbuild.serve.form import outline, shapes
from cvbuild.serve.form.shapes import Shape
from cvbuild.serve.messages import Json


class Value(Struct, frozen=True):
    """A value without its wrapper ``{value: …, private: true}``, and its path in it."""

    data: Any
    path: FieldPath
    private: bool


def of(source: Source, shape: Shape, value: Value) -> Iterator[Json]:
    """Yield the rows of a list; one text stands for a list of one."""
    if isinstance(value.data, str):
        yield row(source, value.path, value.path, value.data)
        return
    short = shape.model.shorthand if shape.model and issubclass(shape.model, Shorthand) else ""
    for at, one in enumerate(value.data or []):
        outer = (*value.path, at)
        inner = unwrapped(one, outer)
        whole = inner.data if isinstance(inner.data, dict) and short in inner.data else {}
        text, path = (whole[short], (*inner.path, short)) if whole else (inner.data, inner.path)
        if not isinstance(text, str) and not in_languages(text):
            yield row(source, outer, outer, None, more=lines_of(source, outer))
            continue
        below = _below(source, shape, whole, inner.path)
        rest = set(whole) - {short} - ({"bullets"} if below else set())
        yield row(
            source,
            path,
            outer,
            text,
            private=inner.private or privacy.says_yes(whole.get("private")),
            more=lines_of(source, outer) if rest else None,
            below=below,
        )


def row(source: Source, path: FieldPath, outer: FieldPath, text: Any, **more: object) -> Json:
    """Return a row: a text, or one in several languages, and ``more``; ``outer`` is all of it."""
    return {
        "path": list(path),
        "outer": list(outer),
        "value": joined(text) if isinstance(text, str) else None,
        "texts": texts(source, text, path) if in_languages(text) else None,
        **place(source, outer),
        **more,
    }


def texts(source: Source, data: dict[str, Any], path: FieldPath) -> list[Json]:
    """Return a text in each language."""
    return [
        {
            "language": tag,
            "value": joined(one or ""),
            "path": [*path, tag],
            "line": place(source, (*path, tag))["line"],
        }
        for tag, one in data.items()
    ]


def _below(source: Source, shape: Shape, data: dict[str, Any], path: FieldPath) -> Json | None:
    """Return the points under a bullet, as a list."""
    known = shapes.keys(shape.model) if shape.model else ()
    key = next((one for one in known if one.name == "bullets"), None)
    points = data.get("bullets")
    if key is None or not isinstance(points, str | list):
        return None
    own = (*path, "bullets")
    rows = [*of(source, key.shape, Value(points, own, private=False))]
    return {"name": ".".join(map(str, own)), "title": "Points", "path": list(own), "rows": rows}


def unwrapped(data: Any, path: FieldPath) -> Value:
    """Return a value without its wrapper, if it has one."""
    if isinstance(data, dict) and set(data) == {"value", "private"}:
        return Value(data["value"], (*path, "value"), privacy.says_yes(data["private"]))
    return Value(data, path, private=False)


def in_languages(data: Any) -> bool:
    """Return whether a value is a mapping from languages to texts."""
    return (
        isinstance(data, dict)
        and bool(data)
        and all(
            language_tags.is_key(key) and isinstance(one, str | None) for key, one in data.items()
        )
    )


def joined(text: str) -> str:
    """Return a text with each paragraph, and each item of a list, on one line."""
    rows: list[str] = []
    for row in text.strip("\n").split("\n"):
        above = rows[-1] if rows else ""
        begins = not above.strip() or not row.strip() or above.endswith("\\")
        # What isn't indented below an item may be anything.
        if begins or LIST_MARK.match(row) or (row[0] != " " and LIST_MARK.match(above)):
            rows.append(row)
        else:
            rows[-1] = f"{above} {row.strip()}"
    return "\n".join(rows)


# -- dates -----------------------------------------------------------------------------------------

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


# -- lines of a part ------------------------------------------------------------------------------


def place(source: Source, path: FieldPath) -> Json:
    """Return the first and the last line of a value; None for what isn't there."""
    if source.find(path) is None or not path:
        return {"line": None, "end_line": None}
    first, last = outline.lines(source, path)
    return {"line": first, "end_line": last}


def lines_of(source: Source, path: FieldPath) -> Json:
    """Return the lines of a value, less indented, and their numbers."""
    line, last = outline.lines(source, path)
    first = line - 1
    rows = source.text.split("\n")[first:last]
    indent = min((len(row) - len(row.lstrip()) for row in rows if row.strip()), default=0)
    return {"text": "\n".join(row[indent:] for row in rows), "line": first + 1, "end_line": last}
