"""The Python interface: the functions that scripts call."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

from msgspec.structs import replace

from cvbuild.building import batch, profiles
from cvbuild.building.fresh import Entries, today
from cvbuild.building.pipeline import Outcome
from cvbuild.common.diagnostics import ProfileError, UsageError, shown
from cvbuild.common.files.safe_files import OUT
from cvbuild.inputs import people
from cvbuild.inputs.person import person_file
from cvbuild.inputs.person.person_file import PersonFile
from cvbuild.model.profile import Profile
from cvbuild.outputs.request import Request, epoch_of

#: Names or paths; a text is one of them.
Several = str | Path | Iterable[str | Path]
#: A process has one working folder.
_TURN = threading.Lock()


def load_profile(path: str | Path, *, private: bool = False) -> Profile:
    """Read and validate one person's file; raises ProfileError with everything that is wrong.

    Returns the public part, as documents show it by default; with ``private``, everything,
    including the overlay next to the file (docs/how-to/privacy.md).
    """
    file = Path(path)
    return person_file.read(people.Person(file.stem, file), private=private).require()[0]


def build(  # noqa: PLR0913 - named options, as on the command line
    who: Several = (),
    *,
    workspace: str | Path | None = None,
    templates: Several = (),
    variants: Several = (),
    private: bool = False,
    sets: Mapping[str, object] | None = None,
    out: str | Path | None = None,
    template_path: Several = (),
    engine: str = "auto",
    driver: str = "auto",
    jobs: int | None = None,
    force: bool = False,
    epoch: int | None = None,
    locale: str | None = None,
    cluster: str | None = None,
    formats: Several = (),
) -> list[Outcome]:
    """Build the documents of the people in ``who`` (stems in people/, or paths); of all by default.

    ``workspace`` is the folder that has people/, by default the working folder. Other paths are
    seen from there, and those of the outcomes are absolute then. It is the working folder of the
    whole process meanwhile: such builds in several threads wait for each other.
    ``templates`` or ``variants`` replace what each person picked; with variants and no ``who``, the
    people who have them. ``private`` shows what is private; ``sets`` are keys of a variant for this
    build: {"headline": "…", "options.accent": "112233", "kinds": ["award"]}. ``epoch`` is the date
    of the documents in seconds since 1970; ``locale`` a BCP 47 tag, instead of the person's own;
    ``cluster`` is the address of a Dask scheduler, whose workers build instead of ``jobs`` threads
    here. ``out`` is the output folder, by default "out". ``formats`` are names of outputs, instead
    of those that each person picked. A document that fails is an Outcome with ``path`` None and
    diagnostics. Raises ProfileError if a file is wrong, UsageError for what is unknown or can't be
    (person, template, variant, format, key, language, workspace), CvbuildError for a cluster.
    """
    if cluster is not None and jobs is not None:
        raise UsageError.because("cluster-jobs", "give cluster or jobs, not both")
    named = _each(who)
    with _working_in(workspace) as folder:
        request = Request(
            Path(OUT if out is None else out),
            today(),
            templates=tuple(_each(templates)),
            variants=tuple(_each(variants)),
            everybody=not named,
            template_path=tuple(_each(template_path)),
            engine=engine,
            driver=driver,
            locale=locale or None,
            epoch=epoch_of("" if epoch is None else str(epoch)),
            cluster=cluster,
            jobs=jobs,
            force=force,
            private=private,
            sets=tuple(
                f"{key}={item}"
                for key, value in (sets or {}).items()
                for item in (value if isinstance(value, list | tuple) else (value,))
            ),
            formats=tuple(dict.fromkeys(_each(formats))),
        )
        if request.templates and request.variants:
            raise UsageError.because("variant", "give templates or variants, not both")
        outcomes = _built(request, named)
        if folder is None:
            return outcomes
        # Their paths are found from any folder.
        for at, outcome in enumerate(outcomes):
            path, log = (folder / place if place else None for place in (outcome.path, outcome.log))
            outcomes[at] = replace(outcome, path=path, log=log)
        return outcomes


def _each(several: Several) -> list[str]:
    """Return some names or paths as texts; one may be given by itself."""
    return [str(item) for item in ((several,) if isinstance(several, str | Path) else several)]


@contextlib.contextmanager
def _working_in(workspace: str | Path | None) -> Iterator[Path | None]:
    """Make a workspace the working folder, and yield it; raises UsageError if it can't be."""
    if workspace is None:
        yield None
        return
    with _TURN, contextlib.ExitStack() as stack:
        try:
            stack.enter_context(contextlib.chdir(workspace))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", "it has a null character")
            fact = f'can\'t go to "{shown(str(workspace))}": {reason}'
            hint = "name the folder that has people/"
            raise UsageError.because("workspace", fact, hint) from None
        yield Path.cwd()


def _built(request: Request, named: Sequence[str]) -> list[Outcome]:
    """Build what is requested of the people who are named; return the outcomes in their order."""
    request = batch.settled(request)
    entries, persons = Entries(request), people.find(named)
    batch.require_variants(persons, request)
    pending, current = entries.check(persons)
    known = [Outcome.from_json(*pair) for _, documents, _ in current for pair in documents]
    checked = [profiles.check(person, request.library) for person in pending]
    if faults := [fault for file in checked for fault in file.errors]:
        raise ProfileError(faults)

    # A file may have been broken in the meantime.
    for event in batch.build(entries, pending) if pending else ():
        if isinstance(event, PersonFile):
            event.require()
        elif isinstance(event, Outcome):
            known.append(event)
    by_name = {(done.person, done.name, done.format): done for done in known}
    listed = list[Outcome]()
    for person in persons:
        entry = entries.person(person) or {"picked": (), "formats": ()}
        names = dict.fromkeys(request.names or entry["picked"])
        for document in product(names, request.formats or dict.fromkeys(entry["formats"])):
            if (key := (person.name, *document)) in by_name or not request.variants:
                listed.append(by_name[key])
    return listed
