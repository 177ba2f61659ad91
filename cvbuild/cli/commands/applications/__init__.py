"""``cvbuild applications``: list all applications and their status; add notes."""

from __future__ import annotations

import argparse
import time
from datetime import date as Day

from cvbuild.applications import history, load, overview
from cvbuild.applications.overview import Row
from cvbuild.building.environment import today
from cvbuild.cli import console, table
from cvbuild.cli.commands.apply import due_words
from cvbuild.common.positions import shown
from cvbuild.outputs.task import day_of


def run(given: argparse.Namespace) -> int:
    """Run the chosen action; return 1 if a file is wrong."""
    if given.action == "note":
        return _note(given)
    if given.action == "verify":
        from cvbuild.cli.commands.applications import verify

        return verify.run(given)
    return _list(given)


def _list(given: argparse.Namespace) -> int:
    day = day_of(today())
    rows = overview.rows(day)
    faults = [item for row in rows for item in row.diagnostics]
    if given.json:
        console.print_json(
            {
                "applications": [row.as_json() for row in rows],
                "diagnostics": [item.as_json() for item in faults],
            }
        )
    elif rows:
        for line in table.lines([_cells(row, day) for row in rows]):
            console.answer(line)
    else:
        console.answer("there are no applications yet: write applications/<name>.yaml")
    if not given.json:
        console.show(faults)
    return int(any(item.severity == "error" for item in faults))


def _cells(row: Row, day: Day) -> tuple[str, ...]:
    sent = ""
    if row.sent:
        last = row.sent[-1]
        sent = f"sent {last.date}" + ("" if last.manifest else ", damaged since")
    if len(row.sent) > 1:
        sent += f" (of {len(row.sent)} times)"
    if row.changed:
        sent += f", since then changed: {', '.join(row.changed)}"
    due = due_words(row.deadline, day) if row.deadline and not row.is_over else ""
    # Texts from a packet's manifest may have any character.
    what = ": ".join(" ".join(part.split()) for part in (row.employer, row.position) if part)
    return shown(row.slug), row.status, due, what, sent


def _note(given: argparse.Namespace) -> int:
    (slug,) = load.find([given.slug], known=overview.slugs())
    note = history.add(slug, given.text, int(time.time()))
    hint = history.status_hint(note)
    if given.json:
        diagnostics = [hint.as_json()] if hint else []
        console.print_json(
            {
                "time": note.time,
                "text": note.text,
                "status": note.status,
                "diagnostics": diagnostics,
            }
        )
        return 0
    status = f"; status: {note.status}" if note.status else ""
    console.say(f"noted in {history.path_of(slug)}{status}")
    console.show([hint] if hint else [])
    return 0
