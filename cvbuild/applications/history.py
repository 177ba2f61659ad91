"""Notes on an application: lines of ``applications/<slug>.log``, which is only ever added to.

Such as ``2026-11-21T09:30:00Z interview: with the group, by video``.
"""

from __future__ import annotations

import datetime as dt
import os
import re
import stat
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cvbuild.applications.load import FOLDER
from cvbuild.common import safe_files
from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.errors import CvbuildError, UsageError, foreign
from cvbuild.common.positions import shown
from cvbuild.common.suggestions import nearest

#: What a note may begin with in order to say how things stand.
STATUSES = (
    "sent", "acknowledged", "interview", "offer", "accepted", "declined", "rejected", "withdrawn",
    "closed",
)  # fmt: skip
#: In characters and in bytes.
LONGEST = 1000
MAX_BYTES = 1 << 20
#: In bytes: a note's characters, its time and the ends of lines.
_LONGEST_LINE = 4 * LONGEST + 32
#: Lines of a log that are no notes and are told one by one.
_TOLD = 3
_LINE = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) (\S.*)")
_BREAKS = "\n\r\v\f\x85\u2028\u2029"
_WORD = re.compile(r"(\w+)(:|$)")
_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
# Without it, opening a named pipe waits for its reader.
_APPEND |= getattr(os, "O_NONBLOCK", 0)


@dataclass(frozen=True, slots=True)
class Note:
    """A line of the log; ``time`` is UTC, as ISO 8601 has it."""

    time: str
    text: str

    @property
    def status(self) -> str | None:
        """How things stand since, if the note says so."""
        found = _WORD.match(self.text)
        word = found[1].lower() if found else None
        return word if word in STATUSES else None


def path_of(slug: str, root: Path = Path()) -> Path:
    """Where the notes on an application are."""
    return root / FOLDER / f"{slug}.log"


def add(slug: str, text: str, now: int, root: Path = Path()) -> Note:
    """Add a line; ``now`` in seconds since 1970.

    Raises UsageError for a text that is none or no line, CvbuildError where it can't be written.
    """
    time = dt.datetime.fromtimestamp(now, dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    note = Note(time, _checked(text))
    path = path_of(slug, root)
    safe_files.refuse_links(root, str(FOLDER))
    with foreign("note", "can't write the note"):
        handle = os.open(path, _APPEND, 0o666)
        try:
            _refuse_odd(path, os.fstat(handle))
            # One call, so that two notes at once are two lines.
            os.write(handle, f"{_ended(path)}{note.time} {note.text}\n".encode())
        finally:
            os.close(handle)
    return note


def _refuse_odd(path: Path, there: os.stat_result) -> None:
    """Raise CvbuildError for a file that can't take a line which ``read`` would find again."""
    if not stat.S_ISREG(there.st_mode):
        reason, hint = f"{path} is no regular file", "move it away"
    elif there.st_size > MAX_BYTES - _LONGEST_LINE:
        reason, hint = f"{path} is larger than 1 MiB", "is it a log of notes? move it away"
    else:
        return
    raise CvbuildError.because("note", f"can't write the note: {reason}", hint)


def _checked(text: str) -> str:
    line = unicodedata.normalize("NFC", text.strip())
    if not line:
        raise UsageError.because("note", "the note is empty", "write what happened")
    odd = [char for char in line if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")]
    if any(char in _BREAKS for char in odd):
        raise UsageError.because("note", "a note is one line", "write two notes, or one line")
    if odd:
        reason = f"a note can't have the character {shown(odd[0])}"
        raise UsageError.because("note", reason, "write a space instead, or take it out")
    if len(line) > LONGEST:
        reason = f"the note has {len(line)} characters; {LONGEST} are the most"
        raise UsageError.because("note", reason, "write it shorter, or under notes: in the YAML")
    return line


def _ended(path: Path) -> str:
    """What ends the last line, where an editor left it open."""
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return ""
        file.seek(-1, os.SEEK_END)
        return "" if file.read() == b"\n" else "\n"


def doubt(note: Note) -> Diagnostic | None:
    """A note on a note whose first word may have been meant as a status."""
    found = _WORD.match(note.text)
    if found is None or note.status is not None or not found[2]:
        return None
    meant = nearest(found[1], STATUSES)
    if meant is None:
        return None
    message = f'"{found[1][:60]}" is no status, so the status is as it was'
    return Diagnostic("note", "status", message, hint=f'add another note if you meant "{meant}:"')


def read(slug: str, root: Path = Path()) -> tuple[tuple[Note, ...], tuple[Diagnostic, ...]]:
    """The notes in their order, and what is wrong with the file; raises CvbuildError."""
    path = path_of(slug, root)
    with foreign("notes", "can't read the notes", "look at the rights of file and folder"):
        if not path.is_file():
            return (), ()
        with safe_files.regular(path) as file:
            text = file.read(MAX_BYTES).decode("utf-8", "replace")
            is_long = bool(file.read(1))
    notes, odd = [], []
    for number, line in enumerate(text.split("\n"), 1):
        found = _LINE.fullmatch(line)
        if found and _is_time(found[1]):
            notes.append(Note(found[1], found[2]))
        elif line.strip():
            odd.append(Span(str(path), number, 1, number, len(line) + 1))
    return tuple(notes), tuple(_wrong(path, odd, is_long=is_long))


def _is_time(text: str) -> bool:
    try:
        dt.datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _wrong(path: Path, odd: list[Span], *, is_long: bool) -> Iterator[Diagnostic]:
    """What to say of lines that are no notes, and of a file that wasn't read to its end."""
    hint = "a line is a time and a text, as cvbuild applications note writes it"
    for span in odd[:_TOLD]:
        yield Diagnostic("warning", "notes", "this line is no note", span, hint)
    if len(odd) > _TOLD:
        message = f"{len(odd) - _TOLD} more lines are no notes"
        yield Diagnostic("warning", "notes", message, Span(str(path)))
    if is_long:
        message = "the file is larger than 1 MiB, and what is beyond wasn't read"
        yield Diagnostic("error", "notes", message, Span(str(path)), "is it a log of notes?")
