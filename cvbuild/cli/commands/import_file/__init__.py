"""``cvbuild import``: write a person's file from CVs in other formats, or add to one.

With ``--each``, a person's file for each of many CVs; a broken one stops no other.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from msgspec import Struct, field

from cvbuild.cli import console
from cvbuild.cli.commands.import_file import person_file, sureness
from cvbuild.cli.commands.import_file.sureness import Report
from cvbuild.common.diagnostics import Diagnostic, Span, quoted
from cvbuild.common.errors import CvbuildError, UsageError, foreign
from cvbuild.importers import files, new_file, registry
from cvbuild.importers.types import Imported
from cvbuild.inputs.people import Person

#: Files that the summary names.
_NAMED = 10
_Read = tuple[str, Imported, Person]


def run(given: argparse.Namespace) -> int:
    """Write people/<name>.yaml, or add to it with --merge.

    Return 1 if it isn't valid then; with --strict also if anything needs a look.
    """
    if given.each:
        return _each(given)
    read = new_file.read(given.files, given.source, given.person)
    console.show(read.notes)
    target = new_file.target(given.person, read.found)
    report = person_file.put(read.file, read.found, target, given)
    sureness.show(report)
    _print_json([report], given)
    return int(not _is_fine(report, given))


def _is_fine(report: Report, given: argparse.Namespace) -> bool:
    return report.is_valid and not (given.strict and report.needs_a_look)


def _print_json(reports: Sequence[Report], given: argparse.Namespace) -> None:
    if given.json:
        console.print_json({"imports": [one.as_json() for one in reports]})


class _Failed(Struct):
    """The files that were not imported, each with the reasons."""

    reasons: dict[str, Sequence[Diagnostic]] = field(default_factory=dict)

    @contextmanager
    def at(self, file: str) -> Iterator[None]:
        """Keep an error for the end; its words or its place tell the file."""
        try:
            yield
        except CvbuildError as error:
            self.reasons[file] = [
                item if item.span or file in item.message else replace(item, span=Span(file))
                for item in error.diagnostics
            ]


def _each(given: argparse.Namespace) -> int:
    """Write or merge a person's file for each; return 1 if one of them failed."""
    if given.person:
        hint = "leave --as out, or import the file by itself"
        raise UsageError.because("import", "with --each the name is that in each file", hint)
    if given.merge and not (given.yes or given.dry_run):
        person_file.require_terminal()
    paths = _paths(given.files)
    failed = _Failed()
    read: Iterable[_Read] = _read(paths, given.source, failed)
    files_of: dict[Person, list[str]] = {}
    if given.merge:
        # Which of two of a name is the one that is there, nobody knows before both are read.
        read = list(read)
        for file, _, target in read:
            if target.path.exists():
                files_of.setdefault(target, []).append(file)
    reports: list[Report] = []
    for file, found, target in read:
        others = files_of.setdefault(target, [])
        with failed.at(file):
            if others and others != [file]:
                raise _taken(next(name for name in others if name != file), found, target)
            others.append(file)
            if given.dry_run and not given.json:
                console.answer(f"# -- {target.path}, of {file}")
            report = person_file.put(file, found, target, given)
            reports.append(report)
            if not _is_fine(report, given):
                failed.reasons[file] = ()
    names = [file for file in map(str, paths) if file in failed.reasons]
    for file in names:
        console.show(failed.reasons[file])
    failures = f"; not imported, as told above: {_listed(names)}" if names else ""
    console.say(f"{len(paths) - len(names)} of {len(paths)} imported{failures}")
    if looks := [report.path for report in reports if report.needs_a_look]:
        console.say(f"look at what was guessed, lost or is probably wrong: {_listed(looks)}")
    _print_json(reports, given)
    return int(bool(failed.reasons))


def _read(paths: Sequence[Path], source: str | None, failed: _Failed) -> Iterator[_Read]:
    """Yield each file that can be read, with what is in it and whose it is."""
    for path in paths:
        with failed.at(str(path)):
            found = registry.read(files.opened(path), source)
            target = new_file.target(None, found)
        # Not inside: an error of the caller is none of the reading.
        if str(path) not in failed.reasons:
            yield str(path), found, target


def _paths(arguments: Sequence[str]) -> list[Path]:
    """Return what is to be imported: what is given, or all that is in the one folder that is."""
    paths = [Path(file) for file in dict.fromkeys(arguments)]
    if len(paths) > 1 or not paths[0].is_dir():
        return paths
    with foreign("import", "can't read the folder"):
        inside = sorted(one for one in paths[0].iterdir() if not one.name.startswith((".", "~$")))
    if not inside:
        raise UsageError.because("import", f"{paths[0]} is empty", "name the folder of the CVs")
    return inside


def _taken(other: str, found: Imported, target: Person) -> CvbuildError:
    """Return the error for the second of two people with one name."""
    _, names, _ = files.named(other, found)
    message = f"this is of {quoted(names[0])}, and {other} is of the same name"
    hint = (
        f"import it by itself: --as {target.name}-2 for another person, "
        f"--as {target.name} --merge for the same one"
    )
    return CvbuildError.because("people", message, hint)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"
