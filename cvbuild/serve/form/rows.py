"""The rows of a list in a form: texts, in one language or in many, and the points under each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from cvbuild.common.diagnostics import FieldPath
from cvbuild.inputs import privacy
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import language_tags
from cvbuild.model.base import Shorthand
from cvbuild.model.text import lists
from cvbuild.serve.documents import Json
from cvbuild.serve.form import part_lines, shapes
from cvbuild.serve.form.shapes import Shape


class Value(Struct, frozen=True):
    """A value without its wrapper ``{value: …, private: true}``, and its path in it."""

    data: Any
    path: FieldPath
    private: bool


def of(source: Source, shape: Shape, value: Value) -> Iterator[Json]:
    """Yield the rows of a list; one text stands for a list of one."""
    if isinstance(value.data, str):
        yield _row(source, value.data, value.path)
        return
    short = shape.model.shorthand if shape.model and issubclass(shape.model, Shorthand) else ""
    for at, one in enumerate(value.data or []):
        path = (*value.path, at)
        row = unwrapped(one, path)
        whole = row.data if isinstance(row.data, dict) and short in row.data else {}
        text, place = (whole[short], (*row.path, short)) if whole else (row.data, row.path)
        if not isinstance(text, str) and not in_languages(text):
            lines = part_lines.of(source, path)
            yield {**_row(source, None, path), "more": lines}
            continue
        below = _below(source, shape, whole, row.path)
        rest = set(whole) - {short} - ({"bullets"} if below else set())
        yield {
            **_row(source, text, place),
            "outer": list(path),
            "private": row.private or privacy.says_yes(whole.get("private")),
            "more": part_lines.of(source, path) if rest else None,
            "below": below,
            **part_lines.place(source, path),
        }


def _row(source: Source, text: Any, path: FieldPath) -> Json:
    """Return a row of a text, or of a text in several languages."""
    return {
        "path": list(path),
        "outer": list(path),
        "value": joined(text) if isinstance(text, str) else None,
        "texts": texts(source, text, path) if in_languages(text) else None,
        "private": False,
        "more": None,
        "below": None,
        **part_lines.place(source, path),
    }


def texts(source: Source, data: dict[str, Any], path: FieldPath) -> list[Json]:
    """Return a text in each language."""
    return [
        {
            "language": tag,
            "value": joined(one or ""),
            "path": [*path, tag],
            "line": part_lines.place(source, (*path, tag))["line"],
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
        if begins or lists.MARK.match(row) or (row[0] != " " and lists.MARK.match(above)):
            rows.append(row)
        else:
            rows[-1] = f"{above} {row.strip()}"
    return "\n".join(rows)
