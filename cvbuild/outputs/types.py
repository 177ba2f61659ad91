"""What is to be built and how, what a document shows, and what a format makes of it.

A format prepares a document's ``Plan``, which tells what it depends on, so that it is made only
when that changed. Most are made at once, to learn whether they are the one that is there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import date as Day
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from cvbuild.common import VERSION, file_state, safe_folders
from cvbuild.common.diagnostics import Diagnostic, FieldPath
from cvbuild.common.errors import DocumentError
from cvbuild.common.safe_folders import BUILD as BUILD  # noqa: PLC0414 - where others find it
from cvbuild.inputs import pictures, workspace
from cvbuild.inputs.people import Person
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import Profile
from cvbuild.model.profile import CLOSING_SIGNATURE, Limits, Variant
from cvbuild.outputs import checks, templates, text_folding
from cvbuild.outputs.manifests import LOGO
from cvbuild.outputs.templates import Library, Template
from cvbuild.selection.selected import Selected
from cvbuild.view import builder
from cvbuild.view.types import SIGNATURE, ContactLine, Document

if TYPE_CHECKING:
    from cvbuild.inputs.letters import Draft

#: 1970-01-01 as a proleptic Gregorian ordinal.
EPOCH_DAY = 719163
#: There: the documents of applications.
APPLICATIONS = "applications"


class PreloadedEngines(Protocol):
    """Engines that have read all but the text of a document, or some of it, and wait for it."""

    def take(self, place: Path) -> AbstractContextManager[Any]:
        """Yield the engines for the document with its record in this folder."""

    def remember(self, place: Path, job: Any, engine: Any) -> None:
        """Note how that document was typeset."""


def day_of(seconds: int) -> Day:
    """Return the day in UTC of ``seconds`` since 1970."""
    return Day.fromordinal(EPOCH_DAY + seconds // 86400)


def record_name(output: str) -> str:
    """Return the name of the record's file for an output of that name."""
    return "record.json" if output == "pdf" else f"record-{output}.json"


class Settings(Struct, frozen=True):
    """How documents are built.

    ``today`` is the build's day and ``epoch`` SOURCE_DATE_EPOCH if the caller has one, both in
    seconds since 1970 in UTC; ``timeout`` in seconds counts for each run of TeX; ``cache`` is
    where formats, fonts and compiled templates are kept, the user's own when absent.
    """

    out: Path
    library: Library
    today: int
    epoch: int | None = None
    engine: str = "auto"
    driver: str = "auto"
    force: bool = False
    timeout: float = 60
    cache: Path | None = None
    locale: str | None = None
    """The language of the documents, as a known BCP 47 tag; their own if absent."""
    preloaded: PreloadedEngines | None = None
    """Engines that wait for the text of a document, if there are any."""
    compared: Callable[[Any, Any], object] | None = None
    """Called with what a PDF that was made holds, and what it must hold."""
    early: Callable[[Path], object] | None = None
    """Called with a PDF that isn't checked yet, and may still be set anew to fill its pages."""
    shows_first: bool = False
    """Whether a PDF is put in place before it is verified; if that fails, the last one is back."""

    @property
    def day(self) -> Day:
        """The build's day."""
        return day_of(self.today)

    @property
    def counted_from(self) -> Day:
        """The day from which times count back: SOURCE_DATE_EPOCH's, else the build's."""
        return day_of(self.today if self.epoch is None else self.epoch)

    @property
    def hidden(self) -> Path:
        """What holds everything that is no finished document."""
        return self.out / BUILD

    @property
    def scratch(self) -> Path:
        """What holds the private folders of TeX's runs."""
        return self.out.joinpath(*safe_folders.PLACE)


class Task(Struct, frozen=True):
    """One document to build; ``photo`` is what ``photo.load`` gave, if it was read already.

    ``variant`` is the one of the profile that it is, if it is one; ``private`` whether the profile
    has what is private in it.
    """

    person: Person
    profile: Profile
    source: Source
    template: str
    photo: bytes | None = None
    variant: str | None = None
    private: bool = False
    draft: Draft | None = None
    """The letter that the document is, in the template's style; ``source`` has it too."""
    format: str = "pdf"
    """The name of the output that makes it."""
    limits: Limits | None = None
    """What the document of an application must keep to, in place of the variant's limits."""

    @property
    def name(self) -> str:
        """What the document is called: the variant, else the template."""
        return self.variant or self.template

    @property
    def shown_variant(self) -> str | None:
        """The variant, unless it stands for a template for one build."""
        return None if self.variant == self.template else self.variant

    @property
    def day(self) -> Day | None:
        """The day that the document itself tells: a letter's, else ``updated``."""
        return self.draft.date if self.draft else self.profile.updated

    @property
    def chosen(self) -> Variant | None:
        """What the variant says."""
        return self.profile.variants[self.variant] if self.variant else None


class Shown(Struct, frozen=True, dict=True):
    """What a document shows: the same for every output.

    ``task`` has the profile in the document's language; ``options`` are the template's, resolved;
    ``notes`` name texts that are shown in another language.
    """

    task: Task
    template: Template
    options: Mapping[str, Any]
    selected: Selected
    notes: tuple[Diagnostic, ...] = ()

    @property
    def profile(self) -> Profile:
        """The person, in the document's language."""
        return self.task.profile

    @property
    def limits(self) -> tuple[Limits, FieldPath] | None:
        """What the document must keep to, and where that is written; None for anything."""
        task = self.task
        if task.limits is not None:
            return task.limits, ("limits",)
        if task.chosen is None or task.chosen.limits is None or task.variant is None:
            return None
        return task.chosen.limits, ("variants", task.variant, "limits")

    @cached_property
    def view(self) -> Document:
        """The strings that a reader sees, in their order."""
        return self.view_of(self.selected)

    @cached_property
    def photo(self) -> bytes | None:
        """The photo as a JPEG, if the document shows one; raises ProfileError."""
        name, task = self.profile.photo, self.task
        if not name or not self.options.get("photo"):
            return None
        return task.photo or pictures.load(name, task.person.path.parent, task.source)

    @cached_property
    def logo(self) -> bytes | None:
        """The mark of a house as a JPEG, if the document shows one; raises ProfileError."""
        name, person = str(self.options.get(LOGO, "")), self.task.person.path
        if not name:
            return None
        path = templates.origins(self.template, self.profile, self.task.chosen)[LOGO][1]
        folder = workspace.folder_of(name, person)
        return pictures.load(name, folder, self.task.source, path or ("options", LOGO))

    @cached_property
    def signature(self) -> bytes | None:
        """The picture of the signature of the letter or CV, as a JPEG; raises ProfileError."""
        draft, closing = self.task.draft, self.profile.closing
        if draft:
            path, name, folder = SIGNATURE, draft.letter.signature, draft.folder
        else:
            path, name = CLOSING_SIGNATURE, closing.signature if closing else None
            folder = self.task.person.path.parent
        return pictures.load(name, folder, self.task.source, path) if name else None

    def view_of(self, selected: Selected) -> Document:
        """Return the same view of another selection, such as what fits on one page."""
        document = builder.build(selected, self.options)
        if self.options.get("title-case") == "capitals":
            document = builder.capitals(document)
        written = sorted(document.header.contacts, key=self._place)
        document = replace(document, header=replace(document.header, contacts=tuple(written)))
        if self.task.draft is None:
            return document
        return replace(document, letter=builder.letter(selected, self.task.draft), closing=None)

    def _place(self, line: ContactLine) -> tuple[bool, int, int]:
        """Return where a contact is written: those of the private file come last."""
        span = self.task.source.span(line.text.path)
        return span.file != self.task.source.name, span.line, span.column


class Made(Struct, frozen=True):
    """What an output made.

    ``content`` is the file's bytes, or the path of a finished file, which is moved to its place. Of
    a document that is a folder, it has the bytes of each file by its name there: "a/b.md".
    ``figures`` say what was checked, by name; empty: nothing was. ``warnings`` concern the
    document, ``notes`` the machine. The other fields are for formats that have such a thing:
    ``left_out`` are the fields that had no room, ``fill`` is the used part of a single page (0 to
    1).
    """

    content: bytes | Path | Mapping[str, bytes]
    figures: Mapping[str, float] = field(default_factory=dict)
    warnings: tuple[Diagnostic, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    pages: int | None = None
    left_out: tuple[FieldPath, ...] = ()
    fill: float | None = None


#: Gets a file before it is checked.
Show = Callable[[Path], object]

#: What a document depends on outside of the workspace: TeX's files, and other faces.
Machine = tuple[tuple[Path, ...], tuple[Path, ...]]


class Output:
    """A format: a name, a suffix, and ``make``; or ``prepare``, where making takes long."""

    name: str
    """What ``--format`` calls it: lower-case letters, digits, hyphens."""
    suffix: str
    """The end of the file's name, with its full stop."""
    shows_letters = False
    has_look = False
    """Whether a document looks as its template does."""
    made_from = ""
    """The name of the format whose finished file it is made from, if it is made from one."""
    made_as = ""
    """How it is made from that: it is made anew if this changes, or if the other file does."""

    def make(self, shown: Shown) -> Made:
        """Make the file; raises CvbuildError with what is wrong. The same gives the same bytes."""
        raise NotImplementedError

    def text_of(self, content: Any) -> str:
        """Return all text in what was made, which is searched for what is private."""
        if isinstance(content, bytes):
            return text_folding.in_json(content.decode("utf-8", "replace"))
        # The names of files are made from texts, too.
        files = (f"{name}\n{data.decode('utf-8', 'replace')}" for name, data in content.items())
        return "\n".join(files)

    def prepare(self, plan: Plan) -> Plan:
        """Find all that is needed to make a document; raises CvbuildError."""
        return plan

    def complete(self, plan: Any, epoch: int, ident: str, show: Show | None = None) -> Made:  # noqa: ARG002
        """Make and check what was prepared; raises CvbuildError, as if something private is in it.

        ``epoch`` is its date in seconds since 1970, ``ident`` 64 hexadecimal digits that stand for
        what it is made from; ``show`` gets a file that takes long to check before that.
        """
        made: Made = plan.made
        shown, source, locale = plan.shown, plan.task.source, plan.task.profile.locale
        if faults := checks.leaked(self.text_of(made.content), shown.view, source, locale):
            raise DocumentError(faults)
        return made


class Plan(Struct, frozen=True, eq=False, dict=True):
    """A document of which all is known but what making it brings: by itself, one made at once.

    ``path`` is that of the finished file, ``keep`` the folder for what is stored of it between
    builds, ``origin`` the document that it is made from, if it is made from another.
    """

    output: Output
    shown: Shown
    settings: Settings
    path: Path
    keep: Path
    origin: Plan | None = None

    @property
    def task(self) -> Task:
        """The task with the profile in the document's language."""
        return self.shown.task

    @property
    def template(self) -> Template:
        """Its template."""
        return self.shown.template

    @property
    def selected(self) -> Selected:
        """The parts of the person that it shows."""
        return self.shown.selected

    @property
    def record(self) -> Path:
        """The path of its record."""
        return self.keep / record_name(self.task.format)

    def parts(self) -> dict[str, str]:
        """Return all that the document is made from, except its date: hashes and words by name."""
        return {
            "version": VERSION,
            **self.content(),
            "epoch": str(self.settings.epoch),
            "updated": str(self.task.day),
            "limits": str(self.shown.limits),
        }

    @property
    def made_by(self) -> str | None:
        """What makes it, with its version, for people; None where nothing but cvbuild does."""
        return self.origin.made_by if self.origin else None

    @property
    def fonts(self) -> str | None:
        """The typeface, for people."""
        return self.origin.fonts if self.origin else None

    @property
    def machine(self) -> Machine:
        """What it depends on outside of the workspace."""
        return self.origin.machine if self.origin else ((), ())

    def content(self) -> dict[str, str]:
        """Return what the file is made from: hashes and words by name."""
        if self.origin:
            return {**self.origin.content(), self.output.name: self.output.made_as}
        content = self.made.content
        if isinstance(content, Mapping):
            return {"content": safe_folders.hash_of(content)}
        data = content if isinstance(content, bytes) else content.read_bytes()
        return {"content": file_state.hash_of(data)}

    @cached_property
    def made(self) -> Made:
        """What the output makes at once."""
        return self.output.make(self.shown)
