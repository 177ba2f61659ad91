"""What is edited, what it can be shown as, and documents of its text, which isn't saved.

A place is a box on a page, the field that it shows, and where that is written.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import asdict, replace

from cvbuild.applications import documents as application_documents
from cvbuild.applications import load
from cvbuild.applications.documents import Documents
from cvbuild.building import pipeline, profiles
from cvbuild.building.fresh import Entries, today
from cvbuild.building.outcome import Outcome
from cvbuild.common.diagnostics import Diagnostic, FieldPath
from cvbuild.common.errors import CvbuildError, UsageError
from cvbuild.common.safe_files import OUT
from cvbuild.inputs import letters
from cvbuild.inputs.people import Person
from cvbuild.inputs.person_file import PersonFile
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.model import Profile, language_tags
from cvbuild.model.base import FrozenMap
from cvbuild.model.profile import OWN_SECTIONS, Variant
from cvbuild.outputs import measured
from cvbuild.outputs import templates as templates_stage
from cvbuild.outputs.manifests import Option
from cvbuild.outputs.pdf.verify.text_places import TextPlace
from cvbuild.outputs.request import PDF, Request, day_of
from cvbuild.outputs.templates import Library, Template
from cvbuild.outputs.types import Task
from cvbuild.selection import selected
from cvbuild.serve.messages import DocumentName, Json, placed

#: Characters of the words of a place.
_WORDS = 300

#: Under which title the panel has the options that all styles share, in its order.
_GROUPS = MappingProxyType(
    {
        "Page": ("pages", "paper", "margin", "density", "measure", "footer"),
        "Type and colour": ("font", "size", "figures", "accent"),
        "Head": ("name-size", "contacts", "photo", "photo-side", "photo-shape", "logo"),
        "Sections": ("sections", "titles", "title-size", "title-case", "rule", "section-numbers"),
        "Entries": ("dates", "date-form", "bullet", "links", "publications", "numbering"),
        "Web pages and files": ("skills", "entry-icons", "embed"),
    }
)
_GROUP_OF = {name: group for group, names in _GROUPS.items() for name in names}
_OWN = "Only in this style"
#: What an editor shows for each type of option.
_KINDS = {"flag": "switch", "kinds": "list", "margins": "number"}
_SECTIONS = (*OWN_SECTIONS, *Profile.KINDS)


class Made(Struct, frozen=True):
    """A document that was made, and its file."""

    task: Task
    outcome: Outcome
    path: Path


def task(
    checked: PersonFile | CheckedApplication, document: DocumentName, request: Request
) -> Task:
    """Return the document of a checked text; raises CvbuildError."""
    if isinstance(checked, CheckedApplication):
        return checked.task(document)
    library = request.library
    if document.private and not checked.private:
        checked = profiles.check(checked.person, library, private=True, seconds=request.timeout)
    return profiles.task(checked, document.name, library)


def make(
    checked: PersonFile | CheckedApplication,
    document: DocumentName,
    request: Request,
    output: str = PDF,
) -> Made:
    """Make a document of a checked text in a format; raises CvbuildError."""
    locale = pipeline.known_locale(document.locale)
    if isinstance(checked, CheckedApplication):
        locale = locale or checked.locale
    request = request._replace(locale=locale, today=today())
    document_task = replace(task(checked, document, request), format=output)
    outcome = pipeline.build(document_task, request)
    if outcome.path is None:
        raise CvbuildError(_told(outcome.diagnostics, request.out))
    return Made(document_task, outcome, outcome.path)


def counts(
    checked: PersonFile | CheckedApplication, document: DocumentName, request: Request
) -> list[Json]:
    """Return how long the texts are that a document limits; none where that can't be said."""
    with contextlib.suppress(CvbuildError):
        wanted = task(checked, document, request)
        if wanted.limits or (wanted.chosen and wanted.chosen.limits):
            locale = pipeline.known_locale(document.locale)
            shown = pipeline.choose(wanted, request._replace(locale=locale))
            return [asdict(one) for one in measured.counts(shown)]
    return []


def _told(diagnostics: Iterable[Diagnostic], out: Path) -> Iterator[Diagnostic]:
    """Yield diagnostics without the names of files that are deleted with the server."""
    for item in diagnostics:
        if item.severity != "note" or str(out) not in item.message:
            yield dataclasses.replace(item, message=item.message.replace(f"{out}/", ""))


def finished(person: Person, template_path: tuple[str, ...]) -> Json | None:
    """Return a person's first PDF that ``cvbuild build`` made.

    None for one that isn't up to date. Raises CvbuildError for an output folder that can't be used.
    Nothing is built or written.
    """
    request = Request(Path(OUT), today(), template_path=template_path)
    _, current = Entries(request).check([person])
    for one in (document for _, documents, _ in current for document, _ in documents):
        if one["format"] == PDF and one["path"]:
            return one
    return None


def places(found: Iterable[TextPlace], task: Task, path: Path) -> list[Json]:
    """Return plain objects for the browser; what isn't written in the file is left out."""
    _, source = selected.applied(task.profile, task.source, task.variant)
    file, whole = source_stage.name_of(path), source.span(())
    spans = ((place, source.span(place.path)) for place in found)
    return [
        {
            "page": place.page,
            "box": [round(side, 2) for side in place.box],
            "path": list(place.path),
            "words": " ".join(place.words.split())[:_WORDS],
            **placed(span),
        }
        for place, span in spans
        # The whole file is the place of a template's own word, such as "Thesis".
        if span.file == file and span.line and span != whole
    ]


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
    data: Any = {}
    with contextlib.suppress(CvbuildError):
        data = source_stage.load(Path(f"{name}.yaml"), load.BEGIN).data
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


def check(file: Person | ApplicationFile, request: Request) -> PersonFile | CheckedApplication:
    """Read and check a file with its text."""
    if isinstance(file, Person):
        return profiles.check(file, request.library, seconds=request.timeout)
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
    checked = CheckedApplication(file, None, loaded.warnings, data.locale)
    try:
        found = application_documents.of(loaded, request.library, day)
    except CvbuildError as error:
        return replace(checked, diagnostics=(*loaded.warnings, *error.diagnostics))
    return replace(checked, documents=found, diagnostics=(*loaded.warnings, *found.warnings))


# -- what a person's file can be shown as ----------------------------------------------------------


def templates(library: Library) -> dict[str, Template]:
    """Return all templates by their names; those with faults are left out."""
    usable = {}
    for name in library.names():
        # ``check`` tells what is wrong with it.
        with contextlib.suppress(CvbuildError):
            usable[name] = library.find(name)
    return usable


def listed(checked: PersonFile, known: Mapping[str, Template]) -> list[Json]:
    """Return the person's templates, then variants and all other templates."""
    profile = checked.profile
    variants = profile.variants if profile else FrozenMap[str, Variant]()
    picked = profile.template if profile else ()
    locale = profile.locale if profile else None
    documents = list[Json]()
    for name in dict.fromkeys((*(one for one in picked if one in known), *variants, *known)):
        chosen, template = variants.get(name), known.get(name)
        if profile and chosen:
            template = known.get(profile.template_of(name))
        title = template.manifest.title if template and not chosen else name
        options = _options(template, checked, name if chosen else "") if template else []
        language = (chosen and chosen.locale) or locale
        documents.append(
            {
                **entry(name, "variant" if chosen else "template", title, options),
                "picked": name in picked,
                "language": language_tags.name(language) if language else None,
            }
        )
    return documents


def entry(name: str, kind: str, title: str, options: Iterable[Json] = ()) -> Json:
    """Return a document as the browser lists it."""
    document = {"name": name, "kind": kind, "private": False, "locale": None}
    return {"document": document, "title": title, "options": [*options]}


def _options(template: Template, checked: PersonFile, variant: str) -> list[Json]:
    profile, source = checked.profile, checked.source
    chosen = profile.variants[variant] if profile and variant else None
    origins = templates_stage.origins(template, profile, chosen) if profile else {}
    # Where a value for this document alone is written.
    own: FieldPath = ("variants", variant, "options") if variant else ("options", template.name)
    entries = list[Json]()
    for name, option in template.manifest.options.items():
        default = option.read(option.default)
        value, path = origins.get(name) or (default, None)
        place = {"path": list(path), **placed(source.key_span(path))} if path and source else None
        entries.append(
            {
                "name": name,
                "title": name.replace("-", " ").capitalize(),
                "group": _GROUP_OF.get(name, _OWN),
                "about": option.doc,
                "kind": _KINDS.get(option.type, option.type),
                "value": _json_value(option, value),
                "default": _json_value(option, default),
                "choices": list(option.choices or (_SECTIONS if option.type == "kinds" else ())),
                "least": option.min,
                "most": option.max,
                "path": [*own, name],
                "from": place,
            }
        )
    rank = {name: place for place, name in enumerate(_GROUP_OF)}
    return sorted(entries, key=lambda one: rank.get(one["name"], -1))


def _json_value(option: Option, value: object) -> object:
    """Return a value as JSON has it; None for margins that differ from side to side."""
    if option.type == "margins" and isinstance(value, tuple):
        return value[0] if len({*value}) == 1 else None
    return list(value) if isinstance(value, tuple) else value
