"""Show files to somebody who sits at a screen."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from cvbuild.cli import console

#: So many windows are opened at most.
MOST = 10


def has_screen() -> bool:
    """Return whether there is a screen, so that no text browser starts in the terminal."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_all(paths: Iterable[str | None]) -> None:
    """Open files, and say so if that can't be; None stands for a document that failed."""
    found = [path for path in paths if path is not None]
    if not has_screen():
        console.say("note: nothing is opened: there is no screen here")
        return
    for path in found[:MOST]:
        if not open_file(path):
            console.say(f"note: no program was found that opens {path}")
            return
    if len(found) > MOST:
        console.say(f"note: the first {MOST} of {len(found)} PDFs were opened")


def open_file(path: str) -> bool:
    """Open a file with the program that the system has for it; return whether that began."""
    whole = str(Path(path).absolute())
    if sys.platform == "win32":
        try:
            os.startfile(whole)  # noqa: S606 - a PDF that was just built
        except OSError:
            return False
        return True
    import shutil
    import webbrowser

    # Not a browser: this starts a program that runs on when this one has ended.
    program = "open" if sys.platform == "darwin" else "xdg-open"
    if shutil.which(program) is None:
        return False
    webbrowser.BackgroundBrowser(program).open(whole)
    return True


def browse(address: str) -> None:
    """Open an address in the browser; whoever has none finds it in the terminal."""
    import contextlib
    import webbrowser

    # A variable BROWSER that names none, or can't be read.
    with contextlib.suppress(webbrowser.Error, OSError, ValueError):
        webbrowser.open(address)
