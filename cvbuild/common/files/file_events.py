"""Wait until the system says that something was written in a folder."""

from __future__ import annotations

import ctypes
import os
import select
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

#: Seconds between two looks at the files where there are no events at all.
_PAUSE = 0.2
#: ms between two polls where the system can't wake us: each takes processor time.
_STEP = 20
#: inotify's attributes changed, closed after writing, moved away, moved here, made, deleted. Not
#: each write: the file would be read half written.
_EVENTS = 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200
#: Bytes of events that are read at once; one takes 16, and the name.
_MOST = 1 << 16


@contextmanager
def of(folders: Sequence[str]) -> Iterator[Callable[[float], object]]:
    """Yield what waits for an event in these folders, for so many seconds at most.

    What happens from now on counts. Where no folder can be watched, or no more of them, it only
    sleeps shortly. It raises KeyboardInterrupt.
    """
    with ExitStack() as stack:
        try:
            wait = _inotify(folders, stack) if sys.platform == "linux" else _notify(folders, stack)
        except (OSError, RuntimeError):
            yield lambda _: time.sleep(_PAUSE)
        else:
            yield wait


def _inotify(folders: Sequence[str], stack: ExitStack) -> Callable[[float], object]:
    """Let the process sleep until Linux wakes it; raises OSError."""
    library = ctypes.CDLL(None, use_errno=True)
    handle = library.inotify_init1(os.O_CLOEXEC)
    if handle >= 0:
        stack.callback(os.close, handle)
    marks = [library.inotify_add_watch(handle, os.fsencode(one), _EVENTS) for one in folders]
    if min(handle, *marks) < 0:
        raise OSError(ctypes.get_errno(), "no inotify")
    return lambda most: select.select([handle], [], [], most)[0] and os.read(handle, _MOST)


def _notify(folders: Sequence[str], stack: ExitStack) -> Callable[[float], object]:
    """Poll for the events of other systems; raises OSError or RuntimeError."""
    from watchfiles._rust_notify import RustNotify

    events = stack.enter_context(RustNotify([*folders], False, False, 0, False, True))

    def wait(most: float) -> None:
        if events.watch(_STEP, _STEP, int(most * 1000), None) == "signal":
            raise KeyboardInterrupt

    return wait
