"""The start: who and what is there, a new person, an import; applications and their packets.

A packet is that of ``cvbuild apply``: by the same functions and request, so with the same bytes.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from datetime import date as Day
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal

from msgspec.structs import replace
from pydantic import AfterValidator, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from cvbuild.applications import history, load, mail, versions
from cvbuild.applications.packet import MESSAGE, Packet, build
from cvbuild.building import pipeline, profiles
from cvbuild.building.fresh import today
from cvbuild.common import file_state, processes, safe_files
from cvbuild.common.diagnostics import Diagnostic, quoted
from cvbuild.common.errors import CvbuildError, UsageError
from cvbuild.importers import adverts, new_file
from cvbuild.inputs import people, saving
from cvbuild.inputs.people import Person
from cvbuild.inputs.yaml import edit, source, writer
from cvbuild.model import dates, kinds
from cvbuild.model.application import Application
from cvbuild.outputs.pdf.verify.pdf_facts import MAX_BYTES
from cvbuild.outputs.request import PDF, day_of, epoch_of
from cvbuild.outputs.request import Request as Documents
from cvbuild.serve import edits, live, messages
from cvbuild.serve import files as edited_files
from cvbuild.serve.desk import Desk
from cvbuild.serve.form import fields, shapes
from cvbuild.serve.messages import Change, Files, GivenFile, Json, Subject, Words, posted
from cvbuild.serve.pictures import first_page

#: How an advertisement is called that was pasted.
PASTED = "the advertisement"
#: Pixels for each point of the pictures of people: 200 pixels wide, for 100 on a sharp screen.
_SCALE = 0.45
#: A name of a file without its ending.
_FILE_NAME = r"^[^/\\\x00-\x1f.][^/\\\x00-\x1f]*$"
_Moved = Annotated[Subject, Field(pattern=rf"^(applications/)?{_FILE_NAME[1:]}")]
#: A full date, or empty.
_Deadline = Annotated[Words, AfterValidator(lambda value: value and dates.day(value))]
_NewName = Annotated[Words, Field(pattern=rf"^$|{_FILE_NAME}")]
#: The sections that a new file begins with, by the kind of work.
SECTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "company": ("experience", "education", "skill", "language"),
        "research": ("education", "experience", "publication", "award", "language"),
        "care": ("experience", "education", "certificate", "skill", "language"),
        "craft": ("experience", "education", "certificate", "skill", "language"),
        "first": ("education", "experience", "volunteer", "skill", "language"),
    }
)


class Begin:
    """Answers to what the start page asks."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def routes(self) -> list[Route]:
        """Return what is answered."""
        return [
            Route("/begin", self.begin),
            posted("/new", self._new),
            posted("/move", self._move),
            posted("/import", self._import),
            # Pages that somebody looks at come first.
            posted("/card", self._card, before=self._desk.idle),
        ]

    async def begin(self, _: Request) -> Response:
        """Send what there is: people, applications, styles."""
        return JSONResponse(await asyncio.to_thread(self._begin))

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
            "styles": [
                {"name": name, "title": one.manifest.title, "about": one.manifest.description}
                for name, one in desk.templates.items()
            ],
        }

    def _new(
        self,
        name: Words,
        template: Words | None = None,
        work: Literal["", "company", "research", "care", "craft", "first"] = "",
        *,
        write: bool = True,
    ) -> Json:
        """Make a person's file; without ``write``, say which that would be."""
        if not write:
            path = saving.place(name, people.FOLDER)
            return {**_target(path), "exists": path.exists()}
        values = {}
        if template is not None:
            values["template"] = self._desk.request.library.require(template).name
        filled = partial(laid_out, wanted=SECTIONS[work]) if work else str
        return _target(saving.person(name, people.FOLDER, values, filled))

    def _move(
        self,
        act: Literal["remove", "back", "rename", "copy"],
        person: _Moved,
        name: _NewName = "",
    ) -> Json:
        """Put a person's or an application's files aside or back, rename or copy them.

        ``name`` is the new one, or that of what was put aside.
        """
        if act == "back":
            path = Path(f"{person if '/' in person else people.FOLDER / person}.yaml")
            people.put_back(name, path)
            return _target(path)
        subject = live.subject_of(person, self._desk.people())
        match act:
            case "remove":
                return _target(people.put_aside(subject.path))
            case "rename":
                path = load.rename_person(self._desk.person(person), name)
                edited_files.follow(subject.path, path, self._desk.request.cache)
            case "copy" if isinstance(subject, Person):
                path = people.copy(subject)
            case "copy":
                path = load.copy_application(subject.slug)
        return _target(path)

    def _import(self, files: Files, person: Words | None = None) -> Json:
        """Make a person's file of files of other programs."""
        read, photo = read_files(files, person, self._desk.new_folder())
        own, text = people.of_stem(read["stem"]), str(read["text"])
        if photo and not own.path.exists():
            text = saving.with_photo(text, photo, own)
        saving.put(own.path, text)
        return _target(own.path)

    def _card(self, person: Subject) -> Json:
        """Send how a person's file is: errors, doubts, its first page."""
        desk, own = self._desk, self._desk.person(person)
        checked = profiles.check(own, desk.request.library, seconds=desk.request.timeout)
        wrong = checked.errors
        unsure, pages, picture, path = 0, None, None, None
        with contextlib.suppress(CvbuildError):
            unsure = len(writer.doubts(source.text_of(own.path)[1]))
        with contextlib.suppress(CvbuildError, OSError):
            if one := live.finished(own, desk.request.template_path):
                pages, path = one["pages"], Path(one["path"])
            else:
                request = desk.request._replace(out=desk.folder / "cards", today=today())
                name = checked.require()[0].template[0]
                document = replace(profiles.task(checked, name), format=PDF)
                outcome = pipeline.build(document, request)
                pages, path = outcome.pages, outcome.path
            picture = path and first_page(path, _SCALE)
        return {
            "errors": len(wrong),
            "line": next((fault.span.line for fault in wrong if fault.span), None),
            "unsure": unsure,
            "pages": pages,
            "picture": picture,
        }


def read_files(
    files: Sequence[GivenFile], person: str | None, folder: Path
) -> tuple[Json, bytes | None]:
    """Return what a process of its own reads of files, and the photo; raises CvbuildError.

    ``folder`` isn't there yet, nor afterwards.
    """
    taken: list[str] = []
    folder.mkdir()
    try:
        for one in files:
            taken.append(_plain_name(one.name, taken))
            (folder / taken[-1]).write_bytes(one.data)
        request = {"files": taken, "person": person or None}
        (folder / new_file.REQUEST).write_text(json.dumps(request), encoding="utf-8")
        read: Json = processes.call_apart(new_file.__name__, "child", folder.resolve())
        if "diagnostics" in read:
            raise CvbuildError(Diagnostic.from_json(item) for item in read["diagnostics"])
        return read, (folder / new_file.PHOTO).read_bytes() if read["has_photo"] else None
    except processes.FailedError as error:
        fact = f"{taken[0] if len(taken) == 1 else 'one of the files'} {error}"
        raise CvbuildError.because("import", fact, "is it the right file?") from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def laid_out(text: str, wanted: Sequence[str]) -> str:
    """Return a new file's text with these sections alone, in this order.

    Those that it hasn't begin with one item.
    """
    head, *blocks = re.split(r"(?m)^(?=  - kind: )", text)
    there = {block.split()[2]: block.strip("\n") for block in blocks}
    text = head + "\n\n".join(there[kind] for kind in wanted if kind in there) + "\n"
    for at, kind in enumerate(wanted):
        if kind not in there:
            item = shapes.new_item(kind, kinds.new_name(kind))
            text = edit.insert(text, ("sections", at), {"kind": kind, "items": [item]})
    return text


def _target(path: Path) -> Json:
    return {"person": path.stem, "path": path.as_posix()}


def _plain_name(given: str, taken: list[str]) -> str:
    """Return a name for a dropped file that stays in its folder, and that no other has."""
    name = saving.plain_name(given) or "file"
    while name.casefold() in [*(one.casefold() for one in taken), new_file.REQUEST]:
        name = f"_{name}"
    return name


# -- applications ----------------------------------------------------------------------------------


class Packets:
    """Answers to requests about applications."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._folder = desk.folder / "packets"
        #: Of each application, what a draft, an archive or a folder was taken of, as it was then.
        self._taken: dict[str, Packet] = {}

    def routes(self) -> list[Route]:
        """Return what is answered."""
        seconds = self._desk.request.timeout
        return [
            posted("/new-application", self._new, seconds=seconds),
            posted("/packet", self._packet),
        ]

    def _new(  # noqa: PLR0913 - the fields of a form
        self,
        *,
        person: Subject,
        employer: Words = "",
        position: Words = "",
        deadline: _Deadline = "",
        locale: Words = "",
        advert: str = "",
    ) -> Json:
        """Begin an application; what is empty is what its advertisement says, or left out."""
        own = self._desk.person(person)
        given = {"employer": employer, "position": position, "deadline": deadline, "locale": locale}
        values = {key: " ".join(value.split()) for key, value in given.items() if value.strip()}
        told = adverts.read(advert, PASTED) if advert.strip() else {}
        words = [values.get(key) or told.get((key,)) for key in ("employer", "position")]
        if not all(words):
            key = "position" if words[0] else "employer"
            raise UsageError.because(key, f"the advert doesn't say the {key}", "write it yourself")

        def filled(text: str) -> str:
            for at, value in told.items():
                # The application is begun, whatever can't be filled in.
                with contextlib.suppress(CvbuildError):
                    change = [Change(path=[*at], value=value, read=True)]
                    text, _ = edits.applied(text, change, Application)
            return text

        name = load.free_name(own.name, *map(str, words))
        path = saving.application(name, own.name, values, filled)
        return {"application": f"{load.FOLDER}/{path.stem}", "path": path.as_posix()}

    def _packet(
        self,
        application: Words,
        act: Literal["look", "file", "eml", "sent", "kept"],
        file: Annotated[str, Field(max_length=400)] = "",
    ) -> Response | Json:
        """Make a packet, and do with it what is asked for.

        ``file`` is one of the packet, or of what was sent: 2026-11-21-example-lab/cv.pdf.
        It goes on if the browser is closed meanwhile: a packet is whole or not there.
        """
        (slug,) = load.find([application])
        if act == "kept":
            return _kept(slug, file)
        request = self._request()
        day, taken = request.day, self._taken.get(slug)
        if act == "sent" and taken:
            # Whoever sent it sent what was taken, whatever was written since.
            return self._keep(taken, day)
        packet = build(load.load(slug, day), request)
        if act in ("file", "eml"):
            self._taken[slug] = history.taken(packet, self._desk.new_folder())
            if taken:
                shutil.rmtree(taken.folder, ignore_errors=True)
        match act:
            case "file" if file in packet.files:
                return messages.attachment(file, (packet.folder / file).read_bytes())
            case "file":
                fact = f"the packet has no file {quoted(file, 80)} any more"
                raise UsageError.because("packet", fact, "look at what is to send again")
            case "eml":
                return messages.attachment(f"{slug}.eml", (packet.folder / MESSAGE).read_bytes())
            case "sent":
                return self._keep(packet, day)
            case "look":
                return _look(packet, day, taken)

    def _keep(self, packet: Packet, day: Day) -> Json:
        kept = history.keep(packet, Path(), day)
        self._taken.pop(packet.application.slug, None)
        return {"folder": kept.as_posix(), "notes": [history.NOTICE.as_json()]}

    def _request(self) -> Documents:
        """Return the request of ``cvbuild apply``, with another output folder."""
        own = self._desk.request._replace(out=self._folder, cache=None, today=today())
        return own._replace(epoch=epoch_of(os.environ.get("SOURCE_DATE_EPOCH", "")))


def _kept(slug: str, file: str) -> Response:
    """Send a file of a copy of what was sent; raises UsageError for any other."""
    for one in history.packets(Path(), slug):
        for name in one.files():
            if file == f"{one.folder.name}/{name}":
                data = safe_files.read(one.folder / name, MAX_BYTES, links=False)
                return messages.attachment(name, data)
    raise UsageError.because("sent", "this copy is not there any more", "reload the page")


def _look(packet: Packet, day: Day, taken: Packet | None) -> Json:
    data = packet.application.data
    packets = history.packets(Path(), packet.application.slug)
    kept = [
        {"date": sent.date, "folder": sent.folder.as_posix(), "files": sent.files()}
        for sent in packets
    ]
    changes = None  # if nothing can be said of what has changed since
    with contextlib.suppress(CvbuildError):
        if packets:
            changes = [row for file in versions.since(packets[-1]) for row in file.as_json()]
    return {
        "employer": data.employer,
        "position": data.position,
        "deadline": data.deadline and data.deadline.isoformat(),
        "days_left": data.deadline and (data.deadline - day).days,
        "files": packet.listed(),
        "limit": data.size_limit * 1_000_000,
        "mail": mail.as_read((packet.folder / MESSAGE).read_bytes()),
        "sent": kept,
        "changed": changes,
        "is_other": taken is not None and _bytes(taken) != _bytes(packet),
        "notes": messages.plain(packet.diagnostics),
    }


def _bytes(packet: Packet) -> dict[str, bytes]:
    return {name: (packet.folder / name).read_bytes() for name in packet.files}
