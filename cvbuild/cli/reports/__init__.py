"""Reports of a build or a check for whoever doesn't read a terminal: a page, JUnit, GitHub.

``--report`` names them; the end of a name says what it is. Each is made from one result per
document or file, and its diagnostics.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from cvbuild.cli import console
from cvbuild.cli.report import Report, name_of
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError, UsageError
from cvbuild.common.files import safe_folders
from cvbuild.inputs import person_names
from cvbuild.inputs.people import MAIL, Person

if TYPE_CHECKING:
    from cvbuild.building.fresh import JsonObject

BUILT, UP_TO_DATE, FAILED, VALID = "built", "up to date", "failed", "valid"
GITHUB = "github"
_PAGE, _JUNIT = ".html", ".xml"
#: The file that GitHub shows below a run.
_SUMMARY = "GITHUB_STEP_SUMMARY"
_INTERRUPTED = Diagnostic("error", "interrupted", "it was interrupted before everything was done")


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a document; without ``name`` it is of the person's file itself.

    ``path`` is that of the document, ``seconds`` how long it took.
    """

    person: str
    state: str
    name: str = ""
    path: str | None = None
    pages: int | None = None
    seconds: float = 0
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def title(self) -> str:
        """The person, and the document if it is one."""
        return f"{self.person} {self.name}".rstrip()

    @property
    def errors(self) -> list[Diagnostic]:
        """Why it failed."""
        return [one for one in self.diagnostics if one.severity == "error"]


@dataclass(frozen=True)
class Results:
    """All results of a ``command``, in the order of people, and the ``others``, of no result.

    ``words`` say in short what came of it; ``stopped`` are errors that ended it early.
    """

    command: str
    words: str
    seconds: float
    results: tuple[Result, ...]
    others: tuple[Diagnostic, ...] = ()
    stopped: tuple[Diagnostic, ...] = ()
    files: Mapping[str, Path] = field(default_factory=dict)
    """The file of each person, by its name."""
    said: Mapping[str, tuple[Diagnostic, ...]] = field(default_factory=dict)
    """Those of the ``others`` that are said of a person's files, by the file's name."""

    @cached_property
    def called(self) -> Mapping[str, str]:
        """What each person is called, by the file's name; two may have one name."""
        read = person_names.read(self.files.values())
        words = {person: next(iter(read[file]), "") for person, file in self.files.items()}
        return {person: name for person, name in words.items() if name}

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The same, with the file's name where two have one name."""
        often = Counter(self.called.values())
        return {
            person: f"{name} ({person})" if often[name] > 1 else name
            for person, name in self.called.items()
        }

    def title(self, one: Result) -> str:
        """The person's name, and the document if it is one."""
        return f"{self.names.get(one.person, one.person)} {one.name}".rstrip()

    def diagnostics(self) -> Iterator[tuple[str, Diagnostic]]:
        """Yield each diagnostic once, with the title of its result; errors first."""
        titled = [(one.title, item) for one in self.results for item in one.diagnostics]
        titled += [("", item) for item in (*self.stopped, *self.others)]
        order = ("error", "warning", "note")
        seen = set()
        for title, item in sorted(titled, key=lambda one: order.index(one[1].severity)):
            if item not in seen:
                seen.add(item)
                yield title, item

    def failed(self) -> list[Result]:
        """Return what failed."""
        return [one for one in self.results if one.state == FAILED]


def of_documents(
    files: Mapping[Person, list[JsonObject]], documents: Iterable[JsonObject]
) -> tuple[list[Result], dict[str, tuple[Diagnostic, ...]]]:
    """Return the results of a build, and what is said of files without errors, by person.

    They are made from what ``--json`` prints.
    """
    results = [_of_document(one) for one in documents]
    said: dict[str, tuple[Diagnostic, ...]] = {}
    for person, diagnostics in files.items():
        items = tuple(map(Diagnostic.from_json, diagnostics))
        if any(item.severity == "error" for item in items):
            results.append(Result(person.name, FAILED, diagnostics=items))
        else:
            said[person.name] = items
    return sorted(results, key=lambda one: (one.person, one.name)), said


def _of_document(document: JsonObject) -> Result:
    state = FAILED if document["path"] is None else UP_TO_DATE if document["cached"] else BUILT
    return Result(
        document["person"],
        state,
        name_of(document),
        document["path"],
        document["pages"],
        document["seconds"],
        tuple(map(Diagnostic.from_json, document["diagnostics"])),
    )


def of_files(by_person: Mapping[Person, Iterable[Diagnostic]]) -> list[Result]:
    """Return the results of a check."""
    results = []
    for person, diagnostics in by_person.items():
        items = tuple(diagnostics)
        wrong = any(item.severity == "error" for item in items)
        results.append(Result(person.name, FAILED if wrong else VALID, diagnostics=items))
    return results


def refuse_unknown(names: Iterable[str]) -> None:
    """Raise UsageError for a name that says of no report what it is."""
    for name in names:
        if name not in (GITHUB, MAIL) and Path(name).suffix.lower() not in (_PAGE, _JUNIT):
            fact = f'"{name[:60]}" names no kind of report'
            hint = "write report.html for a page, report.xml for JUnit's form, github, or mail"
            raise UsageError.because("report", fact, hint)


def of_build(names: Sequence[str], report: Report, stopped: BaseException | None = None) -> None:
    """Write the reports of a build; raises CvbuildError if one can't be written.

    ``stopped`` is the error or the interruption that ended it early, if one did.
    """
    results, said = of_documents(report.files, report.documents)
    reasons: tuple[Diagnostic, ...] = ()
    if isinstance(stopped, KeyboardInterrupt):
        reasons = (_INTERRUPTED,)
    elif isinstance(stopped, CvbuildError):
        reasons = stopped.diagnostics
    words, seconds = next(report.summary.lines()), report.summary.seconds
    notes = [Diagnostic.from_json(one) for one in report.notes]
    files = {person.name: person.path for person in report.files}
    others = (*chain.from_iterable(said.values()), *notes)
    write(names, Results("build", words, seconds, tuple(results), others, reasons, files, said))


def write(names: Sequence[str], results: Results) -> None:
    """Write the reports; raises CvbuildError if one can't be written."""
    if not names:
        return
    from cvbuild.cli.reports import forms, mail  # most builds and checks write none

    for name in dict.fromkeys(names):
        if name == GITHUB:
            for line in forms.github_commands(results, os.environ):
                console.command(line)
            _append(os.environ.get(_SUMMARY), forms.github_summary(results))
        elif name == MAIL:
            mail.write(results)
        elif Path(name).suffix.lower() == _PAGE:
            day = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
            text = forms.page(results, Path(name).absolute().parent, day)
            # Names may have what moves a terminal's cursor, and bytes that are no character.
            text = console.CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
            _replace(name, text.encode(errors="replace"))
        else:
            _replace(name, forms.junit(results))


def _replace(name: str, data: bytes) -> None:
    path = Path(name)
    root, *below = path.parent.parts or (os.curdir,)
    try:
        with safe_folders.opened(root, *below, make=True) as folder:
            folder.write(path.name, data, f"{path.name}.{os.getpid()}.new")
    except OSError as error:
        raise _failed(name, error) from None


def _append(name: str | None, text: str) -> None:
    if not name:
        return
    try:
        with Path(name).open("a", encoding="utf-8", errors="replace") as file:
            file.write(text)
    except OSError as error:
        raise _failed(f"{_SUMMARY} ({name})", error) from None


def _failed(name: str, error: OSError) -> CvbuildError:
    fact = f"can't write the report {name}: {error.strerror or error}"
    return CvbuildError.because("report", fact, "name a file in a folder that can be written")
