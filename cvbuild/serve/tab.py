"""One tab of a browser: its text, its document, and what was made of them.

Checking and making take turns with each other and always take what is newest, so that no result is
sent after one of a newer text.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import replace

from cvbuild.building.check import profiles
from cvbuild.building.check.profiles import Checked
from cvbuild.common.errors import CvbuildError, UsageError
from cvbuild.common.files import safe_files
from cvbuild.inputs.people import Person
from cvbuild.inputs.yaml import source
from cvbuild.serve import files, live, messages
from cvbuild.serve.desk import Desk
from cvbuild.serve.files import ConflictError, FileState
from cvbuild.serve.live import CannotMakeError, Wanted
from cvbuild.serve.messages import DocumentName, Edit, Open, Save, Show

Send = Callable[[dict[str, object]], Awaitable[None]]
#: The pictures of how many results a browser may still ask for.
_RESULTS = 3


class Tab:
    """What one socket is about."""

    def __init__(self, desk: Desk, send: Send) -> None:
        self._desk, self._send = desk, send
        self._folder = desk.new_folder()
        self._person: Person | None = None
        self._text, self._saved, self._revision = "", "", 0
        self._seen: str | None = None
        self._document: DocumentName | None = None
        self._scale = 1.0
        self._to_check, self._to_make = asyncio.Event(), asyncio.Event()
        self._wanted: Wanted | None = None
        self._checked: tuple[int, Checked] | None = None
        self.pictures: deque[list[str]] = deque(maxlen=_RESULTS)

    async def run(self) -> None:
        """Check and make what is newest, until cancelled."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._check())
                group.create_task(self._make())
        finally:
            await asyncio.shield(asyncio.to_thread(self._desk.forget, self._folder))

    async def receive(self, text: str | bytes) -> None:
        """Follow a message; raises CvbuildError for one that can't be followed."""
        match messages.read(text):
            case Open() as message:
                await self._open(message.person)
            case Edit() as message:
                self._edit(message)
            case Show() as message:
                self._document, self._scale = message.document, message.scale
                self._make_soon()
            case Save() as message:
                await self._save(message)

    async def _open(self, name: str) -> None:
        person = self._desk.people().get(name)
        if person is None:
            raise UsageError.because("person", f'there is no person "{name[:100]}"')
        state = await asyncio.to_thread(files.read, person.path)
        if state.fault is not None:
            raise CvbuildError([state.fault])
        if state.text is None:
            raise UsageError.because("person", f"{person.path} is gone")
        self._person, self._seen = person, state.version
        self._text = self._saved = state.text
        self._revision, self._checked, self._document = 0, None, None
        await self._send(
            {
                "type": "opened",
                "person": name,
                "path": source.name_of(person.path),
                "text": state.text,
                "version": state.version,
                "revision": 0,
                "documents": [],
            }
        )
        self._to_check.set()

    def _edit(self, message: Edit) -> None:
        self._require_person()
        if message.revision <= self._revision:
            fact = f"revision {message.revision} comes after {self._revision}"
            raise UsageError.because("revision", fact, "reload the page")
        self._text, self._revision = message.text, message.revision
        self._to_check.set()

    def _require_person(self) -> Person:
        if self._person is None:
            raise UsageError.because("person", "no file is open", "open one first")
        return self._person

    # -- files -------------------------------------------------------------------------------------

    async def _save(self, message: Save) -> None:
        person, text, revision = self._require_person(), self._text, self._revision
        if not message.force and message.version not in (None, self._seen):
            raise UsageError.because("version", "the file has changed", "look at it first")
        seen = message.version if message.force else self._seen
        try:
            version = await asyncio.to_thread(files.save, person.path, text, seen)
        except ConflictError as error:
            await self._tell("conflict", error.state)
            return
        self._saved, self._seen = text, version
        await self._send({"type": "saved", "revision": revision, "version": version})

    async def _tell(self, kind: str, state: FileState) -> None:
        fault = state.fault.as_json() if state.fault else None
        await self._send(
            {"type": kind, "version": state.version, "text": state.text, "fault": fault}
        )

    # -- check and make ----------------------------------------------------------------------------

    async def _check(self) -> None:
        while True:
            await self._to_check.wait()
            self._to_check.clear()
            if self._person is None:
                continue
            person, revision = self._person._replace(text=self._text), self._revision
            checked = await asyncio.to_thread(
                profiles.check,
                person,
                self._desk.settings.library,
                seconds=self._desk.settings.timeout,
            )
            if self._person is None or person.path != self._person.path:
                continue
            self._checked = revision, checked
            await self._send(
                {
                    "type": "checked",
                    "revision": revision,
                    "diagnostics": messages.plain(checked.diagnostics),
                    "documents": [],
                }
            )
            self._make_soon()

    def _make_soon(self) -> None:
        if self._checked and self._document:
            self._wanted = Wanted(*self._checked, self._document, self._scale)
            self._to_make.set()

    async def _make(self) -> None:
        while True:
            await self._to_make.wait()
            self._to_make.clear()
            wanted, self._wanted = self._wanted, None
            if wanted is None:
                continue
            about: dict[str, object] = {
                "revision": wanted.revision,
                "document": wanted.document.model_dump(),
            }
            await self._send({"type": "making", **about})
            try:
                made = await asyncio.to_thread(self._made, wanted)
            except CannotMakeError as error:
                await self._send(
                    {"type": "failed", **about, "diagnostics": messages.plain(error.diagnostics)}
                )
                continue
            await self._send({"type": "pages", **about, **made})

    def _made(self, wanted: Wanted) -> dict[str, object]:
        """Make a document, and return what the browser is told; raises CannotMakeError."""
        desk = self._desk
        if wanted.checked.profile is None:
            raise CannotMakeError(
                item for item in wanted.checked.diagnostics if item.severity == "error"
            )
        settings = replace(desk.settings, out=self._folder, preloaded=desk.engines)
        outcome = live.make(wanted.checked, wanted.document, settings)
        if outcome.path is None:
            raise CannotMakeError(outcome.diagnostics)
        pdf = safe_files.read(outcome.path, 100_000_000, links=False)
        pages = desk.pictures.add(pdf, min(wanted.scale, messages.MOST_SCALE))
        self.pictures.append([page.picture for page in pages])
        desk.pictures.keep(
            name for tab in list(desk.tabs) for names in list(tab.pictures) for name in names
        )
        if outcome.basis:
            with contextlib.suppress(CvbuildError):
                desk.prepare(outcome.basis.record.parent)
        return {
            "pages": [page.as_json() for page in pages],
            "places": [],
            "left_out": messages.plain(outcome.left_out),
            "notes": messages.plain((*outcome.diagnostics, *outcome.notes)),
            "seconds": outcome.seconds,
            "fill": outcome.fill,
        }
