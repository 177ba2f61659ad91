"""Preloaded engines: each has read all but the text of a document that may be edited next."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Collection, Iterator
from contextlib import ExitStack
from pathlib import Path

from cvbuild.common.errors import CvbuildError
from cvbuild.common.files import work_folders
from cvbuild.outputs.pdf.tex import find, preloaded_start
from cvbuild.outputs.pdf.tex.preloaded_engine import PreloadedEngine


class PreloadedPool:
    """Preloaded engines by the folder of their document's record.

    Working folders are made in ``parent``; ``cache`` has the formats. Any thread may take one.
    """

    def __init__(self, parent: Path, cache: Path) -> None:
        self._parent = parent
        self._cache = cache
        self._engines: dict[Path, tuple[PreloadedEngine, ExitStack]] = {}
        self._lock = threading.Lock()

    def start(self, place: Path, today: int) -> None:
        """Preload one for the document with the record in ``place``, if possible.

        ``today`` is the day in seconds since 1970.
        """
        if place in self._engines:
            return
        with ExitStack() as stack, contextlib.suppress(CvbuildError, OSError, ValueError):
            folder = stack.enter_context(work_folders.folder(self._parent))
            start = preloaded_start.load(place, folder, today, self._cache)
            if start is None or not start[0].setup:
                return
            # No file decides which program is run.
            if not find.is_installed(start[1]):
                return
            engine = PreloadedEngine(*start)
            stack.callback(engine.end)
            with self._lock:
                self._engines[place] = (engine, stack.pop_all())

    def only(self, places: Collection[Path]) -> None:
        """End all that are for other documents."""
        for place in [one for one in self._engines if one not in places]:
            self._drop(place)

    @contextlib.contextmanager
    def take(self, place: Path) -> Iterator[PreloadedEngine | None]:
        """Yield the engine for this document, or None; it is ended afterwards."""
        with self._lock:
            engine, stack = self._engines.pop(place, (None, ExitStack()))
        with stack:
            yield engine

    def end(self) -> None:
        """End them all."""
        self.only(())

    def _drop(self, place: Path) -> None:
        with self.take(place):
            pass
