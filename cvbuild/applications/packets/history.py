"""What was sent: a copy of a packet with what people wrote for it, and the hash of each file.

applications/sent/2026-11-21-example-lab/
  (the files)    as they were sent, read-only
  inputs/        people/.., applications/..: what they were made from, but for templates
  SHA256SUMS     as sha256sum writes it

A copy is made under a hidden name and renamed when it is whole. A process that is killed meanwhile
leaves the hidden folder, which the next one removes.
"""

from __future__ import annotations

import datetime as dt
import os
import re
import shutil
import tempfile
import unicodedata
from datetime import date as Day
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.applications import load
from cvbuild.applications.load import FOLDER
from cvbuild.applications.packets.packet import Packet
from cvbuild.common.diagnostics import (
    CvbuildError,
    Diagnostic,
    Span,
    UsageError,
    foreign,
    quoted,
    shown,
)
from cvbuild.common.files import file_state, safe_files, safe_folders
from cvbuild.common.files.safe_files import is_odd
from cvbuild.model.application import Application

SENT_FOLDER = Path(FOLDER, "sent")
SUMS, INPUTS = "SHA256SUMS", "inputs"
NOTICE = Diagnostic(
    "note",
    "sent-private",
    f"{SENT_FOLDER.as_posix()}/ may hold private data; it is kept out of git",
)
_NEW = ".new-"
_DATED = re.compile(r"\d{4}-\d\d-\d\d-.+")


class Sent(Struct, frozen=True):
    """A packet that was sent, in a folder such as 2026-11-21-example-lab, or …-lab.2 after it."""

    folder: Path

    @property
    def slug(self) -> str:
        """The application."""
        return self.folder.name[11:].partition(".")[0]

    @property
    def date(self) -> str:
        """The day on which it was sent: 2026-11-21."""
        return self.folder.name[:10]

    def files(self) -> list[str]:
        """Return the names of the files that were sent."""
        return sorted(
            path.name for path in self.folder.iterdir() if path.is_file() and path.name != SUMS
        )


def taken(packet: Packet, folder: Path) -> Packet:
    """Copy a packet and its inputs into an empty folder; return the copy. Raises CvbuildError."""
    with foreign("sent", "can't copy the packet", "check the folder's permissions"):
        _copied(packet, folder)
    inputs = tuple((name, folder / INPUTS / name) for name, _ in packet.inputs)
    return replace(packet, folder=folder, inputs=inputs)


def keep(packet: Packet, root: Path, day: Day) -> Path:
    """Copy a packet and its inputs into a new folder of the workspace; return that, or raise."""
    hint = f"nothing was kept; repair {SENT_FOLDER.as_posix()}/, and try again"
    with (
        foreign("sent", "can't keep what was sent", hint),
        safe_folders.locked(safe_folders.real(root, *SENT_FOLDER.parts, make=True)) as is_locked,
    ):
        parent = root / SENT_FOLDER
        for left in parent.glob(f"{_NEW}*") if is_locked else ():
            shutil.rmtree(left, ignore_errors=True)
        if not os.path.lexists(ignoring := parent / ".gitignore"):
            # Also outside of git: the folder may be put into it later.
            safe_folders.write(ignoring, b"*\n")
        with tempfile.TemporaryDirectory(prefix=_NEW, dir=parent) as new:
            digests = _copied(packet, folder := Path(new, "packet"))
            for before in packets(root, packet.application.slug):
                if before.date == day.isoformat() and _hashes(before) == digests:
                    fact = f"already sent on {day}: {before.folder} is the same"
                    raise CvbuildError.because("already-sent", fact, "there is nothing new to keep")
            free, number = parent / f"{day}-{packet.application.slug}", 1
            while os.path.lexists(free):
                number += 1
                # No slug has a full stop.
                free = free.with_suffix(f".{number}")
            safe_files.move(folder, free)
            return free


def _copied(packet: Packet, folder: Path) -> dict[str, str]:
    """Copy the files and inputs of a packet, and write their hashes; return these by name."""
    sources = {name: packet.folder / name for name in packet.files}
    sources |= {f"{INPUTS}/{name}": path for name, path in packet.inputs}
    for name in sources:
        # First of all: whatever is copied must stay in the folder.
        if any(part in ("", ".", "..") or is_odd(part) for part in name.split("/")):
            fact = f"can't keep what was sent: {quoted(name, 80)} is no name for a copy"
            raise CvbuildError.because("sent", fact, "rename the file")
    digests = {}
    for name, path in sorted(sources.items()):
        data = safe_files.read_inside(path, file_state.LARGEST)
        digests[name] = file_state.hash_of(data)
        copy = folder / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        safe_folders.create(copy, data, 0o444)
    lines = (f"{digest}  {name}\n" for name, digest in digests.items())
    safe_folders.create(folder / SUMS, "".join(lines).encode("utf-8"), 0o444)
    return digests


def packets(root: Path, slug: str | None = None) -> tuple[Sent, ...]:
    """Return all that was sent, or for one application, by date; raises CvbuildError."""
    with foreign("sent", "can't read what was sent", "check the folder's permissions"):
        parent = root / SENT_FOLDER
        paths = parent.iterdir() if parent.is_dir() else ()
        folders = [path for path in paths if _DATED.fullmatch(path.name) and path.is_dir()]
    # By day; the tenth packet of a day comes after the second.
    folders.sort(key=lambda path: (path.name[:10], len(path.name), path.name))
    return tuple(sent for sent in map(Sent, folders) if slug in (None, sent.slug))


def _hashes(sent: Sent) -> dict[str, str] | None:
    """Return the hashes of a packet's files by name; None if they can't be read."""
    try:
        text = safe_files.read(sent.folder / SUMS, file_state.LARGEST, links=False).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    return {line[66:]: line[:64] for line in text.split("\n") if line}


def check(sent: Sent) -> tuple[Diagnostic, ...]:
    """Return an error for each file that is missing, changed or added; no link is followed."""
    folder, expected = sent.folder, _hashes(sent)
    faults = {SUMS: "is missing, or can't be read"}
    if folder.is_symlink():
        faults = {"": "is a link, and not what was sent"}
    elif expected is not None:
        paths = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
        present = {path.relative_to(folder).as_posix(): path for path in sorted(paths)}
        faults = dict.fromkeys(expected.keys() - present.keys(), "is missing")
        for name in present.keys() - {SUMS}:
            if name not in expected:
                faults[name] = "was added after it was sent"
            elif file_state.file_hash(present[name]) != expected[name]:
                faults[name] = "was changed since it was sent"
    hint = "restore it from a backup: it isn't what was sent any more"
    return tuple(
        Diagnostic("error", "touched", fault, Span(shown(str(folder / name))), hint)
        for name, fault in sorted(faults.items())
    )


# -- notes, and the status of each application -----------------------------------------------------

#: The words with which a note sets the status.
STATUSES = (
    "sent", "acknowledged", "interview", "offer", "accepted", "declined", "rejected", "withdrawn",
    "closed",
)  # fmt: skip
#: The size of the file in bytes.
MAX_BYTES = 1 << 20
_LINE = re.compile(r"(?:(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) )?\s*(\S.*)")


class Note(Struct, frozen=True):
    """A line of the log; ``time`` is UTC, in ISO 8601, and empty where a line has none."""

    time: str
    text: str

    @property
    def status(self) -> str | None:
        """The status that the note sets, if any."""
        word = self.text.partition(":")[0].lower()
        return word if word in STATUSES else None


def path_of(slug: str, root: Path = Path()) -> Path:
    """Return the path of the notes on an application."""
    return root / FOLDER / f"{slug}.log"


def add_note(slug: str, text: str, now: int, root: Path = Path()) -> Note:
    """Append a note, ``now`` in seconds since 1970; raises UsageError if it isn't one line."""
    line = unicodedata.normalize("NFC", text.strip())
    if not line:
        raise UsageError.because("note", "the note is empty", "write what happened")
    if bad := [char for char in line if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")]:
        fact = f"a note is one line, and can't have the character {shown(bad[0])}"
        raise UsageError.because("note", fact, "write two notes, or a space instead")
    time = dt.datetime.fromtimestamp(now, dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    note, path = Note(time, line), path_of(slug, root)
    safe_files.refuse_links(root, f"{FOLDER}/{path.name}")
    with foreign("note", "can't write the note"), path.open("a+b", buffering=0) as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - 1))
        # An editor may have left the last line open.
        start = "" if file.read(1) in (b"", b"\n") else "\n"
        # One call, so that two notes at once are two lines.
        file.write(f"{start}{note.time} {note.text}\n".encode())
    return note


def read_notes(slug: str, root: Path = Path()) -> tuple[Note, ...]:
    """Return the notes in order; a line without a time is one, too. Raises CvbuildError."""
    path = path_of(slug, root)
    with foreign("notes", "can't read the notes", "check the permissions of file and folder"):
        text = safe_files.read_inside(path, MAX_BYTES) if path.is_file() else b""
    lines = map(_LINE.fullmatch, text.decode("utf-8", "replace").split("\n"))
    return tuple(Note(*line.groups("")) for line in lines if line)


# -- all applications and their status -------------------------------------------------------------


class Row(Struct, frozen=True):
    """One application; ``diagnostics`` is what is wrong with its file or its log.

    ``data`` is what its file says, or said when it was sent. ``status`` is one of ``STATUSES``, or
    open, missed (not sent by the deadline), faulty (not sent, and the file has errors).
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
            "sent": [{"date": packet.date, "folder": str(packet.folder)} for packet in self.sent],
            "notes": [{"time": note.time, "text": note.text} for note in self.notes],
        }


def rows(today: Day, root: Path = Path()) -> tuple[Row, ...]:
    """Return all applications of a workspace, those to be sent next first; raises CvbuildError."""
    # Also those whose file is gone.
    listed, by_slug = [], {slug: list[Sent]() for slug in load.slugs(root)}
    for packet in packets(root):
        by_slug.setdefault(packet.slug, []).append(packet)
    for slug, sent in by_slug.items():
        data, faults = _data(slug, today, root)
        status = "faulty" if faults else "open"
        try:
            notes = read_notes(slug, root)
        except CvbuildError as error:  # it hides no other application
            notes, faults = (), (*faults, *error.diagnostics)
        if sent:
            status = "sent"
        elif data and data.deadline and data.deadline < today:
            status = "missed"
        changes = [note for note in notes if note.status]
        # A note of the day of sending, or later, goes before the packet.
        if changes and (not sent or changes[-1].time[:10] >= sent[-1].date):
            status = str(changes[-1].status)
        if data is None and sent:
            data, _ = _data(slug, today, sent[-1].folder / INPUTS)
        listed.append(Row(slug, data, today, status, tuple(sent), notes, faults))
    return tuple(sorted(listed, key=lambda row: (row.is_over, row.deadline or Day.max, row.slug)))


def _data(slug: str, today: Day, root: Path) -> tuple[Application | None, tuple[Diagnostic, ...]]:
    """Return what an application's file says, or its errors; neither if there is none."""
    if not (root / load.FOLDER / f"{slug}.yaml").is_file():
        return None, ()
    try:
        return load.load(slug, today, root).data, ()
    except CvbuildError as error:
        return None, error.diagnostics
