"""``cvbuild site``: build a web site of people, with a page, a PDF and a vCard of each.

Each person's part is a document like others, so only what changed is built. The pages of everybody
are made from these parts.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from cvbuild.building import site_files
from cvbuild.building.request import document_key
from cvbuild.building.session import Session
from cvbuild.building.site_files import Published
from cvbuild.cli import console
from cvbuild.cli.commands import build_pending
from cvbuild.cli.report import Report
from cvbuild.cli.request import request_of
from cvbuild.cli.summary import counted
from cvbuild.common import hashes, user_cache
from cvbuild.common.errors import CvbuildError
from cvbuild.common.files import safe_files
from cvbuild.common.files.safe_folders import BUILD
from cvbuild.inputs import people
from cvbuild.inputs.people import Person
from cvbuild.outputs.site import everybody, facts
from cvbuild.outputs.site.facts import Facts
from cvbuild.outputs.site.output import BESIDE, FACTS, PAGE, PEOPLE, PHOTO

if TYPE_CHECKING:
    from cvbuild.building.cache.index import JsonObject
    from cvbuild.cli.progress import Lines

#: The site in the output folder, and the folder of each person's part below it.
SITE = "site"
PARTS = PurePath(BUILD, SITE)
#: Bytes: the facts of a person.
_MOST = 16 << 20


def run(given: argparse.Namespace) -> int:
    """Build and write the site; return 0, or 1 if somebody's documents failed.

    Who failed keeps the page of the last time, or isn't on the site.
    """
    persons, out = people.find(given.people), Path(given.out)
    report = _Documents(as_json=given.json, people=len(persons))
    code, sound = 0, list(persons)
    first: dict[str, str] = {}
    templates = [[given.template]] if given.template else []
    # The documents beside the pages are those of a build, where a build has them.
    for place, formats in ((given.out, [*BESIDE]), (str(out / PARTS), [SITE])):
        own = {"out": place, "format": [formats], "template": templates}
        done, first = _build(argparse.Namespace(**{**vars(given), **own}), sound, report)
        code = max(code, done)
        sound = [one for one in sound if report.has(one.name, first[one.name], formats)]
    if not sound:
        report.close()
        console.say("✗ the site was not written: a document failed")
        return code or 1
    failed = [one.name for one in persons if one not in sound]
    documents = {one.name: report.of(one.name, first[one.name]) for one in sound}
    kept = _kept(site_files.published(out, SITE, user_cache.folder()), failed)
    page = _publish(out, documents, kept, given.title, report)
    missing = [name for name in failed if name not in kept.notes]
    report.close(page=str(page), kept=[*kept.notes], missing=missing)
    if not report.as_json:
        _say_failed("kept the page of the last time", [*kept.notes])
        _say_failed("not on the site", missing)
    return code


def _say_failed(fate: str, names: Iterable[str]) -> None:
    if found := ", ".join(names):
        console.say(f"✗ a document failed, {fate}: {found}")


def _kept(last: Published, failed: Iterable[str]) -> Published:
    """Return what the site has of those who failed: their files, and their facts as notes."""
    names = [name for name in failed if name in last.notes and f"{_own(name)}/{PAGE}" in last.files]
    folders = tuple(f"{_own(name)}/" for name in names)
    files = {path: digest for path, digest in last.files.items() if path.startswith(folders)}
    return Published(files, {name: last.notes[name] for name in names})


def _own(name: str) -> str:
    """Return a person's folder of the site."""
    return f"people/{name}"


class _Documents(Report):
    """A report that keeps each document, and is silent on the parts of the site."""

    def __init__(self, *, as_json: bool, people: int) -> None:
        super().__init__(as_json=as_json, people=people)
        self.as_json = as_json
        self._found: dict[tuple[str, str], Path] = {}
        self._reported: list[JsonObject] = []

    def faults(self, person: Person, diagnostics: Iterable[JsonObject]) -> None:
        """Report the diagnostics of a person's file, which is read twice, once."""
        new = [one for one in diagnostics if one not in self._reported]
        self._reported += new
        super().faults(person, new)

    def document(
        self, document: JsonObject, notes: Iterable[JsonObject], lines: Lines | None = None
    ) -> None:
        """Report a document and keep it."""
        if document["path"] is not None:
            name = str(document["variant"] or document["template"])
            key = document_key(name, document["format"])
            self._found[document["person"], key] = Path(document["path"])
        if document["path"] is None or document["format"] != SITE:
            super().document(document, notes, lines)
        elif lines:
            lines.end(f"{document['person']} {document_key(name, SITE)}")

    def has(self, person: str, name: str, formats: Iterable[str]) -> bool:
        """Return whether a person's document was made in all of these formats."""
        return all((person, document_key(name, output)) in self._found for output in formats)

    def of(self, person: str, name: str) -> dict[str, Path]:
        """Return the paths of a person's document by format."""
        return {
            output: self._found[person, document_key(name, output)] for output in (SITE, *BESIDE)
        }


def _build(
    given: argparse.Namespace, persons: Iterable[Person], report: Report
) -> tuple[int, dict[str, str]]:
    """Build what is out of date; return the exit code and the first document of each person."""
    session = Session(request_of(given))
    code = build_pending.run_if_needed(given, session, persons, report)
    report.public(session.going_public(persons, report.documents))
    first: dict[str, str] = {}
    for person in persons:
        entry = session.index.person(str(person.path))
        names = [name for names in given.template for name in names]
        names += entry["picked"] if entry else []
        first[person.name] = names[0] if names else ""
    return code, first


def _publish(
    out: Path,
    documents: dict[str, dict[str, Path]],
    kept: Published,
    title: str,
    report: _Documents,
) -> Path:
    """Write the site; return the page of all people. Raises CvbuildError."""
    folders = {name: paths[SITE] for name, paths in documents.items()}
    texts = {name: _text(folder / FACTS) for name, folder in folders.items()}
    known = {name: _facts(text, name) for name, text in (*texts.items(), *kept.notes.items())}
    names = sorted(known, key=lambda name: (known[name].sort, name))
    photos = {
        name: safe_files.read(folder / PHOTO, _MOST, links=False)
        for name, folder in folders.items()
        if (folder / PHOTO).exists()
    }
    photos |= _kept_photos(out / SITE, kept)
    ordered = {name: known[name] for name in names}
    files: dict[str, bytes | Path] = {**everybody.pages(ordered, photos, title)}
    for name in documents:
        own = _own(name)
        files[f"{own}/{PAGE}"] = folders[name] / PAGE
        if name in photos:
            files[f"{own}/{PHOTO}"] = photos[name]
        for output in BESIDE:
            files[f"{own}/{name}.{output}"] = documents[name][output]
    stays = Published(kept.files, texts | {**kept.notes})
    try:
        changes = site_files.publish(out, SITE, files, user_cache.folder(), stays)
    except OSError as error:
        place = error.filename or out / SITE
        raise CvbuildError.because("site", f"{place}: {error.strerror or error}") from None
    page = out / SITE / PEOPLE
    if not report.as_json:
        removed = f", {changes.removed} removed" if changes.removed else ""
        written = f"{changes.written} files written" if changes.written else "up to date"
        people_there = counted(len(names), "person", "people")
        console.say(f"✓ {page}  {people_there}, {written}{removed}", str(page))
    return page


def _kept_photos(site: Path, kept: Published) -> Iterator[tuple[str, bytes]]:
    """Yield the photos that are still as they were published."""
    for name in kept.notes:
        path = f"{_own(name)}/{PHOTO}"
        with suppress(OSError):
            data = safe_files.read(site / path, _MOST, links=False)
            if hashes.digest(data) == kept.files.get(path):
                yield name, data


def _text(path: Path) -> str:
    try:
        return safe_files.read(path, _MOST, links=False).decode()
    except (OSError, ValueError):
        raise _unreadable(str(path)) from None


def _facts(text: str, name: str) -> Facts:
    try:
        return facts.read(text.encode())
    except (ValueError, KeyError, TypeError):
        raise _unreadable(f"what {name} has on the site") from None


def _unreadable(what: str) -> CvbuildError:
    hint = "remove out/.build/site and build the site again"
    return CvbuildError.because("site", f"{what} can't be read", hint)
