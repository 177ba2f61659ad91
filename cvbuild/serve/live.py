"""What is edited and shown, documents of its text, which isn't saved, what all tabs share."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import asdict, replace
from pydantic import ValidationError

from cvbuild.applications import documents as application_documents
from cvbuild.applications import load
from cvbuild.applications.documents import Documents
from cvbuild.building import pipeline, profiles
from cvbuild.building.fresh import today
from cvbuild.building.pipeline import Outcome
from cvbuild.common.diagnostics import CvbuildError, Diagnostic, FieldPath, UsageError
from cvbuild.common.files import file_state, user_cache
from cvbuild.inputs import letters, people
from cvbuild.inputs.people import Person
from cvbuild.inputs.person.person_file import PersonFile
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.model.base import FrozenMap
from cvbuild.model.profile import OWN_SECTIONS, Profile, Variant
from cvbuild.model.text import language_tags
from cvbuild.outputs import measured
from cvbuild.outputs.pdf import Expected
from cvbuild.outputs.pdf.tex.preloaded import PreloadedPool
from cvbuild.outputs.pdf.verify import text_places
from cvbuild.outputs.pdf.verify.pdf_facts import Facts
from cvbuild.outputs.pdf.verify.text_places import TextPlace
from cvbuild.outputs.request import PDF, Request, day_of
from cvbuild.outputs.styles import templates as templates_stage
from cvbuild.outputs.styles.manifests import Option
from cvbuild.outputs.styles.templates import Template
from cvbuild.outputs.types import Task
from cvbuild.selection import selected
from cvbuild.serve.messages import DocumentName, Json, placed
from cvbuild.serve.pictures import Pictures

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
#: What an editor shows for each type of option.
_KINDS = {"flag": "switch", "kinds": "list", "margins": "number"}
_SECTIONS = (*OWN_SECTIONS, *Profile.KINDS)


class Made(Struct, frozen=True):
    """A document that was made, and its file."""

    task: Task
    outcome: Outcome
    path: Path


def task(
    checked: PersonFile | CheckedApplication,
    document: DocumentName,
    request: Request,
    output: str = PDF,
) -> Task:
    """Return the document of a checked text; raises CvbuildError."""
    if isinstance(checked, PersonFile):
        if document.private and not checked.private:
            seconds = request.timeout
            checked = profiles.check(checked.person, request.library, private=True, seconds=seconds)
        return profiles.task(checked, document.name, request, output)
    documents = checked.documents
    if documents is None:
        raise CvbuildError(fault for fault in checked.diagnostics if fault.severity == "error")
    chosen = documents.letter if document.kind == "letter" else documents.cv
    if chosen is None:
        fact = f"{checked.person.slug} has no letter"
        raise CvbuildError.because("letter", fact, "write letter: in it")
    return replace(chosen, request=request, format=output)


def make(
    checked: PersonFile | CheckedApplication,
    document: DocumentName,
    request: Request,
    output: str = PDF,
) -> Made:
    """Make a document of a checked text in a format; raises CvbuildError."""
    locale = language_tags.require(document.locale)
    if isinstance(checked, CheckedApplication):
        locale = locale or checked.locale
    request = request._replace(locale=locale, today=today())
    document_task = task(checked, document, request, output)
    outcome = pipeline.build(document_task)
    if outcome.path is None:
        # Without the names of files that are deleted with the server.
        out = str(request.out)
        raise CvbuildError(
            dataclasses.replace(fault, message=fault.message.replace(f"{out}/", ""))
            for fault in outcome.diagnostics
            if fault.severity != "note" or out not in fault.message
        )
    return Made(document_task, outcome, outcome.path)


def counts(
    checked: PersonFile | CheckedApplication, document: DocumentName, request: Request
) -> list[Json]:
    """Return how long the texts are that a document limits; none where that can't be said."""
    with contextlib.suppress(CvbuildError):
        request = request._replace(locale=language_tags.require(document.locale))
        wanted = task(checked, document, request)
        if wanted.limits or (wanted.chosen and wanted.chosen.limits):
            return [asdict(count) for count in measured.counts(pipeline.choose(wanted))]
    return []


def places(
    made: Made,
    compared: Iterable[tuple[Facts, Expected]],
    known: dict[Path, list[TextPlace]],
    path: Path,
) -> list[Json]:
    """Return where texts of the file at ``path`` are; of what was up to date as ``known``."""
    for both in compared:
        known[made.path] = text_places.find(*both)
    task, boxes = made.task, known.get(made.path, ())
    _, source = selected.applied(task.profile, task.source, task.variant)
    file, whole = source_stage.name_of(path), source.span(())
    spans = ((box, source.span(box.path)) for box in boxes)
    return [
        {
            "page": box.page,
            "box": [round(side, 2) for side in box.box],
            "path": list(box.path),
            "words": " ".join(box.words.split())[:_WORDS],
            **placed(span),
        }
        for box, span in spans
        # The whole file is the place of a template's own word, such as "Thesis".
        if span.file == file and span.line and span != whole
    ]


# -- what a tab may edit ---------------------------------------------------------------------------

#: How the file of a letter is called among the names of what may be opened.
LETTER = "/letter"


class ApplicationFile(NamedTuple):
    """An application's file, or the Markdown file of its letter; ``text`` isn't saved yet."""

    name: str
    path: Path
    slug: str
    is_letter: bool = False
    text: str | None = None


class CheckedApplication(Struct, frozen=True):
    """An application, in the language ``locale``; without documents, ``diagnostics`` say why."""

    person: ApplicationFile
    documents: Documents | None
    diagnostics: tuple[Diagnostic, ...] = ()
    locale: str | None = None


def about(file: Person | ApplicationFile) -> dict[str, object]:
    """Return what the browser is told of the file besides its text."""
    if isinstance(file, Person):
        return {"kind": "person"}
    name = f"{load.FOLDER}/{file.slug}"
    data: Any = {}
    letter = file.name if file.is_letter else None
    with contextlib.suppress(CvbuildError):
        loaded = source_stage.load(Path(f"{name}.yaml"), load.BEGIN)
        data = loaded.data
        # Not every letter is a file of its own.
        if not letter and letters.markdown(loaded, Path(load.FOLDER)):
            letter = f"{name}{LETTER}"
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
    day = day_of(today())
    text, letter = (None, file.text) if file.is_letter else (file.text, None)
    try:
        loaded = load.load(file.slug, day, text=text, letter=letter)
    except CvbuildError as error:
        return CheckedApplication(file, None, error.diagnostics)
    documents, faults = None, loaded.warnings
    try:
        documents = application_documents.of(loaded, request, day)
        faults += documents.warnings
    except CvbuildError as error:
        faults += error.diagnostics
    return CheckedApplication(file, documents, faults, loaded.data.locale)


# -- what a file can be shown as -------------------------------------------------------------------


def listed(checked: PersonFile | CheckedApplication, known: Mapping[str, Template]) -> list[Json]:
    """Return documents as the browser lists them: letter and CV; or what is picked, then all."""
    if isinstance(checked, CheckedApplication):
        if checked.documents is None:
            return []
        cv, letter = checked.documents.cv, checked.documents.letter
        style = known.get(cv.name)
        title = style.manifest.title if style and not cv.variant else cv.name
        kind = "variant" if cv.variant else "template"
        entries = [_entry(checked.person.slug, "letter", "Letter", picked=True)] if letter else []
        return [*entries, _entry(cv.name, kind, f"CV: {title}", picked=True)]
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
        entry = _entry(
            name, "variant" if chosen else "template", title, options, picked=name in picked
        )
        documents.append(entry | {"language": language_tags.name(language) if language else None})
    return documents


def _entry(name: str, kind: str, title: str, options: Iterable[Json] = (), *, picked: bool) -> Json:
    document = {"name": name, "kind": kind, "private": False, "locale": None}
    return {"document": document, "title": title, "options": [*options], "picked": picked}


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
                "group": _GROUP_OF.get(name, "Only in this style"),
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
    rank = [*_GROUP_OF]
    return sorted(
        entries, key=lambda each: rank.index(each["name"]) if each["name"] in rank else -1
    )


def _json_value(option: Option, value: object) -> object:
    """Return a value as JSON has it; None for margins that differ from side to side."""
    if option.type == "margins" and isinstance(value, tuple):
        return value[0] if len({*value}) == 1 else None
    return list(value) if isinstance(value, tuple) else value


# -- what all tabs share ---------------------------------------------------------------------------

#: How many engines wait for an edit: one takes 60 to 300 MB.
ENGINES = 2
#: Seconds between two looks whether a tab makes pages; and how long at most.
_PAUSE, _LONGEST = 0.1, 30


@dataclasses.dataclass
class Desk:
    """The workspace in memory; the user named the files of ``named``, ``first`` opens first."""

    request: Request
    folder: Path
    named: tuple[Person, ...] = ()
    first: str | None = None
    pictures: Pictures = dataclasses.field(default_factory=Pictures)
    #: How many tabs make pages now.
    busy: int = 0
    _recent: list[Path] = dataclasses.field(default_factory=list, init=False)
    _numbers: Iterator[int] = dataclasses.field(default_factory=count, init=False)

    def __post_init__(self) -> None:
        self.engines = PreloadedPool(self.folder / "engines")
        #: The file that says how files are to be shown, as the user chose last.
        self.view = kept("views", Path(), self.request.cache)
        self.find_templates()

    def people(self) -> dict[str, Person]:
        """Return everybody whose file may be edited, by name; a file that was named comes first."""
        named = [person for person in self.named if person.path.parent != people.FOLDER]
        return {person.name: person for person in (*people.everyone(), *named)}

    def subject(self, name: str) -> Person | ApplicationFile:
        """Return a person, applications/SLUG, or applications/SLUG/letter; raises UsageError."""
        folder, _, rest = name.partition("/")
        slug = rest.removesuffix(LETTER)
        if folder != load.FOLDER or slug not in load.slugs():
            return self.person(name)
        path = Path(load.FOLDER, f"{slug}.yaml")
        if slug == rest:
            return ApplicationFile(name, path, slug)
        letter = letters.markdown(source_stage.load(path, load.BEGIN), path.parent)
        if letter is None:
            fact = f"the letter of {slug} is no file of its own"
            raise UsageError.because("letter", fact, "it stands in the application")
        return ApplicationFile(name, letter.path, slug, is_letter=True)

    def person(self, name: str) -> Person:
        """Return the person of that name; raises UsageError if there is none."""
        person = self.people().get(name)
        if person is None:
            raise UsageError.because("person", f'there is no person "{name[:100]}"')
        return person

    def titles(self) -> list[dict[str, object]]:
        """Return name, title and path of everybody; a file is read only if it has changed."""
        return [
            {
                "name": person.name,
                "title": _title(person.path, file_state.of(person.path)) or person.name,
                "path": source_stage.name_of(person.path),
            }
            for person in self.people().values()
        ]

    def wait(self) -> None:
        """Wait until no tab makes pages: what somebody looks at comes first."""
        end = time.monotonic() + _LONGEST
        while self.busy and time.monotonic() < end:
            time.sleep(_PAUSE)

    def new_folder(self) -> Path:
        """Return a folder for documents that is used once."""
        return self.folder / f"made-{next(self._numbers)}"

    def find_templates(self) -> None:
        """Look for the workspace's templates, without those with faults."""
        library, usable = self.request.library, dict[str, Template]()
        for name in library.names():
            # ``check`` tells what is wrong with it.
            with contextlib.suppress(CvbuildError):
                usable[name] = library.find(name)
        self.templates = usable

    def prepare(self, record: Path) -> None:
        """Preload an engine for the document with the record in this folder."""
        others = (place for place in self._recent if place != record)
        self._recent = [record, *others][:ENGINES]
        self.engines.only(self._recent)
        for place in self._recent:
            self.engines.start(place)

    def forget(self, folder: Path) -> None:
        """Delete a tab's folder, and end the engines for its documents."""
        self._recent = [place for place in self._recent if not place.is_relative_to(folder)]
        self.engines.only(self._recent)
        shutil.rmtree(folder, ignore_errors=True)


@lru_cache(maxsize=10_000)
def _title(path: Path, _: file_state.Stamp | None) -> str:
    """Return the name in a person's file, read again if its stamp has changed; empty for none."""
    with contextlib.suppress(CvbuildError, ValidationError, KeyError, TypeError):
        written = source_stage.load(path).data
        profile = Profile.model_validate({"name": written["name"]})  # type: ignore[index]
        return profile.name.display
    return ""


def kept(what: str, path: Path, cache: Path | None) -> Path:
    """Return where the user's cache has ``what`` of a path: ``history``, ``views``."""
    name = hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()
    return user_cache.resolved(cache) / what / name[:32]
