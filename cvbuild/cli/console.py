"""Standard streams: diagnostics and progress go to stderr, answers and JSON to stdout.

Streams that are closed, full, or have no reader give an exit code, never a traceback.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from cvbuild.common import memo

if TYPE_CHECKING:
    from cvbuild.common.diagnostics import Diagnostic
    from cvbuild.common.errors import CvbuildError
    from cvbuild.inputs.validation.errors import PrivateLines

#: Characters that could move a terminal's cursor or change its colours.
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

#: Characters that a comparison of texts may skip, so that they hide nothing.
_UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0"
)
#: What begins a command for a build server, which reads the output of each program: `::` at the
#: start of a line for GitHub Actions, and its older `##[` anywhere; others have `##vso[` and such.
_COMMAND = re.compile(rf"(?m)^[\s{_UNSEEN}]*:[{_UNSEEN}]*(?=:)|#[{_UNSEEN}]*#[\w{_UNSEEN}]*(?=\[)")
#: Where a link (OSC 8) is none: terminals that would show its characters.
_WITHOUT_LINKS = (None, "", "dumb", "linux")

#: What each line is printed in: ``progress`` removes its own line meanwhile.
around: Callable[[], AbstractContextManager[None]] = nullcontext
#: -1 after --quiet: only errors and warnings go to stderr; 1 after --verbose.
level = 0


def say(text: str, link: str | None = None) -> None:
    """Print a line to stderr, for people.

    ``link`` is a path in it: on a terminal that knows links it opens the file. After --quiet
    nothing is printed.
    """
    if level >= 0:
        _print(text, sys.stderr, link)


def answer(text: str) -> None:
    """Print a line of the answer to stdout."""
    _print(text, sys.stdout)


def command(text: str) -> None:
    """Print a command for GitHub Actions to stderr; its values are escaped already."""
    _write(CONTROL.sub("\N{REPLACEMENT CHARACTER}", text).replace("\n", " "), sys.stderr)


def _print(text: str, stream: TextIO, link: str | None = None) -> None:
    safe = _printable(text, stream)
    if link and stream.isatty() and os.environ.get("TERM") not in _WITHOUT_LINKS:
        shown, address = _printable(link, stream), Path(link).absolute().as_uri()
        safe = safe.replace(shown, f"\x1b]8;;{address}\x1b\\{shown}\x1b]8;;\x1b\\", 1)
    _write(safe, stream)


def _printable(text: str, stream: TextIO) -> str:
    """Return a text that does nothing but show itself, to a terminal and to GitHub Actions."""
    safe = CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
    safe = _COMMAND.sub(r"\g<0> ", safe)
    encoding = stream.encoding or "utf-8"
    return safe.encode(encoding, "backslashreplace").decode(encoding)


#: The code of the error for a standard output that can't be written.
UNWRITABLE = "output"


def _write(text: str, stream: TextIO) -> None:
    """Print a line; raise CvbuildError if standard output can't be written.

    What can't be told on stderr is lost: the exit code says it, too.
    """
    if stream is sys.stderr:
        memo.said.append(f"{text}\n")
    try:
        with around():
            print(text, file=stream, flush=True)
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        if stream is sys.stdout:
            raise unwritable(error) from None
        discard()


def print_json(value: object) -> None:
    """Print the one JSON object to stdout; raise CvbuildError if that can't be written."""
    _write(json_text(value, indent=2), sys.stdout)


def json_text(value: object, indent: int | None = None) -> str:
    """Return a value as JSON in ASCII, in which no build server finds a command either.

    What has a method ``as_json``, as diagnostics do, is written as that returns it.
    """
    text = json.dumps(value, default=lambda item: item.as_json(), ensure_ascii=True, indent=indent)
    return re.sub(r"##(?=\w*\[)", r"#\\u0023", text) if "##" in text else text


def show(diagnostics: Iterable[Diagnostic]) -> None:
    """Print diagnostics to stderr; on a terminal each with its line and a caret below."""
    for item in diagnostics:
        # Imported here: the quick check loads this module, and mostly has nothing to show.
        from cvbuild.common.diagnostics import excerpt

        if level < 0 and item.severity == "note":
            continue
        text = _text(item) if item.span and item.span.line and sys.stderr.isatty() else ""
        _print(excerpt(item, text) if text else str(item), sys.stderr)


def show_plain(diagnostics: Iterable[Mapping[str, Any]]) -> None:
    """Print diagnostics that are in the form of ``--json``."""
    for item in diagnostics:
        from cvbuild.common.diagnostics import Diagnostic

        show([Diagnostic.from_json(item)])


def forget() -> None:
    """Read files again for the next diagnostics, since they were edited."""
    _file.cache_clear()


def _text(item: Diagnostic) -> str:
    """Return the text of the diagnostic's file; nothing if its line may not be shown."""
    file, line = (item.span.file, item.span.line) if item.span else ("", 0)
    text, private = _file(file)
    return text if private.may_show(line) else ""


@cache
def _file(name: str) -> tuple[str, PrivateLines]:
    """Return the text of a file, and which of its lines are private."""
    from cvbuild.inputs.validation import errors

    try:
        text = Path(name).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        text = ""
    return text, errors.lines(name, text)


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
    reason = getattr(error, "strerror", None) or "it takes no more text"
    return CvbuildError.because(UNWRITABLE, f"can't write to standard output: {reason}")


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
