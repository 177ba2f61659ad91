"""Many documents: each file read in its turn, built side by side, results as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice, product
from typing import TYPE_CHECKING, TypeVar

from cvbuild.building import pipeline
from cvbuild.building.check.profiles import Checked, check, laid, tasks
from cvbuild.building.outcome import Outcome
from cvbuild.building.request import Rest
from cvbuild.building.wanted_documents import Wanted
from cvbuild.common import processes
from cvbuild.inputs import overrides
from cvbuild.outputs.task import Settings, Task

if TYPE_CHECKING:
    from concurrent.futures import Future


Work = TypeVar("Work")
Made = TypeVar("Made")


def read(
    rest: Iterable[Rest],
    wanted: Wanted,
    settings: Settings,
    heard: Callable[[Checked], None],
) -> Iterator[Task]:
    """The documents to build, each person's file read only when it is their turn.

    ``heard`` is called with what came of each file, before its first document; once more for those
    documents that are private by themselves.
    """
    library, sets = settings.library, overrides.read(settings.sets)
    for one in rest:
        checked = _wanting(check(one.person, library, private=settings.private), wanted)
        documents, own = _documents(checked, one, wanted)
        checked = laid(checked, _names(documents), sets, library)
        heard(checked)
        yield from _tasks(checked, documents)
        if own and checked.profile is not None:
            told, checked = checked, check(one.person, library, private=True)
            checked = laid(checked, _names(own), sets, library)
            new = (item for item in checked.diagnostics if item not in told.diagnostics)
            heard(replace(checked, diagnostics=tuple(new)))
            yield from _tasks(checked, own)


def _wanting(checked: Checked, wanted: Wanted) -> Checked:
    """The same; faulty, if the person lacks a variant that is wanted of them."""
    if checked.profile is None or checked.source is None:
        return checked
    lacking = tuple(wanted.faults(checked.profile, checked.source))
    if not lacking:
        return checked
    return replace(checked, profile=None, diagnostics=(*checked.diagnostics, *lacking))


#: (name, format)
_Documents = list[tuple[str, str]]


def _documents(checked: Checked, one: Rest, wanted: Wanted) -> tuple[_Documents, _Documents]:
    """A person's documents, and those of them that still need what is private."""
    profile = checked.profile
    if profile is None:
        return [], []
    every = one.documents or tuple(product(wanted.of(profile), wanted.formats))
    private = [] if checked.private else [n for n, v in profile.variants.items() if v.private]
    own = [document for document in every if document[0] in private]
    return [document for document in every if document not in own], own


def _names(documents: _Documents) -> list[str]:
    return list(dict.fromkeys(name for name, _ in documents))


def _tasks(checked: Checked, documents: _Documents) -> Iterator[Task]:
    for name, output in documents:
        yield from (replace(task, format=output) for task in tasks([checked], [name]))


def run(
    todo: Iterable[Task], settings: Settings, jobs: int, started: Callable[[Task], None]
) -> Iterator[Outcome]:
    """Outcomes in the order in which they are done; ``started`` is called as each begins.

    Stops all running TeX when it is closed or interrupted.
    """

    def one(task: Task) -> Outcome:
        started(task)
        return pipeline.build(task, settings)

    processes.resume()
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
            processes.stop_all()
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
