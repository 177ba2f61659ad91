"""What a build or a check tells besides its lines: GitHub's annotations, and drafts to people.

GitHub Actions reads commands, one a line: ``::error file=a.yaml,line=3,col=1,title=ada::message``.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator, Mapping

from cvbuild.cli import console
from cvbuild.cli.report import Report
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs.people import Person

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
_INTERRUPTED = Diagnostic("error", "interrupted", "it was interrupted before everything was done")


def of_build(
    given: argparse.Namespace, report: Report, stopped: BaseException | None = None
) -> None:
    """Tell what a build found; ``stopped`` is what ended it early. Raises CvbuildError."""
    found = {person: [*map(Diagnostic.from_json, items)] for person, items in report.files.items()}
    by_name = {person.name: items for person, items in found.items()}
    others = [Diagnostic.from_json(one) for one in report.notes]
    for document in report.documents:
        items = map(Diagnostic.from_json, document["diagnostics"])
        by_name.setdefault(document["person"], others).extend(items)
    if isinstance(stopped, KeyboardInterrupt):
        others.append(_INTERRUPTED)
    elif isinstance(stopped, CvbuildError):
        others += stopped.diagnostics
    write(given, found, others)


def write(
    given: argparse.Namespace,
    found: Mapping[Person, Iterable[Diagnostic]],
    others: Iterable[Diagnostic] = (),
) -> None:
    """Tell what is asked for of what was found, by person; raises CvbuildError."""
    if given.github:
        titled = [(person.name, item) for person, items in found.items() for item in items]
        for line in commands([*titled, *(("cvbuild", item) for item in others)]):
            console.command(line)
    if given.mail:
        from cvbuild.cli import mail

        mail.write(found)


def commands(titled: Iterable[tuple[str, Diagnostic]]) -> Iterator[str]:
    """Yield a command for each diagnostic once, with its title; errors first."""
    seen, order = set[Diagnostic](), [*_COMMANDS]
    for title, item in sorted(titled, key=lambda pair: order.index(pair[1].severity)):
        if item in seen:
            continue
        seen.add(item)
        named = {"title": title}
        if item.span:
            place = {"file": _path(item.span.file)}
            if item.span.line:
                place |= {"line": str(item.span.line), "col": str(item.span.column)}
            named = place | named
        values = ",".join(f"{name}={_property(value)}" for name, value in named.items())
        hint = f"; {item.hint}" if item.hint else ""
        yield f"::{_COMMANDS[item.severity]} {values}::{_data(item.message + hint)}"


def _data(text: str) -> str:
    """Escape a message."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escape the value of a property."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _path(file: str) -> str:
    """Return a file's path in the repository, which need not be the working folder."""
    top = os.environ.get("GITHUB_WORKSPACE")
    inside = os.path.relpath(os.path.realpath(file), os.path.realpath(top)) if top else file
    return file if inside.startswith(os.pardir) else inside.replace(os.sep, "/")
