"""``cvbuild apply``: put together what goes out with an application."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date as Day
from pathlib import Path
from typing import Any

from cvbuild.applications import load
from cvbuild.applications.load import Opened
from cvbuild.applications.packet import assemble
from cvbuild.applications.packet.assemble import Packet
from cvbuild.applications.packet.contents import MESSAGE
from cvbuild.applications.sent import archive
from cvbuild.cli import console, request
from cvbuild.common import safe_files, work_folders
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError, UsageError
from cvbuild.common.positions import shown
from cvbuild.outputs.task import APPLICATIONS, BUILD, Settings


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one application; without a packet, why not."""

    slug: str
    opened: Opened | None = None
    packet: Packet | None = None
    kept: Path | None = None
    """Where it was kept as it was sent."""
    diagnostics: tuple[Diagnostic, ...] = ()
    exit_code: int = 0


def run(given: argparse.Namespace) -> int:
    """Build packets; 0 if every one is there, else the gravest exit code among them."""
    slugs, settings = _slugs(given), request.settings_of(given)
    safe_files.refuse_links(settings.out, str(load.FOLDER), f"{BUILD}/{APPLICATIONS}")
    if given.sent:
        safe_files.refuse_links(Path(), archive.FOLDER.as_posix())
    work_folders.sweep(settings.out, time.time() - work_folders.OLD)
    day = settings.day
    worst, results = 0, []
    with request.ended_by_signals():
        for one in _results(slugs, settings, day, _keep if given.sent else None):
            worst = max(worst, one.exit_code)
            results.append(_as_json(one, day))
            if not given.json:
                _show(one, day)
    if given.json:
        console.print_json({"packets": results})
    elif not any(result["ok"] for result in results):
        pass
    elif given.sent:
        console.show([archive.notice(Path())])
    else:
        console.say(f"{MESSAGE} opens as a draft: look it through, then send it yourself")
    return worst


def _slugs(given: argparse.Namespace) -> tuple[str, ...]:
    """The applications that are asked for; raises UsageError for none, and unknown ones."""
    if given.all == bool(given.slugs):
        known = ", ".join(load.slugs())
        hint = f"the applications are: {known}" if known else "write applications/<name>.yaml"
        raise UsageError.because("apply", "say which applications, or --all", hint)
    if given.all and not load.slugs():
        reason = "there are no applications yet"
        raise UsageError.because("apply", reason, "write applications/<name>.yaml")
    return load.slugs() if given.all else load.find(given.slugs)


def _keep(made: Packet, settings: Settings, day: Day) -> Path:
    """Freeze a packet, if it is still what its inputs make."""
    slug, soft = made.application.slug, replace(settings, force=False)
    return archive.freeze(made, Path(), day, lambda: assemble.build(load.load(slug, day), soft))


def _results(
    slugs: Iterable[str],
    settings: Settings,
    day: Day,
    keep: Callable[[Packet, Settings, Day], Path] | None,
) -> Iterator[Result]:
    for slug in slugs:
        opened = None
        try:
            opened = load.load(slug, day)
            made = assemble.build(opened, settings)
            kept = keep(made, settings, day) if keep else None
        except CvbuildError as error:
            warnings = opened.warnings if opened else ()
            said = (*warnings, *error.diagnostics)
            yield Result(slug, opened, diagnostics=said, exit_code=error.exit_code)
        else:
            yield Result(slug, opened, made, kept, made.diagnostics)


def _as_json(one: Result, day: Day) -> dict[str, Any]:
    said, made = one.opened and one.opened.said, one.packet
    deadline = said and said.deadline
    return {
        "slug": one.slug,
        "ok": made is not None,
        "employer": said and said.employer,
        "position": said and said.position,
        "deadline": deadline and deadline.isoformat(),
        "days_left": deadline and (deadline - day).days,
        "folder": made and str(made.folder),
        "cached": made is not None and made.cached,
        "files": _files(made) if made else [],
        "sent": one.kept and str(one.kept),
        "diagnostics": [item.as_json() for item in one.diagnostics],
    }


def _files(made: Packet) -> list[dict[str, Any]]:
    return [
        {"name": name, "size": size, "pages": made.pages.get(name)} for name, size in _sizes(made)
    ]


def _sizes(made: Packet) -> list[tuple[str, int]]:
    """The files and their sizes in bytes."""
    return [(name, Path(made.folder, name).stat().st_size) for name in made.files]


def _show(one: Result, day: Day) -> None:
    if one.packet is None or one.opened is None:
        console.say(f"✗ {shown(one.slug)}: failed")
    else:
        deadline = one.opened.said.deadline
        due = f", {due_words(deadline, day)}" if deadline else ""
        how = ", up to date" if one.packet.cached else ""
        console.say(f"✓ {one.packet.folder}/{how}{due}")
        sizes = _sizes(one.packet)
        width = max(len(name) for name, _ in sizes)
        for name, size in sizes:
            count = one.packet.pages.get(name)
            pages = f", {count} page{'' if count == 1 else 's'}" if count else ""
            console.say(f"  {name:{width}}  {_size(size)}{pages}")
        if one.kept is not None:
            console.say(f"  kept as it was sent, read-only: {one.kept}/")
    console.show(one.diagnostics)


def due_words(deadline: Day, day: Day) -> str:
    """When it is due: due 2026-12-01, 10 days left."""
    days = (deadline - day).days
    if days < 0:
        return f"was due {deadline}"
    left = "today is the last day" if days == 0 else f"{days} day{'' if days == 1 else 's'} left"
    return f"due {deadline}, {left}"


def _size(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{max(1, round(size / 1000))} kB"
