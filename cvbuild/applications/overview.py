"""All applications and their status, from their files, what was sent, and the notes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date as Day
from pathlib import Path

from cvbuild.applications import history, load
from cvbuild.applications.history import Note
from cvbuild.applications.load import FOLDER
from cvbuild.applications.model import Application
from cvbuild.applications.sent import archive
from cvbuild.applications.sent.archive import Sent
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError

#: The statuses with which a deadline no longer matters.
_OVER = frozenset({"sent", *history.STATUSES})


@dataclass(frozen=True, slots=True)
class Row:
    """One application; ``diagnostics`` is what is wrong with its file, its log or its packets.

    ``status`` is one of ``history.STATUSES``, "open", "missed" (nothing was sent by the deadline)
    or "faulty" (nothing was sent, and the file has errors that must be fixed first). ``changed``
    are the files that differ from when it was last sent.
    """

    slug: str
    employer: str = ""
    position: str = ""
    person: str = ""
    document: str | None = None
    status: str = "open"
    deadline: Day | None = None
    days_left: int | None = None
    sent: tuple[Sent, ...] = ()
    changed: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def is_over(self) -> bool:
        """Whether the deadline no longer matters."""
        return self.status in _OVER

    def as_json(self) -> dict[str, object]:
        """Return a plain object for ``--json``; without the diagnostics."""
        return {
            "slug": self.slug,
            "employer": self.employer,
            "position": self.position,
            "person": self.person,
            "document": self.document,
            "status": self.status,
            "deadline": self.deadline and self.deadline.isoformat(),
            "days_left": self.days_left,
            "sent": [
                {"date": one.date, "folder": str(one.folder), "damaged": one.manifest is None}
                for one in self.sent
            ],
            "changed": list(self.changed),
            "notes": [{"time": note.time, "text": note.text} for note in self.notes],
        }


def slugs(root: Path = Path()) -> tuple[str, ...]:
    """Return all applications, also those of which only what was sent is left."""
    gone = (one.manifest.slug for one in archive.packets(root) if one.manifest)
    return tuple(dict.fromkeys((*load.slugs(root), *gone)))


def rows(today: Day, root: Path = Path()) -> tuple[Row, ...]:
    """Return all applications of a workspace, those to be sent next first.

    Applications that were sent and have no file any more are among them. Raises CvbuildError for a
    folder that can't be read.
    """
    by_slug: dict[str, list[Sent]] = {slug: [] for slug in slugs(root)}
    stray_faults: list[Diagnostic] = []
    for sent in archive.packets(root):
        # A damaged one has only its name, which may be the second packet of a shorter slug.
        slug = max((slug for slug in by_slug if sent.is_of(slug)), key=len, default=None)
        if slug is None:
            stray_faults += sent.faults
        else:
            by_slug[slug].append(sent)
    listed = [_row(slug, tuple(packets), today, root) for slug, packets in by_slug.items()]
    if stray_faults:
        listed.append(Row("?", status="damaged", diagnostics=tuple(stray_faults)))
    return tuple(sorted(listed, key=lambda row: (row.is_over, row.deadline or Day.max, row.slug)))


def _row(slug: str, packets: tuple[Sent, ...], today: Day, root: Path) -> Row:
    notes, diagnostics = _notes(slug, root)
    diagnostics += tuple(fault for packet in packets for fault in packet.faults)
    status = _status(notes, packets[-1].date if packets else None)
    data: Application | None = None
    if (root / FOLDER / f"{slug}.yaml").is_file():
        try:
            data = load.load(slug, today, root).data
        except CvbuildError as error:
            diagnostics = (*error.diagnostics, *diagnostics)
            status = "faulty" if status == "open" else status
    deadline = data.deadline if data else None
    if status == "open" and deadline is not None and deadline < today:
        status = "missed"
    # A file that is gone or faulty: what was last sent says the same.
    about = data or next((one.manifest for one in reversed(packets) if one.manifest), None)
    return Row(
        slug=slug,
        employer=about.employer if about else "",
        position=about.position if about else "",
        person=about.person if about else "",
        document=(data.variant or data.template) if data else None,
        status=status,
        deadline=deadline,
        days_left=(deadline - today).days if deadline else None,
        sent=packets,
        changed=archive.changed(packets[-1], root) if packets else (),
        notes=notes,
        diagnostics=diagnostics,
    )


def _notes(slug: str, root: Path) -> tuple[tuple[Note, ...], tuple[Diagnostic, ...]]:
    """Return the notes; a log that can't be read hides no other application."""
    try:
        return history.read(slug, root)
    except CvbuildError as error:
        return (), error.diagnostics


def _status(notes: Iterable[Note], day: str | None) -> str:
    """Return the last status; a note of the day of sending, or later, goes before the packet."""
    with_status = [note for note in notes if note.status is not None]
    if with_status and (day is None or with_status[-1].time[:10] >= day):
        return str(with_status[-1].status)
    return "open" if day is None else "sent"
