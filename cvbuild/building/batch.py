"""Build many documents: read each person's file when needed, build in parallel, yield outcomes.

The command line, the API and ``watch`` all use it, with what ``fresh`` has left to build.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from datetime import date as Day
from itertools import chain, islice, product
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from cvbuild.building import Request, fresh, pipeline, variants
from cvbuild.building.outcome import Outcome
from cvbuild.building.profiles import check, task, with_overrides
from cvbuild.common import interrupts, processes, safe_files, safe_folders
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.inputs import layers
from cvbuild.inputs.person_file import PersonFile
from cvbuild.outputs import installed, typefaces
from cvbuild.outputs.pdf.tex import find
from cvbuild.outputs.types import BUILD, Settings, Task

if TYPE_CHECKING:
    from concurrent.futures import Future

    from cvbuild.building import Documents, Pending
    from cvbuild.inputs.people import Person

Work = TypeVar("Work")
Result = TypeVar("Result")
#: Seconds after which nobody works in a build's own folder.
_DAY = 86_400
#: Called with the result of reading each person's file.
OnChecked = Callable[[PersonFile], None]
#: Builds tasks; yields outcomes as they are done.
Runner = Callable[[Iterable[Task], Settings], Iterator[Outcome]]


def look_again() -> None:
    """Forget which TeX and fonts were found: others may be older than the states stored now."""
    for module in (find, installed, typefaces):
        module.look_again()


def build(
    entries: fresh.Entries,
    pending: Pending,
    settings: Settings,
    on_checked: OnChecked,
    runner: Runner,
) -> Iterator[Outcome]:
    """Read, run and record; yields outcomes as they are done.

    An error that ends it early is raised once all that was finished is recorded.
    """
    look_again()
    places = [place for one in pending for place in (one.name, f"{BUILD}/{one.name}")]
    safe_files.refuse_links(settings.out, "/".join(safe_folders.PLACE), *places)
    safe_folders.sweep(settings.scratch, entries.now / 10**9 - _DAY)

    def record(checked: PersonFile) -> None:
        entries.read(checked)
        on_checked(checked)

    tasks = read(entries.reading(pending), entries.request, settings, record)
    for outcome in runner(tasks, settings):
        entries.finish(outcome)
        yield outcome


def read(
    pending: Iterable[tuple[Person, Documents | None]],
    request: Request,
    settings: Settings,
    on_checked: OnChecked,
) -> Iterator[Task]:
    """Yield the documents to build; each person's file is read only when their turn comes.

    ``on_checked`` is called with the result of reading each file, before its first document; and
    once more for the documents that are private by themselves.
    """
    library, seconds = settings.library, settings.timeout
    sets = layers.read_overrides(request.sets)

    def tasks(
        checked: PersonFile, documents: Documents, known: Collection[Diagnostic] = ()
    ) -> Generator[Task, None, PersonFile]:
        names = [*dict.fromkeys(name for name, _ in documents)]
        checked = with_overrides(checked, names, sets, library)
        checked, empty = _without_empty(checked, names, settings.counted_from)
        new = tuple(item for item in checked.diagnostics if item not in known)
        on_checked(replace(checked, diagnostics=new))
        for name, output in documents if checked.profile else ():
            if name not in empty:
                yield replace(task(checked, name), format=output)
        return checked

    for person, wanted in pending:
        checked = check(person, library, private=request.private, seconds=seconds)
        public, private = _documents(checked, wanted, request)
        checked = yield from tasks(checked, public)
        if private and checked.profile is not None:
            whole = check(person, library, private=True, seconds=seconds)
            yield from tasks(whole, private, checked.diagnostics)


def _documents(
    checked: PersonFile, wanted: Documents | None, request: Request
) -> tuple[Documents, Documents]:
    """Return a person's documents, and those of them for which private data must still be read."""
    profile = checked.profile
    if profile is None:
        return [], []
    documents = wanted or [*product(request.names_of(profile), request.formats_of(profile))]
    private = [] if checked.private else [n for n, v in profile.variants.items() if v.private]
    public = [document for document in documents if document[0] not in private]
    return public, [document for document in documents if document[0] in private]


def _without_empty(
    checked: PersonFile, names: Iterable[str], day: Day
) -> tuple[PersonFile, Collection[str]]:
    """Return the same without documents that rules leave empty, and their names."""
    profile, source = checked.profile, checked.source
    if profile is None or source is None:
        return checked, ()
    notes = {}
    for name in names:
        if note := variants.nothing(profile, source, name, day):
            notes[name] = note
    picked = tuple(name for name in profile.template if name not in notes)
    profile = profile.model_copy(update={"template": picked})
    diagnostics = (*checked.diagnostics, *notes.values())
    return replace(checked, profile=profile, diagnostics=diagnostics), notes


def runner(
    jobs: int | None,
    cluster: str | None = None,
    say: Callable[[Diagnostic], None] = lambda _: None,
) -> Runner:
    """Return what builds: so many threads here, or the cluster at this address.

    ``say`` gets its notes; they are raised and said as in ``cluster.run``.
    """
    if cluster is not None:
        from cvbuild.building import cluster as workers

        return lambda todo, settings: workers.run(todo, settings, cluster, say)
    count = jobs or os.cpu_count() or 1
    return lambda todo, settings: run(todo, settings, count)


def run(todo: Iterable[Task], settings: Settings, jobs: int) -> Iterator[Outcome]:
    """Yield outcomes as documents are finished.

    Stops all running TeX when it is closed or interrupted.
    """

    def build_task(task: Task) -> Outcome:
        interrupts.check()
        return pipeline.build(task, settings)

    processes.resume()
    tasks = iter(todo)
    first = list(islice(tasks, 2))
    if not first[1:]:
        yield from map(build_task, first)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max_workers=jobs) as pool:
        try:
            # One more than can run, so that no worker is idle while a file is read.
            every = chain(first, tasks)
            yield from flow(every, lambda task: pool.submit(build_task, task), jobs + 1)
        except BaseException:
            processes.stop_all()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def flow(
    todo: Iterable[Work], submit: Callable[[Work], Future[Result]], window: int
) -> Iterator[Result]:
    """Yield the result of each piece of work as it is done, with at most ``window`` under way.

    The next piece is taken when there is room for it, so that few are in memory at any time.
    """
    from concurrent.futures import FIRST_COMPLETED, wait

    waiting: set[Future[Result]] = set()
    try:
        for work in todo:
            interrupts.check()
            waiting.add(submit(work))
            del work
            done, waiting = wait(waiting, 0, FIRST_COMPLETED)
            while not done and len(waiting) >= window:
                # A signal that reaches another thread doesn't end this wait.
                done, waiting = wait(waiting, processes.GLANCE, FIRST_COMPLETED)
            while done:
                yield done.pop().result()
        while waiting:
            done, waiting = wait(waiting, processes.GLANCE, FIRST_COMPLETED)
            while done:
                yield done.pop().result()
    finally:
        for future in waiting:
            future.cancel()
