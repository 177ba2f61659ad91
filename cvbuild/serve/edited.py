"""The file that a tab edits: what it held when it was read or written last, and the text since."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from cvbuild.common.errors import CvbuildError, UsageError
from cvbuild.common.files import file_state
from cvbuild.common.files.file_state import Stamp
from cvbuild.inputs.people import Person
from cvbuild.inputs.yaml import source
from cvbuild.serve import files
from cvbuild.serve.files import ConflictError, FileState

Json = dict[str, object]


@dataclass
class EditedFile:
    """A person's file and its text; ``seen`` is the version that the browser knows."""

    person: Person
    text: str
    seen: str | None
    saved: str
    revision: int = 0
    _told: str | None = field(default="", init=False)
    _stamp: Stamp | None = field(default=None, init=False)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    @classmethod
    async def opened(cls, person: Person) -> EditedFile:
        """Read a person's file; raises CvbuildError if it can't be edited."""
        state = await asyncio.to_thread(files.read, person.path)
        if state.fault is not None:
            raise CvbuildError([state.fault])
        if state.text is None:
            raise UsageError.because("person", f"{source.name_of(person.path)} is gone")
        return cls(person, state.text, state.version, state.text)

    @property
    def unsaved(self) -> Person:
        """The person, with the text."""
        return self.person._replace(text=self.text)

    def edit(self, revision: int, text: str) -> None:
        """Take a newer text; raises UsageError for one that isn't."""
        if revision <= self.revision:
            fact = f"revision {revision} comes after {self.revision}"
            raise UsageError.because("revision", fact, "reload the page")
        self.text, self.revision = text, revision

    async def save(self, version: str | None, *, force: bool) -> Json:
        """Write the text over a version of the file; return what the browser is told."""
        async with self._turn:
            text, revision = self.text, self.revision
            known = version == self.seen or force
            try:
                if not known:
                    raise ConflictError(await asyncio.to_thread(files.read, self.person.path))
                saved = await asyncio.to_thread(files.save, self.person.path, text, version)
            except ConflictError as error:
                self._told = error.state.version
                return _told("conflict", error.state)
            self.saved, self.seen, self._told = text, saved, ""
            return {"type": "saved", "revision": revision, "version": saved}

    async def look(self) -> Json | None:
        """Look whether the file was changed elsewhere; return what the browser is told of that.

        If nothing is unsaved, what the file holds is the text from now on.
        """
        async with self._turn:
            stamp = file_state.of(self.person.path)
            state = await asyncio.to_thread(files.read, self.person.path)
            self._stamp = stamp
            if state.version == self.seen:
                self._told = ""
            if state.version in (self.seen, self._told):
                return None
            if self.text != self.saved:
                self._told = state.version
                return _told("conflict", state)
            if state.text is None:
                self._told = state.version
            else:
                self.text = self.saved = state.text
                self.seen, self._told = state.version, ""
            return _told("changed", state)

    def may_differ(self) -> bool:
        """Return whether the file was written since it was looked at."""
        return file_state.of(self.person.path) != self._stamp


def _told(kind: str, state: FileState) -> Json:
    fault = state.fault.as_json() if state.fault else None
    return {"type": kind, "version": state.version, "text": state.text, "fault": fault}
