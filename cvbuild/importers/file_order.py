"""Keeps the order that a source has, where sorting by date would change it."""

from __future__ import annotations

from typing import Any

from pydantic_core import PydanticCustomError

from cvbuild.model.dates import Date

_UNDATED = ((0, 0, 0), (0, 0, 0))


def keep(sections: list[dict[str, Any]]) -> None:
    """Give sections ``order: file`` whose items aren't the newest first."""
    for section in sections:
        for items in (section["items"], *(group["items"] for group in section["groups"])):
            keys = [_key(item) for item in items]
            if keys != sorted(keys, reverse=True):
                section["order"] = "file"


def _key(item: Any) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """Return what the selection sorts an item by."""
    if not isinstance(item, dict):
        return _UNDATED
    if "date" in item:
        return _newest([item["date"]])
    return _newest([role.get("date") for role in item.get("roles", ())])


def _newest(dates: list[Any]) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    return max((_sort_key(date) for date in dates), default=_UNDATED)


def _sort_key(date: Any) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    try:
        return Date.of(date).sort_key or _UNDATED if date else _UNDATED
    except PydanticCustomError:
        return Date(text=str(date)).sort_key or _UNDATED
