"""``cvbuild apply``, ``applications`` and ``match``: build what goes out, list, note, compare."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from datetime import date as Day
from pathlib import Path
from typing import Any

from cvbuild.applications import documents, load, match
from cvbuild.applications.packets import history
from cvbuild.applications.packets.packet import MESSAGE, build
from cvbuild.building import batch, pipeline, profiles
from cvbuild.cli import console
from cvbuild.cli.main import request_of
from cvbuild.common import interrupts
from cvbuild.common.diagnostics import CvbuildError, Diagnostic, UsageError, shown
from cvbuild.common.files import safe_files
from cvbuild.common.files.safe_folders import BUILD
from cvbuild.inputs import people
from cvbuild.model.text import language_tags
from cvbuild.outputs.request import APPLICATIONS
from cvbuild.outputs.types import Task

_BEGIN = "write applications/<name>.yaml"


def apply(given: argparse.Namespace) -> int:
    """Build packets; return 0 if all were built, else the highest exit code among them."""
    known, request = load.slugs(), request_of(given)
    reason = "" if known or not given.all else "there are no applications yet"
    if given.all == bool(given.slugs):
        reason = "name the applications, or give --all"
    if reason:
        hint = f"the applications are: {', '.join(known)}" if known else _BEGIN
        raise UsageError.because("apply", reason, hint)
    slugs = known if given.all else load.find(given.slugs)
    safe_files.refuse_links(request.out, str(load.FOLDER), f"{BUILD}/{APPLICATIONS}")
    if given.sent:
        safe_files.refuse_links(Path(), history.SENT_FOLDER.as_posix())
    worst, results = 0, []
    with interrupts.exit_on_signals():
        for slug in slugs:
            loaded, packet, kept, day = None, None, None, request.day
            faults = tuple[Diagnostic, ...]()
            try:
                loaded = load.load(slug, day)
                built = build(loaded, request)
                kept = history.keep(built, Path(), day) if given.sent else None
                packet, faults = built, built.diagnostics
            except CvbuildError as error:
                faults = (*(loaded.warnings if loaded else ()), *error.diagnostics)
                worst = max(worst, error.exit_code)
            application = loaded and loaded.data
            deadline = application and application.deadline
            result = {
                "slug": slug,
                "ok": packet is not None,
                "employer": application and application.employer,
                "position": application and application.position,
                "deadline": deadline and deadline.isoformat(),
                "days_left": deadline and (deadline - day).days,
                "folder": packet and str(packet.folder),
                "cached": packet is not None and packet.cached,
                "files": packet.listed() if packet else [],
                "sent": kept and str(kept),
                "diagnostics": faults,
            }
            results.append(result)
            if not given.json:
                _show(result)
    if given.json:
        console.print_json({"packets": results})
    elif any(result["ok"] for result in results):
        if given.sent:
            console.show([history.NOTICE])
        else:
            console.say(f"{MESSAGE} opens as a draft: check it, then send it yourself")
    return worst


def _show(result: dict[str, Any]) -> None:
    if not result["ok"]:
        console.say(f"✗ {shown(result['slug'])}: failed")
    else:
        due = result["deadline"]
        due = f", {_due_words(due, result['days_left'])}" if due else ""
        how = ", up to date" if result["cached"] else ""
        console.say(f"✓ {result['folder']}/{how}{due}")
        width = max(len(file["name"]) for file in result["files"])
        for file in result["files"]:
            pages = f", {console.counted(file['pages'], 'page')}" if file["pages"] else ""
            size = file["size"]
            much = f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{max(1, round(size / 1000))} kB"
            console.say(f"  {file['name']:{width}}  {much}{pages}")
        if result["sent"]:
            console.say(f"  kept as it was sent, read-only: {result['sent']}/")
    console.show(result["diagnostics"])


def _due_words(deadline: Day | str, days: int) -> str:
    """Return when it is due: due 2026-12-01, 10 days left."""
    if days < 0:
        return f"was due {deadline}"
    left = "today is the last day" if days == 0 else f"{console.counted(days, 'day')} left"
    return f"due {deadline}, {left}"


def run(given: argparse.Namespace) -> int:
    """List the applications, or do something with them; return 1 if a file is wrong."""
    day = request_of(given).day
    rows = history.rows(day)
    by_slug = {row.slug: row.sent for row in sorted(rows, key=lambda row: row.slug)}
    if given.action == "note":
        (slug,) = load.find([given.slug], known=by_slug)
        note = history.add_note(slug, given.text, int(time.time()))
        status = f"; status: {note.status}" if note.status else ""
        console.say(f"noted in {history.path_of(slug)}{status}")
        return 0
    if given.action == "verify":
        slugs = load.find(given.slugs, known=by_slug) if given.slugs else by_slug
        checks = {packet: history.check(packet) for slug in slugs for packet in by_slug[slug]}
        for packet, faults in checks.items():
            state = "✗ {}: modified since it was sent" if faults else "✓ {}: as it was sent"
            console.answer(state.format(shown(str(packet.folder))))
            console.show(faults)
        if not checks:
            console.say("nothing was sent yet; to keep what you send: cvbuild apply NAME --sent")
        return int(any(checks.values()))
    wrong = [item for row in rows for item in row.diagnostics]
    if given.json:
        console.print_json({"applications": rows, "diagnostics": wrong})
    else:
        cells = list[tuple[str, ...]]()
        for row in rows:
            when = f"sent {row.sent[-1].date}" if row.sent else ""
            when += f" (of {len(row.sent)} times)" if row.sent[1:] else ""
            days = (row.deadline - day).days if row.deadline else 0
            due = _due_words(row.deadline, days) if row.deadline and not row.is_over else ""
            what = f"{row.data.employer}: {row.data.position}" if row.data else ""
            cells.append((shown(row.slug), row.status, due, what, when))
        none = f"there are no applications yet: {_BEGIN}"
        for line in console.aligned(cells) if cells else [none]:
            console.answer(line)
        console.show(wrong)
    return int(any(item.severity == "error" for item in wrong))


# -- match: which terms of a job's advertisement a document has, and where


def compare(given: argparse.Namespace) -> int:
    """Compare an advertisement with a document."""
    request, language = request_of(given)._replace(locale=None), language_tags.require(given.locale)
    if given.slug:
        if given.person or given.variant or given.template:
            message = "an application names the person and the document itself"
            raise UsageError.because("match", message, "give only the application, or --person")
        (slug,) = load.find([given.slug])
        loaded = load.load(slug, request.day)
        request = request._replace(locale=loaded.data.locale)
        task = documents.of(loaded, request, request.day).cv
    else:
        if not given.person:
            known = f"the applications are: {', '.join(load.slugs())}; or "
            hint = f"{known if load.slugs() else ''}--person PERSON"
            raise UsageError.because("match", "no application is named", hint)
        (person,) = people.find([given.person])
        if given.variant:
            batch.require_variants([person], request._replace(everybody=False))
        checked = profiles.check(person, request.library)
        first = checked.profile.template[0] if checked.profile else ""
        task = profiles.task(checked, given.variant or given.template or first, request)
    advert = match.load(Path(given.job))
    chosen = pipeline.choose(task)
    matches = match.run(chosen, advert, language)
    if given.json:
        language = language or chosen.profile.locale
        console.print_json(match.as_json(chosen, advert.name, language, matches))
    else:
        _say(chosen, advert.name, matches)
    return 0


def _say(task: Task, name: str, matches: Sequence[match.Match]) -> None:
    has = [item for item in matches if item.places]
    lacks, words = [item.term for item in matches if not item.places], dict[match.Term, str]()
    for term in (item.term for item in matches):
        often = f"{term.count}×, " if term.count > 1 else ""
        words[term] = f"{term.text} ({often}line {term.line})"
    console.answer(f"{name}: {task.person.name} {task.name} has {len(has)} of {len(matches)} terms")
    if has:
        console.answer("\nin the document:")
    for item in has:
        places = console.some([place.in_short for place, _ in item.places])
        console.answer(f"  ✓ {words[item.term]}: {places}")
    if lacks:
        console.answer("\nnot in it:")
    for term in lacks:
        if term.score > 1:
            console.answer(f"  ✗ {words[term]}")
    # Single words that occur once: many, and few of them matter.
    if once := [f"{term.text} ({term.line})" for term in lacks if term.score == 1]:
        console.answer(f"  once each: {', '.join(once)}")
