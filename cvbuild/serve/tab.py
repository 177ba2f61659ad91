"""The tabs of a browser: each with its text, its document, and what was made of them.

``watch`` tells them what other programs write.

Checking and making each take what is newest, one at a time, and making takes only what was checked:
so no result is sent after one of a newer text.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from concurrent.futures import Future
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

from msgspec import Struct
from msgspec.structs import asdict
from pydantic import Field

from cvbuild.applications import load
from cvbuild.building.outcome import Outcome
from cvbuild.common import file_state, safe_files, safe_folders
from cvbuild.common.diagnostics import path_of
from cvbuild.common.errors import CvbuildError, UsageError
from cvbuild.common.file_state import Stamp
from cvbuild.inputs import people
from cvbuild.inputs.people import Person
from cvbuild.inputs.person_file import PersonFile
from cvbuild.inputs.yaml import source, writer
from cvbuild.outputs import registry
from cvbuild.outputs.pdf import Expected
from cvbuild.outputs.pdf.verify import text_places
from cvbuild.outputs.pdf.verify.pdf_facts import MAX_BYTES, Facts
from cvbuild.outputs.pdf.verify.text_places import TextPlace
from cvbuild.serve import live, messages
from cvbuild.serve.desk import Desk
from cvbuild.serve.files import EditedFile
from cvbuild.serve.form import fields, outline
from cvbuild.serve.live import CheckedApplication, Made
from cvbuild.serve.messages import DocumentName, Json, Subject

Send = Callable[[Json], Coroutine[Any, Any, None]]


class _Wanted(Struct, frozen=True):
    """A document to make of a checked text; ``scale`` in pixels for each point."""

    file: EditedFile
    revision: int
    checked: PersonFile | CheckedApplication
    document: DocumentName
    scale: float


#: A checked text, its outline (None where it doesn't parse), and what an import doubted.
_Seen = tuple[PersonFile | CheckedApplication, list[Json] | None, list[Json]]


class Tab:
    """What one socket is about."""

    def __init__(self, desk: Desk, send: Send) -> None:
        self._desk, self._send = desk, send
        self._folder = desk.new_folder()
        self._file: EditedFile | None = None
        self._shown: tuple[DocumentName, float] | None = None
        self._checked: tuple[int, PersonFile | CheckedApplication] | None = None
        self._to_check, self._to_make = asyncio.Event(), asyncio.Event()
        self._documents: list[Json] = []
        #: Those of limited texts that the browser knows.
        self._counts: list[Json] = []
        #: Those that the browser knows.
        self._told: list[Json] = []
        #: Of what was made last of each document.
        self._places: dict[Path, list[TextPlace]] = {}
        self._compared: tuple[Facts, Expected] | None = None

    async def run(self) -> None:
        """Check and make what is newest, until cancelled."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._check_newest())
                group.create_task(self._make_newest())
        finally:
            await asyncio.shield(asyncio.to_thread(self._desk.forget, self._folder))

    async def receive(self, text: str | bytes) -> None:
        """Follow a message; raises CvbuildError for one that can't be followed."""
        given = messages.read(text, _MESSAGES)
        await _WORK[given.pop("type")](self, **given)

    async def tell_people(self, titles: list[Json]) -> None:
        """Send the list of people."""
        await self._send({"type": "people", "people": titles, "first": self._desk.first})

    async def look(self, *, others: bool) -> None:
        """Look at the file again; ``others`` is whether it may show other files that changed."""
        if self._file is None:
            return
        told = await self._file.look()
        if told:
            await self._send(told)
        if others or (told and told["type"] == "changed"):
            self._to_check.set()

    async def edit(self, revision: Annotated[int, Field(ge=1)], text: str) -> None:
        """Take the whole text after a keystroke."""
        self._require_file().edit(revision, text)
        self._to_check.set()

    async def show(self, document: DocumentName, scale: Annotated[float, Field(gt=0)]) -> None:
        """Make this document from now on; ``scale`` in pixels for each point."""
        self._shown = document, min(scale, messages.MOST_SCALE)
        self._to_make.set()
        await self._tell_counts()

    async def keep_view(self, view: Literal["text", "form", "both"]) -> None:
        """Show files so from now on, also after the next start."""
        self._desk.view = view

    async def open(self, person: Subject) -> None:
        """Edit this file from now on."""
        subject = live.subject_of(person, self._desk.people())
        file = await EditedFile.opened(subject)
        self._file, self._checked, self._shown, self._documents = file, None, None, []
        self._counts = []
        seen = await self._check_contained(file)
        self._told, is_person = self._documents, isinstance(subject, Person)
        opened: Json = {
            "type": "opened",
            "person": person,
            "path": source.name_of(subject.path),
            "text": file.text,
            "version": file.seen,
            "revision": 0,
            "documents": self._documents,
            "about": await asyncio.to_thread(live.about, subject),
            "formats": [*registry.MODULES],
            "languages": fields.languages() if is_person else {},
            "kinds": await asyncio.to_thread(outline.addable, file.text) if is_person else [],
            "examples": outline.EXAMPLES,
            "view": self._desk.view,
        }
        await self._send(opened)
        await self._tell_checked(0, seen)

    async def save(
        self, revision: Annotated[int, Field(ge=0)], version: str | None, *, force: bool = False
    ) -> None:
        """Write the text; with ``force`` over the file of that version."""
        file = self._require_file()
        if revision > file.revision:
            raise UsageError.because("revision", "this text was not sent", "reload the page")
        await self._send(await file.save(version, self._desk.request.cache, force=force))

    def _require_file(self) -> EditedFile:
        if self._file is None:
            raise UsageError.because("person", "no file is open", "open one first")
        return self._file

    # -- check -------------------------------------------------------------------------------------

    async def _check_newest(self) -> None:
        while await self._to_check.wait():
            self._to_check.clear()
            file = self._file
            if file is None:
                continue
            revision = file.revision
            seen = await self._check_contained(file)
            if file is self._file:
                await self._tell_checked(revision, seen)

    async def _check_contained(self, file: EditedFile) -> _Seen:
        try:
            seconds = self._desk.request.timeout
            return await messages.in_thread(self._check, file, seconds=seconds)
        except CvbuildError as error:
            unsaved = file.unsaved
            if isinstance(unsaved, Person):
                return PersonFile(unsaved, None, None, error.diagnostics), None, []
            return CheckedApplication(unsaved, None, error.diagnostics), [], []

    def _check(self, file: EditedFile) -> _Seen:
        checked = live.check(file.unsaved, self._desk.request)
        if isinstance(checked, CheckedApplication):
            self._documents = checked.listed(self._desk.templates) or self._documents
        elif checked.profile is not None or not self._documents:
            self._documents = live.listed(checked, self._desk.templates)
        doubts = [asdict(one) for one in writer.doubts(checked.person.text or "")]
        return checked, outline.of(checked), doubts

    async def _tell_checked(self, revision: int, seen: _Seen) -> None:
        checked, parts, doubts = seen
        self._checked = revision, checked
        documents = None if self._documents == self._told else self._documents
        self._told = self._documents
        self._to_make.set()
        told: Json = {
            "type": "checked",
            "revision": revision,
            "diagnostics": messages.plain(checked.diagnostics),
            "doubts": doubts,
            "documents": documents,
            "outline": parts,
        }
        await self._send(told)
        await self._tell_counts()

    async def _tell_counts(self) -> None:
        """Send how long the texts are that the document limits, if that has changed."""
        if self._checked and self._shown:
            file, request, seconds = self._file, self._desk.request, self._desk.request.timeout
            about = self._checked[1], self._shown[0], request
            counts = await messages.in_thread(live.counts, *about, seconds=seconds)
            if counts != self._counts and file is self._file:
                self._counts = counts
                await self._send({"type": "counts", "counts": counts})

    # -- make --------------------------------------------------------------------------------------

    async def _make_newest(self) -> None:
        while await self._to_make.wait():
            self._to_make.clear()
            if self._file and self._checked and self._shown:
                self._desk.busy += 1
                try:
                    await self._make(_Wanted(self._file, *self._checked, *self._shown))
                finally:
                    self._desk.busy -= 1

    async def _make(self, wanted: _Wanted) -> None:
        about: Json = {"revision": wanted.revision, "document": wanted.document.model_dump()}
        await self._send({"type": "making", **about})
        loop, sent = asyncio.get_running_loop(), list[Future[None]]()

        def early(pdf: Path) -> None:
            if wanted.file is self._file:
                told = {"type": "early", **about, "pages": self._pages(pdf, wanted.scale)}
                sent.append(asyncio.run_coroutine_threadsafe(self._send(told), loop))

        try:
            made, pages = await messages.in_thread(self._made, wanted, early)
            for one in sent:
                await asyncio.wrap_future(one)
            if wanted.file is self._file:
                await self._send({"type": "pages", **about, **pages})
            # What follows takes a while, and nobody waits for it.
            if made.outcome.keep:
                with contextlib.suppress(CvbuildError):
                    await messages.in_thread(self._desk.prepare, made.outcome.keep)
            found = await messages.in_thread(self._found, made, wanted.file.subject.path)
            if wanted.file is self._file:
                await self._send({"type": "places", **about, "places": found})
        except CvbuildError as error:
            if wanted.file is self._file:
                faults = messages.plain(error.diagnostics)
                await self._send({"type": "failed", **about, "diagnostics": faults})

    def _pages(self, pdf: Path, scale: float) -> list[Json]:
        """Return the pages of a PDF, whose pictures may be asked for now; raises OSError."""
        pages = self._desk.pictures.add(safe_files.read(pdf, MAX_BYTES, links=False), scale)
        return [asdict(page) for page in pages]

    def _made(self, wanted: _Wanted, early: Callable[[Path], None]) -> tuple[Made, Json]:
        """Make a document; return it, and what the browser is told. Raises CvbuildError."""
        desk = self._desk
        request = desk.request._replace(
            out=self._folder,
            preloaded=desk.engines,
            compared=self._compare,
            early=early,
        )
        self._compared = None
        try:
            made = live.make(wanted.checked, wanted.document, request)
            pages = self._pages(made.path, wanted.scale)
        except OSError as error:
            fact = f"the document is gone: {error.strerror}"
            raise CvbuildError.because("output", fact) from None
        outcome = made.outcome
        return made, {
            "pages": pages,
            "left_out": _left_out(outcome),
            "notes": messages.plain((*outcome.diagnostics, *outcome.notes)),
        }

    def _compare(self, facts: Facts, expected: Expected) -> None:
        """Take what was compared of the document that is being made."""
        self._compared = facts, expected

    def _found(self, made: Made, path: Path) -> list[Json]:
        """Return the places of a document; the known ones, if it was up to date."""
        if self._compared is not None:
            self._places[made.path] = text_places.find(*self._compared)
        return live.places(self._places.get(made.path, ()), made.task, path)


#: What is done for each type of message.
_WORK: Mapping[str, Callable[..., Awaitable[None]]] = MappingProxyType(
    {
        "open": Tab.open,
        "edit": Tab.edit,
        "show": Tab.show,
        "look": Tab.keep_view,
        "save": Tab.save,
    }
)
_MESSAGES = messages.socket_messages(_WORK)


def _left_out(outcome: Outcome) -> list[Json]:
    """Return notes on what one page has no room for, and where ``keep`` would hold each."""
    names = outcome.record.left_out if outcome.record else ()
    paths = (path_of(name) for name in names)
    return [
        {**note.as_json(), "path": None if path[-1] == "run" else list(path)}
        for note, path in zip(outcome.left_out, paths, strict=True)
    ]


# -- what other programs write ---------------------------------------------------------------------

#: Seconds between two looks at the files without an event: folders on a network send none; and how
#: many looks there are until folders are looked for again.
_LOOK, _TURNS = 0.3, 10
_Stamps = dict[Path, Stamp | None]


async def watch(desk: Desk, tabs: list[Tab]) -> None:
    """Tell tabs what has changed, each by itself: one that takes no message keeps none waiting."""
    async with asyncio.TaskGroup() as group:
        known = await asyncio.to_thread(lambda: _stamps(_folders(desk)))
        titles = await asyncio.to_thread(desk.titles)
        while True:
            before, known = known, await asyncio.to_thread(_changed, desk, known)
            paths = {path for path, _ in before.items() ^ known.items()}
            own = {_real(one.path) for one in desk.people().values()}
            others = [path for path in paths if path not in own and path.suffix != ".new"]
            if others:
                await asyncio.to_thread(desk.find_templates)
            told, titles = titles, await asyncio.to_thread(desk.titles)
            for tab in tabs:
                if titles != told:
                    group.create_task(_contained(tab.tell_people(titles)))
                if paths:
                    group.create_task(_contained(tab.look(others=bool(others))))


async def _contained(told: Coroutine[None, None, None]) -> None:
    """Tell a tab; one that is being closed can't be told anything."""
    with contextlib.suppress(RuntimeError):
        await told


def _changed(desk: Desk, known: _Stamps) -> _Stamps:
    """Return the files with their stamps as soon as one was written, or after a while."""
    folders = _folders(desk)
    # In the folder above them, they are made.
    with safe_folders.events_of([".", *map(str, folders)]) as wait:
        for _ in range(_TURNS):
            if (now := _stamps(folders)) != known:
                return now
            wait(_LOOK)
    return known


def _stamps(folders: Iterable[Path]) -> _Stamps:
    """Return what is in folders, each with its stamp."""
    found: _Stamps = {}
    for folder in folders:
        with contextlib.suppress(OSError):
            found |= {path: file_state.of(path) for path in folder.iterdir()}
    return found


def _folders(desk: Desk) -> list[Path]:
    """Return the folders in which a file may be written that a document shows."""
    own = (str(people.FOLDER), load.FOLDER, "templates", *desk.request.template_path)
    inside = (Path(folder) for top in own for folder, _, _ in file_state.walk(top))
    named = (one.path.parent for one in desk.named)
    return sorted({_real(path) for path in (*inside, *named) if path.is_dir()})


def _real(path: Path) -> Path:
    """Return where links lead; ``resolve`` refuses those that lead to themselves."""
    return Path(os.path.realpath(path))
