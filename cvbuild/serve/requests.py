"""The requests beside the socket: a download, a match, a value, the fields of a part, page 1."""

from __future__ import annotations

import asyncio
import base64
import io
import re
import shutil
import zipfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from msgspec.structs import replace
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from cvbuild.applications import load, match
from cvbuild.applications.model import Application
from cvbuild.applications.packet import file_names
from cvbuild.building import pipeline, profiles
from cvbuild.building.profiles import Checked
from cvbuild.building.requested import known_locale
from cvbuild.common import safe_files
from cvbuild.common.diagnostics import FieldPath
from cvbuild.common.errors import CvbuildError, UsageError
from cvbuild.importers import adverts
from cvbuild.inputs import json_schema, localize, new_files
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.model import language_tags
from cvbuild.outputs import registry
from cvbuild.outputs.pdf.verify.pdf_facts import MAX_BYTES
from cvbuild.outputs.templates import Library
from cvbuild.serve import copies, edits, live, messages
from cvbuild.serve.desk import Desk
from cvbuild.serve.documents import Json
from cvbuild.serve.form import completion, fields, rows, shapes
from cvbuild.serve.live import ApplicationFile, CheckedApplication
from cvbuild.serve.messages import (
    AdvertRequest,
    DownloadRequest,
    FieldsRequest,
    FileRequest,
    HistoryRequest,
    MatchRequest,
    PlaceRequest,
    SetRequest,
    SheetRequest,
    UntranslatedRequest,
)
from cvbuild.serve.pictures import draw

#: Seconds of CPU time for what a form asks for.
QUICK = 20.0
#: How many downloads and matches are made at a time.
_AT_ONCE = 2
#: Bytes of a request with a file: base64 makes it a third larger.
_MOST_FILE = load.MAX_BYTES // 3 * 4 + (1 << 20)
#: How an advertisement is called that was pasted.
_PASTED = "the advertisement"
_TYPES = {".pdf": "application/pdf", ".zip": "application/zip", ".eml": "message/rfc822"}
_Given = TypeVar("_Given", bound=BaseModel)
Endpoint = Callable[[Request], Awaitable[Response]]


class Requests:
    """Answers to requests that have a body."""

    def __init__(self, desk: Desk) -> None:
        self._desk, turn = desk, asyncio.Semaphore(_AT_ONCE)
        self.download = endpoint(DownloadRequest, self._download, turn)
        self.match = endpoint(MatchRequest, self._match, turn)
        quick = min(desk.settings.timeout, QUICK)
        self.set = endpoint(SetRequest, live.in_time(quick, _set), turn)
        self.file = endpoint(FileRequest, self._file, turn, _MOST_FILE)
        self.advert = endpoint(AdvertRequest, live.in_time(quick, _advert), turn)
        self.history = endpoint(HistoryRequest, live.in_time(quick, self._history), turn)
        self.fields = endpoint(FieldsRequest, live.in_time(quick, self._fields), turn)
        alone = asyncio.Semaphore(1)
        untranslated = live.in_time(quick, self._untranslated)
        self.untranslated = endpoint(UntranslatedRequest, untranslated, alone)
        self.sheet = endpoint(SheetRequest, self._sheet, alone, before=desk.idle)
        self.place = endpoint(PlaceRequest, live.in_time(quick, self._place), turn)
        #: Of each kind of file, with the library whose templates it names.
        self._schemas: dict[str, tuple[Library, Json]] = {}

    def _checked(self, person: str, text: str) -> Checked | CheckedApplication:
        asked = live.subject_of(person, self._desk.people())
        return live.check(asked._replace(text=text), self._desk.settings)

    def _download(self, wanted: DownloadRequest) -> Response:
        """Send a document in a format."""
        checked = self._checked(wanted.person, wanted.text)
        folder = self._desk.new_folder()
        try:
            settings = replace(self._desk.settings, out=folder)
            document = live.make(checked, wanted.document, settings, wanted.format)
            name, data = packed(document.path)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return attachment(_download_name(wanted, checked, name), data)

    def _fields(self, wanted: FieldsRequest) -> Response:
        """Send the fields of a part of a text."""
        known: fields.Names = {"locale": fields.languages()}
        if wanted.kind == "application":
            known = fields.names_in(wanted.text, self._desk)
        root, path = shapes.ROOTS[wanted.kind], tuple(wanted.path)
        return JSONResponse(fields.read(wanted.text, path, root, known))

    def _place(self, wanted: PlaceRequest) -> Response:
        """Send what may be written at a place of a text, or what is said of what is there."""
        schema = self._schema(wanted.kind)
        act = completion.about if wanted.is_hover else completion.complete
        return JSONResponse(act(wanted.before, wanted.after, schema))

    def _schema(self, kind: str) -> Json:
        library = self._desk.settings.library
        known = self._schemas.get(kind)
        if known is None or known[0] is not library:
            if kind == "person":
                schema = registry.json_schema(library)
            else:
                schema = json_schema.of_model(Application)
                places = [(schema["properties"], "Options")]
                schema = registry.with_names(schema, places, library)
            known = self._schemas[kind] = library, schema
        return known[1]

    def _file(self, wanted: FileRequest) -> Response:
        """Keep a person's photo or a PDF of an application, and send the name of its file."""
        subject = live.subject_of(wanted.person, self._desk.people())
        if isinstance(subject, ApplicationFile):
            name = load.keep(wanted.data, new_files.plain_name(wanted.name), subject.path.parent)
        else:
            name = new_files.photo(wanted.data, subject)
        return JSONResponse({"name": name})

    def _history(self, wanted: HistoryRequest) -> Response:
        """Send the earlier versions of a file, or the text of one of them."""
        path = live.subject_of(wanted.person, self._desk.people()).path
        cache = self._desk.settings.cache
        if wanted.version:
            return JSONResponse({"text": copies.text_of(path, cache, wanted.version)})
        return JSONResponse({"versions": copies.as_json(path, cache)})

    def _match(self, wanted: MatchRequest) -> Response:
        """Send what an advertisement asks for, and whether a document has it."""
        settings = self._desk.settings
        checked = self._checked(wanted.person, wanted.text)
        task = live.task(checked, wanted.document, settings)
        employer = checked.employer if isinstance(checked, CheckedApplication) else ""
        advert = match.read(wanted.advert, _PASTED, employer)
        locale = known_locale(wanted.document.locale)
        chosen = pipeline.choose(task, settings.library, locale, settings.counted_from)
        matches = match.run(chosen, advert)
        language = chosen.task.profile.locale
        return JSONResponse(match.as_json(chosen.task, _PASTED, language, matches))

    def _sheet(self, wanted: SheetRequest) -> Response:
        """Send page 1 of a document; one at a time, and after what tabs make."""
        person = self._desk.person(wanted.person)._replace(text=wanted.text)
        checked = live.check(person, self._desk.settings)
        settings = replace(self._desk.settings, out=self._desk.folder / "sheets")
        made = live.make(checked, wanted.document, settings)
        pdf = safe_files.read(made.path, MAX_BYTES, links=False)
        return JSONResponse(
            {
                "picture": base64.b64encode(draw(pdf, 0, wanted.scale)).decode(),
                "pages": made.outcome.pages,
                "left_out": len(made.outcome.left_out),
            }
        )

    def _untranslated(self, wanted: UntranslatedRequest) -> Response:
        """Send a note for each text that isn't in a language."""
        settings, locale = self._desk.settings, known_locale(wanted.locale)
        person = self._desk.person(wanted.person)._replace(text=wanted.text)
        checked = profiles.check(person, settings.library, seconds=settings.timeout)
        profile, whole = checked.profile, checked.source
        if profile is None or whole is None or locale is None:
            raise CvbuildError(checked.diagnostics)
        own, file = source_stage.parse(wanted.text, "text"), source_stage.name_of(person.path)
        notes: list[Json] = []
        for path, note in localize.untranslated(profile, whole, locale):
            is_here = note.span and note.span.file == file
            text = _written(own.data, path, profile.locale) if is_here else None
            notes.append({**note.as_json(), "text": text})
        return JSONResponse({"notes": notes, "language": language_tags.canonical(locale)})


def _download_name(
    wanted: DownloadRequest, checked: Checked | CheckedApplication, name: str
) -> str:
    """Return a name as a packet's files have: of whom and what; behind it, that of the document."""
    if isinstance(checked, CheckedApplication):
        profile = checked.documents.cv.profile if checked.documents else None
        own, extension = checked.locale, Path(name).suffix
    else:
        # A person has many: with or without private data, in many languages.
        profile, own, extension = checked.profile, None, "".join(name.partition(".")[1:])
    document = wanted.document
    locale = document.locale or own or (profile.locale if profile else "en")
    kind = file_names.kind("letter" if document.kind == "letter" else "cv", locale)
    who = profile.name.display if profile else wanted.person
    return file_names.file_name("{name}_{kind}", {"name": who, "kind": kind}, extension)


def attachment(name: str, data: bytes) -> Response:
    """Return a file that the browser saves."""
    # The name as it is, and for old programs in plain letters.
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", name)
    names = f"filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
    return Response(
        data,
        media_type=_TYPES.get(Path(name).suffix, "application/octet-stream"),
        headers={"Content-Disposition": f"attachment; {names}"},
    )


def endpoint(
    kind: type[_Given],
    work: Callable[[_Given], Response],
    turn: asyncio.Semaphore,
    most: int = messages.MOST,
    before: Callable[[], Awaitable[None]] | None = None,
) -> Endpoint:
    """Return what answers requests with a body, of ``most`` bytes, by ``work`` in a thread.

    ``before`` is waited for first.
    """

    async def answer(request: Request) -> Response:
        if before:
            await before()
        try:
            wanted = messages.read_as(kind, await _body(request, most))
            async with turn:
                return await live.in_thread(work, wanted)
        except CvbuildError as error:
            return JSONResponse({"diagnostics": messages.plain(error.diagnostics)}, 400)

    return answer


async def _body(request: Request, most: int) -> bytes:
    """Return the body of a request; raises UsageError if it is too large."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > most:
            fact = f"the request has more than {most:,} bytes"
            raise UsageError.because("message", fact, "a CV has fewer")
    return bytes(body)


def packed(path: Path) -> tuple[str, bytes]:
    """Return the name and the bytes of a document; those of a folder as an archive."""
    if not path.is_dir():
        return path.name, path.read_bytes()
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(one for one in path.rglob("*") if one.is_file()):
            archive.write(file, file.relative_to(path).as_posix())
    return f"{path.name}.zip", stream.getvalue()


def _advert(wanted: AdvertRequest) -> Response:
    """Send what an advertisement says of an application, and whether that has it already."""
    told = adverts.read(wanted.advert, _PASTED)
    values = [
        {"path": list(path), "value": value, "is_free": adverts.is_free(wanted.text, path)}
        for path, value in told.items()
    ]
    return JSONResponse({"values": values})


def _set(wanted: SetRequest) -> Response:
    """Send a text after changes, and where the first one's value is."""
    changes = [wanted, *wanted.also]
    after, path = edits.applied(wanted.text, changes, shapes.ROOTS[wanted.kind])
    return JSONResponse({"text": after, "path": list(path)})


def _written(data: Any, path: FieldPath, own: str) -> Json | None:
    """Return where a text of a profile is written in the file, its words and their language.

    A text may stand for a mapping or a list that has it. None for what isn't a text there.
    """
    place: list[str | int] = []
    for step in (*path, None):
        if isinstance(data, dict) and set(data) == {"value", "private"}:
            place, data = [*place, "value"], data["value"]
        if isinstance(data, str):
            return {"path": place, "words": data, "language": own}
        if rows.in_languages(data):
            language = language_tags.choose(data, own) or next(iter(data))
            return {"path": place, "words": data[language] or "", "language": language}
        if isinstance(data, dict) and step in data:
            place, data = [*place, str(step)], data[step]
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            place, data = [*place, step], data[step]
        elif not (isinstance(data, dict) and step == 0):
            break
    return None
