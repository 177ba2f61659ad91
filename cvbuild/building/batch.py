"""Build many documents: settle what is requested, read files when needed, yield what happens.

The command line, the API and ``watch`` all use it, with what ``fresh`` has left to build.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, product
from typing import TYPE_CHECKING

from msgspec.structs import replace

from cvbuild.building import fresh, pipeline, profiles
from cvbuild.building.pipeline import Outcome
from cvbuild.common import interrupts, processes
from cvbuild.common.diagnostics import Diagnostic, UsageError, suggest
from cvbuild.common.files import safe_files, safe_folders
from cvbuild.common.files.safe_folders import BUILD
from cvbuild.inputs.people import Person, everyone
from cvbuild.inputs.person import settings
from cvbuild.inputs.person.person_file import PersonFile
from cvbuild.model.text import language_tags
from cvbuild.outputs import installed
from cvbuild.outputs.request import DAY, PDF, Request
from cvbuild.outputs.types import Task, find_output

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

    from cvbuild.building.fresh import Documents, Pending

#: What happens: a person's file was read, a document is done or has failed; a note on what builds.
Event = PersonFile | Outcome | Diagnostic


def settled(request: Request) -> Request:
    """Return the request with all names of templates and formats; raises UsageError."""
    library, locale = request.library, language_tags.require(request.locale)
    settings.read_overrides(request.sets)
    formats = tuple(dict.fromkeys(request.formats)) or (
        (PDF,) if request.cluster is not None else ()
    )
    for name in formats:
        find_output(name)
    if request.cluster is not None and formats != (PDF,):
        hint = "leave out --cluster: the other formats need no TeX and are quick to build here"
        raise UsageError.because("format", "a cluster makes only PDFs", hint)
    templates = library.names() if request.all_templates else request.templates
    for name in templates if not request.variants else ():
        is_known = name in library.names()
        if not is_known and any(name in (profiles.variants_of(who) or ()) for who in everyone()):
            fact = f'"{name}" is a variant, not a template'
            raise UsageError.because("template", fact, f"use --variant {name}")
        library.require(name)
    return request._replace(locale=locale, templates=templates, formats=formats)


def require_variants(people: Sequence[Person], requested: Request) -> None:
    """Raise UsageError for a variant that a named person doesn't have, or that nobody has."""
    if not requested.variants:
        return
    has = {person.name: profiles.variants_of(person) for person in people}
    known = {name: None for names in has.values() for name in names or ()}
    faults = []
    for name in dict.fromkeys(requested.variants):
        without = [who for who, names in has.items() if names is not None and name not in names]
        others = {who: has[who] or () for who in without if not requested.everybody}
        lacking = {f'{who} has no variant "{name}"': names for who, names in others.items()}
        if requested.everybody and len(without) == len(has):
            lacking = {f'nobody has a variant "{name}"': tuple(known)}
        for fact, names in lacking.items():
            hint = "write variants: in the file"
            hint = suggest(name, names, "the variants are") if names else hint
            faults.append(Diagnostic("error", "variant", fact, hint=hint))
    if faults:
        raise UsageError(faults)


def build(entries: fresh.Entries, pending: Pending) -> Iterator[Event]:
    """Read, run and record; yields what happens as it does, raises when all is recorded."""
    request = entries.request
    # Which TeX and fonts were found is forgotten: others may be older than the states stored now.
    installed.look_again()
    places = [place for who in pending for place in (who.name, f"{BUILD}/{who.name}")]
    safe_files.refuse_links(request.out, "/".join(safe_folders.PLACE), *places)
    safe_folders.sweep(request.scratch, entries.now / 10**9 - DAY)
    for event in _events(read(entries.reading(pending), request), request):
        if isinstance(event, PersonFile):
            entries.read(event)
        elif isinstance(event, Outcome):
            entries.finish(event)
        yield event


def read(
    pending: Iterable[tuple[Person, Documents | None]], request: Request
) -> Iterator[PersonFile | Task]:
    """Yield each file, private ones once more, and then its documents to build."""
    library, seconds = request.library, request.timeout
    sets = settings.read_overrides(request.sets)

    for person, wanted in pending:
        checked = profiles.check(person, library, private=request.private, seconds=seconds)
        private, documents, known = list[str](), list[tuple[str, str]](), tuple[Diagnostic, ...]()
        if profile := checked.profile:
            asked = dict.fromkeys(request.names or profile.template)
            mine = [name for name in asked if not request.variants or name in profile.variants]
            formats = dict.fromkeys(request.formats or profile.formats)
            documents = wanted or [*product(mine, formats)]
            if not checked.private:
                private = [name for name, variant in profile.variants.items() if variant.private]
        # Those for which private data must still be read come last.
        for is_last in (False, True):
            part = [document for document in documents if (document[0] in private) == is_last]
            if is_last and (checked.profile is None or not part):
                continue
            if is_last:
                checked = profiles.check(person, library, private=True, seconds=seconds)
            names = [*dict.fromkeys(name for name, _ in part)]
            checked, empty = profiles.of_documents(checked, names, sets, request)
            new = tuple(item for item in checked.diagnostics if item not in known)
            known = checked.diagnostics
            yield replace(checked, diagnostics=new)
            for name, output in part if checked.profile else ():
                if name not in empty:
                    yield profiles.task(checked, name, request, output)


def run(todo: Iterable[Task], request: Request) -> Iterator[Outcome]:
    """Yield the outcomes of documents as they are finished."""
    return (event for event in _events(todo, request) if isinstance(event, Outcome))


def _events(todo: Iterable[PersonFile | Task], request: Request) -> Iterator[Event]:
    """Yield outcomes as documents are finished, here or on the cluster, and files as they come."""
    if request.cluster is not None:
        from cvbuild.building import cluster

        yield from cluster.run(todo, request)
        return

    interrupts.stop.is_set = False
    first, rest = list[Task](), iter(todo)
    for item in rest:
        if isinstance(item, PersonFile):
            yield item
            continue
        first.append(item)
        if first[1:]:
            break
    else:
        yield from map(pipeline.build, first)
        return
    from concurrent.futures import ThreadPoolExecutor

    jobs = request.jobs or os.cpu_count() or 1
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        try:
            # One more than can run, so that no worker is idle while a file is read.
            yield from flow(chain(first, rest), pool, jobs + 1)
        except BaseException:
            processes.stop_all()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def flow(todo: Iterable[PersonFile | Task], pool: Executor, window: int) -> Iterator[Event]:
    """Yield what happens, with at most ``window`` documents under way: few are in memory."""
    from concurrent.futures import FIRST_COMPLETED, wait

    waiting: set[Future[Outcome]] = set()
    try:
        for item in todo:
            interrupts.check()
            if isinstance(item, PersonFile):
                yield item
                continue
            waiting.add(pool.submit(pipeline.build, item))
            del item
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
