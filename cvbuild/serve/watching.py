"""Notice what other programs write: people's files, what they name, applications, templates."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path

from watchfiles import awatch

from cvbuild.applications import load
from cvbuild.inputs import people
from cvbuild.serve.desk import Desk

#: ms between two looks at the files without an event: folders on a network send none.
_PATIENCE = 3000
#: ms without an event after which a burst of them is over.
_QUIET = 40


async def watch(desk: Desk) -> None:
    """Tell the tabs of a desk what has changed, until cancelled."""
    async with asyncio.TaskGroup() as group:
        await _watch(desk, group)


async def _watch(desk: Desk, group: asyncio.TaskGroup) -> None:
    known = await asyncio.to_thread(desk.titles)
    async for paths in _events(desk):
        own = {_real(one.path) for one in desk.people().values()}
        others = [path for path in paths if path not in own and path.suffix != ".new"]
        if others:
            await asyncio.to_thread(desk.find_templates)
        titles = await asyncio.to_thread(desk.titles)
        for tab in list(desk.tabs):
            # Each by itself: a tab that takes no message must not keep the others waiting.
            if titles != known:
                group.create_task(contained(tab.tell_people(titles)))
            if paths or tab.may_differ():
                group.create_task(contained(tab.look(others=bool(others))))
        known = titles


async def contained(told: Coroutine[None, None, None]) -> None:
    """Tell a tab; one that is being closed can't be told anything."""
    with contextlib.suppress(RuntimeError):
        await told


async def _events(desk: Desk) -> AsyncIterator[set[Path]]:
    """Yield the files that were written; nothing from time to time."""
    polling = False
    while True:
        folders = _folders(desk)
        if not folders:
            # There is nobody yet.
            await asyncio.sleep(_PATIENCE / 1000)
            yield set()
            continue
        try:
            async for events in awatch(
                *folders,
                watch_filter=None,
                step=_QUIET,
                rust_timeout=_PATIENCE,
                yield_on_timeout=True,
                raise_interrupt=False,
                force_polling=polling or None,
            ):
                yield {Path(path) for _, path in events}
                if _folders(desk) != folders:
                    break
        except (OSError, RuntimeError, ExceptionGroup):
            # No more folders can be watched: look at the files from time to time. (What fails while
            # it waits comes in a group.)
            if polling:
                await asyncio.sleep(_PATIENCE / 1000)
                yield set()
            polling = True


def _folders(desk: Desk) -> list[Path]:
    """Return the folders in which a file may be written that a document shows."""
    workspace = (people.FOLDER, Path(load.FOLDER), Path("templates"))
    named = (one.path.parent for one in desk.named)
    folders = (*workspace, *named, *map(Path, desk.template_path))
    return sorted({_real(path) for path in folders if path.is_dir()})


def _real(path: Path) -> Path:
    """Return where links lead; ``resolve`` refuses those that lead to themselves."""
    return Path(os.path.realpath(path))
