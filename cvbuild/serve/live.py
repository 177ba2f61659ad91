"""Make a document of a text that isn't saved, and find its places. This runs in threads.

A place is a box on a page, the field that it shows, and where that is written.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import ParamSpec, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.applications import documents as application_documents
from cvbuild.applications import load
from cvbuild.building import pipeline
from cvbuild.building.check import profiles
from cvbuild.building.check.profiles import Checked
from cvbuild.building.environment import known_locale, today
from cvbuild.building.outcome import Outcome
from cvbuild.common import limits
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError, ProfileError, UsageError
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.source import Source
from cvbuild.outputs.pdf.output import Format
from cvbuild.outputs.pdf.verify.text_places import TextPlace
from cvbuild.outputs.task import Settings, Task, day_of
from cvbuild.selection import selected
from cvbuild.serve.files import Json
from cvbuild.serve.messages import DocumentName
from cvbuild.serve.subjects import CheckedApplication

PDF = Format.name
#: Characters of the words of a place.
_WORDS = 300
_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


class Made(Struct, frozen=True):
    """A document that was made, and its file."""

    task: Task
    outcome: Outcome
    path: Path


async def in_thread(
    work: Callable[_Given, _Result], *arguments: _Given.args, **more: _Given.kwargs
) -> _Result:
    """Run ``work`` in a thread; an error that nobody expected is a CvbuildError, too."""

    def contained() -> _Result:
        try:
            return work(*arguments, **more)
        except CvbuildError:
            raise
        except KeyboardInterrupt:
            # All work must stop: asyncio would end the whole server at once.
            raise CvbuildError([]) from None
        except Exception as error:  # noqa: BLE001 - the server must go on
            fact = f"an error in cvbuild itself: {type(error).__name__}: {str(error)[:200]}"
            hint = "the text stays; please report it with the text that leads to it"
            raise CvbuildError.because("internal", fact, hint) from None

    return await asyncio.to_thread(contained)


def in_time(seconds: float, work: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """Return ``work`` that raises UsageError once it took that many seconds of CPU time."""

    def limited(*arguments: _Given.args, **more: _Given.kwargs) -> _Result:
        try:
            with limits.seconds(seconds):
                return work(*arguments, **more)
        except limits.TimeUpError:
            hint = "a CV has a few thousand values; is this the right file?"
            raise UsageError.because("time-limit", f"it took over {seconds:g} s", hint) from None

    return limited


def task(checked: Checked | CheckedApplication, document: DocumentName, settings: Settings) -> Task:
    """Return the document of a checked text; raises CvbuildError."""
    if isinstance(checked, CheckedApplication):
        return checked.task(document)
    library = settings.library
    if document.kind == "letter":
        day = day_of(settings.today)
        (slug,) = load.find([document.name])
        loaded = load.load(slug, day)
        if loaded.data.person != checked.person.name:
            raise CvbuildError.because("application", f"{slug} is not of {checked.person.name}")
        documents = application_documents.of(loaded, library, day, text=checked.person.text)
        if documents.letter is None:
            raise CvbuildError.because("letter", f"{slug} has no letter", "write letter: in it")
        return documents.letter
    if document.private and not checked.private:
        checked = profiles.check(checked.person, library, private=True, seconds=settings.timeout)
    checked = profiles.for_document(document.name, checked, library)
    if checked.profile is None:
        raise ProfileError(item for item in checked.diagnostics if item.severity == "error")
    (own,) = profiles.tasks([checked], [document.name])
    return own


def make(
    checked: Checked | CheckedApplication,
    document: DocumentName,
    settings: Settings,
    output: str = PDF,
) -> Made:
    """Make a document of a checked text in a format; raises CvbuildError."""
    locale = known_locale(document.locale)
    if isinstance(checked, CheckedApplication):
        locale = locale or checked.locale
    settings = replace(settings, locale=locale, private=document.private, today=today())
    document_task = replace(task(checked, document, settings), format=output)
    outcome = pipeline.build(document_task, settings)
    if outcome.path is None:
        raise CvbuildError(_told(outcome.diagnostics, settings.out))
    return Made(document_task, outcome, outcome.path)


def _told(diagnostics: Iterable[Diagnostic], out: Path) -> Iterator[Diagnostic]:
    """Yield diagnostics without the names of files that are deleted with the server."""
    for item in diagnostics:
        if item.severity != "note" or str(out) not in item.message:
            yield dataclasses.replace(item, message=item.message.replace(f"{out}/", ""))


def places(found: Iterable[TextPlace], task: Task, path: Path) -> list[Json]:
    """Return plain objects for the browser; what isn't written in the file is left out."""
    _, source = selected.applied(task.profile, task.source, task.variant)
    file = source_stage.name_of(path)
    plain = (_plain(one, source, file) for one in found)
    return [one for one in plain if one]


def _plain(place: TextPlace, source: Source, file: str) -> Json | None:
    span = source.span(place.path)
    is_whole = span == source.span(())  # A template's own word, such as "Thesis".
    if span.file != file or not span.line or is_whole:
        return None
    return {
        "page": place.page,
        "box": [round(side, 2) for side in place.box],
        "path": list(place.path),
        "words": " ".join(place.words.split())[:_WORDS],
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }
