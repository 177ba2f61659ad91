"""What is printed: diagnostics and progress on stderr, answers, tables and JSON on stdout.

Streams that are closed, full, or have no reader give an exit code, never a traceback.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from cvbuild.common import memo

if TYPE_CHECKING:
    from cvbuild.common.diagnostics import Diagnostic

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
#: Whether only errors and warnings go to stderr: after --quiet.
is_quiet = False


def say(text: str) -> None:
    """Print a line to stderr, for people; nothing after --quiet."""
    if not is_quiet:
        _print(text, sys.stderr)


def answer(text: str) -> None:
    """Print a line of the answer to stdout."""
    _print(text, sys.stdout)


def command(text: str) -> None:
    """Print a command for GitHub Actions to stderr; its values are escaped already."""
    _write(CONTROL.sub("\N{REPLACEMENT CHARACTER}", text).replace("\n", " "), sys.stderr)


def _print(text: str, stream: TextIO) -> None:
    """Print a text that does nothing but show itself, to a terminal and to GitHub Actions."""
    safe = _COMMAND.sub(r"\g<0> ", CONTROL.sub("\N{REPLACEMENT CHARACTER}", text))
    encoding = stream.encoding or "utf-8"
    _write(safe.encode(encoding, "backslashreplace").decode(encoding), stream)


#: The code of the error for a standard output that can't be written.
UNWRITABLE = "output"


def _write(text: str, stream: TextIO, end: str = "\n") -> None:
    """Print a line; raise CvbuildError if standard output can't be written."""
    is_answer = stream is sys.stdout
    if stream is sys.stderr:
        memo.said.append(f"{text}\n")
    try:
        if text or end:  # writing nothing fails, too, if it is closed
            print(text, end=end, file=stream)
        stream.flush()
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        discard()
        if is_answer:
            from cvbuild.common.diagnostics import CvbuildError

            reason = getattr(error, "strerror", None) or "it takes no more text"
            fact = f"can't write to standard output: {reason}"
            raise CvbuildError.because(UNWRITABLE, fact) from None


def finish() -> None:
    """Write what is buffered; raise CvbuildError if standard output can't be written."""
    _write("", sys.stdout, end="")


def print_json(value: object) -> None:
    """Print the one JSON object to stdout; raise CvbuildError if that can't be written."""
    _write(json_text(value, indent=2), sys.stdout)


def json_text(value: object, indent: int | None = None) -> str:
    """Return a value, or its ``as_json``, in ASCII: no build server finds a command in it."""
    text = json.dumps(value, default=lambda item: item.as_json(), ensure_ascii=True, indent=indent)
    return re.sub(r"##(?=\w*\[)", r"#\\u0023", text) if "##" in text else text


def show(diagnostics: Iterable[Diagnostic | Mapping[str, Any]]) -> None:
    """Print diagnostics to stderr, or what ``--json`` has of them."""
    for item in diagnostics:
        from cvbuild.common.diagnostics import Diagnostic

        fault = item if isinstance(item, Diagnostic) else Diagnostic.from_json(item)
        if not is_quiet or fault.severity != "note":
            _print(str(fault), sys.stderr)


def repair() -> None:
    """Put something in place of closed streams, and let all characters be printed somehow."""
    with contextlib.suppress(OSError):
        # Else a file that is opened later gets the number of a stream.
        while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
            pass
        os.close(number)
    if sys.stdout is None:
        # Each write fails.
        sys.stdout = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


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
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115


# -- words and tables ------------------------------------------------------------------------------


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: 1 page, 2 pages."""
    return f"{count} {noun if count == 1 else plural or f'{noun}s'}"


def some(names: Sequence[str], most: int = 3, rest: str = " and {} more") -> str:
    """Return the first few names, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (rest.format(more) if more > 0 else "")


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return lines with aligned columns, without empty columns."""
    from cvbuild.common.diagnostics import cells

    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell + " " * (size - cells(cell))
            for cell, size in zip(row, widths, strict=True)
            if size
        ).rstrip()
        for row in rows
    ]


def has_screen() -> bool:
    """Return whether somebody sits at a screen: no text browser may start in the terminal."""
    has_windows = sys.platform in ("darwin", "win32")
    has_windows |= bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return has_windows and sys.stderr.isatty()


def browse(address: str) -> None:
    """Open an address in the browser; whoever has none finds it in the terminal."""
    import webbrowser

    # A variable BROWSER that names none, or can't be read.
    with contextlib.suppress(webbrowser.Error, OSError, ValueError):
        webbrowser.open(address)
