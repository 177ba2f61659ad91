"""Engines on standby: each has read all but the text of a document that may be edited next."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Collection, Iterator
from contextlib import ExitStack
from pathlib import Path

from cvbuild.common import work_folders
from cvbuild.common.errors import CvbuildError
from cvbuild.outputs.pdf.tex import aux_files, probe_cache
from cvbuild.outputs.pdf.tex.preloaded_engine import Waiting


class Standby:
    """The engines that wait, by the folder of their document's record.

    ``parent`` is the folder for theirs, ``cache`` that of formats. Any thread may take one.
    """

    def __init__(self, parent: Path, cache: Path) -> None:
        self._parent = parent
        self._cache = cache
        self._waiting: dict[Path, tuple[Waiting, ExitStack]] = {}
        self._lock = threading.Lock()

    def start(self, place: Path, today: int) -> None:
        """Let one wait for the document whose last build left ``place``, if that can be.

        ``today`` is the day in seconds since 1970.
        """
        if place in self._waiting:
            return
        with ExitStack() as stack, contextlib.suppress(CvbuildError, OSError, ValueError):
            folder = stack.enter_context(work_folders.folder(self._parent))
            left = aux_files.remembered(place, folder, today, self._cache)
            if left is None or not left[0].setup or not left[0].aux:
                return
            # Nobody's file says which program is to be run.
            if not probe_cache.is_installed(left[1]):
                return
            waiting = Waiting(*left)
            stack.callback(waiting.end)
            with self._lock:
                self._waiting[place] = (waiting, stack.pop_all())

    def only(self, places: Collection[Path]) -> None:
        """End all that wait for other documents."""
        for place in [one for one in self._waiting if one not in places]:
            self._drop(place)

    @contextlib.contextmanager
    def taken(self, place: Path) -> Iterator[Waiting | None]:
        """The one that waits for this document, if there is one; it is ended afterwards."""
        with self._lock:
            waiting, stack = self._waiting.pop(place, (None, ExitStack()))
        with stack:
            yield waiting

    def end(self) -> None:
        """End them all."""
        self.only(())

    def _drop(self, place: Path) -> None:
        with self.taken(place):
            pass
