"""Whether a page can be shown to whoever sits at this terminal."""

from __future__ import annotations

import os
import sys


def has_browser() -> bool:
    """Return whether somebody sits at a screen, so that no text browser starts in the terminal."""
    if not sys.stderr.isatty():
        return False
    return sys.platform in ("darwin", "win32") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
