"""``cvbuild build``: typeset people's CVs."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from cvbuild import batch, console, people
from cvbuild.api import cache_folder, known_locale, today, workspace_library
from cvbuild.diagnostics import Diagnostic
from cvbuild.document import Settings, Task
from cvbuild.errors import UsageError
from cvbuild.pipeline import Outcome
from cvbuild.templates import Library


def run(given: argparse.Namespace) -> int:
    """Build; 0 if every document is there, else the gravest exit code among them."""
    settings = _settings(given)
    wanted = _templates(given, settings.library)
    found = people.find(given.people)
    checked = [batch.check(person, settings.library) for person in found]
    faults = [item for one in checked for item in one.diagnostics]
    if not given.json:
        console.show(faults)
    todo = batch.tasks(checked, wanted)
    outcomes = _run(todo, settings, given)
    if given.json:
        console.print_json(
            {
                "documents": [_as_json(outcome) for outcome in outcomes],
                "notes": [item.as_json() for item in _notes(outcomes)],
                "diagnostics": [item.as_json() for item in faults],
            }
        )
    bad_file = any(item.severity == "error" for item in faults)
    return max([int(bad_file), *(outcome.exit_code for outcome in outcomes)])


def _settings(given: argparse.Namespace) -> Settings:
    library = workspace_library(given.template_path)
    return Settings(
        out=Path(given.out),
        library=library,
        today=today(),
        epoch=_epoch(os.environ.get("SOURCE_DATE_EPOCH")),
        engine=given.engine,
        driver=given.driver,
        force=given.force,
        timeout=given.timeout,
        cache=cache_folder(),
        locale=known_locale(given.locale),
    )


def _epoch(text: str | None) -> int | None:
    if not text:
        return None
    if not re.fullmatch(r"[0-9]{1,11}", text):
        raise UsageError.because(
            "epoch", f'SOURCE_DATE_EPOCH is "{text}"', "it is a number of seconds since 1970"
        )
    return int(text)


def _templates(given: argparse.Namespace, library: Library) -> list[str]:
    if given.all_templates:
        return list(library.names())
    wanted = [name for names in given.template for name in names]
    for name in wanted:
        library.require(name)
    return wanted


def _run(todo: Iterable[Task], settings: Settings, given: argparse.Namespace) -> list[Outcome]:
    outcomes: list[Outcome] = []
    said: set[Diagnostic] = set()
    with console.Lines(enabled=not given.json) as lines:
        for outcome in _results(todo, settings, given, lines):
            outcomes.append(outcome)
            if not given.json:
                _report(outcome, lines, said)
    return outcomes


def _results(
    todo: Iterable[Task], settings: Settings, given: argparse.Namespace, lines: console.Lines
) -> Iterator[Outcome]:
    if given.cluster is not None:
        from cvbuild.cluster import client

        return client.run(todo, settings, given.cluster, lambda note: console.show([note]))
    jobs = given.jobs or os.cpu_count() or 1
    return batch.run(
        todo, settings, jobs, lambda task: lines.begin(f"{task.person.name} {task.template}")
    )


def _notes(outcomes: Iterable[Outcome]) -> list[Diagnostic]:
    return list(dict.fromkeys(note for outcome in outcomes for note in outcome.notes))


def _report(outcome: Outcome, lines: console.Lines, said: set[Diagnostic]) -> None:
    """One line for the document, then what has to be said of it."""
    lines.end(f"{outcome.person} {outcome.template}", _line(outcome))
    fresh = [note for note in outcome.notes if note not in said]
    said.update(fresh)
    console.show((*fresh, *outcome.diagnostics))
    if outcome.left_out and not outcome.cached:
        used = f", {outcome.fill:.0%} of the page used" if outcome.fill else ""
        console.say(f"  left out {len(outcome.left_out)} to fit one page{used}:")
        for item in outcome.left_out:
            console.say(f"    {item}")
    if outcome.log:
        console.say(f"  TeX's words: {outcome.log}")


def _line(outcome: Outcome) -> str:
    if outcome.pdf is None:
        return f"✗ {outcome.person} {outcome.template}: failed"
    pages = f"{outcome.pages} page" + ("" if outcome.pages == 1 else "s")
    how = "up to date" if outcome.cached else f"{outcome.seconds:.1f} s"
    return f"✓ {outcome.pdf}  {pages}, {how}, {outcome.fonts}, {outcome.engine}"


def _as_json(outcome: Outcome) -> dict[str, object]:
    return {
        "person": outcome.person,
        "template": outcome.template,
        "path": str(outcome.pdf) if outcome.pdf else None,
        "engine": outcome.engine,
        "fonts": outcome.fonts,
        "pages": outcome.pages,
        "seconds": outcome.seconds,
        "cached": outcome.cached,
        "fill": outcome.fill,
        "verified": outcome.verified,
        "left_out": [item.as_json() for item in outcome.left_out],
        "log": str(outcome.log) if outcome.log else None,
        "diagnostics": [item.as_json() for item in outcome.diagnostics],
    }
