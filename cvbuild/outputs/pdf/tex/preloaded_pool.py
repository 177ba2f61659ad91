"""Preloaded engines: each has read all that an edit is likely to leave as it is."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Collection, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from cvbuild.common.errors import CvbuildError
from cvbuild.common.files import work_folders
from cvbuild.outputs.pdf.tex import find, preloaded_start
from cvbuild.outputs.pdf.tex.preloaded_engine import PreloadedEngine
from cvbuild.outputs.pdf.tex.types import Engine, Job

#: An engine, the job that it was started for, and what ends it.
_Waiting = tuple[PreloadedEngine, Job, ExitStack]


class PreloadedPool:
    """Preloaded engines by the folder of their document's record.

    Working folders are made in ``parent``; ``cache`` has the formats. Any thread may take them.
    """

    def __init__(self, parent: Path, cache: Path) -> None:
        self._parent = parent
        self._cache = cache
        self._engines: dict[Path, list[_Waiting]] = {}
        self._lock = threading.Lock()

    def start(self, place: Path, today: int, *, ahead: bool = True) -> None:
        """Preload those for the document with the record in ``place``, if possible.

        ``today`` is the day in seconds since 1970. ``ahead``: also one that has set the text down
        to the block that was edited last.
        """
        start = preloaded_start.load(place, today, self._cache)
        if start is None or not _may_run(start.engine):
            return
        jobs = start.jobs if ahead else start.jobs[-1:]
        with self._lock:
            waiting = {
                job: (engine, job, stack) for engine, job, stack in self._engines.pop(place, [])
            }
        for job in waiting.keys() - {*jobs}:
            waiting[job][2].close()
        engines = [waiting.get(job) or self._started(job, start.engine) for job in jobs]
        with self._lock:
            self._engines.setdefault(place, []).extend(engine for engine in engines if engine)

    def _started(self, job: Job, engine: Engine) -> _Waiting | None:
        with ExitStack() as stack, contextlib.suppress(CvbuildError, OSError, ValueError):
            folder = stack.enter_context(work_folders.folder(self._parent))
            preloaded = PreloadedEngine(replace(job, folder=folder), engine)
            stack.callback(preloaded.end)
            return preloaded, job, stack.pop_all()
        return None

    def only(self, places: Collection[Path]) -> None:
        """End all that are for other documents."""
        for place in [one for one in self._engines if one not in places]:
            with self._lock:
                waiting = self._engines.pop(place, [])
            for _, _, stack in waiting:
                stack.close()

    @contextlib.contextmanager
    def take(self, place: Path) -> Iterator[tuple[PreloadedEngine, ...]]:
        """Yield the engines for this document, the one that read most first.

        One that was used is ended afterwards.
        """
        with self._lock:
            waiting = self._engines.pop(place, [])
        try:
            yield tuple(engine for engine, _, _ in waiting)
        finally:
            for engine, _, stack in waiting:
                if not engine.waits:
                    stack.close()
            with self._lock:
                self._engines.setdefault(place, []).extend(one for one in waiting if one[0].waits)

    def end(self) -> None:
        """End them all."""
        self.only(())


def _may_run(engine: Engine) -> bool:
    """Return whether cvbuild would find this engine itself: no file decides what is run."""
    with contextlib.suppress(CvbuildError, OSError, ValueError):
        return find.is_installed(engine)
    return False
