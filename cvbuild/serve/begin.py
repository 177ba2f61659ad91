"""The start: who and what is in the workspace, a new person, and an import."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import shutil
from collections.abc import Sequence
from http import HTTPStatus
from importlib import resources
from pathlib import Path

from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from cvbuild.applications import history, moves
from cvbuild.building import pipeline, profiles
from cvbuild.building.profiles import Checked
from cvbuild.building.requested import today
from cvbuild.common import file_state, processes, safe_files
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError, UsageError
from cvbuild.importers import new_file
from cvbuild.inputs import new_files, people
from cvbuild.inputs.people import Person
from cvbuild.inputs.yaml import source, writer
from cvbuild.outputs.installed import builtin_folder
from cvbuild.outputs.pdf.verify.pdf_facts import MAX_BYTES
from cvbuild.outputs.types import day_of
from cvbuild.serve import copies, live, messages
from cvbuild.serve.desk import Desk, contained
from cvbuild.serve.documents import Json
from cvbuild.serve.form import fields
from cvbuild.serve.messages import (
    CardRequest,
    GivenFile,
    ImportRequest,
    MoveRequest,
    NewRequest,
)
from cvbuild.serve.pictures import draw
from cvbuild.serve.requests import Endpoint, endpoint

#: Pixels for each point of the pictures of people: 200 pixels wide, for 100 on a sharp screen.
_SCALE = 0.45
#: Bytes of a request with files: base64 makes them a third larger.
MOST_BODY = messages.MOST_IMPORT // 3 * 4 + (1 << 20)


class Begin:
    """Answers to what the start page asks."""

    def __init__(self, desk: Desk) -> None:
        self._desk, turn = desk, asyncio.Semaphore(1)
        self._tasks = set[asyncio.Task[None]]()
        self.new = self._telling(endpoint(NewRequest, self._new, turn))
        self.move = self._telling(endpoint(MoveRequest, self._move, turn))
        read = endpoint(ImportRequest, self._import, turn, MOST_BODY)
        self.import_files = self._telling(read)
        # Pages take long: nobody who makes a file waits for them, and those of tabs come first.
        alone = asyncio.Semaphore(1)
        self.card = endpoint(CardRequest, self._card, alone, before=desk.idle)
        static = resources.files("cvbuild.serve").joinpath("static")
        self._pictures = frozenset(one.name for one in static.iterdir())

    async def begin(self, _: Request) -> Response:
        """Send what there is: people, applications, styles."""
        return JSONResponse(await asyncio.to_thread(self._begin))

    def _telling(self, answer: Endpoint) -> Endpoint:
        """Return the same; if a file was made or moved, all tabs are being told."""

        async def told(request: Request) -> Response:
            response = await answer(request)
            if response.status_code in (HTTPStatus.CREATED, HTTPStatus.ACCEPTED):
                titles = await asyncio.to_thread(self._desk.titles)
                for tab in list(self._desk.tabs):
                    task = asyncio.create_task(contained(tab.tell_people(titles)))
                    self._tasks.add(task)
                    task.add_done_callback(self._tasks.discard)
            return response

        return told

    def _begin(self) -> Json:
        desk = self._desk
        stamps = {one.name: file_state.of(one.path) for one in desk.people().values()}
        changed = {name: stamp[0] / 1e9 for name, stamp in stamps.items() if stamp}
        try:
            rows, faults = history.rows(day_of(today())), list[Diagnostic]()
        except CvbuildError as error:
            rows, faults = (), [*error.diagnostics]
        applications = [
            {**row.as_json(), "over": row.is_over, "errors": len(row.diagnostics)} for row in rows
        ]
        return {
            "folder": Path.cwd().name,
            "people": [{**one, "changed": changed.get(str(one["name"]))} for one in desk.titles()],
            "removed": people.removed_names(),
            "removed_applications": people.removed_names(people.APPLICATIONS),
            "applications": applications,
            "diagnostics": messages.plain(faults),
            "languages": fields.languages(),
            "styles": [self._style(name) for name in desk.templates],
        }

    def _style(self, name: str) -> Json:
        manifest = self._desk.templates[name].manifest
        picture = f"style-{name}.png"
        is_own = self._desk.templates[name].folders[0].parent != builtin_folder()
        known = picture in self._pictures and not is_own
        return {
            "name": name,
            "title": manifest.title,
            "about": manifest.description,
            "picture": f"/static/{picture}" if known else None,
        }

    def _new(self, wanted: NewRequest) -> Response:
        """Make a person's file."""
        if not wanted.write:
            path = new_files.place(wanted.name, people.FOLDER)
            return JSONResponse({**_target(path), "exists": path.exists()})
        values = {}
        if wanted.template is not None:
            values["template"] = self._desk.settings.library.require(wanted.template).name
        path = new_files.person(wanted.name, people.FOLDER, values)
        return JSONResponse(_target(path), HTTPStatus.CREATED)

    def _move(self, wanted: MoveRequest) -> Response:
        """Put files aside or back, rename or copy them."""
        if wanted.act == "back":
            is_person = "/" not in wanted.person
            path = Path(f"{people.FOLDER / wanted.person if is_person else wanted.person}.yaml")
            people.put_back(wanted.name, path)
            return JSONResponse(_target(path), HTTPStatus.CREATED)
        subject = live.subject_of(wanted.person, self._desk.people())
        match wanted.act:
            case "remove":
                return JSONResponse(_target(people.put_aside(subject.path)), HTTPStatus.ACCEPTED)
            case "rename":
                path = moves.rename_person(self._desk.person(wanted.person), wanted.name)
                copies.follow(subject.path, path, self._desk.settings.cache)
            case "copy" if isinstance(subject, Person):
                path = people.copy(subject)
            case "copy":
                path = moves.copy_application(subject.slug)
        return JSONResponse(_target(path), HTTPStatus.CREATED)

    def _import(self, wanted: ImportRequest) -> Response:
        """Make a person's file of files of other programs."""
        folder = self._desk.new_folder()
        folder.mkdir()
        try:
            read = read_files(wanted.files, wanted.person, folder)
            photo = (folder / new_file.PHOTO).read_bytes() if read["has_photo"] else None
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        person, text = people.of_stem(read["stem"]), str(read["text"])
        if photo and not person.path.exists():
            text = new_files.with_photo(text, photo, person)
        new_files.put(person.path, text)
        return JSONResponse(_target(person.path), HTTPStatus.CREATED)

    def _card(self, wanted: CardRequest) -> Response:
        """Send how a person's file is: errors, doubts, its first page."""
        desk = self._desk
        person = desk.person(wanted.person)
        checked = profiles.check(person, desk.settings.library, seconds=desk.settings.timeout)
        wrong = [one for one in checked.diagnostics if one.severity == "error"]
        unsure = 0
        with contextlib.suppress(CvbuildError):
            unsure = len(writer.doubts(source.text_of(person.path)[1]))
        line = next((one.span.line for one in wrong if one.span), None)
        first = self._first(checked, is_wrong=bool(wrong))
        return JSONResponse({"errors": len(wrong), "line": line, "unsure": unsure, **first})

    def _first(self, checked: Checked, *, is_wrong: bool) -> Json:
        """Return how many pages a person's first document has, and a picture of page 1."""
        desk, pages, path = self._desk, None, None
        with contextlib.suppress(CvbuildError, OSError):
            if one := live.finished(checked.person, desk.template_path):
                pages, path = one["pages"], Path(one["path"])
            elif not is_wrong:
                settings = replace(desk.settings, out=desk.folder / "cards", today=today())
                document = replace(profiles.tasks([checked])[0], format=live.PDF)
                outcome = pipeline.build(document, settings)
                pages, path = outcome.pages, outcome.path
            pdf = safe_files.read(path, MAX_BYTES, links=False) if path else None
            picture = pdf and base64.b64encode(draw(pdf, 0, _SCALE)).decode()
            return {"pages": pages, "picture": picture}
        return {"pages": None, "picture": None}


def read_files(files: Sequence[GivenFile], person: str | None, folder: Path) -> Json:
    """Return what a process of its own reads of the files; raises CvbuildError."""
    if sum(len(one.data) for one in files) > messages.MOST_IMPORT:
        fact = f"these files have more than {messages.MOST_IMPORT >> 20} MiB"
        raise UsageError.because("import", fact, "drop the CV alone")
    taken: list[str] = []
    for one in files:
        name = _name(one.name, taken)
        (folder / name).write_bytes(one.data)
        taken.append(name)
    request = {"files": taken, "person": person or None}
    (folder / new_file.REQUEST).write_text(json.dumps(request), encoding="utf-8")
    try:
        read: Json = processes.call_apart(new_file.__name__, "child", folder.resolve())
    except processes.FailedError as error:
        fact = f"{taken[0] if len(taken) == 1 else 'one of the files'} {error}"
        raise CvbuildError.because("import", fact, "is it the right file?") from None
    if "diagnostics" in read:
        raise CvbuildError(Diagnostic.from_json(item) for item in read["diagnostics"])
    return read


def _target(path: Path) -> Json:
    return {"person": path.stem, "path": path.as_posix()}


def _name(given: str, taken: list[str]) -> str:
    """Return a name for a dropped file that stays in its folder, and that no other has."""
    name = new_files.plain_name(given) or "file"
    while name.casefold() in [*(one.casefold() for one in taken), new_file.REQUEST]:
        name = f"_{name}"
    return name
