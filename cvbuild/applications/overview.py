"""All applications and how they stand, from their files, what was sent, and the notes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date as Day
from pathlib import Path

from cvbuild.applications import history, load
from cvbuild.applications.history import Note
from cvbuild.applications.load import FOLDER, Opened
from cvbuild.applications.sent import archive
from cvbuild.applications.sent.archive import Sent
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError

#: With these, a deadline no longer matters.
_OVER = frozenset({"sent", *history.STATUSES})


@dataclass(frozen=True, slots=True)
class Row:
    """One application; ``diagnostics`` is what is wrong with its file, its log or its packets.

    ``status`` is one of ``history.STATUSES``, "open", "missed": nothing went out by the deadline,
    or "faulty": nothing did, and what is wrong with the file has to be mended first.
    ``changed`` are the files that say something else than when it was last sent.
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
        """A plain object for ``--json``; without the diagnostics."""
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
                {
                    "date": one.date,
                    "folder": str(one.folder),
                    "damaged": one.manifest is None,
                }
                for one in self.sent
            ],
            "changed": list(self.changed),
            "notes": [{"time": note.time, "text": note.text} for note in self.notes],
        }


def slugs(root: Path = Path()) -> tuple[str, ...]:
    """All applications, those too of which nothing is left but what was sent."""
    gone = (one.manifest.slug for one in archive.packets(root) if one.manifest)
    return tuple(dict.fromkeys((*load.slugs(root), *gone)))


def rows(today: Day, root: Path = Path()) -> tuple[Row, ...]:
    """All applications of a workspace, those to be sent next first.

    What was sent and has no file any more is among them. Raises CvbuildError for a folder that
    can't be read.
    """
    of: dict[str, list[Sent]] = {slug: [] for slug in slugs(root)}
    nobodys: list[Diagnostic] = []
    for one in archive.packets(root):
        # One that is damaged has its name alone, which may be the second of a shorter one.
        slug = max((slug for slug in of if one.is_of(slug)), key=len, default=None)
        if slug is None:
            nobodys += one.faults
        else:
            of[slug].append(one)
    made = [_row(slug, tuple(packets), today, root) for slug, packets in of.items()]
    if nobodys:
        made.append(Row("?", status="damaged", diagnostics=tuple(nobodys)))
    return tuple(sorted(made, key=_urgency))


def _urgency(row: Row) -> tuple[bool, Day, str]:
    return row.is_over, row.deadline or Day.max, row.slug


def _row(slug: str, packets: tuple[Sent, ...], today: Day, root: Path) -> Row:
    notes, wrong = _notes(slug, root)
    last = next((one.manifest for one in reversed(packets) if one.manifest), None)
    changed = archive.changed(packets[-1], root) if packets else ()
    employer = last.employer if last else ""
    position, person = (last.position, last.person) if last else ("", "")
    wrong += tuple(fault for one in packets for fault in one.faults)
    document = deadline = None
    faulty = False
    if (root / FOLDER / f"{slug}.yaml").is_file():
        try:
            opened: Opened = load.load(slug, today, root)
        except CvbuildError as error:
            faulty, wrong = True, (*error.diagnostics, *wrong)
        else:
            said = opened.said
            employer, position, person = said.employer, said.position, said.person
            document, deadline = said.variant or said.template, said.deadline
    status = _status(notes, packets[-1].date if packets else None)
    if status == "open" and faulty:
        status = "faulty"
    if status == "open" and deadline is not None and deadline < today:
        status = "missed"
    left = None if deadline is None else (deadline - today).days
    return Row(
        slug=slug,
        employer=employer,
        position=position,
        person=person,
        document=document,
        status=status,
        deadline=deadline,
        days_left=left,
        sent=packets,
        changed=changed,
        notes=notes,
        diagnostics=wrong,
    )


def _notes(slug: str, root: Path) -> tuple[tuple[Note, ...], tuple[Diagnostic, ...]]:
    """The notes; one log that can't be read hides no other application."""
    try:
        return history.read(slug, root)
    except CvbuildError as error:
        return (), error.diagnostics


def _status(notes: Iterable[Note], day: str | None) -> str:
    """What was said last: a note of the day of sending, or later, goes before the packet."""
    said = [note for note in notes if note.status is not None]
    if said and (day is None or said[-1].time[:10] >= day):
        return str(said[-1].status)
    return "open" if day is None else "sent"
