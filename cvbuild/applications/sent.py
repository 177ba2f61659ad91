"""What was sent: a copy of a packet with what people wrote for it, and the hash of each file.

applications/sent/2026-11-21-example-lab/
  (the files)    as they were sent, read-only
  inputs/        people/.., applications/..: what they were made from, but for templates
  SHA256SUMS     as sha256sum writes it

A copy is made under a hidden name and renamed when it is whole. A process that is killed meanwhile
leaves the hidden folder, which the next one removes.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from datetime import date as Day
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.applications.load import FOLDER as APPLICATIONS
from cvbuild.applications.packet.assemble import Packet
from cvbuild.common import file_state, safe_files, work_folders
from cvbuild.common.diagnostics import Diagnostic, Span, quoted, shown
from cvbuild.common.errors import CvbuildError, foreign
from cvbuild.common.safe_files import is_odd
from cvbuild.common.safe_folders import Folder

FOLDER = Path(APPLICATIONS, "sent")
SUMS, INPUTS = "SHA256SUMS", "inputs"
NOTICE = Diagnostic(
    "note", "sent-private", f"{FOLDER.as_posix()}/ may hold private data; it is kept out of git"
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
    """Copy a packet and its inputs into an empty folder, and return the copy: it stays as it is.

    Raises CvbuildError for files that can't be read or written.
    """
    with foreign("sent", "can't copy the packet", "check the folder's permissions"):
        _copied(packet, folder)
    inputs = tuple((name, folder / INPUTS / name) for name, _ in packet.inputs)
    return replace(packet, folder=folder, inputs=inputs)


def keep(packet: Packet, root: Path, day: Day) -> Path:
    """Copy a packet and its inputs into a new folder of the workspace ``root``; return the folder.

    Raises CvbuildError if exactly this was sent on that day already, and for files that can't be
    read or written.
    """
    safe_files.refuse_links(root, FOLDER.as_posix())
    hint = f"nothing was kept; repair {FOLDER.as_posix()}/, and try again"
    with (
        foreign("sent", "can't keep what was sent", hint),
        work_folders.alone(parent := root / FOLDER) as is_alone,
    ):
        for left in parent.glob(f"{_NEW}*") if is_alone else ():
            shutil.rmtree(left, ignore_errors=True)
        if not os.path.lexists(ignoring := parent / ".gitignore"):
            # Also outside of git: the folder may be put into it later.
            safe_files.replace(ignoring, b"*\n")
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
        _create(folder / name, data)
    lines = (f"{digest}  {name}\n" for name, digest in digests.items())
    _create(folder / SUMS, "".join(lines).encode("utf-8"))
    return digests


def _create(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Folder(str(path.parent), None).create(path.name, data, 0o444)


def packets(root: Path, slug: str | None = None) -> tuple[Sent, ...]:
    """Return everything that was sent, or what was for one application, by date.

    Raises CvbuildError if the folder can't be read.
    """
    with foreign("sent", "can't read what was sent", "check the folder's permissions"):
        parent = root / FOLDER
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
