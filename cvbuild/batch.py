"""Many documents: each file read in its turn, built side by side, results as they come."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeVar

from cvbuild import (
    index,
    opening,
    overrides,
    people,
    photo,
    pipeline,
    templates,
    validate,
    variantcheck,
)
from cvbuild.diagnostics import Diagnostic
from cvbuild.engines import process
from cvbuild.errors import CvbuildError
from cvbuild.fresh import Rest
from cvbuild.model import Profile
from cvbuild.outcome import Outcome
from cvbuild.overrides import Override
from cvbuild.people import Person
from cvbuild.source import Source
from cvbuild.task import Settings, Task
from cvbuild.templates import Library
from cvbuild.variantcheck import Written
from cvbuild.wanted import Wanted

if TYPE_CHECKING:
    from concurrent.futures import Future

    from cvbuild.shapes import State

Work = TypeVar("Work")
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Checked:
    """A person's file as far as it could be read; without a profile, why not.

    ``private`` is whether what is private was read too, and ``overlay`` the state of the file that
    adds to it, from before it was read; ``there`` what variants may name, private or not.
    """

    person: Person
    profile: Profile | None
    source: Source | None
    diagnostics: tuple[Diagnostic, ...] = ()
    private: bool = False
    overlay: State | None = None
    there: Written | None = None


def load(person: Person, *, private: bool = False) -> Checked:
    """Read and validate one person's file, and no more."""
    # Not trusted before it was looked at once more: there is no clock here.
    overlay = index.look(str(people.overlay(person.path)), 0) if private else None
    found = opening.opened(person, private=private)
    there = variantcheck.written(found.whole.data if found.whole else None)
    return Checked(person, found.profile, found.source, found.faults, private, overlay, there)


def check(person: Person, library: Library, *, private: bool = False) -> Checked:
    """The same, with templates, options, variants and photo."""
    read = load(person, private=private)
    profile, source = read.profile, read.source
    if source is None or read.there is None:
        return read
    found = list(read.diagnostics)
    found += _beyond_the_model(person, profile or validate.outline(source), source, library)
    if profile is not None:
        found += variantcheck.ids(profile, source)
        # Of one that is private, the overlay may have what it names.
        mine = [name for name, one in profile.variants.items() if private or not one.private]
        found += variantcheck.faults(profile, source, read.there, mine)
    found.sort(key=lambda item: (item.severity != "error", item.span is None, item.span))
    if any(item.severity == "error" for item in found):
        profile = None
    return replace(read, profile=profile, diagnostics=tuple(found))


def opened_for(name: str, checked: Checked, library: Library) -> Checked:
    """The person's file as the document of that name may have it.

    Checked once more with what is private, if the document is private by itself.
    """
    variant = checked.profile.variants.get(name) if checked.profile else None
    if variant is None or not variant.private or checked.private:
        return checked
    return check(checked.person, library, private=True)


def _beyond_the_model(
    person: Person, profile: Profile, source: Source, library: Library
) -> Iterator[Diagnostic]:
    try:
        templates.check(profile, source, library)
    except CvbuildError as error:
        yield from error.diagnostics
    yield from variantcheck.names(profile, source, library)
    yield from variantcheck.looks(profile, source, library)
    if profile.photo:
        try:
            photo.load(profile.photo, person.path.parent, source)
        except CvbuildError as error:
            yield from error.diagnostics


def tasks(checked: Iterable[Checked], wanted: Sequence[str] = ()) -> tuple[Task, ...]:
    """The documents to build: those that are wanted, by name, or those that each person picked."""
    return tuple(
        Task(
            item.person,
            item.profile,
            item.source,
            item.profile.template_of(name),
            variant=name if name in item.profile.variants else None,
            private=item.private,
        )
        for item in checked
        if item.profile is not None and item.source is not None
        for name in dict.fromkeys(wanted or item.profile.template)
    )


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
        names, own = _documents(checked, one, wanted)
        checked = laid(checked, names, sets, library)
        heard(checked)
        yield from tasks([checked], names) if names else ()
        if own and checked.profile is not None:
            told, checked = checked, check(one.person, library, private=True)
            checked = laid(checked, own, sets, library)
            new = (item for item in checked.diagnostics if item not in told.diagnostics)
            heard(replace(checked, diagnostics=tuple(new)))
            yield from tasks([checked], own)


def _wanting(checked: Checked, wanted: Wanted) -> Checked:
    """The same; faulty, if the person lacks a variant that is wanted of them."""
    if checked.profile is None or checked.source is None:
        return checked
    lacking = tuple(wanted.faults(checked.profile, checked.source))
    if not lacking:
        return checked
    return replace(checked, profile=None, diagnostics=(*checked.diagnostics, *lacking))


def _documents(checked: Checked, one: Rest, wanted: Wanted) -> tuple[list[str], list[str]]:
    """The names of a person's documents, and of those that need what is private still."""
    profile = checked.profile
    if profile is None:
        return [], []
    names = one.documents or wanted.of(profile)
    shown = [] if checked.private else [n for n, v in profile.variants.items() if v.private]
    own = [name for name in names if name in shown]
    return [name for name in names if name not in own], own


def laid(
    checked: Checked, names: Collection[str], sets: Sequence[Override], library: Library
) -> Checked:
    """The same with what ``--set`` says of these documents."""
    profile, source = checked.profile, checked.source
    if profile is None or source is None or not sets:
        return checked
    for name in names:
        source = overrides.lay(sets, source, name, profile.template_of(name))
    found: list[Diagnostic] = []
    try:
        profile = validate.validate(source)
        found += variantcheck.looks(profile, source, library, names)
        there = checked.there or variantcheck.written(source.data)
        found += variantcheck.faults(profile, source, there, names)
    except CvbuildError as error:
        found += error.diagnostics
    if found:
        profile = None
    return replace(
        checked, profile=profile, source=source, diagnostics=(*checked.diagnostics, *found)
    )


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
