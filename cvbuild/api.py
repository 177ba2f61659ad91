"""The Python interface: what scripts may call."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from cvbuild import batch, fresh, people, validate
from cvbuild.batch import Checked
from cvbuild.document import Settings
from cvbuild.errors import ProfileError, UsageError
from cvbuild.fresh import Answer, Asked, Rest
from cvbuild.model import Profile, languages
from cvbuild.pipeline import Outcome
from cvbuild.remember import Memory
from cvbuild.templates import Library

DAY = 86400


def load_profile(path: str | Path) -> Profile:
    """Read and validate one person's file; raises ProfileError with all that is wrong with it."""
    return validate.load(Path(path))[0]


def build(  # noqa: PLR0913 - named options, as on the command line
    who: Iterable[str] = (),
    *,
    templates: Iterable[str] = (),
    out: str | Path = "out",
    template_path: Iterable[str | Path] = (),
    engine: str = "auto",
    driver: str = "auto",
    jobs: int | None = None,
    force: bool = False,
    epoch: int | None = None,
    locale: str | None = None,
) -> list[Outcome]:
    """Build documents: of ``who`` (stems in people/, or paths), of everybody if none is named.

    ``templates`` go before those that each person picked; ``epoch`` is the date of the documents
    in seconds since 1970; ``locale`` a BCP 47 tag, instead of the person's own. A document that
    fails is an Outcome with ``pdf`` None and diagnostics. Raises ProfileError if a file is wrong,
    UsageError for an unknown person, template, language or choice.
    """
    further, wanted = list(template_path), list(templates)
    library, language = workspace_library(further), known_locale(locale)
    for name in wanted:
        library.require(name)
    found = people.find(who)
    asked = Asked(
        str(out),
        tuple(wanted),
        template_path=tuple(map(str, further)),
        engine=engine,
        driver=driver,
        locale=language,
        epoch="" if epoch is None else str(epoch),
    )
    settings = Settings(
        out=Path(out),
        library=library,
        today=today(),
        epoch=epoch,
        engine=engine,
        driver=driver,
        force=force,
        cache=cache_folder(),
        locale=language,
    )
    known = fresh.remembered(asked)
    answer = Answer([], [], [Rest(person) for person in found])
    if not force:
        answer = fresh.check(asked, found, known, time.time_ns())
    done = [Outcome.from_json(one["outcome"], one["notes"]) for one in answer.finished]
    _refuse(batch.check(one.person, library) for one in answer.rest)
    done += _build(answer.rest, wanted, settings, Memory(known, library, time.time_ns), jobs)
    placed = {(outcome.person, outcome.template): outcome for outcome in done}
    return [
        placed[person.name, name]
        for person in found
        for name in dict.fromkeys(wanted or known.people[str(person.path)]["picked"])
    ]


def _build(
    rest: Iterable[Rest], wanted: list[str], settings: Settings, memory: Memory, jobs: int | None
) -> Iterator[Outcome]:
    """Outcomes as they are done; raises ProfileError if a file became wrong meanwhile."""

    def heard(checked: Checked) -> None:
        memory.read(checked)
        _refuse([checked])

    todo = batch.read(memory.opening(rest), wanted, settings.library, heard)
    try:
        for outcome in batch.run(todo, settings, jobs or os.cpu_count() or 1, lambda _: None):
            memory.finish(outcome)
            yield outcome
    finally:
        memory.save()


def _refuse(checked: Iterable[Checked]) -> None:
    faults = [item for one in checked for item in one.diagnostics if item.severity == "error"]
    if faults:
        raise ProfileError(faults)


def workspace_library(template_path: Iterable[str | Path] = ()) -> Library:
    """The given folders, then ``templates/`` of the working folder, then the built-in ones."""
    local = [Path("templates")] if Path("templates").is_dir() else []
    return Library.at(*(Path(folder) for folder in template_path), *local)


def known_locale(tag: str | None) -> str | None:
    """The language tag that was asked for; raises UsageError if there is no such language."""
    if tag and languages.locale(tag) is None:
        meant = languages.nearest(tag)
        hint = f'did you mean "{meant}"?' if meant else "write a BCP 47 tag such as en, en-GB or de"
        raise UsageError.because("locale", f'"{tag[:60]}" is not a known language tag', hint)
    return tag or None


def cache_folder() -> Path | None:
    """Where CVBUILD_CACHE says that what is known of fonts is kept, if it says so."""
    named = os.environ.get("CVBUILD_CACHE")
    return Path(named) if named else None


def today() -> int:
    """The beginning of this day in UTC, in seconds since 1970."""
    now = int(time.time())
    return now - now % DAY
