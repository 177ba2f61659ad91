"""Standard streams that are closed, full, or have no reader: an exit code, never a traceback."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cvbuild.common.errors import CvbuildError


class _Closed(io.RawIOBase):
    """What stands for a standard output that was closed: each write fails."""

    def writable(self) -> bool:
        return True

    def write(self, _: object) -> int:
        raise OSError(9, os.strerror(9))


def repair() -> None:
    """Put something in place of closed streams, and let all characters be printed somehow."""
    with contextlib.suppress(OSError):
        # Else a file that is opened later gets the number of a stream.
        while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
            pass
        os.close(number)
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(_Closed(), encoding="utf-8", write_through=True)
    if sys.stderr is None:
        sys.stderr = _nowhere()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def finish() -> None:
    """Write what is buffered; raise CvbuildError if standard output can't be written."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        raise unwritable(error) from None


def unwritable(error: OSError | ValueError) -> CvbuildError:
    """Return the error for a standard output that can't be written; discard what is buffered."""
    from cvbuild.common.errors import CvbuildError

    discard()
    reason = getattr(error, "strerror", None) or str(error)
    return CvbuildError.because("output", f"can't write to standard output: {reason}")


def discard() -> None:
    """Drop what is buffered: Python would write it at its end, and report the failure."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        try:
            stream.flush()
        except (OSError, ValueError):
            with contextlib.suppress(OSError, ValueError):
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, stream.fileno())
                os.close(null)
            setattr(sys, name, _nowhere())


def _nowhere() -> io.TextIOWrapper:
    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - as long as the process
