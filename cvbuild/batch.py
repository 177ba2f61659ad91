"""Many documents: each file read in its turn, built side by side, results as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeVar

from cvbuild import photo, pipeline, selection, templates, validate
from cvbuild import source as source_stage
from cvbuild.diagnostics import Diagnostic
from cvbuild.document import Settings, Task
from cvbuild.engines import process
from cvbuild.errors import CvbuildError
from cvbuild.fresh import Rest
from cvbuild.model import Profile
from cvbuild.people import Person
from cvbuild.pipeline import Outcome
from cvbuild.source import Source
from cvbuild.templates import Library

if TYPE_CHECKING:
    from concurrent.futures import Future

Work = TypeVar("Work")
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Checked:
    """A person's file as far as it could be read; without a profile, why not."""

    person: Person
    profile: Profile | None
    source: Source | None
    diagnostics: tuple[Diagnostic, ...] = ()


def check(person: Person, library: Library) -> Checked:
    """Read and validate one person's file, its templates, options and photo."""
    profile: Profile | None = None
    source: Source | None = None
    found: list[Diagnostic] = []
    try:
        source = source_stage.load(person.path)
        profile = validate.validate(source)
    except CvbuildError as error:
        found += error.diagnostics
    if source is not None:
        whole = profile or validate.outline(source)
        found += _beyond_the_model(person, whole, source, library)
        found.sort(key=lambda item: (item.severity != "error", item.span is None, item.span))
    if any(item.severity == "error" for item in found):
        profile = None
    return Checked(person, profile, source, tuple(found))


def _beyond_the_model(
    person: Person, profile: Profile, source: Source, library: Library
) -> Iterator[Diagnostic]:
    try:
        templates.check(profile, source, library)
    except CvbuildError as error:
        yield from error.diagnostics
    try:
        selection.check(profile, source)
    except CvbuildError as error:
        yield from error.diagnostics
    if profile.photo:
        try:
            photo.load(profile.photo, person.path.parent, source)
        except CvbuildError as error:
            yield from error.diagnostics


def tasks(checked: Iterable[Checked], wanted: Sequence[str]) -> tuple[Task, ...]:
    """The documents to build: of ``wanted`` templates, or of those that each person picked."""
    return tuple(
        Task(item.person, item.profile, item.source, name)
        for item in checked
        if item.profile is not None and item.source is not None
        for name in dict.fromkeys(wanted or item.profile.template)
    )


def read(
    people: Iterable[Rest],
    wanted: Sequence[str],
    library: Library,
    heard: Callable[[Checked], None],
) -> Iterator[Task]:
    """The documents to build, each person's file read only when it is their turn.

    ``heard`` is called with what came of each file, before its first document.
    """
    for one in people:
        checked = check(one.person, library)
        heard(checked)
        yield from tasks([checked], one.templates or wanted)


def run(
    todo: Iterable[Task], settings: Settings, jobs: int, started: Callable[[Task], None]
) -> Iterator[Outcome]:
    """Outcomes in the order in which they are done; ``started`` is called as each begins.

    Stops all running TeX when it is closed or interrupted.
    """

    def one(task: Task) -> Outcome:
        started(task)
        return pipeline.build(task, settings)

    process.resume()
    tasks = iter(todo)
    first = list(islice(tasks, 2))
    if len(first) < len(("one", "another")):
        yield from map(one, first)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max_workers=jobs) as pool:
        try:
            # One more than can run, so that no worker waits while a file is read.
            yield from flow(chain(first, tasks), lambda task: pool.submit(one, task), jobs + 1)
        except BaseException:
            process.stop_all()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def flow(
    todo: Iterable[Work], submit: Callable[[Work], Future[Made]], window: int
) -> Iterator[Made]:
    """What comes of each piece of work, as it is done, with at most ``window`` under way.

    The next piece is asked for when there is room for it, so that few are held at any time.
    """
    from concurrent.futures import FIRST_COMPLETED, wait

    waiting: set[Future[Made]] = set()
    try:
        for work in todo:
            waiting.add(submit(work))
            del work
            patience = None if len(waiting) >= window else 0
            done, waiting = wait(waiting, patience, FIRST_COMPLETED)
            while done:
                yield done.pop().result()
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            while done:
                yield done.pop().result()
    finally:
        for future in waiting:
            future.cancel()
