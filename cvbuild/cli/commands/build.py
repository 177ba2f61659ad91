"""``cvbuild build``: typeset people's CVs; first the cheap question what there is to do.

Only what that question needs is imported here: ``building`` does the rest.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from cvbuild.building.request import PDF, Rest
from cvbuild.building.session import Session
from cvbuild.cli.report import Report, asked_of
from cvbuild.inputs import people
from cvbuild.inputs.people import Person

if TYPE_CHECKING:
    from cvbuild.outputs.pdf.tex.preloaded_pool import PreloadedPool


def run(given: argparse.Namespace) -> int:
    """Build; 0 if every document is there, else the gravest exit code among them."""
    asked = asked_of(given)
    session = Session(asked)
    found = _people(given.people)
    report = Report(as_json=given.json)
    rest = session.left(found, report, force=given.force) if found else None
    if rest != [] or report.lacks(asked.variants):
        standby = None if given.force else _standby(given, _left_by_builds(session, rest or []))
        try:
            from cvbuild.cli.commands import build_rest

            return build_rest.run(given, session, rest, report, standby)
        finally:
            if standby:
                standby.end()
    report.close()
    session.save()
    return 0


def _left_by_builds(session: Session, rest: list[Rest]) -> list[Path]:
    """The folders of the records of the PDFs to be built; none if those are many."""
    places: list[Path] = []
    asked = session.asked
    if PDF not in asked.formats:
        return []
    for person, stale in rest:
        entry = session.known.person(str(person.path))
        if entry is None:
            return []
        names = [name for name, output in stale or () if output == PDF]
        wanted = names or asked.templates or asked.variants or dict.fromkeys(entry["picked"])
        found = [entry["documents"][name] for name in wanted if name in entry["documents"]]
        places += [Path(document["record"][0]).parent for document in found]
        if len(places) > (os.cpu_count() or 1):
            return []
    return places


def _standby(given: argparse.Namespace, places: list[Path]) -> PreloadedPool | None:
    """Engines that load while Python does: what else is imported takes as long."""
    if not places or given.driver != "auto" or given.cluster:
        return None
    from cvbuild.common import user_cache
    from cvbuild.outputs.pdf.tex.preloaded_pool import PreloadedPool

    standby = PreloadedPool(Path(given.out, ".build", "tmp"), user_cache.resolved(None))
    for place in places:
        standby.start(place, int(time.time()) // 86400 * 86400)
    return standby


def _people(names: list[str]) -> tuple[Person, ...]:
    """The people; nobody if there is something to say about that."""
    try:
        return people.find(names)
    except Exception as error:
        # Whoever builds says it, after all else that may be wrong with the call.
        if hasattr(error, "diagnostics"):
            return ()
        raise
