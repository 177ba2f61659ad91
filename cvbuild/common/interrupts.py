"""Signals that ask this process to end: as an exception, and as a fact that no code can lose.

The handler raises an exception. Python discards exceptions in callbacks (of weak references, of
finalisers, of the garbage collector), and an import runs such callbacks; therefore the handler also
notes the signal, and loops ask ``check``.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
_received: int | None = None


class Stop:
    """Whether all work stops: a child's failure means nothing then, and none runs meanwhile."""

    is_set = False


stop = Stop()


class Terminated(KeyboardInterrupt):
    """A signal asked this process to end; ``exit_code`` is the shell's for that signal."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.exit_code = 128 + number


def check() -> None:
    """Raise Terminated if a signal has come, also if its exception was lost before."""
    if _received is not None:
        raise Terminated(_received)


@contextmanager
def exit_on_signals() -> Iterator[None]:
    """End on signals as on Ctrl-C, with all children and tidily, at the latest after the block.

    A second signal ends the process at once. Of two such blocks the outer one tidies up.
    """
    global _received
    before, hook = {}, sys.unraisablehook
    threading = sys.modules.get("threading")  # without it there are no other threads
    if not threading or threading.current_thread() is threading.main_thread():
        # Those that nobody ignores (as nohup does) or handles.
        usual = (signal.SIG_DFL, signal.default_int_handler)
        for number in filter(None, (getattr(signal, name, None) for name in _SIGNALS)):
            if signal.getsignal(number) in usual:
                before[number] = signal.signal(number, _end)
    if before:
        # That of a signal is no news if it is discarded.
        _received, sys.unraisablehook = (
            None,
            lambda lost: (
                None if isinstance(lost.exc_value, Terminated) else sys.__unraisablehook__(lost)
            ),
        )
    try:
        yield
        check()
    except Exception:
        # Code in C or Rust that is interrupted raises an error of its own for that.
        check()
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if before:
            _received, sys.unraisablehook = None, hook


def _end(number: int, _: FrameType | None) -> None:
    global _received  # noqa: PLW0603
    _received = number
    for name in _SIGNALS:
        other = getattr(signal, name, None)
        if other is not None and signal.getsignal(other) is _end:
            signal.signal(other, signal.SIG_DFL)
    raise Terminated(number)
