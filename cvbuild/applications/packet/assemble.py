"""Build the packet of an application: whole, or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date as Day
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from cvbuild.applications import documents, merge_pdf
from cvbuild.applications.documents import Documents
from cvbuild.applications.load import FOLDER, MAX_BYTES, LoadedApplication
from cvbuild.applications.merge_pdf import About
from cvbuild.applications.packet import contents
from cvbuild.applications.packet.contents import Built
from cvbuild.building import batch, fresh
from cvbuild.building.outcome import Outcome, key_of
from cvbuild.building.pipeline import prepare
from cvbuild.common import file_state, safe_files, safe_folders, work_folders
from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.errors import CvbuildError, NoTexError, foreign
from cvbuild.outputs.types import APPLICATIONS, BUILD, Settings, Task


class Packet(Struct, frozen=True):
    """A packet that was built.

    ``files`` are names in ``folder``; ``inputs`` the files of people that it was made from, with
    their names in a workspace (people/ada.yaml) and their paths. ``cached``: it was up to date;
    ``pages`` are the numbers of pages of PDFs that TeX made.
    """

    application: LoadedApplication
    folder: Path
    files: tuple[str, ...]
    inputs: tuple[tuple[str, Path], ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    cached: bool = False
    pages: Mapping[str, int] = field(default_factory=dict)


class _Problems:
    """Collects everything that is wrong, to report it at once."""

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []
        self.exit_code = 1

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Collect an error instead of raising it."""
        try:
            yield
        except CvbuildError as error:
            self.add(error.diagnostics, error.exit_code)

    def add(self, diagnostics: Iterable[Diagnostic], exit_code: int) -> None:
        """Add diagnostics."""
        self.found += diagnostics
        self.exit_code = max(self.exit_code, exit_code)

    def raise_all(self) -> None:
        """Raise CvbuildError if there were any."""
        if self.found:
            kind = NoTexError if self.exit_code == NoTexError.exit_code else CvbuildError
            raise kind(sorted(dict.fromkeys(self.found), key=_place))


def _place(item: Diagnostic) -> tuple[object, ...]:
    """Sort errors first, in the order of the files."""
    return item.severity != "error", item.span is None, item.span or Span("")


def build(
    loaded: LoadedApplication, settings: Settings, root: Path = Path(), day: Day | None = None
) -> Packet:
    """Build the documents of an application and put its packet in place.

    The packet is applications/<slug>/ below ``settings.out``. What is up to date is left alone.
    ``day`` is that of the letter and of the file names, today by default. Raises CvbuildError with
    everything that is wrong, and then leaves an old packet as it was.
    """
    store = f"{BUILD}/{APPLICATIONS}/{loaded.slug}"
    safe_files.refuse_links(settings.out, f"{FOLDER}/{loaded.slug}", store)
    settings = replace(settings, locale=loaded.data.locale or settings.locale)
    day = day or settings.counted_from
    problems, outcomes = _Problems(), list[Outcome]()
    with problems.collecting():
        tasks = documents.of(loaded, settings.library, day, root)
        with problems.collecting():
            names = contents.names_of(loaded, tasks, day)
        outcomes += _outcomes(tasks, loaded, settings)
    for outcome in outcomes:
        if outcome.path is None:
            problems.add(outcome.diagnostics, outcome.exit_code)
        elif outcome.path.is_dir():
            fact = f"{outcome.format} makes a folder, which can't go out with an application"
            span = loaded.source.span(("formats",))
            problems.add([Diagnostic("error", "format", fact, span, "leave it out")], 1)
    if problems.found and loaded.attached:
        with problems.collecting():
            merge_pdf.merge(contents.attached(loaded), About("-", "-"))
    problems.raise_all()
    cv = _built(tasks.cv, _for_cv(loaded, settings))
    letter = _built(tasks.letter, settings) if tasks.letter else None
    others = [
        _built(one, settings if one.draft else _for_cv(loaded, settings)) for one in tasks.others
    ]
    diagnostics = (*loaded.warnings, *tasks.warnings, *_diagnostics(outcomes, cv))
    files, notes = contents.files(loaded, names, cv, letter, others)
    folder = settings.out / FOLDER / loaded.slug
    cached = _is_put(files, folder, settings.out / store)
    pdfs = {name: one for name, one in ((names.cv, cv), (names.letter, letter)) if name and one}
    return Packet(
        application=loaded,
        folder=folder,
        files=tuple(files),
        inputs=documents.inputs(loaded, [one.document for one in pdfs.values()]),
        diagnostics=tuple(dict.fromkeys((*diagnostics, *notes))),
        cached=cached,
        pages={name: one.record.pages or 0 for name, one in pdfs.items()},
    )


def _for_cv(loaded: LoadedApplication, settings: Settings) -> Settings:
    """Return the CV's settings: with options of its own it isn't one of the person's documents."""
    if not loaded.data.options:
        return settings
    return replace(settings, out=settings.out / BUILD / APPLICATIONS / loaded.slug)


def _outcomes(tasks: Documents, loaded: LoadedApplication, settings: Settings) -> Iterator[Outcome]:
    """Yield the outcomes of the documents, built in parallel where possible."""
    for_cv = _for_cv(loaded, settings)
    is_own = for_cv != settings
    own = [task for task in tasks.all if is_own and not task.draft]
    yield from batch.run(own, for_cv, 2, lambda _: None)
    shared = [task for task in tasks.all if task.draft or not is_own]
    yield from batch.run(shared, settings, 2, lambda _: None)


def _diagnostics(outcomes: Iterable[Outcome], cv: Built) -> Iterator[Diagnostic]:
    """Yield the documents' diagnostics: the CV's first, whichever was built first."""
    for outcome in sorted(outcomes, key=lambda one: one.path != cv.document.path):
        for diagnostic in (*outcome.notes, *outcome.diagnostics, *outcome.left_out):
            # The letter's head is the CV's, which has the same diagnostics.
            if outcome.path == cv.document.path or diagnostic.code != "untranslated":
                yield diagnostic


def _built(task: Task, settings: Settings) -> Built:
    """Return a document as it was built; raises CvbuildError if it has changed since."""
    document = prepare(task, settings)
    record = fresh.read(document.record, settings.cache)
    with foreign("packet", "can't read what was built"):
        content = safe_files.read(document.path, MAX_BYTES, links=False)
    # Another run may have built it from a newer text of the person's.
    is_ours = record is not None and record.key == key_of(document.parts())
    if record is None or not is_ours or record.file_hash != file_state.hash_of(content):
        reason = f"{document.path} was changed while the packet was built"
        raise CvbuildError.because("packet", reason, "try again")
    return Built(document, record, content)


def _is_put(files: Mapping[str, bytes], folder: Path, lock: Path) -> bool:
    """Put the packet in place; return whether it was there, and was left alone."""
    hint = "nothing was changed; check the output folder"
    with (
        foreign("packet", "can't write the packet", hint),
        work_folders.alone(lock),
        safe_folders.opened(folder.parent.parent, FOLDER, make=True) as parent,
    ):
        if safe_folders.hash_at(folder) == safe_folders.hash_of(files):
            return True
        # No slug has a full stop.
        new = f".{folder.name}.new"
        try:
            safe_folders.write_contents(parent, new, files)
            safe_folders.replace_contents(parent, new, parent, folder.name)
        finally:
            parent.remove(new)
    return False
