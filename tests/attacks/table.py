"""The table of attacks: hostile values, by where they go; and how any attack may end.

Each row of table.txt is JSON. An object of numbers is a text: each key, so many times.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

from conftest import Ran

#: What stands in files that are not the project's.
SECRET = "the-user-s-own-secret"
_TABLE = Path(__file__).with_name("table.txt")


@cache
def _parts() -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for line in _TABLE.read_text(encoding="ascii").splitlines():
        if line.startswith("[") and line.endswith("]") and '"' not in line:
            rows = found[line[1:-1]] = []
        elif line and not line.startswith("#"):
            rows.append(json.loads(line, object_hook=_text))
    return found


def _text(value: dict[str, Any]) -> Any:
    if value and all(isinstance(times, int) for times in value.values()):
        return "".join(text * times for text, times in value.items())
    return value


def rows(part: str) -> list[Any]:
    return _parts()[part]


def named(part: str) -> dict[str, Any]:
    return {name: value[0] if len(value) == 1 else tuple(value) for name, *value in rows(part)}


def commands(part: str) -> list[tuple[str, ...]]:
    return [tuple(shlex.split(line)) for line in rows(part)]


def harmless(done: Ran, codes: Collection[int] = (0, 1, 2)) -> None:
    """Fail unless a command ended by itself, without a traceback or a colour that was given."""
    assert done.code in codes, done
    assert "Traceback" not in done.err, done
    assert "\x1b[31m" not in done.out + done.err, done
