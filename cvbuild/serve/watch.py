"""Notice what other programs write, and tell the tabs."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Coroutine, Iterable
from pathlib import Path

from cvbuild.applications import load
from cvbuild.common import file_state, work_folders
from cvbuild.common.file_state import Stamp
from cvbuild.inputs import people
from cvbuild.serve.desk import Desk
from cvbuild.serve.tab import Tab

#: Seconds between two looks at the files without an event: folders on a network send none; and how
#: many looks there are until folders are looked for again.
_LOOK, _TURNS = 0.3, 10
_Stamps = dict[Path, Stamp | None]


async def watch(desk: Desk, tabs: list[Tab]) -> None:
    """Tell tabs what has changed, each by itself: one that takes no message keeps none waiting."""
    async with asyncio.TaskGroup() as group:
        known = await asyncio.to_thread(lambda: _stamps(_folders(desk)))
        titles = await asyncio.to_thread(desk.titles)
        while True:
            before, known = known, await asyncio.to_thread(_changed, desk, known)
            paths = {path for path, _ in before.items() ^ known.items()}
            own = {_real(one.path) for one in desk.people().values()}
            others = [path for path in paths if path not in own and path.suffix != ".new"]
            if others:
                await asyncio.to_thread(desk.find_templates)
            told, titles = titles, await asyncio.to_thread(desk.titles)
            for tab in tabs:
                if titles != told:
                    group.create_task(_contained(tab.tell_people(titles)))
                if paths:
                    group.create_task(_contained(tab.look(others=bool(others))))


async def _contained(told: Coroutine[None, None, None]) -> None:
    """Tell a tab; one that is being closed can't be told anything."""
    with contextlib.suppress(RuntimeError):
        await told


def _changed(desk: Desk, known: _Stamps) -> _Stamps:
    """Return the files with their stamps as soon as one was written, or after a while."""
    folders = _folders(desk)
    # In the folder above them, they are made.
    with work_folders.events_of([".", *map(str, folders)]) as wait:
        for _ in range(_TURNS):
            if (now := _stamps(folders)) != known:
                return now
            wait(_LOOK)
    return known


def _stamps(folders: Iterable[Path]) -> _Stamps:
    """Return what is in folders, each with its stamp."""
    found: _Stamps = {}
    for folder in folders:
        with contextlib.suppress(OSError):
            found |= {path: file_state.of(path) for path in folder.iterdir()}
    return found


def _folders(desk: Desk) -> list[Path]:
    """Return the folders in which a file may be written that a document shows."""
    own = (str(people.FOLDER), load.FOLDER, "templates", *desk.template_path)
    inside = (Path(folder) for top in own for folder, _, _ in os.walk(top))
    named = (one.path.parent for one in desk.named)
    return sorted({_real(path) for path in (*inside, *named) if path.is_dir()})


def _real(path: Path) -> Path:
    """Return where links lead; ``resolve`` refuses those that lead to themselves."""
    return Path(os.path.realpath(path))
