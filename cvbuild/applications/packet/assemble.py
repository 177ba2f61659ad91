"""What goes to an employer, in one folder: built whole, or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date as Day
from pathlib import Path
from typing import Any

from cvbuild.applications import documents
from cvbuild.applications.documents import Documents
from cvbuild.applications.load import FOLDER, Opened
from cvbuild.applications.merge_pdf import merge
from cvbuild.applications.merge_pdf.merge import About
from cvbuild.applications.packet import contents, folders, inputs
from cvbuild.applications.packet.contents import Built, Names
from cvbuild.building import batch
from cvbuild.building.cache import records
from cvbuild.building.outcome import Outcome
from cvbuild.building.plan import Document, prepare
from cvbuild.common import hashes, safe_files, user_cache, work_folders
from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.errors import CvbuildError, NoTexError, foreign
from cvbuild.outputs.pdf.output import as_pdf
from cvbuild.outputs.task import APPLICATIONS, BUILD, Settings, Task, day_of


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet that was built.

    ``files`` are names in ``folder``; ``inputs`` all that it was made from, each with the name that
    it has in a workspace (people/ada.yaml) and its path. ``built`` is what ``manifest.Built`` says.
    ``cached``: it was there already; ``pages`` are those of PDFs that TeX made, by their name.
    """

    application: Opened
    folder: Path
    files: tuple[str, ...]
    inputs: tuple[tuple[str, Path], ...]
    built: Mapping[str, Any]
    diagnostics: tuple[Diagnostic, ...] = ()
    cached: bool = False
    pages: Mapping[str, int] = field(default_factory=dict)


class _Problems:
    """Everything that is wrong, to be told at once."""

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []
        self.exit_code = 1

    @contextmanager
    def held(self) -> Iterator[None]:
        """Go on after an error."""
        try:
            yield
        except CvbuildError as error:
            self.add(error.diagnostics, error.exit_code)

    def add(self, diagnostics: Iterable[Diagnostic], exit_code: int) -> None:
        """Keep what is to be said."""
        self.found += diagnostics
        self.exit_code = max(self.exit_code, exit_code)

    def tell(self) -> None:
        """Raise CvbuildError if there was anything."""
        if self.found:
            kind = NoTexError if self.exit_code == NoTexError.exit_code else CvbuildError
            raise kind(sorted(dict.fromkeys(self.found), key=_place))


def _place(item: Diagnostic) -> tuple[object, ...]:
    """Errors first, in the order of the files."""
    return item.severity != "error", item.span is None, item.span or Span("")


def build(
    opened: Opened, settings: Settings, root: Path = Path(), day: Day | None = None
) -> Packet:
    """Build the documents of an application and put its packet in place.

    Below ``settings.out``: applications/<slug>/. What is up to date is left alone. ``day`` is that
    of the letter and of the names, today if absent. Raises CvbuildError with all that is wrong, and
    leaves an old packet as it was.
    """
    kept = f"{BUILD}/{APPLICATIONS}/{opened.slug}"
    safe_files.refuse_links(settings.out, f"{FOLDER}/{opened.slug}", kept)
    settings = replace(settings, locale=opened.said.locale or settings.locale)
    day = day or day_of(settings.today if settings.epoch is None else settings.epoch)
    problems, outcomes = _Problems(), list[Outcome]()
    with problems.held():
        wanted = documents.of(opened, settings.library, day, root)
        with problems.held():
            contents.names_of(opened, wanted.cv, day)
        outcomes += _outcomes(wanted, opened, settings)
    for outcome in outcomes:
        if outcome.path is None:
            problems.add(outcome.diagnostics, outcome.exit_code)
    if problems.found and opened.attached:
        with problems.held():
            merge.merge(contents.attached(opened), About("-", "-"))
    problems.tell()
    cv = _built(wanted.cv, _for_cv(opened, settings))
    letter = _built(wanted.letter, settings) if wanted.letter else None
    names = contents.names_of(opened, cv.document.task, day)
    said = (*opened.warnings, *wanted.warnings, *_said(outcomes, cv))
    made = contents.contents(opened, names, cv, letter)
    folder = settings.out / FOLDER / opened.slug
    files, notes, cached = _put(made, folder, opened.slug, settings)
    return Packet(
        application=opened,
        folder=folder,
        files=files,
        inputs=inputs.of(opened, [one.document for one in (cv, letter) if one]),
        built=_how(settings, names, cv, letter),
        diagnostics=tuple(dict.fromkeys((*said, *notes))),
        cached=cached,
        pages={
            name: one.record.pages or 0
            for name, one in ((names.cv, cv), (names.letter, letter))
            if name and one
        },
    )


def _for_cv(opened: Opened, settings: Settings) -> Settings:
    """The settings of the CV: with options of its own it is no document of the person's."""
    if not opened.said.options:
        return settings
    return replace(settings, out=settings.out / BUILD / APPLICATIONS / opened.slug)


def _outcomes(wanted: Documents, opened: Opened, settings: Settings) -> Iterator[Outcome]:
    """What came of the documents; they are built side by side where they can be."""
    for_cv = _for_cv(opened, settings)
    if for_cv != settings:
        yield from batch.run([wanted.cv], for_cv, 1, lambda _: None)
    rest = [task for task in wanted.all if for_cv == settings or task is not wanted.cv]
    yield from batch.run(rest, settings, 2, lambda _: None)


def _said(outcomes: Iterable[Outcome], cv: Built) -> Iterator[Diagnostic]:
    """What is to be said of the documents: first of the CV, whichever was built first."""
    for outcome in sorted(outcomes, key=lambda one: one.path != cv.document.path):
        for one in (*outcome.notes, *outcome.diagnostics, *outcome.left_out):
            # The letter's head is the CV's, of which the same was said.
            if outcome.path == cv.document.path or one.code != "untranslated":
                yield one


def _built(task: Task, settings: Settings) -> Built:
    """A document as it was built; raises CvbuildError if it isn't there any more."""
    document = prepare(task, settings)
    record = records.read(document.record)
    with foreign("packet", "can't read what was built"):
        content = document.path.read_bytes()
    if record is None or record.file_hash != hashes.digest(content):
        reason = f"{document.path} was changed while the packet was built"
        raise CvbuildError.because("packet", reason, "try again")
    return Built(document, record, content)


def _put(
    made: contents.Contents, folder: Path, slug: str, settings: Settings
) -> tuple[tuple[str, ...], tuple[Diagnostic, ...], bool]:
    """Have the packet in place: its files, what is to be said of them, whether it was there."""
    kept, cache = settings.out / BUILD / APPLICATIONS / slug, user_cache.resolved(settings.cache)
    hint = "nothing was changed; look at the output folder"
    with foreign("packet", "can't write the packet", hint), work_folders.alone(kept):
        folders.recover(folder)
        before = folders.read(kept, cache)
        if before and before.key == made.key and folders.is_there(folder, before.files):
            return tuple(before.files), before.notes, True
        files, notes = made.files()
        folders.put(folder, files)
        digests = {name: hashes.digest(content) for name, content in files.items()}
        folders.write(kept, folders.Memory(made.key, digests, notes), cache)
    return tuple(files), notes, False


def _how(settings: Settings, names: Names, cv: Built, letter: Built | None) -> dict[str, Any]:
    """How it was built, as ``manifest.Built`` has it."""
    return {
        "today": settings.today,
        "epoch": settings.epoch,
        "engine": settings.engine,
        "driver": settings.driver,
        "locale": settings.locale,
        "tags": settings.tags,
        "documents": tuple(
            {
                "file": name,
                "date": one.record.epoch,
                "engine": one.record.engine,
                "fonts": _fonts(one.document),
                # Files of templates are among the inputs.
                "parts": {
                    part: value
                    for part, value in one.record.parts.items()
                    if not part.startswith("file ")
                },
            }
            for name, one in ((names.cv, cv), (names.letter, letter))
            if name and one
        ),
    }


def _fonts(document: Document) -> str:
    """The type of a document, for people: the template's family, then files of other scripts."""
    setter = as_pdf(document.prepared).setter
    family = getattr(document.template.manifest.tex.fonts, setter.engine.origin).family
    files = (Path(face.regular).name for face in setter.setting.used)
    return ", ".join(dict.fromkeys((family, *files)))
