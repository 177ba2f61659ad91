"""Rebuild what an edit changes, for as long as it runs.

An event of the file system only says when to look; what changed is found from the files
themselves, so that it doesn't matter how an editor saves, or how often.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from cvbuild.building import batch, own_files, pipeline, profiles
from cvbuild.building.fresh import Entries, today
from cvbuild.building.pipeline import Outcome
from cvbuild.common import interrupts
from cvbuild.common.diagnostics import CvbuildError, Diagnostic, UsageError
from cvbuild.common.files import file_state, safe_folders
from cvbuild.inputs import people
from cvbuild.inputs.people import Person
from cvbuild.inputs.person.person_file import PersonFile
from cvbuild.outputs.pdf.output import load_readers
from cvbuild.outputs.pdf.tex.preloaded import PreloadedPool
from cvbuild.outputs.request import PDF, Request
from cvbuild.outputs.styles import templates

if TYPE_CHECKING:
    from cvbuild.building.fresh import Pending

#: Seconds after which a file that has errors, or is gone, is looked at again: it may be half
#: written, or about to be replaced.
_DOUBT = 0.06
#: No burst of saves delays a build for longer (seconds).
_BURST = 0.5
#: Seconds between two looks at the files without an event, at least and at most, and their share
#: of the time since the last change: folders on a network send none.
_OFTEN, _SELDOM, _SHARE = 1.0, 60.0, 0.1
#: How many engines are preloaded: one takes 60 to 300 MB.
ENGINES = 2


#: What happens: a person's file was read, or deleted; a document is done, or has failed; an error
#: for which nothing can be built, and that isn't in people's files.
Event = PersonFile | Person | Outcome | CvbuildError
Tell = Callable[[Event], None]
#: The stamps of a person's file, of the overlay, and of the files that they name.
_State = tuple[file_state.Stamp | None, ...]


class _FileStates(Struct, frozen=True):
    """The state of all files at one time: people's, with those they name, and templates."""

    people: dict[Person, _State]
    library: str


class Watch:
    """Watches ``names`` (stems in people/, or paths; everybody if empty) as long as it runs."""

    def __init__(self, request: Request, names: list[str]) -> None:
        self._names, self._library = names, request.library
        self._standby = PreloadedPool(request.scratch)
        self._request = request._replace(preloaded=self._standby, shows_first=True)
        self._named: dict[Path, tuple[Path, ...]] = {}
        #: Folders of the records of the documents that were built last, the newest first.
        self._recent: list[Path] = []
        self._entries = Entries(self._request)
        self._states = self._look_at_files()

    def run(self, tell: Tell) -> None:
        """Build what is out of date, then what is edited; ends only by KeyboardInterrupt."""
        try:
            self._build_all(tell)
            load_readers()
            with contextlib.suppress(CvbuildError, OSError):
                # What a build of the file that was written last needs is found before it is edited.
                times = {each: file_state.of(each.path) or (0,) for each in self._states.people}
                if times:
                    newest = max(times, key=lambda person: times[person][0])
                    checked = profiles.check(newest, self._library)
                    for name in self._request.names or checked.require()[0].template:
                        pipeline.prepare(profiles.task(checked, name, self._request)).content()
            while True:
                interrupts.check()
                before, self._states = self._states, self._wait()
                for person in before.people.keys() - self._states.people.keys():
                    tell(person)
                now = self._states.people
                edited = [person for person in now if before.people.get(person) != now[person]]
                if before.library != self._states.library:
                    self._build_all(tell)
                else:
                    self._build(dict.fromkeys(edited), tell)
        finally:
            self._standby.end()

    def _build_all(self, tell: Tell) -> None:
        try:
            self._library = self._request.library
        except CvbuildError as error:
            tell(error)
            return
        self._entries = Entries(self._request)
        pending, _ = self._entries.check(self._states.people)
        self._build(pending, tell)

    def _build(self, pending: Pending, tell: Tell) -> None:
        self._request = self._entries.request = self._request._replace(today=today())

        try:
            for event in batch.build(self._entries, pending):
                if isinstance(event, Diagnostic) or (
                    isinstance(event, PersonFile) and self._is_half_saved(event)
                ):
                    continue
                tell(event)
                if isinstance(event, Outcome) and event.keep and event.format == PDF:
                    others = (folder for folder in self._recent if folder != event.keep)
                    self._recent = [event.keep, *others][:ENGINES]
        except CvbuildError as error:
            tell(error)
        if pending:
            # Engines for the documents that are likely to be edited next.
            self._standby.only(self._recent)
            for folder in self._recent if self._request.driver == "auto" else ():
                self._standby.start(folder)

    def _is_half_saved(self, checked: PersonFile) -> bool:
        """Watch what a file names; return whether it has errors and was written meanwhile."""
        person, source = checked.person, checked.source
        if source is not None:
            # Pictures, font and BibTeX files are watched from now on, there or not.
            named = own_files.states(source.data, person.path)
            files = (*named, *(Path(name) for name, _ in source.files))
            if files != self._named.get(person.path, ()):
                self._named[person.path] = files
                stamps = self._states.people[person][:2]
                self._states.people[person] = (*stamps, *map(file_state.of, files))
        if checked.profile is not None:
            return False
        time.sleep(_DOUBT)
        return self._state(person)[:2] != self._states.people[person][:2]

    def _wait(self) -> _FileStates:
        """Wait until a file has changed; return the new states."""
        start = time.monotonic()
        # Files must be looked at after the events are kept, before it waits.
        named = (path for paths in self._named.values() for path in paths)
        files = [*(person.path for person in self._states.people), *named]
        folders = {".", str(people.FOLDER), *(str(path.parent) for path in files), *self._files()}
        with safe_folders.events_of(sorted(filter(os.path.isdir, folders))) as wait:
            while (now := self._look_at_files()) == self._states:
                interrupts.check()
                wait(min(max(_OFTEN, (time.monotonic() - start) * _SHARE), _SELDOM))
        end = time.monotonic() + _BURST
        while self._states.people.keys() - now.people.keys() and time.monotonic() < end:
            # Some editors rename a file and write it anew.
            time.sleep(_DOUBT)
            before, now = now, self._look_at_files()
            if before == now:
                break
        return now

    def _look_at_files(self) -> _FileStates:
        persons = [] if self._names else [*people.everyone()]
        for name in self._names:
            with contextlib.suppress(UsageError):
                persons += people.find([name])
        return _FileStates(
            {person: self._state(person) for person in persons},
            file_state.stamps_hash(self._files()),
        )

    def _state(self, person: Person) -> _State:
        files = (person.path, people.overlay(person.path))
        return tuple(map(file_state.of, (*files, *self._named.get(person.path, ()))))

    def _files(self) -> list[str]:
        library = self._library
        paths = ["templates", *map(str, library.folders)]
        with contextlib.suppress(CvbuildError):
            for folder in library.packages():
                paths += templates.listed(folder)
        return paths
