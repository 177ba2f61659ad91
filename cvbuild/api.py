"""The Python interface: what scripts may call."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cvbuild.building import batch
from cvbuild.building.check import profiles
from cvbuild.building.check.profiles import Checked
from cvbuild.building.environment import known_locale, today, workspace_library
from cvbuild.building.outcome import Outcome
from cvbuild.building.request import PDF, Asked
from cvbuild.building.session import Session
from cvbuild.building.wanted_documents import Wanted, require, wanted_formats
from cvbuild.common import user_cache
from cvbuild.common.errors import ProfileError, UsageError
from cvbuild.inputs import overrides, people, person_file
from cvbuild.inputs.people import Person
from cvbuild.model import Profile
from cvbuild.outputs.task import Settings

if TYPE_CHECKING:
    from cvbuild.building.cache.index_format import Plain
    from cvbuild.building.session import Run


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
    formats: Iterable[str] = (PDF,),
) -> list[Outcome]:
    """Build documents: of ``who`` (stems in people/, or paths), of everybody if none is named.

    ``templates``, or ``variants``, go before what each person picked; of variants the people who
    have them are meant if nobody is named. ``private`` shows what is private; ``sets`` are keys of
    a variant for this build: {"headline": "…", "options.accent": "112233", "kinds": ["award"]}.
    ``epoch`` is the date of the documents in seconds since 1970; ``locale`` a BCP 47 tag, instead
    of the person's own; without ``tags`` it is a quick draft that screen readers can't read well;
    ``cluster`` is the address of a Dask scheduler, whose workers build instead of ``jobs`` threads
    here. ``formats`` are names of outputs, as --format has them. A document that fails is an
    Outcome with ``path`` None and diagnostics. Raises ProfileError if a file is wrong, UsageError
    for an unknown person, template, variant, format, key, language, choice, CvbuildError for a
    cluster that can't be used.
    """
    run = _runner(jobs, cluster)
    further, named = list(template_path), list(who)
    wanted = replace(
        _wanted(tuple(templates), tuple(variants), everybody=not named),
        formats=wanted_formats(formats, cluster=cluster is not None),
    )
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
    session = Session(_asked(settings, wanted, further, cluster))
    session.settings = settings
    return _outcomes(found, session, wanted, run)


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
        formats=wanted.formats,
    )


def _outcomes(found: Sequence[Person], session: Session, wanted: Wanted, run: Run) -> list[Outcome]:
    """What came of the documents of these people, in their order; raises ProfileError."""
    settings, there = session.settings, _There()
    rest = session.left(found, there, force=settings.force)
    _refuse(profiles.check(one.person, settings.library) for one in rest)
    # A file may have become wrong meanwhile.
    made = session.build(rest, wanted, lambda checked: _refuse([checked]), run) if rest else ()
    placed = {(one.person, one.name, one.format): one for one in (*there.outcomes, *made)}
    return [
        placed[person.name, name, output]
        for person in found
        for name in dict.fromkeys(wanted.names or _picked(session, person))
        for output in wanted.formats
        if (person.name, name, output) in placed or not wanted.variants
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


def _picked(session: Session, person: Person) -> list[str]:
    entry = session.known.person(str(person.path))
    return entry["picked"] if entry else []


def _runner(jobs: int | None, cluster: str | None) -> Run:
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
