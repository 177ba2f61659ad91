"""The notes on applications, and the status of each.

Notes are lines of ``applications/<slug>.log``, which is only ever appended: for example
``2026-11-21T09:30:00Z interview: with the group, by video``.
"""

from __future__ import annotations

import datetime as dt
import os
import re
import unicodedata
from datetime import date as Day
from pathlib import Path

from msgspec import Struct

from cvbuild.applications import load, sent
from cvbuild.applications.load import FOLDER
from cvbuild.applications.model import Application
from cvbuild.applications.sent import Sent
from cvbuild.common import safe_files, safe_folders
from cvbuild.common.diagnostics import Diagnostic, Span, shown
from cvbuild.common.errors import CvbuildError, UsageError, foreign

#: The words with which a note sets the status.
STATUSES = (
    "sent", "acknowledged", "interview", "offer", "accepted", "declined", "rejected", "withdrawn",
    "closed",
)  # fmt: skip
#: The length of a note in characters, and of the file in bytes.
LONGEST = 1000
MAX_BYTES = 1 << 20
_LINE = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) (\S.*)")
_WORD = re.compile(r"(\w+)(:|$)")


class Note(Struct, frozen=True):
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
    note, path = Note(time, _checked(text)), path_of(slug, root)
    with (
        foreign("note", "can't write the note"),
        safe_folders.opened(root, str(FOLDER)) as folder,
        folder.append(path.name) as file,
    ):
        file.seek(max(0, file.seek(0, os.SEEK_END) - 1))
        # An editor may have left the last line open.
        start = "" if file.read(1) in (b"", b"\n") else "\n"
        # One call, so that two notes at once are two lines.
        file.write(f"{start}{note.time} {note.text}\n".encode())
    return note


def _checked(text: str) -> str:
    line = unicodedata.normalize("NFC", text.strip())
    if not line:
        raise UsageError.because("note", "the note is empty", "write what happened")
    if bad := [char for char in line if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")]:
        fact = f"a note is one line, and can't have the character {shown(bad[0])}"
        raise UsageError.because("note", fact, "write two notes, or a space instead")
    if len(line) > LONGEST:
        fact = f"the note has {len(line)} characters; {LONGEST} are the most"
        raise UsageError.because("note", fact, "write it shorter, or under notes: in the YAML")
    return line


def read(slug: str, root: Path = Path()) -> tuple[tuple[Note, ...], tuple[Diagnostic, ...]]:
    """Return the notes in order, and what is wrong with the file; raises CvbuildError."""
    path = path_of(slug, root)
    with foreign("notes", "can't read the notes", "check the permissions of file and folder"):
        if not path.is_file():
            return (), ()
        text = safe_files.read_inside(path, MAX_BYTES).decode("utf-8", "replace")
    notes, odd = [], []
    for number, line in enumerate(text.split("\n"), 1):
        match = _LINE.fullmatch(line)
        if match:
            notes.append(Note(match[1], match[2]))
        elif line.strip():
            odd.append(Span(str(path), number, 1, number, len(line) + 1))
    if not odd:
        return tuple(notes), ()
    fact = "this line is not a note" + (f", nor are {len(odd) - 1} more" if len(odd) > 1 else "")
    hint = "write a time and a text, as cvbuild applications note does"
    return tuple(notes), (Diagnostic("warning", "notes", fact, odd[0], hint),)


# -- all applications and their status -------------------------------------------------------------


class Row(Struct, frozen=True):
    """One application; ``diagnostics`` is what is wrong with its file or its log.

    ``data`` is what its file says; where that is gone or faulty, what it said when it was last
    sent. ``status`` is one of ``history.STATUSES``, "open", "missed" (nothing was sent by the
    deadline) or "faulty" (nothing was sent, and the file has errors that must be fixed first).
    """

    slug: str
    data: Application | None
    today: Day
    status: str
    sent: tuple[Sent, ...]
    notes: tuple[Note, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def deadline(self) -> Day | None:
        """The last day for it."""
        return self.data.deadline if self.data else None

    @property
    def is_over(self) -> bool:
        """Whether the deadline no longer matters."""
        return self.status in STATUSES

    def as_json(self) -> dict[str, object]:
        """Return a plain object for ``--json``; without the diagnostics."""
        data = self.data
        return {
            "slug": self.slug,
            "employer": data.employer if data else "",
            "position": data.position if data else "",
            "person": data.person if data else "",
            "document": (data.variant or data.template) if data else None,
            "status": self.status,
            "deadline": self.deadline and self.deadline.isoformat(),
            "days_left": self.deadline and (self.deadline - self.today).days,
            "sent": [{"date": one.date, "folder": str(one.folder)} for one in self.sent],
            "notes": [{"time": note.time, "text": note.text} for note in self.notes],
        }


def packets_by_slug(root: Path = Path()) -> dict[str, list[Sent]]:
    """Return what was sent for each application, also for those whose file is gone."""
    by_slug = {slug: list[Sent]() for slug in load.slugs(root)}
    for packet in sent.packets(root):
        by_slug.setdefault(packet.slug, []).append(packet)
    return by_slug


def rows(today: Day, root: Path = Path()) -> tuple[Row, ...]:
    """Return all applications of a workspace, those to be sent next first.

    Raises CvbuildError for a folder that can't be read.
    """
    listed = [
        _row(slug, tuple(packets), today, root) for slug, packets in packets_by_slug(root).items()
    ]
    return tuple(sorted(listed, key=lambda row: (row.is_over, row.deadline or Day.max, row.slug)))


def _row(slug: str, packets: tuple[Sent, ...], today: Day, root: Path) -> Row:
    data, faults = _data(slug, today, root)
    try:
        notes, odd = read(slug, root)
    except CvbuildError as error:  # it hides no other application
        notes, odd = (), error.diagnostics
    status = "faulty" if faults else "open"
    if packets:
        status = "sent"
    elif data and data.deadline and data.deadline < today:
        status = "missed"
    told = [note for note in notes if note.status]
    # A note of the day of sending, or later, goes before the packet.
    if told and (not packets or told[-1].time[:10] >= packets[-1].date):
        status = str(told[-1].status)
    if data is None and packets:
        data, _ = _data(slug, today, packets[-1].folder / sent.INPUTS)
    return Row(slug, data, today, status, packets, notes, (*faults, *odd))


def _data(slug: str, today: Day, root: Path) -> tuple[Application | None, tuple[Diagnostic, ...]]:
    """Return what an application's file says, or its errors; neither if there is none."""
    if not (root / load.FOLDER / f"{slug}.yaml").is_file():
        return None, ()
    try:
        return load.load(slug, today, root).data, ()
    except CvbuildError as error:
        return None, error.diagnostics
