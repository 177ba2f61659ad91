"""The Python interface: what scripts may call."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cvbuild.building import batch
from cvbuild.building.cache import up_to_date
from cvbuild.building.cache.index import Index
from cvbuild.building.cache.remember import Memory
from cvbuild.building.check import profiles
from cvbuild.building.check.profiles import Checked
from cvbuild.building.environment import known_locale, today, workspace_library
from cvbuild.building.outcome import Outcome
from cvbuild.building.request import Asked, Rest
from cvbuild.building.task import Settings, Task
from cvbuild.building.wanted_documents import Wanted, require
from cvbuild.common import user_cache, work_folders
from cvbuild.common.errors import ProfileError, UsageError
from cvbuild.inputs import overrides, people, person_file
from cvbuild.inputs.people import Person
from cvbuild.model import Profile

if TYPE_CHECKING:
    from cvbuild.building.cache.index_format import Plain

_Run = Callable[[Iterable[Task], Settings], Iterator[Outcome]]


def load_profile(path: str | Path, *, private: bool = False) -> Profile:
    """Read and validate one person's file; raises ProfileError with all that is wrong with it.

    The public part of it, as documents have it unless told otherwise; if ``private``, all of it
    with the overlay beside it (docs/privacy.md).
    """
    file = Path(path)
    return person_file.load(Person(file.stem, file), private=private)[0]


def build(  # noqa: PLR0913 - named options, as on the command line
    who: Iterable[str] = (),
    *,
    templates: Iterable[str] = (),
    variants: Iterable[str] = (),
    private: bool = False,
    sets: Mapping[str, object] | None = None,
    out: str | Path = "out",
    template_path: Iterable[str | Path] = (),
    engine: str = "auto",
    driver: str = "auto",
    tags: bool = True,
    jobs: int | None = None,
    force: bool = False,
    epoch: int | None = None,
    locale: str | None = None,
    cluster: str | None = None,
) -> list[Outcome]:
    """Build documents: of ``who`` (stems in people/, or paths), of everybody if none is named.

    ``templates``, or ``variants``, go before what each person picked; of variants the people who
    have them are meant if nobody is named. ``private`` shows what is private; ``sets`` are keys of
    a variant for this build: {"headline": "…", "options.accent": "112233", "kinds": ["award"]}.
    ``epoch`` is the date of the documents in seconds since 1970; ``locale`` a BCP 47 tag, instead
    of the person's own; without ``tags`` it is a quick draft that screen readers can't read well;
    ``cluster`` is the address of a Dask scheduler, whose workers build instead of ``jobs`` threads
    here. A document that fails is an Outcome with ``pdf`` None and diagnostics. Raises ProfileError
    if a file is wrong, UsageError for an unknown person, template, variant, key, language, choice,
    CvbuildError for a cluster that can't be used.
    """
    run = _runner(jobs, cluster)
    further, named = list(template_path), list(who)
    wanted = _wanted(tuple(templates), tuple(variants), everybody=not named)
    library, language = workspace_library(further), known_locale(locale)
    for name in () if wanted.variants else wanted.names:
        library.require(name)
    found = people.find(named)
    require(found, wanted)
    settings = Settings(
        out=Path(out),
        library=library,
        today=today(),
        epoch=epoch,
        engine=engine,
        driver=driver,
        tags=tags,
        force=force,
        cache=user_cache.folder(),
        locale=language,
        private=private,
        sets=tuple(_sets(sets or {})),
    )
    overrides.read(settings.sets)
    return _outcomes(found, _asked(settings, wanted, further, cluster), wanted, settings, run)


def _wanted(templates: tuple[str, ...], variants: tuple[str, ...], *, everybody: bool) -> Wanted:
    if templates and variants:
        raise UsageError.because("variant", "give templates or variants, not both")
    return Wanted(variants or templates, variants=bool(variants), everybody=everybody)


def _sets(sets: Mapping[str, object]) -> Iterator[str]:
    """What ``--set`` would be given."""
    for key, value in sets.items():
        for one in value if isinstance(value, list | tuple) else (value,):
            yield f"{key}={one}"


def _asked(
    settings: Settings,
    wanted: Wanted,
    template_path: Iterable[str | Path],
    cluster: str | None,
) -> Asked:
    """The same as the cheap check wants it."""
    return Asked(
        out=str(settings.out),
        templates=() if wanted.variants else wanted.names,
        variants=wanted.names if wanted.variants else (),
        everybody=wanted.everybody,
        template_path=tuple(map(str, template_path)),
        engine=settings.engine,
        driver=settings.driver,
        locale=settings.locale,
        epoch="" if settings.epoch is None else str(settings.epoch),
        cluster=cluster or "",
        tags=settings.tags,
        private=settings.private,
        sets=settings.sets,
    )


def _outcomes(
    found: Sequence[Person], asked: Asked, wanted: Wanted, settings: Settings, run: _Run
) -> list[Outcome]:
    """What came of the documents of these people, in their order."""
    library = settings.library
    known = up_to_date.remembered(asked)
    there = _There()
    rest = [Rest(person) for person in found]
    if not settings.force:
        rest = up_to_date.check(asked, found, known, time.time_ns(), there)
    _refuse(profiles.check(one.person, library) for one in rest)
    made = _build(rest, wanted, settings, Memory(known, library, time.time_ns), run)
    placed = {(outcome.person, outcome.name): outcome for outcome in (*there.outcomes, *made)}
    return [
        placed[person.name, name]
        for person in found
        for name in dict.fromkeys(wanted.names or _picked(known, person))
        if (person.name, name) in placed or not wanted.variants
    ]


class _There:
    """Takes the documents that are up to date."""

    def __init__(self) -> None:
        self.outcomes: list[Outcome] = []

    def faults(self, diagnostics: Iterable[Plain]) -> None:
        """Nothing of it is an error."""

    def document(self, document: Plain, notes: Iterable[Plain]) -> None:
        """Keep it."""
        self.outcomes.append(Outcome.from_json(document, notes))


def _picked(known: Index, person: Person) -> list[str]:
    entry = known.person(str(person.path))
    return entry["picked"] if entry else []


def _build(
    rest: Iterable[Rest], wanted: Wanted, settings: Settings, memory: Memory, run: _Run
) -> Iterator[Outcome]:
    """Outcomes as they are done; raises ProfileError if a file became wrong meanwhile."""

    def heard(checked: Checked) -> None:
        memory.read(checked)
        _refuse([checked])

    rest = list(rest)
    names = [one.person.name for one in rest]
    work_folders.begin(settings.out, names, time.time() - work_folders.OLD)
    todo = batch.read(memory.opening(rest), wanted, settings, heard)
    try:
        for outcome in run(todo, settings):
            memory.finish(outcome)
            yield outcome
    finally:
        memory.save()


def _runner(jobs: int | None, cluster: str | None) -> _Run:
    """What builds: threads here, or a cluster."""
    if cluster is None:
        count = jobs or os.cpu_count() or 1
        return lambda todo, settings: batch.run(todo, settings, count, lambda _: None)
    if jobs is not None:
        raise UsageError.because("cluster-jobs", "give cluster or jobs, not both")
    from cvbuild.building.cluster import client

    return lambda todo, settings: client.run(todo, settings, cluster, lambda _: None)


def _refuse(checked: Iterable[Checked]) -> None:
    faults = [item for one in checked for item in one.diagnostics if item.severity == "error"]
    if faults:
        raise ProfileError(faults)
