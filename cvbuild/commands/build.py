"""``cvbuild build``: typeset people's CVs; first the cheap question what there is to do.

Only what that question needs is imported here: ``building`` does the rest.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from cvbuild import console, fresh, people
from cvbuild.fresh import Asked, Rest
from cvbuild.index import Index
from cvbuild.people import Person

if TYPE_CHECKING:
    from cvbuild.progress import Lines
    from cvbuild.shapes import Plain
    from cvbuild.standby import Standby


def run(given: argparse.Namespace) -> int:
    """Build; 0 if every document is there, else the gravest exit code among them."""
    asked = asked_of(given)
    known = fresh.remembered(asked)
    found = _people(given.people)
    report = Report(as_json=given.json)
    rest = None
    if found and not given.force:
        rest = fresh.check(asked, found, known, time.time_ns(), report)
    if rest != [] or report.lacks(asked.variants):
        standby = _standby(given, _left_by_builds(asked, known, rest or []))
        try:
            from cvbuild.commands import building

            return building.run(given, known, rest, report, standby)
        finally:
            if standby:
                standby.end()
    report.close()
    if known.changed:
        known.write()
    return 0


def asked_of(given: argparse.Namespace) -> Asked:
    """What the arguments and the environment ask for."""
    return Asked(
        out=given.out,
        templates=tuple(name for names in given.template for name in names),
        all_templates=given.all_templates,
        variants=tuple(name for names in given.variant for name in names),
        everybody=not given.people,
        template_path=tuple(given.template_path),
        engine=given.engine,
        driver=given.driver,
        tags=given.tags,
        locale=given.locale,
        epoch=os.environ.get("SOURCE_DATE_EPOCH", ""),
        cluster=getattr(given, "cluster", None) or "",
        private=given.private,
        sets=tuple(given.set),
    )


def _left_by_builds(asked: Asked, known: Index, rest: list[Rest]) -> list[Path]:
    """The folders of the records of the documents to be built; none if those are many."""
    places: list[Path] = []
    for person, stale in rest:
        entry = known.person(str(person.path))
        if entry is None:
            return []
        wanted = stale or asked.templates or asked.variants or dict.fromkeys(entry["picked"])
        found = [entry["documents"][name] for name in wanted if name in entry["documents"]]
        places += [Path(document["record"][0]).parent for document in found]
        if len(places) > (os.cpu_count() or 1):
            return []
    return places


def _standby(given: argparse.Namespace, places: list[Path]) -> Standby | None:
    """Engines that load while Python does: what else is imported takes as long."""
    if not places or given.driver != "auto" or given.cluster:
        return None
    from cvbuild import caches
    from cvbuild.standby import Standby

    standby = Standby(Path(given.out, ".build", "tmp"), caches.resolved(None))
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


class Report:
    """What is said of documents: a line each as they come, or one JSON object at the end."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._documents: list[Plain] = []
        self._notes: list[Plain] = []
        self._faults: list[Plain] = []
        self._names: set[str] = set()

    def faults(self, diagnostics: Iterable[Plain]) -> None:
        """What is to be said of a person's file."""
        if self._as_json:
            self._faults.extend(diagnostics)
        else:
            console.show_plain(diagnostics)

    def document(self, document: Plain, notes: Iterable[Plain], lines: Lines | None = None) -> None:
        """A document, with the notes that are made once; ``lines`` are those on the terminal."""
        self._names.add(_name(document))
        new = [note for note in notes if note not in self._notes]
        self._notes.extend(new)
        if self._as_json:
            self._documents.append(document)
            return
        if lines:
            lines.end(f"{document['person']} {_name(document)}", _line(document))
        else:
            console.say(_line(document))
        console.show_plain((*new, *document["diagnostics"]))
        if not document["cached"]:
            _show_left_out(document)
        if document["log"]:
            console.say(f"  TeX's words: {document['log']}")

    def lacks(self, names: Iterable[str]) -> bool:
        """Whether there was no document of one of these names."""
        return not self._names.issuperset(names)

    def close(self) -> None:
        """Print the JSON object."""
        if self._as_json:
            console.print_json(
                {
                    "documents": self._documents,
                    "notes": self._notes,
                    "diagnostics": self._faults,
                }
            )


def _show_left_out(document: Plain) -> None:
    left_out = document["left_out"]
    if not left_out:
        return
    from cvbuild.diagnostics import Diagnostic

    used = f", {document['fill']:.0%} of the page used" if document["fill"] else ""
    console.say(f"  left out {len(left_out)} to fit one page{used}:")
    for item in left_out:
        console.say(f"    {Diagnostic.from_json(item)}")


def _name(document: Plain) -> str:
    return str(document["variant"] or document["template"])


def _line(document: Plain) -> str:
    if document["path"] is None:
        return f"✗ {document['person']} {_name(document)}: failed"
    pages = f"{document['pages']} page" + ("" if document["pages"] == 1 else "s")
    how = "up to date" if document["cached"] else f"{document['seconds']:.1f} s"
    words = (pages, how, document["fonts"], document["engine"])
    return f"✓ {document['path']}  {', '.join(words)}"
