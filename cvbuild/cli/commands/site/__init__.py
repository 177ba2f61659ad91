"""``cvbuild site``: build a web site of people, with a page, a PDF and a vCard of each.

Each person's part is a document like others, so only what changed is built. The pages of everybody
are made from these parts.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path, PurePath

from cvbuild.building import site_files
from cvbuild.building.session import Session
from cvbuild.building.site_files import Published
from cvbuild.cli import console
from cvbuild.cli.commands import build
from cvbuild.cli.commands.site.publish import SITE, Documents, Part, person_of, publish
from cvbuild.cli.report import Report
from cvbuild.cli.request import in_each_language, request_of
from cvbuild.common import user_cache
from cvbuild.common.files.safe_folders import BUILD
from cvbuild.inputs import people
from cvbuild.inputs.people import Person
from cvbuild.outputs.site.output import BESIDE, PAGE

#: The folder of each person's part below the output folder.
PARTS = PurePath(BUILD, SITE)


def run(given: argparse.Namespace) -> int:
    """Build and write the site; return 0, or 1 if somebody's documents failed or nobody is on it.

    Who failed keeps the page of the last time, or isn't on the site. Who has nothing to show isn't.
    """
    persons, out = people.find(given.people), Path(given.out)
    report = Documents(as_json=given.json, people=len(persons))
    last = site_files.published(out, SITE, user_cache.folder())
    code, parts = 0, list[Part]()
    for own in in_each_language(given):
        prefix = f"{own.locale}/" if parts else ""
        done, part = _part(own, prefix, last, report)
        code = max(code, done)
        parts.append(part)
    kept = list(dict.fromkeys(person_of(name) for part in parts for name in part.kept.notes))
    missing = list(dict.fromkeys(name for part in parts for name in part.missing))
    if not all(part.documents for part in parts):
        report.close()
        why = "a document failed" if kept or missing else "nobody has anything to show"
        console.say(f"✗ the site was not written: {why}")
        return code or 1
    page = publish(out, parts, given.title, report)
    report.close(page=str(page), kept=kept, missing=missing)
    if not report.as_json:
        _say_failed("kept the page of the last time", kept)
        _say_failed("not on the site", missing)
    return code


def _part(
    given: argparse.Namespace, prefix: str, last: Published, report: Documents
) -> tuple[int, Part]:
    """Build the documents of a language; return the exit code and what there is of the site."""
    sound, first, code = list(people.find(given.people)), dict[str, str](), 0
    failed: list[str] = []
    templates = [[given.template]] if given.template else []
    report.begin()
    # The documents beside the pages are those of a build, where a build has them.
    for place, formats in ((given.out, [*BESIDE]), (str(Path(given.out) / PARTS), [SITE])):
        own = {"out": place, "format": [formats], "template": templates}
        done, first = _build(argparse.Namespace(**{**vars(given), **own}), sound, report)
        code = max(code, done)
        sound = [one for one in sound if one.name in first]
        failed += [one.name for one in sound if not report.has(one.name, first[one.name], formats)]
        sound = [one for one in sound if one.name not in failed]
    documents = {one.name: report.of(one.name, first[one.name]) for one in sound}
    kept = _kept(last, prefix, failed)
    missing = tuple(name for name in failed if f"{prefix}{name}" not in kept.notes)
    return code, Part(prefix, given.locale or None, documents, kept, missing)


def _say_failed(fate: str, names: Iterable[str]) -> None:
    if found := ", ".join(names):
        console.say(f"✗ a document failed, {fate}: {found}")


def _kept(last: Published, prefix: str, failed: Iterable[str]) -> Published:
    """Return what the site has of those who failed: their files, and their facts as notes."""
    part = Part(prefix, None, {}, last, ())
    names = [
        name
        for name in failed
        if f"{prefix}{name}" in last.notes and f"{part.own(name)}/{PAGE}" in last.files
    ]
    folders = tuple(f"{part.own(name)}/" for name in names)
    files = {path: digest for path, digest in last.files.items() if path.startswith(folders)}
    return Published(files, {f"{prefix}{name}": last.notes[f"{prefix}{name}"] for name in names})


def _build(
    given: argparse.Namespace, persons: Iterable[Person], report: Report
) -> tuple[int, dict[str, str]]:
    """Build what is out of date; return the exit code and the first document of each person.

    It is "" of who can't be read; who has nothing to show has none.
    """
    session = Session(request_of(given))
    code = build.run_if_needed(given, session, persons, report)
    report.public(session.going_public(persons, report.documents))
    first: dict[str, str] = {}
    for person in persons:
        entry = session.entries.person(person)
        names = [name for names in given.template for name in names]
        names += entry["picked"] if entry else [""]
        if names:
            first[person.name] = names[0]
    return code, first
