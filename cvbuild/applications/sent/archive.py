"""The archive of what was sent: packets frozen with everything that they were made from.

applications/sent/2026-11-21-example-lab/
  manifest.json    what it is, and the hash of everything else
  (the files)      as they were sent
  inputs/          people/.., applications/.., templates/..: a workspace to rebuild them in
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date as Day
from pathlib import Path, PurePosixPath

from cvbuild.applications.packet.assemble import Packet
from cvbuild.applications.sent import frozen_folder, manifest, rebuild
from cvbuild.applications.sent.manifest import INPUTS, NAME, File, Input, Manifest
from cvbuild.applications.sent.rebuild import Build, Verdict
from cvbuild.common import git
from cvbuild.common.diagnostics import Diagnostic, Span, shown
from cvbuild.common.errors import CvbuildError, ProfileError, foreign
from cvbuild.common.files import safe_files, work_folders
from cvbuild.inputs.yaml import source

FOLDER = Path("applications", "sent")
_MODIFIED = "restore it from a backup: it isn't what was sent any more"
_DAMAGED = "restore the folder from a backup, or move it away"


@dataclass(frozen=True, slots=True)
class Sent:
    """A packet that was frozen; if its manifest is invalid, there are faults instead."""

    folder: Path
    manifest: Manifest | None
    faults: tuple[Diagnostic, ...] = ()

    @property
    def date(self) -> str:
        """The day on which it was sent: 2026-11-21; without a manifest, from the folder's name."""
        return self.manifest.date if self.manifest else self.folder.name[:10]

    def is_of(self, slug: str) -> bool:
        """Return whether it is of that application; without a manifest, by the folder's name."""
        if self.manifest is not None:
            return self.manifest.slug == slug
        return _place(slug, r"\d{4}-\d\d-\d\d").fullmatch(self.folder.name) is not None


@dataclass(frozen=True, slots=True)
class Verified:
    """The result of verifying a packet; ``files`` only if it was built again."""

    packet: Sent
    diagnostics: tuple[Diagnostic, ...] = ()
    files: Mapping[str, Verdict] = field(default_factory=dict)

    @property
    def is_whole(self) -> bool:
        """Whether nothing of it is an error."""
        return not any(item.severity == "error" for item in self.diagnostics)

    @property
    def same(self) -> tuple[str, ...]:
        """The files that have the same bytes when they are built again."""
        return tuple(name for name, verdict in self.files.items() if verdict == "same")

    @property
    def built(self) -> bool:
        """Whether any of the files could be built again."""
        return any(verdict != "none" for verdict in self.files.values())

    def as_json(self) -> dict[str, object]:
        """Return a plain object for ``--json``."""
        manifest = self.packet.manifest
        return {
            "folder": str(self.packet.folder),
            "slug": manifest and manifest.slug,
            "date": manifest and manifest.date,
            "ok": self.is_whole,
            "files": dict(self.files),
            "diagnostics": [item.as_json() for item in self.diagnostics],
        }


def freeze(packet: Packet, root: Path, day: Day, again: Callable[[], Packet] | None = None) -> Path:
    """Copy the packet and its inputs into a read-only folder of ``root``; return the folder.

    A process that is killed meanwhile leaves no packet there, or a whole one. ``again`` builds the
    packet once more after it was copied: if it is not up to date then, an input was edited since
    it was built. Raises CvbuildError for such an edit, if exactly this was sent on that day
    already, and for files that can't be read or written.
    """
    safe_files.refuse_links(root, FOLDER.as_posix())
    hint = f"nothing was frozen; repair {FOLDER.as_posix()}/, and try again"
    with (
        foreign("freeze", "can't keep what was sent", hint),
        work_folders.alone(parent := root / FOLDER) as is_alone,
    ):
        if is_alone:
            frozen_folder.sweep(parent)
        if not os.path.lexists(ignoring := parent / ".gitignore"):
            # Also outside of git: the folder may be put into it later.
            safe_files.replace(ignoring, b"*\n")
        with frozen_folder.new_folder(parent) as folder:
            record = _fill(folder, packet, root, day)
            _refuse_duplicate(record, packets(root))
            if again is not None:
                _refuse_edited(packet, again())
            frozen_folder.write(folder / NAME, manifest.write(record))
            return _put(folder, parent / f"{day}-{record.slug}")


def _fill(folder: Path, packet: Packet, root: Path, day: Day) -> Manifest:
    """Copy everything; return the manifest of what was copied."""
    about, source = packet.application.data, packet.folder
    try:
        # First of all: whatever is copied must stay in the folder.
        manifest.check_names(packet.files, dict(packet.inputs))
        return Manifest(
            slug=packet.application.slug,
            date=day.isoformat(),
            person=about.person,
            employer=about.employer,
            position=about.position,
            files=tuple(
                File(name=name, **frozen_folder.copy(source / name, folder / name)._asdict())
                for name in sorted(packet.files)
            ),
            inputs=tuple(
                Input(name=name, **frozen_folder.copy(path, folder / INPUTS / name)._asdict())
                for name, path in sorted(packet.inputs)
            ),
            commit=git.commit(root),
            world=rebuild.world(),
            built=manifest.built(packet.built),
        )
    except ValueError as error:
        reason = f"can't keep what was sent: {manifest.reason(error)}"
        raise CvbuildError.because("freeze", reason, "rename the file") from None


def _refuse_duplicate(new: Manifest, before: Iterable[Sent]) -> None:
    for sent in before:
        if sent.manifest and sent.manifest.identity == new.identity:
            reason = f"already sent on {new.date}: {sent.folder} is the same"
            raise CvbuildError.because("already-sent", reason, "there is nothing new to freeze")


def _refuse_edited(packet: Packet, now: Packet) -> None:
    if not now.cached or now.files != packet.files:
        reason = f"{packet.folder}, or what it is made from, was changed while it was frozen"
        raise CvbuildError.because("freeze", reason, "check it, and try again")


def _put(folder: Path, target: Path) -> Path:
    """Rename to ``target``, or to the next free one (target-2); return that."""
    free, number = target, 1
    while os.path.lexists(free) or not frozen_folder.put(folder, free):
        number += 1
        free = target.with_name(f"{target.name}-{number}")
    return free


def packets(root: Path, slug: str | None = None) -> tuple[Sent, ...]:
    """Return everything that was sent, or what was for one application, by date.

    A damaged packet belongs to the application after which its folder is named. Raises CvbuildError
    if the folder can't be read.
    """
    parent = root / FOLDER
    with foreign("sent", "can't read what was sent", "check the folder's permissions"):
        if not parent.is_dir():
            return ()
        folders = [path for path in parent.iterdir() if not path.name.startswith(".")]
        # By day; the tenth packet of a day comes after the second.
        folders.sort(key=lambda path: (path.name[:10], len(path.name), path.name))
        sent = [_read(path) for path in folders if path.is_dir()]
    return tuple(one for one in sent if slug is None or one.is_of(slug))


def _place(slug: str, date: str) -> re.Pattern[str]:
    """Return a pattern of the names that a packet may have."""
    return re.compile(rf"{date}-{re.escape(slug)}(-[0-9]+)?")


def _read(folder: Path) -> Sent:
    try:
        if folder.is_symlink():
            raise ValueError("it is a link")
        with safe_files.regular(folder / NAME, links=False) as file:
            record = manifest.read(file.read(manifest.MAX_BYTES + 1))
        if not _place(record.slug, record.date).fullmatch(folder.name):
            raise ValueError(f"its manifest is that of {record.date}-{record.slug}")
    except OSError as error:
        return _damaged(folder, f"{NAME}: {error.strerror or error}")
    except ValueError as error:
        return _damaged(folder, str(error))
    return Sent(folder, record)


def _damaged(folder: Path, reason: str) -> Sent:
    message = f"the packet is damaged: {reason}"
    place = Span(shown(str(folder)))
    return Sent(folder, None, (Diagnostic("error", "damaged", message, place, _DAMAGED),))


def modifications(sent: Sent) -> tuple[Diagnostic, ...]:
    """Return what isn't as it was frozen: files that are missing, changed, or added.

    Raises CvbuildError if the folder can't be read.
    """
    if sent.manifest is None:
        return sent.faults
    expected = sent.manifest.places
    with foreign("sent", "can't read what was sent"):
        present = frozen_folder.listing(sent.folder)
        checked = [(name, _fault(item, present, name)) for name, item in expected.items()]
    faults = [(name, fault) for name, fault in checked if fault]
    known = {NAME, *expected}
    above = {folder.as_posix() for name in known for folder in PurePosixPath(name).parents}
    # A folder that is empty because its files are missing was there; a link was not.
    known |= {name for name in above & set(present) if not (sent.folder / name).is_symlink()}
    faults += [(name, "was added after it was frozen") for name in sorted(set(present) - known)]
    return tuple(
        Diagnostic("error", "touched", what, Span(shown(str(sent.folder / name))), _MODIFIED)
        for name, what in faults
    )


def _fault(item: Input, present: dict[str, Path | None], name: str) -> str | None:
    if name not in present:
        return "is missing"
    path = present[name]
    if path is None:
        return "is a link, or not a file"
    same = path.stat().st_size == item.size and frozen_folder.digest(path).sha256 == item.sha256
    return None if same else "was changed since it was frozen"


def verify(sent: Sent, build: Build | None = None) -> Verified:
    """Check that the packet is as it was frozen, and that ``build`` makes the same bytes again.

    A packet that was modified is not built. Raises CvbuildError for files that can't be read.
    """
    faults = modifications(sent)
    if faults or sent.manifest is None or build is None:
        return Verified(sent, faults)
    files, diagnostics = rebuild.rebuild(sent.folder, sent.manifest, build)
    return Verified(sent, diagnostics, files)


def changed(sent: Sent, root: Path) -> tuple[str, ...]:
    """Return which of the files that people write differ now from when it was sent.

    Names below ``root``; a file that is gone is among them. Comments and layout of YAML don't
    count, and templates are ignored.
    """
    if sent.manifest is None:
        return ()
    return tuple(
        item.name
        for item in sent.manifest.inputs
        if not item.name.startswith("templates/")
        and _differs(sent.folder / INPUTS / item.name, root / item.name, item)
    )


def _differs(then: Path, now: Path, item: Input) -> bool:
    try:
        if frozen_folder.digest(now.resolve()) == (item.sha256, item.size):
            return False
        if now.suffix in (".yaml", ".yml"):
            return source.load(then).data != source.load(now).data
    except (OSError, ProfileError):
        pass
    return True


def notice(root: Path) -> Diagnostic:
    """Return a note that what was sent may be private; a warning if git doesn't ignore it.

    Git ignores it, unless somebody has changed what ``freeze`` writes.
    """
    if git.ignored(root / FOLDER / NAME):
        message = f"{FOLDER.as_posix()}/ may hold private data; it is kept out of git"
        return Diagnostic("note", "sent-private", message)
    message = f"{FOLDER.as_posix()}/ may hold private data, and git doesn't ignore it"
    hint = f"add the line /{FOLDER.as_posix()}/ to .gitignore"
    return Diagnostic("warning", "sent-private", message, hint=hint)
