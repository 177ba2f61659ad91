"""Build on a Dask cluster: a person's inputs travel, finished documents come back.

No path travels, as machines may have another system. Dask gives the work to its workers, and again
to others when one of them dies.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import pickle
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import asdict, replace

from cvbuild.building import own_files, pipeline, profiles
from cvbuild.building.pipeline import Outcome, Record
from cvbuild.common import VERSION, diagnostics
from cvbuild.common.diagnostics import CvbuildError, Diagnostic, ProfileError, UsageError, foreign
from cvbuild.common.files import file_state, safe_files, safe_folders
from cvbuild.common.files.safe_folders import BUILD
from cvbuild.inputs import pictures
from cvbuild.inputs.people import Person
from cvbuild.inputs.person.person_file import PersonFile
from cvbuild.inputs.validation import validate
from cvbuild.outputs.installed import builtin_folder
from cvbuild.outputs.request import Request
from cvbuild.outputs.styles import templates
from cvbuild.outputs.styles.manifests import LOGO
from cvbuild.outputs.types import Task

if TYPE_CHECKING:
    from distributed import Client

#: How long to wait for the scheduler to answer and to disconnect, and for a document, in seconds.
CONNECT, CLOSE, LOOK_EVERY = 8, 2, 1.0
#: Parcels under way per thread of a worker: enough that none is idle, few enough for memory.
AHEAD = 4
#: The name of every person on a worker, so that no real name becomes a path there.
_PERSON = "person"
#: The files that go back; the PDF of a document that failed its checks too, for inspection.
_PDF, _KEPT = "cv.pdf", ("cv.tex", "cv.log")
#: What of a request a worker heeds.
_CHOICES = ("today", "epoch", "engine", "driver", "force", "timeout", "locale")
_EXAMPLE = "start one with `dask scheduler` and give its address: tcp://127.0.0.1:8786"


class _Call(NamedTuple):
    """A call of ``build`` that is done by unpickling it.

    Why: Dask sees nothing but ``pickle.loads`` and bytes, so the scheduler needs no cvbuild, and a
    worker without cvbuild says so; one that can't unpickle its task at all would end.
    """

    parcel: bytes

    def __reduce__(self) -> tuple[object, ...]:
        return build, (VERSION, self.parcel)


def run(
    todo: Iterable[PersonFile | Task], request: Request
) -> Iterator[PersonFile | Outcome | Diagnostic]:
    """Yield outcomes as they come, files and notes; raises UsageError and CvbuildError.

    If it is closed, a worker finishes the document that it has begun, and nothing more.
    """
    address = request.cluster or ""
    with _connected(address) as client:
        under_way: dict[Future[Any], Task] = {}
        with _lost(address):
            executor = client.get_executor(pure=False)
            is_idle = not client.nthreads()
        if is_idle:
            fact, hint = "the cluster has no worker; waiting for one", "dask worker ADDRESS"
            yield Diagnostic("note", "cluster-idle", fact, hint=f"start one with: {hint}")

        def outcomes(*, last: bool = False) -> Iterator[Outcome]:
            with _lost(address):
                room = 1 if last else max(1, sum(client.nthreads().values())) * AHEAD
            while len(under_way) >= room:
                for future in wait(under_way, LOOK_EVERY, FIRST_COMPLETED).done:
                    yield _taken(future, under_way.pop(future))

        for task in todo:
            if isinstance(task, PersonFile):
                yield task
                continue
            try:
                call = pickle.dumps(_Call(pickle.dumps(pack(task))))
            except CvbuildError as error:
                yield pipeline.failed(task, error)
                continue
            with _lost(address):
                under_way[executor.submit(pickle.loads, call)] = task
            yield from outcomes()
        yield from outcomes(last=True)


def _taken(future: Future[Any], task: Task) -> Outcome:
    """Return the outcome of what came back; raises CvbuildError where all else would fail too."""
    try:
        with _lost(task.request.cluster or "", CancelledError):
            text, files = future.result()
    except CvbuildError:
        raise
    except Exception as error:  # noqa: BLE001 - of a worker, which may raise anything
        if isinstance(error, ImportError | AttributeError) and "cvbuild" in str(error):
            fact = "a worker has no cvbuild, or another version"
            hint = 'start the workers where `pip install "cvbuild[cluster]"` was done'
            raise CvbuildError.because("cluster-without", fact, hint) from None
        fact = f"the worker failed ({type(error).__name__})"
        hint = "see the worker's own log, and whether it has enough memory"
        return pipeline.failed(task, CvbuildError.because("cluster-worker", fact, hint))
    try:
        with foreign(*pipeline.WRITING):
            return _publish(task, json.loads(text), files)
    except CvbuildError as error:
        return pipeline.failed(task, error)


@contextmanager
def _lost(address: str, error: type[BaseException] = Exception) -> Iterator[None]:
    """Raise CvbuildError for an error of Dask, by default any: they differ between versions."""
    try:
        yield
    except error:
        fact = f"the scheduler at {address} is gone"
        hint = "finished documents are in place; build again to continue"
        raise CvbuildError.because("cluster-lost", fact, hint) from None


@contextmanager
def _connected(address: str) -> Iterator[Client]:
    """Connect to the scheduler at ``address``; TLS and the like come from Dask's own settings."""
    try:
        import distributed
        from dask import config
    except ImportError as error:
        raise diagnostics.missing("--cluster", "cluster", error) from None
    # Its messages are for those who run a cluster; ours say what matters here.
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    # Otherwise the last 1,000 messages stay in memory, each with a parcel.
    config.set({"distributed.admin.low-level-log-length": AHEAD})

    async def knock() -> None:
        """Connect once: the client waits for ever if something accepts that and doesn't answer."""
        client = distributed.Client(
            address, asynchronous=True, timeout=CONNECT, set_as_default=False
        )
        try:
            await asyncio.wait_for(client, CONNECT + 1)
        finally:
            with suppress(Exception):
                await asyncio.wait_for(client.close(), CLOSE)

    try:
        asyncio.run(knock())
        client = distributed.Client(address, timeout=CONNECT, set_as_default=False)
    except (ValueError, TypeError):
        fact = f'"{address}" is not the address of a scheduler'
        raise UsageError.because("cluster-address", fact, _EXAMPLE) from None
    except Exception as error:  # noqa: BLE001 - what answers there may be anything
        reason = getattr(error, "strerror", None) or f"no response within {CONNECT} s"
        fact = f"no scheduler answers at {address}: {reason}"
        raise CvbuildError.because("cluster-unreachable", fact, _EXAMPLE) from None
    try:
        yield client
    finally:
        with suppress(Exception):
            client.close(timeout=CLOSE)


def pack(task: Task) -> dict[str, Any]:
    """Return what a worker needs for a document; raises CvbuildError for what can't be read."""
    data, request = task.source.data, task.request
    signatures = task.profile.pictures[bool(task.profile.photo) :]
    for place, _ in (*own_files.named(data), *own_files.named(data, LOGO), *signatures):
        fact = f"a {place[-1]} of one's own can't go to a cluster"
        span, hint = task.source.span(place), "build without --cluster"
        raise ProfileError.because("own-file-cluster", fact, hint, span)
    photo, folders = task.profile.photo, request.library.require(task.style).folders
    homes = [folder for folder in folders if not folder.is_relative_to(builtin_folder())]
    with foreign("template-unreadable", "can't read the template"):
        styles = [
            (path.relative_to(folder.parent).as_posix(), path.read_bytes(), path.stat().st_mtime_ns)
            for folder in homes
            for path in filter(Path.is_file, map(Path, templates.listed(folder)))
        ]
    return {
        "person": task.person.name,
        "name": task.name,
        # Hidden private data stays here, even as a list of what must not be shown.
        "source": replace(task.source, text="", private=(), faults=(), files=(), calls=()),
        "private": task.private,
        "photo": pictures.load(photo, task.person.path.parent, task.source) if photo else None,
        "styles": styles,
        "homes": {folder.name: str(folder) for folder in homes},
        "out": str(request.out),
        "choices": {name: getattr(request, name) for name in _CHOICES},
    }


def build(version: str, data: bytes) -> tuple[str, dict[str, bytes]]:
    """Build a document on a worker; return what is told of it, as JSON, and its files."""
    from distributed import get_worker

    worker, home = str(get_worker().address), Path(get_worker().local_directory).resolve()
    if version != VERSION:
        fact = f"the worker {worker} has cvbuild {VERSION}, this is {version}"
        raise CvbuildError.because("cluster-version", fact, "install the same there")
    # From the client that uses this worker, as the call itself was.
    parcel = pickle.loads(data)  # noqa: S301
    source, person = parcel["source"], Person(_PERSON, Path(f"{_PERSON}.yaml"))
    profile, private = validate(source), parcel["private"]
    checked = PersonFile(person, profile, source, private=private)
    styles, cache = _unpacked(parcel["styles"], home), os.environ.get("CVBUILD_CACHE")
    with tempfile.TemporaryDirectory(dir=home, ignore_cleanup_errors=True) as folder:
        request = Request(
            out=Path(folder),
            template_path=(str(styles),),
            # What this worker knows of its TeX and fonts.
            cache=Path(cache) if cache else home / "cvbuild-cache",
            **parcel["choices"],
        )
        task = replace(profiles.task(checked, parcel["name"], request), read_photo=parcel["photo"])
        outcome, keep = pipeline.build(task), task.keep
        paths = {_PDF: task.path if outcome.path else keep / _PDF}
        paths |= {name: keep / name for name in _KEPT}
        files = {name: path.read_bytes() for name, path in paths.items() if path.is_file()}
        record = asdict(outcome.record) if outcome.record else None
        plain = {"record": record, "exit_code": outcome.exit_code, **outcome.as_json()}
        text = json.dumps(plain | {"notes": [note.as_json() for note in outcome.notes]})
        out, who = Path(parcel["out"]), parcel["person"]
        names = {request.hidden / _PERSON: out / BUILD / who, request.out / _PERSON: out / who}
        names |= {styles / name: Path(place) for name, place in parcel["homes"].items()}
        for here, there in names.items():
            text = text.replace(json.dumps(str(here))[1:-1], json.dumps(str(there))[1:-1])
        return text, files


def _unpacked(styles: list[tuple[str, bytes, int]], home: Path) -> Path:
    """Return the folder of these templates, always the same: a format is dumped for one place."""
    folder = home / f"styles-{file_state.hash_of(pickle.dumps(styles))[:32]}"
    if not folder.is_dir():
        with tempfile.TemporaryDirectory(dir=home, ignore_cleanup_errors=True) as place:
            new = Path(place, "styles")
            new.mkdir()
            for name, data, date in styles:
                (new / name).parent.mkdir(parents=True, exist_ok=True)
                (new / name).write_bytes(data)
                os.utime(new / name, ns=(date, date))
            with suppress(OSError):  # another thread was first
                new.rename(folder)
    return folder


def _publish(task: Task, document: Any, files: Mapping[str, bytes]) -> Outcome:
    """Publish what a worker built, each file whole; names are ours, only bytes are theirs."""
    pdf, keep = task.path, task.keep
    plain_record = document["record"]
    document |= {"path": str(pdf), "person": task.person.name}
    outcome = Outcome.from_json(document, document["notes"])
    with safe_folders.locked(safe_folders.stored(keep, make=True)):
        for name in (*_KEPT, _PDF):
            if name in files:
                safe_folders.write(keep / name, files[name])
        if plain_record is None:
            log = keep / "cv.log" if "cv.log" in files else None
            return replace(outcome, path=None, log=log, exit_code=document["exit_code"])
        record = Record(**plain_record | {"left_out": tuple(plain_record["left_out"])})
        safe_folders.real(pdf.parents[1], pdf.parent.name, make=True)
        safe_files.move(keep / _PDF, pdf)
        record.write(task.record, task.request.cache)
    # Its TeX and fonts are the worker's: there is no ``machine``.
    return replace(outcome, keep=keep, record=record)
