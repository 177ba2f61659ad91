"""Build again what an edit touches, for as long as somebody writes.

An event of the file system only says when to look; what changed is told by the files themselves, so
that it doesn't matter how an editor saves, or how often.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from watchfiles._rust_notify import RustNotify

from cvbuild.building import batch, plan
from cvbuild.building.check import profiles
from cvbuild.building.check.profiles import Checked
from cvbuild.building.environment import today, workspace_library
from cvbuild.building.outcome import Outcome
from cvbuild.building.request import PDF, Asked, Rest
from cvbuild.building.session import Session
from cvbuild.building.wanted_documents import Wanted
from cvbuild.common import file_state, user_cache
from cvbuild.common.errors import CvbuildError, UsageError
from cvbuild.inputs import people
from cvbuild.inputs.people import Person
from cvbuild.outputs.pdf.output import load_readers
from cvbuild.outputs.pdf.tex.preloaded_pool import PreloadedPool
from cvbuild.outputs.task import BUILD, Settings, Task

if TYPE_CHECKING:
    from cvbuild.building.cache.index_format import Plain

#: Seconds in which nothing may be written before a file is read: editors write in several steps.
QUIET = 0.015
#: The same for a file that is faulty: it may be half of what is being saved.
_DOUBT = 0.06
#: No burst of saves holds a build back for longer (seconds).
_BURST = 0.5
#: ms between two questions for events, and without one between two looks at the files: folders on
#: a network tell nothing.
_STEP, _PATIENCE = 10, 2000
#: Seconds between two looks where there are no events at all.
_PAUSE = 0.2
#: How many engines may wait: one has 60 to 300 MB.
ENGINES = 2


class Listener(Protocol):
    """Whoever is told what happens."""

    def checked(self, checked: Checked) -> None:
        """A person's file was read."""

    def built(self, outcome: Outcome) -> None:
        """A document is done or has failed."""

    def gone(self, person: Person) -> None:
        """A person's file was deleted."""

    def failed(self, error: CvbuildError) -> None:
        """Nothing can be built, for a reason that lies outside of people's files."""


#: The stamps of a person's file, photo and overlay.
_State = tuple[file_state.Stamp | None, file_state.Stamp | None, file_state.Stamp | None]


@dataclass(frozen=True, slots=True)
class _Seen:
    """The state of all files at one time: of people with their photo, and of all templates."""

    people: dict[Person, _State]
    library: str


class _Found:
    """Where the records of documents are that are up to date."""

    def __init__(self, out: Path) -> None:
        self._hidden = out / BUILD
        self.places: list[Path] = []

    def document(self, document: Plain, notes: Iterable[Plain]) -> None:  # noqa: ARG002
        """A document that is up to date."""
        if document["format"] != PDF:
            return
        self.places.append(self._hidden / document["person"] / Path(document["path"]).stem)

    def faults(self, diagnostics: Iterable[Plain]) -> None:
        """What was said of a file before need not be said again."""


class Watch:
    """Watches ``names`` (stems in people/, or paths; all people if none) for as long as it runs."""

    def __init__(
        self, asked: Asked, names: list[str], settings: Settings, wanted: Wanted, jobs: int
    ) -> None:
        self._asked, self._names, self._wanted, self._jobs = asked, names, wanted, jobs
        self._standby = PreloadedPool(settings.scratch, user_cache.resolved(settings.cache))
        self._settings = replace(settings, preloaded=self._standby)
        self._photos: dict[Path, Path | None] = {}
        #: Folders of the records of the documents that were built last, the last first.
        self._recent: list[Path] = []
        self._session = self._begun()
        self._seen = self._look()

    def run(self, listener: Listener) -> None:
        """Build what is stale, then what is edited; ends by KeyboardInterrupt alone."""
        try:
            self._everything(listener)
            self._warm_up()
            while True:
                before, self._seen = self._seen, self._wait()
                self._round(before, listener)
        finally:
            self._standby.end()

    def _round(self, before: _Seen, listener: Listener) -> None:
        for person in before.people.keys() - self._seen.people.keys():
            listener.gone(person)
        if before.library != self._seen.library:
            self._everything(listener)
            return
        now = self._seen.people
        self._build([Rest(one) for one in now if before.people.get(one) != now[one]], listener)

    def _everything(self, listener: Listener) -> None:
        """Build all that is stale, of everybody."""
        try:
            library = workspace_library(self._asked.template_path)
        except CvbuildError as error:
            listener.failed(error)
            return
        self._settings = replace(self._settings, library=library)
        self._session = self._begun()
        found = _Found(self._settings.out)
        rest = self._session.left(self._seen.people, found)
        for place in sorted(found.places, key=_time):
            self._built(place)
        self._build(rest, listener)

    def _build(self, rest: Sequence[Rest], listener: Listener) -> None:
        self._session.settings = self._settings = replace(self._settings, today=today())

        def heard(checked: Checked) -> None:
            self._note_photo(checked)
            if checked.profile is not None or not self._is_being_saved(checked.person):
                listener.checked(checked)

        try:
            for outcome in self._session.build(rest, self._wanted, heard, self._run):
                listener.built(outcome)
                if outcome.basis and outcome.format == PDF:
                    self._built(outcome.basis.record.parent)
        except CvbuildError as error:
            listener.failed(error)
        if rest:
            self._prepare()

    def _run(self, todo: Iterable[Task], settings: Settings) -> Iterator[Outcome]:
        return batch.run(todo, settings, self._jobs, lambda _: None)

    def _built(self, place: Path) -> None:
        self._recent = [place, *(one for one in self._recent if one != place)][:ENGINES]

    def _prepare(self) -> None:
        """Let engines wait for the documents that will be edited next, as far as one can tell."""
        self._standby.only(self._recent)
        if self._settings.driver == "auto":
            for place in self._recent:
                self._standby.start(place, self._settings.today)

    def _warm_up(self) -> None:
        """Load what the first edit will need."""
        self._prepare()
        load_readers()
        with contextlib.suppress(CvbuildError, OSError):
            newest = max(self._seen.people, key=lambda one: _time(one.path), default=None)
            checked = [profiles.check(newest, self._settings.library)] if newest else []
            for task in profiles.tasks(checked, self._wanted.names):
                plan.prepare(task, self._settings).key()

    def _is_being_saved(self, person: Person) -> bool:
        """Whether a faulty file is written again at once: it was but half of what is to be."""
        time.sleep(_DOUBT)
        file, _, overlay = self._seen.people[person]
        now = file_state.of(person.path), file_state.of(people.overlay(person.path))
        return now != (file, overlay)

    def _note_photo(self, checked: Checked) -> None:
        """Where the person's photo is or should be, to be watched from now on."""
        data = checked.source.data if checked.source else None
        named = data.get("photo") if isinstance(data, dict) else None
        person = checked.person
        photo = person.path.parent / named if isinstance(named, str) else None
        if checked.source is not None and photo != self._photos.get(person.path):
            self._photos[person.path] = photo
            file, _, overlay = self._seen.people[person]
            self._seen.people[person] = (file, file_state.of(photo) if photo else None, overlay)

    def _wait(self) -> _Seen:
        """Wait until something is another than it was, and nothing is written any more."""
        # Why not watchfiles.watch: the look must come after the watch began and before it waits.
        try:
            with RustNotify(self._folders(), False, False, 0, False, True) as events:
                while (now := self._look()) == self._seen:
                    if events.watch(_STEP, _STEP, _PATIENCE, None) == "signal":
                        raise KeyboardInterrupt
        except (OSError, RuntimeError):
            # No folder can be watched, or none more: then there is but looking again and again.
            while (now := self._look()) == self._seen:
                time.sleep(_PAUSE)
        return self._settled(now)

    def _settled(self, now: _Seen) -> _Seen:
        """The state after the burst of saves that ``now`` may be in the middle of."""
        end = time.monotonic() + _BURST
        while time.monotonic() < end:
            lost = self._seen.people.keys() - now.people.keys()
            time.sleep(_DOUBT if lost else QUIET)
            before, now = now, self._look()
            if before == now:
                break
        return now

    def _look(self) -> _Seen:
        names = self._names
        found = [one for name in names for one in _known([name])] if names else people.everyone()
        return _Seen({one: self._state(one) for one in found}, file_state.digest(self._files()))

    def _state(self, person: Person) -> _State:
        photo = self._photos.get(person.path)
        overlay = file_state.of(people.overlay(person.path))
        return file_state.of(person.path), file_state.of(photo) if photo else None, overlay

    def _files(self) -> list[str]:
        """All files and folders of the templates."""
        folders = self._settings.library.folders
        return ["templates", *(name for folder in folders for name in file_state.below(folder))]

    def _folders(self) -> list[str]:
        """Every folder in which something may be written that matters, if it is there."""
        photos = (path for path in self._photos.values() if path)
        files = [*(person.path for person in self._seen.people), *photos]
        found = {".", str(people.FOLDER), *(str(path.parent) for path in files), *self._files()}
        return sorted(filter(os.path.isdir, found))

    def _begun(self) -> Session:
        session = Session(self._asked)
        session.settings = self._settings
        return session


def _known(names: list[str]) -> tuple[Person, ...]:
    try:
        return people.find(names)
    except UsageError:
        return ()


def _time(path: str | os.PathLike[str]) -> int:
    stamp = file_state.of(path)
    return stamp[0] if stamp else 0
