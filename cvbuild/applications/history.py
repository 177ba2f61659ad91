"""The notes on an application: lines of ``applications/<slug>.log``, which is only ever appended.

For example ``2026-11-21T09:30:00Z interview: with the group, by video``.
"""

from __future__ import annotations

import datetime as dt
import os
import re
import stat
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from cvbuild.applications.load import FOLDER
from cvbuild.common.diagnostics import Diagnostic, Span, shown
from cvbuild.common.errors import CvbuildError, UsageError, foreign
from cvbuild.common.files import project_files, safe_folders
from cvbuild.common.suggestions import nearest

#: The words with which a note sets the status.
STATUSES = (
    "sent", "acknowledged", "interview", "offer", "accepted", "declined", "rejected", "withdrawn",
    "closed",
)  # fmt: skip
#: The length of a note in characters, and of the file in bytes.
LONGEST = 1000
MAX_BYTES = 1 << 20
#: In bytes: a note's characters, its time and the line ends.
_LONGEST_LINE = 4 * LONGEST + 32
#: How many lines that are not notes are reported one by one.
_REPORTED = 3
_LINE = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) (\S.*)")
_BREAKS = "\n\r\v\f\x85\u2028\u2029"
_WORD = re.compile(r"(\w+)(:|$)")


@dataclass(frozen=True, slots=True)
class Note:
    """A line of the log; ``time`` is UTC, in ISO 8601."""

    time: str
    text: str

    @property
    def status(self) -> str | None:
        """The status that the note sets, if any."""
        match = _WORD.match(self.text)
        word = match[1].lower() if match else None
        return word if word in STATUSES else None


def path_of(slug: str, root: Path = Path()) -> Path:
    """Return the path of the notes on an application."""
    return root / FOLDER / f"{slug}.log"


def add(slug: str, text: str, now: int, root: Path = Path()) -> Note:
    """Append a note; ``now`` in seconds since 1970.

    Raises UsageError for a text that is empty or not one line, CvbuildError if writing fails.
    """
    time = dt.datetime.fromtimestamp(now, dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    note = Note(time, _checked(text))
    path = path_of(slug, root)
    with (
        foreign("note", "can't write the note"),
        safe_folders.opened(root, str(FOLDER)) as folder,
        folder.append(path.name) as file,
    ):
        state = os.fstat(file.fileno())
        _refuse_unusable(path, state)
        # One call, so that two notes at once are two lines.
        file.write(f"{_missing_newline(file, state.st_size)}{note.time} {note.text}\n".encode())
    return note


def _refuse_unusable(path: Path, state: os.stat_result) -> None:
    """Raise CvbuildError for a file to which no readable line can be added."""
    if not stat.S_ISREG(state.st_mode):
        reason, hint = f"{path} is not a regular file", "move it away"
    elif state.st_size > MAX_BYTES - _LONGEST_LINE:
        reason, hint = f"{path} is larger than 1 MiB", "if it isn't a log of notes, move it away"
    else:
        return
    raise CvbuildError.because("note", f"can't write the note: {reason}", hint)


def _checked(text: str) -> str:
    line = unicodedata.normalize("NFC", text.strip())
    if not line:
        raise UsageError.because("note", "the note is empty", "write what happened")
    bad = [char for char in line if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")]
    if any(char in _BREAKS for char in bad):
        raise UsageError.because("note", "a note is one line", "write two notes, or one line")
    if bad:
        reason = f"a note can't have the character {shown(bad[0])}"
        raise UsageError.because("note", reason, "write a space instead, or take it out")
    if len(line) > LONGEST:
        reason = f"the note has {len(line)} characters; {LONGEST} are the most"
        raise UsageError.because("note", reason, "write it shorter, or under notes: in the YAML")
    return line


def _missing_newline(file: FileIO, size: int) -> str:
    """Return the newline that the last line lacks, where an editor left it open."""
    if size == 0:
        return ""
    file.seek(size - 1)
    return "" if file.read(1) == b"\n" else "\n"


def status_hint(note: Note) -> Diagnostic | None:
    """Return a hint if the note's first word looks like a misspelled status, else None."""
    match = _WORD.match(note.text)
    if match is None or note.status is not None or not match[2]:
        return None
    meant = nearest(match[1], STATUSES)
    if meant is None:
        return None
    message = f'"{match[1][:60]}" is not a status, so the status is unchanged'
    return Diagnostic("note", "status", message, hint=f'add another note if you meant "{meant}:"')


def read(slug: str, root: Path = Path()) -> tuple[tuple[Note, ...], tuple[Diagnostic, ...]]:
    """Return the notes in order, and what is wrong with the file; raises CvbuildError."""
    path = path_of(slug, root)
    with foreign("notes", "can't read the notes", "check the permissions of file and folder"):
        if not path.is_file():
            return (), ()
        with project_files.opened(path) as file:
            text = file.read(MAX_BYTES).decode("utf-8", "replace")
            is_long = bool(file.read(1))
    notes, bad = [], []
    for number, line in enumerate(text.split("\n"), 1):
        match = _LINE.fullmatch(line)
        if match and _is_time(match[1]):
            notes.append(Note(match[1], match[2]))
        elif line.strip():
            bad.append(Span(str(path), number, 1, number, len(line) + 1))
    return tuple(notes), tuple(_warnings(path, bad, is_long=is_long))


def _is_time(text: str) -> bool:
    try:
        dt.datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _warnings(path: Path, bad: list[Span], *, is_long: bool) -> Iterator[Diagnostic]:
    """Yield what is wrong: lines that are not notes, and a file that is too long."""
    hint = "write a time and a text, as cvbuild applications note does"
    for span in bad[:_REPORTED]:
        yield Diagnostic("warning", "notes", "this line is not a note", span, hint)
    if len(bad) > _REPORTED:
        message = f"{len(bad) - _REPORTED} more lines are not notes"
        yield Diagnostic("warning", "notes", message, Span(str(path)))
    if is_long:
        message = "the file is larger than 1 MiB, and the rest wasn't read"
        hint = "if it isn't a log of notes, move it away"
        yield Diagnostic("error", "notes", message, Span(str(path)), hint)
