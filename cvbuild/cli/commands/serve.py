"""``cvbuild serve``: edit a person's file in the browser, beside the pages that it makes."""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from cvbuild.building.environment import today, workspace_library
from cvbuild.cli import console, viewer
from cvbuild.common import extras, user_cache
from cvbuild.inputs import people
from cvbuild.outputs.task import Settings


def run(given: argparse.Namespace) -> int:
    """Serve until a signal ends it; return 0, since that is how it ends."""
    try:
        from cvbuild.serve import server
        from cvbuild.serve.desk import Desk, private_folder
    except ImportError as error:
        raise extras.missing("cvbuild serve", "web", error) from None
    found = people.find([given.person]) if given.person else ()
    first = found[0].name if found else None
    cache = user_cache.folder()
    with private_folder(cache) as folder:
        settings = Settings(
            out=folder,
            library=workspace_library(given.template_path),
            today=today(),
            engine=given.engine,
            timeout=given.timeout,
            cache=cache,
        )
        desk = Desk(settings, folder, tuple(given.template_path), found, first)

        def started(address: str, door: Callable[[], Path]) -> None:
            console.say(f"serving {address}; Ctrl-C ends it")
            if given.open and sys.stderr.isatty() and viewer.has_screen():
                # In a thread: a browser may stay in the foreground.
                page = door().as_uri()
                threading.Thread(target=viewer.browse, args=(page,), daemon=True).start()

        server.run(desk, given.port, started)
    console.say("stopped")
    return 0
