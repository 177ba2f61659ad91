"""Give parcels to a Dask cluster's scheduler and publish what comes back."""

from __future__ import annotations

import asyncio
import logging
import pickle
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from cvbuild.building import pipeline
from cvbuild.building.cluster import parcel
from cvbuild.building.cluster.parcel import NO_TOOL, Finished, Parcel, code_version
from cvbuild.building.outcome import Outcome
from cvbuild.common import plugins
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError, UsageError
from cvbuild.outputs.task import Settings, Task

if TYPE_CHECKING:
    from distributed import Client

#: How long to wait for the scheduler to answer, in seconds.
CONNECT = 8
#: How long to wait for it to disconnect, in seconds.
CLOSE = 2
#: How often to look for workers, and after how long without any to say so, in seconds.
LOOK_EVERY, NOTE_AFTER = 1.0, 5.0
#: Parcels under way per thread of a worker: enough that none is idle, few enough for memory.
AHEAD = 4

#: Dask's loggers that have a level of their own.
_LOGGERS = ("distributed", "distributed.client")
_EXAMPLE = "start one with `dask scheduler` and give its address: tcp://127.0.0.1:8786"

Say = Callable[[Diagnostic], None]


def run(todo: Iterable[Task], settings: Settings, address: str, say: Say) -> Iterator[Outcome]:
    """Yield outcomes as they come.

    ``say`` gets notes, such as that there is no worker. Raises UsageError if ``distributed`` is
    missing or the address is invalid, CvbuildError if the scheduler can't be reached or is lost, or
    if a worker has another version of cvbuild or none. Closing the iterator cancels everything, but
    a worker finishes the document that it has begun.
    """
    with _connected(address, say) as client:
        cluster = _Cluster(client, address, settings, say)
        for task in todo:
            yield from cluster.send(task)
            while cluster.is_full():
                yield from cluster.receive()
        while cluster.in_flight:
            yield from cluster.receive()


class _Call:
    """A call of ``parcel.build`` that is done by unpickling it.

    Why: Dask sees nothing but ``pickle.loads`` and bytes, so the scheduler needs no cvbuild, and a
    worker without cvbuild says so; one that can't unpickle its task at all would end.
    """

    def __init__(self, content: Parcel) -> None:
        self._arguments = code_version(), pickle.dumps(content)

    def __reduce__(self) -> tuple[object, ...]:
        return parcel.build, self._arguments


class _Cluster:
    """The parcels under way, and the workers that build them, with the threads of each."""

    def __init__(self, client: Client, address: str, settings: Settings, say: Say) -> None:
        self._client, self._address = client, address
        self._settings, self._say = settings, say
        self._workers: dict[str, int] = {}
        self._lacking: dict[str, set[str]] = {}
        self.in_flight: dict[Future[bytes], Task] = {}
        self._last_seen = time.monotonic()
        self._look()

    def is_full(self) -> bool:
        """Return whether as much is under way as the workers need."""
        return len(self.in_flight) >= max(1, sum(self._workers.values())) * AHEAD

    def send(self, task: Task) -> Iterator[Outcome]:
        """Send a document's inputs; yields its outcome if they can't be packed."""
        try:
            call = pickle.dumps(_Call(parcel.pack(task, self._settings)))
        except CvbuildError as error:
            yield pipeline.failed(task, *error.diagnostics)
            return
        able = [*self._workers.keys() - self._lacking.get(task.template, set())]
        some = 0 < len(able) < len(self._workers)
        # If they die, others do it. Not pure: the same parcel must be built again tomorrow.
        only = {"workers": able, "allow_other_workers": True} if some else {}
        with _lost(self._address):
            future = self._client.get_executor(pure=False, **only).submit(pickle.loads, call)
        self.in_flight[future] = task

    def receive(self) -> Iterator[Outcome]:
        """Yield the outcomes of what is done by now; waits a moment for something."""
        done, _ = wait(self.in_flight, LOOK_EVERY, FIRST_COMPLETED)
        self._look()
        for future in done:
            yield from self._take(future, self.in_flight.pop(future))

    def _take(self, future: Future[bytes], task: Task) -> Iterator[Outcome]:
        try:
            with _lost(self._address, CancelledError):
                # Dask itself unpickles what workers send: they are trusted already.
                worker, finished = pickle.loads(future.result())  # noqa: S301
        except CvbuildError:
            raise
        except Exception as error:  # noqa: BLE001 - of a worker, which may raise anything
            yield pipeline.failed(task, _fault(error))
            return
        if finished.outcome.exit_code == NO_TOOL and self._others_build(task, worker, finished):
            yield from self.send(task)
        else:
            yield parcel.publish(task, self._settings, finished)

    def _others_build(self, task: Task, worker: str, finished: Finished) -> bool:
        """Return whether others than this worker may have the tool that the document needs.

        From now on they build all documents of its template.
        """
        lacking = self._lacking.setdefault(task.template, set())
        if not self._workers.keys() - lacking - {worker}:
            return False
        if worker not in lacking:
            lacking.add(worker)
            fault = finished.outcome.diagnostics[0]
            message = f"others build documents of {task.template} from now on: {fault.message}"
            self._say(Diagnostic("note", "cluster-lacking", message, hint=fault.hint))
        return True

    def _look(self) -> None:
        """Look which workers there are, by their threads; say so if there were none for long."""
        with _lost(self._address):
            self._workers = self._client.nthreads()
        now = time.monotonic()
        if self._workers:
            self._last_seen = now
        elif now - self._last_seen >= NOTE_AFTER:
            # Say it once: infinity is never reached again.
            self._last_seen = float("inf")
            message = "the cluster has no worker; waiting for one"
            hint = "start one with: dask worker ADDRESS"
            self._say(Diagnostic("note", "cluster-idle", message, hint=hint))


@contextmanager
def _lost(address: str, error: type[Exception] = Exception) -> Iterator[None]:
    """Raise CvbuildError for an error of Dask, by default any: they differ between versions."""
    try:
        yield
    except error:
        fact = f"the scheduler at {address} is gone"
        hint = "finished documents are in place; build again to continue"
        raise CvbuildError.because("cluster-lost", fact, hint) from None


@contextmanager
def _connected(address: str, say: Say) -> Iterator[Client]:
    """Connect to the scheduler at ``address``; TLS and the like come from Dask's own settings."""
    try:
        import dask.config
        from distributed import Client
    except ImportError:
        hint = plugins.how_to_get("cluster")
        message = "--cluster needs the package distributed, which is not installed"
        raise UsageError.because("cluster-missing", message, hint) from None
    # Its messages are for those who run a cluster; ours say what matters here.
    levels = {logger: logger.level for logger in map(logging.getLogger, _LOGGERS)}
    for logger in levels:
        logger.setLevel(logging.CRITICAL)
    # Otherwise the last 1,000 messages stay in memory, each with a parcel.
    short = dask.config.set({"distributed.admin.low-level-log-length": AHEAD})
    try:
        with short, warnings.catch_warnings(record=True) as dask_warnings:
            warnings.simplefilter("always")
            asyncio.run(_knock(address))
            client = Client(address, timeout=CONNECT, set_as_default=False)
    except (ValueError, TypeError) as error:
        message = f'"{address}" is not the address of a scheduler: {error}'
        raise UsageError.because("cluster-address", message, _EXAMPLE) from None
    except Exception as error:  # noqa: BLE001 - what answers there may be anything
        reason = str(error) or f"no response within {CONNECT + 1} s"
        message = f"no scheduler answers at {address}: {reason}"
        raise CvbuildError.because("cluster-unreachable", message, _EXAMPLE) from None
    # Dask warns where versions of itself, of Python or of its packages differ.
    for text in dict.fromkeys(str(one.message) for one in dask_warnings):
        say(Diagnostic("warning", "cluster-dask", text))
    try:
        yield client
    finally:
        with suppress(Exception):
            client.close(timeout=CLOSE)
        for logger, level in levels.items():
            logger.setLevel(level)


async def _knock(address: str) -> None:
    """Connect once and disconnect.

    Why: the real client waits for ever if something accepts the connection and doesn't answer.
    """
    from distributed import Client

    client = Client(address, asynchronous=True, timeout=CONNECT, set_as_default=False)
    try:
        await asyncio.wait_for(client, CONNECT + 1)
    finally:
        with suppress(Exception):
            await asyncio.wait_for(client.close(), CLOSE)


def _fault(error: Exception) -> Diagnostic:
    """Return why a parcel failed; raises CvbuildError where every other parcel would fail too."""
    from distributed import KilledWorker

    if isinstance(error, ImportError) or (
        isinstance(error, AttributeError) and "cvbuild" in str(error)
    ):
        hint = 'start the workers where `pip install "cvbuild[cluster]"` was done'
        raise CvbuildError.because("cluster-without", f"a worker can't load cvbuild: {error}", hint)
    if isinstance(error, KilledWorker):
        message = f"every worker that built this died, {error.allowed_failures + 1} in all"
        hint = "check that they have enough memory"
        return Diagnostic("error", "cluster-died", message, hint=hint)
    message = f"the worker failed: {type(error).__name__}: {str(error)[:200]}"
    return Diagnostic("error", "cluster-worker", message, hint="see the worker's own log")
