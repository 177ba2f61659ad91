"""Send parcels to a Dask cluster's scheduler and publish what comes back."""

from __future__ import annotations

import asyncio
import logging
import pickle
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from contextlib import contextmanager, suppress
from itertools import groupby
from typing import TYPE_CHECKING

from cvbuild.building import pipeline
from cvbuild.building.cluster import packing, worker
from cvbuild.building.cluster.parcel import Parcel, Returned, code_version
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
#: How often to count workers, and after how long without any to say so, in seconds.
COUNT_EVERY, NOTE_AFTER = 1.0, 5.0
#: Parcels under way per thread of a worker: enough that none is idle, few enough for memory.
AHEAD = 4

#: Dask's loggers that have a level of their own.
_LOGGERS = ("distributed", "distributed.client")
#: The exit code of a document for which there is no TeX or no sandbox.
_NO_TOOL = 3
_EXAMPLE = "start one with `dask scheduler` and give its address: tcp://127.0.0.1:8786"

Say = Callable[[Diagnostic], None]
_Tasks = tuple[Task, ...]


def run(todo: Iterable[Task], settings: Settings, address: str, say: Say) -> Iterator[Outcome]:
    """Yield outcomes as they come; the documents of one person travel together.

    ``say`` gets notes, such as that there is no worker. Raises UsageError if ``distributed`` is
    missing or the address is invalid, CvbuildError if the scheduler can't be reached or is lost, or
    if a worker has another version of cvbuild or none. Closing the iterator cancels everything.
    """
    # Private and public data don't travel together.
    groups = (tuple(one) for _, one in groupby(todo, key=lambda task: (task.person, task.private)))
    with _connected(address, say) as client:
        dispatch = _Dispatch(client, address, settings, say)
        try:
            yield from dispatch.outcomes(groups)
        except BaseException:
            dispatch.cancel()
            raise


class _Call:
    """A parcel whose pickle is the call that builds it: opening it returns what was built.

    Why: Dask sees nothing but ``pickle.loads`` and bytes, so the scheduler needs no cvbuild, and a
    worker without cvbuild says so; one that can't unpickle its task at all would end.
    """

    def __init__(self, parcel: Parcel) -> None:
        self._parcel = parcel

    def __reduce__(self) -> tuple[object, ...]:
        return worker.build, (self._parcel,)


class _Dispatch:
    """The parcels under way, and the workers that build them."""

    def __init__(self, client: Client, address: str, settings: Settings, say: Say) -> None:
        self._client, self._address = client, address
        self._executors: dict[frozenset[str], Executor] = {}
        self._lacking: dict[str, set[str]] = {}
        self._workers: frozenset[str] = frozenset()
        self._settings, self._say = settings, say
        self._in_flight: dict[Future[bytes], _Tasks] = {}
        self._last_count = self._last_worker = time.monotonic()
        self._threads = self._count()

    def outcomes(self, groups: Iterator[_Tasks]) -> Iterator[Outcome]:
        """Yield all outcomes; takes from ``groups`` only as much as the workers can build."""
        more = True
        while more or self._in_flight:
            while more and len(self._in_flight) < max(1, self._threads) * AHEAD:
                tasks = next(groups, None)
                more = tasks is not None
                yield from self._send(tasks or ())
            done, _ = wait(self._in_flight, timeout=COUNT_EVERY, return_when=FIRST_COMPLETED)
            self._count_workers()
            for future in done:
                yield from self._take(future, self._in_flight.pop(future))

    def cancel(self) -> None:
        """Cancel what is under way. A worker finishes the document that it has begun."""
        # An error here must not replace the one that is the reason for this.
        for executor in self._executors.values():
            with suppress(Exception):
                executor.shutdown(wait=False)

    def _send(self, tasks: _Tasks) -> Iterator[Outcome]:
        if not tasks:
            return
        try:
            parcel = packing.pack(tasks, self._settings)
        except CvbuildError as error:
            for task in tasks:
                yield pipeline.failed(task, *error.diagnostics)
            return
        call = pickle.dumps(_Call(parcel))
        try:
            future = self._executor(tasks).submit(pickle.loads, call)
        except Exception:  # noqa: BLE001 - Dask's own, which differ between its versions
            raise _lost(self._address) from None
        self._in_flight[future] = tasks

    def _executor(self, tasks: _Tasks) -> Executor:
        """Return what hands out to the workers on which these documents may be built."""
        able = self._able(tasks)
        chosen = able if able != self._workers else frozenset()
        if chosen not in self._executors:
            # Not pure: the same parcel must be built again tomorrow. If they die, others do it.
            only = {"workers": [*chosen], "allow_other_workers": True} if chosen else {}
            self._executors[chosen] = self._client.get_executor(pure=False, **only)
        return self._executors[chosen]

    def _able(self, tasks: _Tasks) -> frozenset[str]:
        """Return the workers that lack nothing, as far as is known, for these documents."""
        templates = {task.template for task in tasks}
        return frozenset(
            one for one in self._workers if not templates & self._lacking.get(one, set())
        )

    def _retried(self, tasks: _Tasks, returned: Returned) -> _Tasks:
        """Send what failed for lack of a tool to workers that may have it; return those tasks."""
        both = zip(tasks, returned.documents, strict=True)
        failed = [(task, one) for task, one in both if one.outcome.exit_code == _NO_TOOL]
        if not failed:
            return ()
        again = tuple(task for task, _ in failed)
        self._threads = self._count()
        there = self._lacking.setdefault(returned.worker, set())
        new = {task.template for task in again} - there
        there |= new
        if not self._able(again):
            there -= new
            return ()
        if new:
            fault = failed[0][1].outcome.diagnostics[0]
            which = ", ".join(sorted(new))
            message = f"others build documents of {which} from now on: {fault.message}"
            self._say(Diagnostic("note", "cluster-lacking", message, hint=fault.hint))
        return again

    def _take(self, future: Future[bytes], tasks: _Tasks) -> Iterator[Outcome]:
        try:
            # Dask itself unpickles what workers send: they are trusted already.
            returned: Returned = pickle.loads(future.result())  # noqa: S301
        except CancelledError:
            raise _lost(self._address) from None
        except Exception as error:  # noqa: BLE001 - of a worker, which may raise anything
            fault = _fault(error)
            for task in tasks:
                yield pipeline.failed(task, fault)
            return
        if returned.version != code_version():
            raise CvbuildError.because(
                "cluster-version",
                f"the worker {returned.worker} has cvbuild {returned.version}, "
                f"this is {code_version()}",
                "install the same there",
            )
        again = self._retried(tasks, returned)
        for task, finished in zip(tasks, returned.documents, strict=True):
            if not any(task is one for one in again):
                yield packing.publish(task, self._settings, finished)
        yield from self._send(again)

    def _count_workers(self) -> None:
        """Count the workers' threads from time to time; say so if there have been none for long."""
        now = time.monotonic()
        if now - self._last_count >= COUNT_EVERY:
            self._last_count = now
            self._threads = self._count()
        if self._threads:
            self._last_worker = now
        elif self._in_flight and now - self._last_worker >= NOTE_AFTER:
            # Say it once: infinity is never reached again.
            self._last_worker = float("inf")
            message = "the cluster has no worker; waiting for one"
            hint = "start one with: dask worker ADDRESS"
            self._say(Diagnostic("note", "cluster-idle", message, hint=hint))

    def _count(self) -> int:
        try:
            threads = self._client.nthreads()
            self._workers = frozenset(threads)
            return sum(threads.values())
        except Exception:  # noqa: BLE001 - as above
            raise _lost(self._address) from None


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
    loggers = {name: logging.getLogger(name) for name in _LOGGERS}
    levels = {name: logger.level for name, logger in loggers.items()}
    for logger in loggers.values():
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
        for name, level in levels.items():
            loggers[name].setLevel(level)


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
        raise CvbuildError.because(
            "cluster-without",
            f"a worker can't load cvbuild: {error}",
            "start the workers where `pip install 'cvbuild[cluster]'` was done",
        )
    if isinstance(error, KilledWorker):
        message = f"every worker that built this died, {error.allowed_failures + 1} in all"
        return Diagnostic(
            "error", "cluster-died", message, hint="check that they have enough memory"
        )
    message = f"the worker failed: {type(error).__name__}: {str(error)[:200]}"
    return Diagnostic("error", "cluster-worker", message, hint="see the worker's own log")


def _lost(address: str) -> CvbuildError:
    return CvbuildError.because(
        "cluster-lost",
        f"the scheduler at {address} is gone",
        "finished documents are in place; build again to continue",
    )
