"""Reports of a build or a check for whoever doesn't read a terminal: a page, JUnit, GitHub.

``--report`` names them; the end of a name says what it is.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from cvbuild.cli import console
from cvbuild.cli.report import Report
from cvbuild.cli.reports.results import Results, of_documents
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError, UsageError
from cvbuild.common.files import safe_folders

GITHUB = "github"
_PAGE, _JUNIT = ".html", ".xml"
#: The file that GitHub shows below a run.
_SUMMARY = "GITHUB_STEP_SUMMARY"
_INTERRUPTED = Diagnostic("error", "interrupted", "it was interrupted before everything was done")


def refuse_unknown(names: Iterable[str]) -> None:
    """Raise UsageError for a name that says of no report what it is."""
    for name in names:
        if name != GITHUB and Path(name).suffix.lower() not in (_PAGE, _JUNIT):
            fact = f'"{name[:60]}" names no kind of report'
            hint = "write report.html for a page, report.xml for JUnit's form, or github"
            raise UsageError.because("report", fact, hint)


def of_build(names: Sequence[str], report: Report, stopped: BaseException | None = None) -> None:
    """Write the reports of a build; raises CvbuildError if one can't be written.

    ``stopped`` is the error or the interruption that ended it early, if one did.
    """
    results, others = of_documents(report.files, report.documents)
    reasons: tuple[Diagnostic, ...] = ()
    if isinstance(stopped, KeyboardInterrupt):
        reasons = (_INTERRUPTED,)
    elif isinstance(stopped, CvbuildError):
        reasons = stopped.diagnostics
    words, seconds = next(report.summary.lines()), report.summary.seconds
    notes = [Diagnostic.from_json(one) for one in report.notes]
    write(names, Results("build", words, seconds, tuple(results), (*others, *notes), reasons))


def write(names: Sequence[str], results: Results) -> None:
    """Write the reports; raises CvbuildError if one can't be written."""
    if not names:
        return
    from cvbuild.cli.reports import forms  # most builds and checks write none

    for name in dict.fromkeys(names):
        if name == GITHUB:
            for line in forms.github_commands(results, os.environ):
                console.command(line)
            _append(os.environ.get(_SUMMARY), forms.github_summary(results))
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
