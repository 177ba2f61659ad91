"""The tabs of a browser: each with its text, its document, and what was made of them.

Checking and making each take what is newest, one at a time, and making takes only what was checked:
so no result is sent after one of a newer text.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import Future
from functools import reduce
from operator import or_
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

from msgspec.structs import asdict
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from cvbuild.applications import load
from cvbuild.common.diagnostics import CvbuildError, UsageError, path_of
from cvbuild.common.files import file_state, safe_folders
from cvbuild.inputs import people, saving
from cvbuild.inputs.person.person_file import PersonFile
from cvbuild.inputs.yaml import source, writer
from cvbuild.model.application import Application
from cvbuild.model.profile import Profile
from cvbuild.outputs import registry
from cvbuild.outputs.pdf import Expected
from cvbuild.outputs.pdf.verify import text_places
from cvbuild.outputs.pdf.verify.pdf_facts import Facts
from cvbuild.serve import live, messages
from cvbuild.serve.edits import EditedFile
from cvbuild.serve.form import fields, outline
from cvbuild.serve.live import CheckedApplication, Desk, Made
from cvbuild.serve.messages import DocumentName, Json, Subject

Send = Callable[[Json], Coroutine[Any, Any, None]]


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
        #: Documents, and counts of limited texts, that the browser knows.
        self._told, self._counts = list[Json](), list[Json]()
        #: Of what was made last of each document.
        self._places: dict[Path, list[text_places.TextPlace]] = {}

    async def run(self) -> None:
        """Check and make what is newest, until cancelled."""

        async def repeat(event: asyncio.Event, work: Callable[[], Awaitable[None]]) -> None:
            while await event.wait():
                event.clear()
                await work()

        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(repeat(self._to_check, self._check))
                group.create_task(repeat(self._to_make, self._make_newest))
        finally:
            await asyncio.shield(asyncio.to_thread(self._desk.forget, self._folder))

    async def receive(self, text: str | bytes) -> None:
        """Follow a message; raises CvbuildError for one that can't be followed."""
        try:
            given = dict(_MESSAGES.validate_json(text))
        except ValidationError as error:
            raise messages.refused(error) from None
        await _WORK[given.pop("type")](self, **given)

    async def look(self, titles: list[Json] | None, *, own: bool, others: bool = False) -> None:
        """Send new titles of people; look at the own file again, which may show others."""
        if titles is not None:
            await self._send({"type": "people", "people": titles, "first": self._desk.first})
        if self._file is None or not own:
            return
        change = await self._file.look()
        if change:
            await self._send(change)
        if others or (change and change["type"] == "changed"):
            self._to_check.set()

    async def edit(self, revision: Annotated[int, Field(ge=1)], text: str) -> None:
        """Take the whole text after a keystroke."""
        file = self._require_file()
        if revision <= file.revision:
            fact = f"revision {revision} comes after {file.revision}"
            raise UsageError.because("revision", fact, "reload the page")
        file.text, file.revision = text, revision
        self._to_check.set()

    async def show(self, document: DocumentName, scale: Annotated[float, Field(gt=0)]) -> None:
        """Make this document from now on; ``scale`` in pixels for each point."""
        self._shown = document, min(scale, messages.MOST_SCALE)
        self._to_make.set()
        await self._tell_counts()

    async def keep_view(self, view: Literal["text", "form", "both"]) -> None:
        """Show files so from now on, also after the next start."""
        with contextlib.suppress(OSError):
            self._desk.view.parent.mkdir(mode=0o700, exist_ok=True)
            self._desk.view.write_text(view, "ascii")

    async def open(self, person: Subject) -> None:
        """Edit this file from now on."""
        subject = self._desk.subject(person)
        state = await asyncio.to_thread(saving.read, subject.path)
        if state.fault is not None:
            raise CvbuildError([state.fault])
        if state.text is None:
            raise UsageError.because("person", f"{source.name_of(subject.path)} is gone")
        is_person, view = isinstance(subject, people.Person), None
        with contextlib.suppress(OSError):
            view = self._desk.view.read_text("ascii")
        opened: Json = {
            "type": "opened",
            "person": person,
            "path": source.name_of(subject.path),
            "text": state.text,
            "version": state.version,
            "revision": 0,
            "about": await asyncio.to_thread(live.about, subject),
            "formats": [*registry.MODULES],
            "languages": fields.languages() if is_person else {},
            "kinds": await asyncio.to_thread(outline.addable, state.text) if is_person else [],
            "examples": outline.EXAMPLES,
            "view": view,
        }
        self._file = EditedFile(subject, state.text, state.version, state.text)
        self._checked, self._shown, self._documents, self._counts = None, None, [], []
        self._to_check.clear()
        await self._check(opened)

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

    async def _check(self, opened: Json | None = None) -> None:
        """Check the newest text, and tell what is wrong with it; before that, that it is opened."""
        if not (file := self._file):
            return
        revision, unsaved = file.revision, file.subject._replace(text=file.text)

        def check() -> _Seen:
            checked = live.check(unsaved, self._desk.request)
            if not self._documents or not isinstance(checked, PersonFile) or checked.profile:
                documents = live.listed(checked, self._desk.templates)
                self._documents = documents or self._documents
            text, name = unsaved.text or "", source.name_of(unsaved.path)
            root = Profile if isinstance(unsaved, people.Person) else Application
            is_letter = isinstance(unsaved, live.ApplicationFile) and unsaved.is_letter
            parts = [] if is_letter else outline.read(text, name, checked.diagnostics, root)
            return checked, parts, [asdict(doubt) for doubt in writer.doubts(text)]

        try:
            seen = await messages.in_thread(check, seconds=self._desk.request.timeout)
        except CvbuildError as error:
            if isinstance(unsaved, people.Person):
                seen = PersonFile(unsaved, None, None, error.diagnostics), None, []
            else:
                seen = CheckedApplication(unsaved, None, error.diagnostics), [], []
        if file is not self._file:
            return
        if opened:
            self._told = self._documents
            await self._send({**opened, "documents": self._documents})
        documents = None if self._documents == self._told else self._documents
        self._told = self._documents
        checked, parts, doubts = seen
        self._checked = revision, checked
        self._to_make.set()
        answer: Json = {
            "type": "checked",
            "revision": revision,
            "diagnostics": messages.plain(checked.diagnostics),
            "doubts": doubts,
            "documents": documents,
            "outline": parts,
        }
        await self._send(answer)
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
        if not (self._file and self._checked and self._shown):
            return
        file, (revision, checked), (document, scale) = self._file, self._checked, self._shown
        about: Json = {"revision": revision, "document": document.model_dump()}
        loop, sent = asyncio.get_running_loop(), list[Future[None]]()
        compared, pictures = list[tuple[Facts, Expected]](), self._desk.pictures

        async def tell(kind: str, **more: object) -> None:
            if kind == "making" or file is self._file:
                await self._send({"type": kind, **about, **more})

        def early(pdf: Path) -> None:
            if file is self._file:
                pages = tell("early", pages=pictures.add(pdf, scale))
                sent.append(asyncio.run_coroutine_threadsafe(pages, loop))

        request = self._desk.request._replace(
            out=self._folder,
            preloaded=self._desk.engines,
            compared=lambda *both: compared.append(both),
            early=early,
        )

        def make() -> tuple[Made, Json]:
            try:
                made = live.make(checked, document, request)
                pages = pictures.add(made.path, scale)
            except OSError as error:
                fact = f"the document is gone: {error.strerror}"
                raise CvbuildError.because("output", fact) from None
            outcome = made.outcome
            # What one page has no room for, with where ``keep`` would hold it.
            paths = map(path_of, outcome.record.left_out if outcome.record else ())
            left_out = [
                {**note.as_json(), "path": None if path[-1] == "run" else list(path)}
                for note, path in zip(outcome.left_out, paths, strict=True)
            ]
            notes = messages.plain((*outcome.diagnostics, *outcome.notes))
            return made, {"pages": pages, "left_out": left_out, "notes": notes}

        self._desk.busy += 1
        try:
            await tell("making")
            made, answer = await messages.in_thread(make)
            for future in sent:
                await asyncio.wrap_future(future)
            await tell("pages", **answer)
            # What follows takes a while, and nobody waits for it.
            if made.outcome.keep:
                with contextlib.suppress(CvbuildError):
                    await messages.in_thread(self._desk.prepare, made.outcome.keep)
            about_places = made, compared, self._places, file.subject.path
            await tell("places", places=await messages.in_thread(live.places, *about_places))
        except CvbuildError as error:
            await tell("failed", diagnostics=messages.plain(error.diagnostics))
        finally:
            self._desk.busy -= 1


#: What is done for each type of message.
_WORK: Mapping[str, Callable[..., Awaitable[None]]] = MappingProxyType(
    {work.__name__: work for work in (Tab.open, Tab.edit, Tab.show, Tab.save)}
    | {"look": Tab.keep_view}
)
_ANY: Any = reduce(or_, (messages.arguments(_WORK[k], type=(Literal[k], ...)) for k in _WORK))
#: What reads messages by their type: their other keys are arguments.
_MESSAGES = TypeAdapter[BaseModel](Annotated[_ANY, Field(discriminator="type")])


# -- what other programs write ---------------------------------------------------------------------

#: Seconds between two looks at the files without an event: folders on a network send none; and how
#: many looks there are until folders are looked for again.
_LOOK, _TURNS = 0.3, 10
_Stamps = dict[Path, file_state.Stamp | None]


async def watch(desk: Desk, tabs: list[Tab]) -> None:
    """Tell tabs what has changed, each by itself: one that takes no message keeps none waiting."""
    async with asyncio.TaskGroup() as group:
        known = await asyncio.to_thread(_changed, desk, None)
        titles = await asyncio.to_thread(desk.titles)
        while True:
            before, known = known, await asyncio.to_thread(_changed, desk, known)
            paths = {path for path, _ in before.items() ^ known.items()}
            own = {Path(os.path.realpath(person.path)) for person in desk.people().values()}
            others = [path for path in paths if path not in own and path.suffix != ".new"]
            if others:
                # If that fails, the known ones stay.
                with contextlib.suppress(CvbuildError):
                    await asyncio.to_thread(desk.find_templates)
            old, titles = titles, await asyncio.to_thread(desk.titles)
            news = None if titles == old else titles
            for tab in tabs if paths or news is not None else ():
                group.create_task(tab.look(news, own=bool(paths), others=bool(others)))


def _changed(desk: Desk, known: _Stamps | None) -> _Stamps:
    """Return the files with their stamps as soon as one was written, or after a while.

    They are those in all folders in which a file may be written that a document shows.
    """
    own = (str(people.FOLDER), load.FOLDER, "templates", *desk.request.template_path)
    inside = (Path(folder) for top in own for folder, _, _ in file_state.walk(top))
    named = (person.path.parent for person in desk.named)
    # ``resolve`` refuses links that lead to themselves.
    folders = {Path(os.path.realpath(path)) for path in (*inside, *named) if path.is_dir()}
    # In the folder above them, they are made.
    with safe_folders.events_of([".", *map(str, sorted(folders))]) as wait:
        for _ in range(_TURNS):
            now: _Stamps = {}
            for folder in folders:
                with contextlib.suppress(OSError):
                    now |= {path: file_state.of(path) for path in folder.iterdir()}
            if now != known:
                return now
            wait(_LOOK)
    return now
