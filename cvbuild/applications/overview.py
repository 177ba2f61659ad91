"""All applications and their status, from their files, what was sent, and the notes."""

from __future__ import annotations

from datetime import date as Day
from pathlib import Path

from msgspec import Struct

from cvbuild.applications import history, load, sent
from cvbuild.applications.history import Note
from cvbuild.applications.model import Application
from cvbuild.applications.sent import Sent
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError


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
        return self.status in history.STATUSES

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
        notes, odd = history.read(slug, root)
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
