"""Notice what other programs write: people's files, what they name, applications, templates."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
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
    known = await asyncio.to_thread(desk.titles)
    async for paths in _events(desk):
        own = {one.path.resolve() for one in desk.people().values()}
        others = [path for path in paths if path not in own and path.suffix != ".new"]
        if others:
            await asyncio.to_thread(desk.find_templates)
        titles = await asyncio.to_thread(desk.titles)
        for tab in list(desk.tabs):
            # A tab that is being closed can't be told anything.
            with contextlib.suppress(RuntimeError):
                if titles != known:
                    await tab.tell_people(titles)
                if paths or tab.may_differ():
                    await tab.look(others=bool(others))
        known = titles


async def _events(desk: Desk) -> AsyncIterator[set[Path]]:
    """Yield the files that were written; nothing from time to time."""
    polling = False
    while True:
        folders = _folders(desk)
        try:
            async for found in awatch(
                *folders,
                watch_filter=None,
                step=_QUIET,
                rust_timeout=_PATIENCE,
                yield_on_timeout=True,
                raise_interrupt=False,
                force_polling=polling or None,
            ):
                yield {Path(path) for _, path in found}
                if _folders(desk) != folders:
                    break
        except (OSError, RuntimeError):
            # No more folders can be watched: look at the files from time to time.
            if polling:
                await asyncio.sleep(_PATIENCE / 1000)
                yield set()
            polling = True


def _folders(desk: Desk) -> list[Path]:
    """Return the folders in which a file may be written that a document shows."""
    workspace = (people.FOLDER, Path(load.FOLDER), Path("templates"))
    named = (one.path.parent for one in desk.named)
    found = (*workspace, *named, *map(Path, desk.template_path))
    return sorted({path.resolve() for path in found if path.is_dir()})
