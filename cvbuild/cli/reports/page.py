"""A page about a build or a check: people and their documents, errors with places, notes.

One file without scripts, which loads nothing. Every text is escaped once, by Jinja.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import quote

from cvbuild.cli.reports.results import FAILED, Results
from cvbuild.common.diagnostics import Diagnostic

_TEMPLATE = "page.html.j2"
#: More different documents than these have no columns of their own.
_MOST_COLUMNS = 8


@dataclass(frozen=True, slots=True)
class _Note:
    """A note, said once with all its places."""

    severity: str
    message: str
    hints: tuple[str, ...]
    places: tuple[str, ...]


def html(results: Results, folder: Path, day: str) -> str:
    """Return the page; ``folder`` is where it will be, ``day`` what it says of its date."""
    from cvbuild.outputs.html.page import environment

    failed = {one: f"e{number}" for number, one in enumerate(results.failed(), 1)}
    columns, rows = _table(results)
    return (
        environment(Path(__file__).parent)
        .get_template(_TEMPLATE)
        .render(
            results=results,
            columns=columns,
            rows=rows,
            failed=failed,
            links={one: _link(one.path, folder) for one in results.results if one.path},
            notes=_notes(results),
            day=day,
            FAILED=FAILED,
        )
    )


def _table(results: Results) -> tuple[list[str], Mapping[str, Any]]:
    """Return the names of columns, and for each person the results in each of them.

    Without columns, everything of a person is in one. A person whose file is wrong has one result
    in all columns.
    """
    names = sorted({one.name for one in results.results if one.name})
    columns = names if len(names) <= _MOST_COLUMNS else []
    rows: dict[str, Any] = {}
    for person, found in groupby(results.results, key=lambda one: one.person):
        own = [*found]
        if not own[0].name:
            rows[person] = own[0]
        elif columns:
            rows[person] = [[one for one in own if one.name == name] for name in columns]
        else:
            rows[person] = [own]
    return columns, rows


def _link(path: str, folder: Path) -> str:
    """Return the address of a document relative to the page."""
    try:
        return quote(os.fsencode(os.path.relpath(path, folder).replace(os.sep, "/")))
    except ValueError:  # on another disk of Windows
        return Path(path).absolute().as_uri()


def _notes(results: Results) -> list[_Note]:
    found: dict[tuple[str, str], list[Diagnostic]] = {}
    for _, item in results.diagnostics():
        if item.severity != "error":
            found.setdefault((item.severity, item.message), []).append(item)
    return [
        _Note(
            severity,
            message,
            tuple(dict.fromkeys(item.hint for item in items if item.hint)),
            tuple(dict.fromkeys(str(item.span) for item in items if item.span)),
        )
        for (severity, message), items in found.items()
    ]
