"""What is edited, and the documents made of its text, which isn't saved. This runs in threads.

A place is a box on a page, the field that it shows, and where that is written.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, ParamSpec, TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace

from cvbuild.applications import documents as application_documents
from cvbuild.applications import load
from cvbuild.applications.documents import Documents
from cvbuild.building import Request, pipeline, profiles
from cvbuild.building.fresh import Entries, UpToDate
from cvbuild.building.outcome import Outcome
from cvbuild.building.profiles import Checked
from cvbuild.building.requested import known_locale, today
from cvbuild.common import limits
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError, UsageError
from cvbuild.inputs import letters, output_folder
from cvbuild.inputs.people import Person
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.source import Source
from cvbuild.outputs import measured
from cvbuild.outputs.pdf.output import Format
from cvbuild.outputs.pdf.verify.text_places import TextPlace
from cvbuild.outputs.templates import Template
from cvbuild.outputs.types import Settings, Task, day_of
from cvbuild.selection import selected
from cvbuild.serve.documents import Json, entry
from cvbuild.serve.messages import DocumentName

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
    if document.private and not checked.private:
        checked = profiles.check(checked.person, library, private=True, seconds=settings.timeout)
    return profiles.document(document.name, checked, library)


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


def counts(
    checked: Checked | CheckedApplication, document: DocumentName, settings: Settings
) -> list[Json]:
    """Return how long the texts are that a document limits; none where that can't be said."""
    with contextlib.suppress(CvbuildError):
        wanted = task(checked, document, settings)
        if wanted.limits or (wanted.chosen and wanted.chosen.limits):
            locale = known_locale(document.locale)
            shown = pipeline.choose(wanted, settings.library, locale, settings.counted_from)
            return [asdict(one) for one in measured.counts(shown)]
    return []


def _told(diagnostics: Iterable[Diagnostic], out: Path) -> Iterator[Diagnostic]:
    """Yield diagnostics without the names of files that are deleted with the server."""
    for item in diagnostics:
        if item.severity != "note" or str(out) not in item.message:
            yield dataclasses.replace(item, message=item.message.replace(f"{out}/", ""))


def finished(person: Person, template_path: tuple[str, ...], name: str = "") -> Json | None:
    """Return a person's PDF that ``cvbuild build`` made, the first if no name is given.

    None for one that isn't up to date. Raises CvbuildError for an output folder that can't be used.
    Nothing is built or written.
    """
    current = UpToDate()
    request = Request(out=output_folder.default(), template_path=template_path)
    Entries(request).check([person], current)
    for one in current.documents:
        is_wanted = name in ("", one["variant"] or one["template"])
        if one["format"] == PDF and one["path"] and is_wanted:
            return one
    return None


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


# -- what a tab may edit ---------------------------------------------------------------------------

#: How the file of a letter is called among the names of what may be opened.
_LETTER = "/letter"


class ApplicationFile(NamedTuple):
    """An application's file, or the Markdown file of its letter; ``text`` isn't saved yet."""

    name: str
    path: Path
    slug: str
    is_letter: bool = False
    text: str | None = None


class CheckedApplication(Struct, frozen=True):
    """An application as far as it could be read; without documents, the reasons.

    ``locale`` is the language that it asks for, ``employer`` where it goes.
    """

    person: ApplicationFile
    documents: Documents | None
    diagnostics: tuple[Diagnostic, ...] = ()
    locale: str | None = None
    employer: str = ""

    def task(self, document: DocumentName) -> Task:
        """Return the letter or the CV; raises CvbuildError."""
        if self.documents is None:
            raise CvbuildError(one for one in self.diagnostics if one.severity == "error")
        found = self.documents.letter if document.kind == "letter" else self.documents.cv
        if found is None:
            fact = f"{self.person.slug} has no letter"
            raise CvbuildError.because("letter", fact, "write letter: in it")
        return found

    def listed(self, templates: Mapping[str, Template]) -> list[dict[str, object]]:
        """Return the letter and the CV as the browser lists documents."""
        if self.documents is None:
            return []
        cv = self.documents.cv
        known = templates.get(cv.name)
        title = known.manifest.title if known and not cv.variant else cv.name
        kind = "variant" if cv.variant else "template"
        entries = [entry(cv.name, kind, f"CV: {title}")]
        if self.documents.letter:
            entries.insert(0, entry(self.person.slug, "letter", "Letter"))
        return [{**one, "picked": True} for one in entries]


def subject_of(name: str, people: Mapping[str, Person]) -> Person | ApplicationFile:
    """Return what is called so: a person, applications/SLUG, or applications/SLUG/letter.

    Raises UsageError for anything else.
    """
    if name in people:
        return people[name]
    folder, _, rest = name.partition("/")
    slug = rest.removesuffix(_LETTER)
    if folder != load.FOLDER or slug not in load.slugs():
        raise UsageError.because("person", f'there is no person "{name[:100]}"')
    path = Path(load.FOLDER, f"{slug}.yaml")
    if slug == rest:
        return ApplicationFile(name, path, slug)
    found = letters.markdown(source_stage.load(path, load.BEGIN), path.parent)
    if found is None:
        fact = f"the letter of {slug} is no file of its own"
        raise UsageError.because("letter", fact, "it stands in the application")
    return ApplicationFile(name, found.path, slug, is_letter=True)


def about(file: Person | ApplicationFile) -> dict[str, object]:
    """Return what the browser is told of the file besides its text."""
    if isinstance(file, Person):
        return {"kind": "person"}
    name = f"{load.FOLDER}/{file.slug}"
    data: object = {}
    with contextlib.suppress(CvbuildError):
        data = source_stage.load(Path(f"{name}.yaml"), load.BEGIN).data
    data = data if isinstance(data, dict) else {}
    letter = None
    # Not every letter is a file of its own.
    with contextlib.suppress(CvbuildError):
        letter = file.name if file.is_letter else subject_of(f"{name}{_LETTER}", {}).name
    return {
        "kind": "letter" if file.is_letter else "application",
        "slug": file.slug,
        "title": str(data.get("employer") or file.slug),
        "person": str(data.get("person") or ""),
        "application": name,
        "letter": letter,
    }


def check(file: Person | ApplicationFile, settings: Settings) -> Checked | CheckedApplication:
    """Read and check a file with its text."""
    if isinstance(file, Person):
        return profiles.check(file, settings.library, seconds=settings.timeout)
    day, text = day_of(today()), file.text
    try:
        loaded = load.load(
            file.slug,
            day,
            text=None if file.is_letter else text,
            letter=text if file.is_letter else None,
        )
    except CvbuildError as error:
        return CheckedApplication(file, None, error.diagnostics)
    data = loaded.data
    checked = CheckedApplication(file, None, loaded.warnings, data.locale, data.employer)
    try:
        found = application_documents.of(loaded, settings.library, day)
    except CvbuildError as error:
        return replace(checked, diagnostics=(*loaded.warnings, *error.diagnostics))
    return replace(checked, documents=found, diagnostics=(*loaded.warnings, *found.warnings))
