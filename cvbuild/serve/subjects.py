"""What a tab may edit: a person's file, an application, or the Markdown file of its letter."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.applications import documents as application_documents
from cvbuild.applications import load
from cvbuild.applications.documents import Documents
from cvbuild.building.check import profiles
from cvbuild.building.check.profiles import Checked
from cvbuild.building.environment import today
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError, UsageError
from cvbuild.inputs import letters
from cvbuild.inputs.people import Person
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.outputs.styles.templates import Template
from cvbuild.outputs.task import Settings, Task, day_of
from cvbuild.serve.messages import DocumentName

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

    ``locale`` is the language that it asks for.
    """

    person: ApplicationFile
    documents: Documents | None
    diagnostics: tuple[Diagnostic, ...] = ()
    locale: str | None = None

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
        entries = [_entry(cv.name, kind, f"CV: {title}")]
        if self.documents.letter:
            entries.insert(0, _entry(self.person.slug, "letter", "Letter"))
        return entries


def _entry(name: str, kind: str, title: str) -> dict[str, object]:
    document = {"name": name, "kind": kind, "private": False, "locale": None}
    return {"document": document, "title": title, "options": [], "picked": True}


def find(name: str, people: Mapping[str, Person]) -> Person | ApplicationFile:
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
        letter = file.name if file.is_letter else find(f"{name}{_LETTER}", {}).name
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
    checked = CheckedApplication(file, None, loaded.warnings, loaded.data.locale)
    try:
        found = application_documents.of(loaded, settings.library, day)
    except CvbuildError as error:
        return replace(checked, diagnostics=(*loaded.warnings, *error.diagnostics))
    return replace(checked, documents=found, diagnostics=(*loaded.warnings, *found.warnings))
