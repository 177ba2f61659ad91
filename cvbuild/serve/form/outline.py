"""The outline of a file: a person's sections and what is in them, the parts of an application."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from msgspec import Struct
from pydantic_core import PydanticCustomError

from cvbuild.applications import documents
from cvbuild.common.diagnostics import CvbuildError, Diagnostic, FieldPath
from cvbuild.inputs.validation.texts import STARTER
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.tree import Source
from cvbuild.model import kinds
from cvbuild.model.base import Model
from cvbuild.model.locales import table
from cvbuild.model.locales.dates import Date
from cvbuild.model.profile import Profile
from cvbuild.model.text import language_tags
from cvbuild.model.text.paragraphs import Prose
from cvbuild.serve.form import shapes
from cvbuild.serve.messages import Json

#: Characters of a title.
_MOST = 80


def read(
    text: str, name: str, faults: Iterable[Diagnostic], root: type[Model] = Profile
) -> list[Json] | None:
    """Return the parts of a file, called ``name`` in ``faults``; None if it can't be parsed.

    Each has ``path``, ``kind``, ``title``, ``detail``, ``line``, ``end_line``, ``errors``,
    ``ordered`` (by date, or as in the file) and ``items``.
    """
    try:
        source = source_stage.parse(text, name)
    except CvbuildError:
        return None
    spans = (fault.span for fault in faults if fault.severity == "error")
    wrong = [span.line for span in spans if span and span.file == name and span.line]
    outline = _Outline(source, wrong, source.data)
    return [*(outline.person() if root is Profile else outline.other(root))]


class _Outline(Struct, frozen=True):
    source: Source
    #: Lines of errors.
    wrong: list[int]
    data: Any

    def person(self) -> Iterator[Json]:
        """Yield the head, then the sections."""
        places = [
            lines(self.source, (name,))
            for name in ("name", "headline", "contact", "photo", "locale", "updated")
            if self.source.find((name,))
        ]
        errors = sum(any(a <= line <= b for a, b in places) for line in self.wrong)
        line = places[0][0] if places else 1
        yield self._part((), "head") | {"errors": errors, "line": line}
        for name in kinds.OWN:
            if self.data.get(name) is not None:
                yield self._part((name,), name)
        for at, section in enumerate(_listed(self.data.get("sections"))):
            if not isinstance(section, dict):
                continue
            path, kind = ("sections", at), str(section.get("kind"))
            is_flat, items = kind in shapes.ROWS, section.get("items")
            below = [] if is_flat else self._items((*path, "items"), items)
            for number, group in enumerate(_listed(section.get("groups"))):
                if isinstance(group, dict):
                    own = (*path, "groups", number)
                    inner = [] if is_flat else self._items((*own, "items"), group.get("items"))
                    below.append(self._part(own, "group") | {"items": inner})
            count = len(items) if isinstance(items, list) else int(items is not None)
            count = sum(len(part["items"]) or 1 for part in below) if below else count
            is_in_order = is_flat or section.get("order") == "file"
            yield self._part(path, kind, str(count or "")) | {
                "ordered": "file" if is_in_order else _ordered(section),
                "items": below,
                "bib": section.get("bib") if isinstance(section.get("bib"), str) else None,
            }

    def other(self, root: type[Model]) -> Iterator[Json]:
        """Yield a file's own keys as one part, and each of its mappings, also one to be written."""
        keys = sorted(shapes.keys(root), key=lambda key: not key.usual)
        mappings = [key for key in keys if key.shape.control == "model"]
        below = [self._part((key.name,), "part") | {"title": key.title} for key in mappings]
        yield self._part((), "file") | {
            "title": root.__name__,
            "end_line": self.source.text.count("\n") + 1,
            "errors": len(self.wrong) - sum(part["errors"] for part in below),
        }
        yield from below

    def _items(self, path: FieldPath, items: Any) -> list[Json]:
        parts = []
        for at, item in enumerate(_listed(items)):
            detail, fields = "", item if isinstance(item, dict) else {}
            roles = fields.get("roles")
            if isinstance(roles, list) and len(roles) > 1:
                detail = f"{len(roles)} roles"
            else:
                with suppress(PydanticCustomError, TypeError):
                    date = Date.of(fields.get("date"))
                    if date.start:
                        year = (date.end or date.start).year
                        detail = f"{date.start.year}–" if date.present else str(year)
            parts.append(self._part((*path, at), "item", detail))
        return parts

    def _part(self, path: FieldPath, kind: str, detail: str = "") -> Json:
        line, end = lines(self.source, path)
        return {
            "path": list(path),
            "kind": kind,
            "title": title(self.data, path),
            "detail": detail,
            "line": line,
            "end_line": end,
            "errors": sum(line <= wrong <= end for wrong in self.wrong),
            "ordered": None,
            "items": [],
        }


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _ordered(section: dict[str, Any]) -> str:
    """Return how the items of a section are ordered that doesn't say it: by date, if they have."""
    groups = [group for group in _listed(section.get("groups")) if isinstance(group, dict)]
    items = [item for part in (section, *groups) for item in _listed(part.get("items"))]
    dated = any(
        isinstance(item, dict) and (item.get("date") or item.get("roles")) for item in items
    )
    return "date" if dated else "file"


def unset(data: Any, path: FieldPath) -> str:
    """Return what holds where a section has no title or no order; ``path`` is that of the key."""
    section = data["sections"][path[1]]
    kind = str(section.get("kind"))
    if path[-1] == "title":
        return _heading(data, kind)
    is_dated = _ordered(section) == "date" and kind not in shapes.ROWS
    return f"As usual: {'newest first' if is_dated else 'as in the file'}"


def lines(source: Source, path: FieldPath) -> tuple[int, int]:
    """Return the first and the last line of a value, with its key; 1 and 0 for none."""
    if source.find(path) is None:
        return 1, 0
    key, value = source.key_span(path), source.span(path)
    first, last = key.line or 1, value.end_line or 1
    if value.end_column == 1 and last > first:
        # A block ends where the next line begins.
        rows = source.text.split("\n")
        last -= 1
        while last > first and not rows[last - 1].strip():
            last -= 1
    return first, last


def title(data: Any, path: FieldPath) -> str:
    """Return the words for what is at a path of a file."""
    if len(path) < 2:
        return _heading(data, str(path[0])) if path else "Name and contact"
    value = data
    with suppress(KeyError, IndexError, TypeError):
        for step in path:
            value = value[step]
        if path[0] == "sections" and len(path) == 2:
            return _plain(value.get("title")) or _heading(data, str(value.get("kind")))
        shape = shapes.at(data, path)
        if not isinstance(value, dict):
            return _plain(value) or "Untitled"
        keys = shapes.title_keys(shape.model) if shape and shape.model else value
        return next(filter(None, (_plain(value.get(key)) for key in keys)), "Untitled")
    return "Untitled"


def _heading(data: Any, name: str) -> str:
    locale = data.get("locale")
    tag = locale if isinstance(locale, str) and language_tags.is_known(locale) else "en"
    return table(tag).words.get(name, name.capitalize())


def _plain(value: Any) -> str:
    """Return a text without its Markdown; of several languages, the first."""
    if isinstance(value, dict):
        inner = value.get("value") if "private" in value else next(iter(value.values()), None)
        return _plain(inner)
    if not isinstance(value, str):
        return ""
    with suppress(PydanticCustomError):
        value = str(Prose.of(value))
    return " ".join(value.split())[:_MOST]


#: Texts of a new file, to be written over.
EXAMPLES = (*STARTER, documents.STARTER, "you@example.org", *map(kinds.new_name, kinds.KINDS))


def addable(text: str) -> list[Json]:
    """Return what a file may get: each kind of section, its heading, and an item to begin with."""
    data: Any = {}
    with suppress(CvbuildError):
        data = source_stage.parse(text, "text").data
    return [
        {
            "kind": name,
            "title": _heading(data, name),
            "item": kinds.item_name(name),
            "value": shapes.new_item(name, kinds.new_name(name)),
            "rows": name in shapes.ROWS,
        }
        for name in kinds.KINDS
    ]
