"""The start: people, a new one, an import; applications, and packets as ``apply`` makes them."""

from __future__ import annotations

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

from msgspec import Struct
from pydantic import AfterValidator, Field
from starlette.responses import Response
from starlette.routing import Route

from cvbuild.applications import load, versions
from cvbuild.applications.packets import history, mail
from cvbuild.applications.packets.packet import MESSAGE, Packet, build
from cvbuild.building import pipeline, profiles
from cvbuild.building.fresh import Entries, today
from cvbuild.common import processes
from cvbuild.common.diagnostics import CvbuildError, Diagnostic, UsageError, quoted
from cvbuild.common.files import file_state, safe_files
from cvbuild.importers import new_file
from cvbuild.inputs import people, saving
from cvbuild.inputs.yaml import edit, source, writer
from cvbuild.model import kinds
from cvbuild.model.application import Application
from cvbuild.model.locales import dates
from cvbuild.outputs.pdf.verify.pdf_facts import MAX_BYTES
from cvbuild.outputs.request import PDF, day_of, epoch_of
from cvbuild.outputs.request import Request as Documents
from cvbuild.serve import adverts, edits, messages
from cvbuild.serve.form import fields, shapes
from cvbuild.serve.live import Desk
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


class Begin(Struct):
    """Answers to what the start page asks, and to requests about applications."""

    desk: Desk
    #: Of each application, what a draft, an archive or a folder was taken of, as it was then.
    taken: dict[str, Packet] = {}

    def routes(self) -> list[Route]:
        """Return what is answered."""
        return [
            posted("/begin", self._begin),
            posted("/new", self._new),
            posted("/move", self._move),
            posted("/import", self._import),
            posted("/card", self._card),
            posted("/new-application", self._application, seconds=self.desk.request.timeout),
            posted("/packet", self._packet),
        ]

    def _begin(self) -> Json:
        """Send what there is: people, applications, styles."""
        desk = self.desk
        stamps = {person.name: file_state.of(person.path) for person in desk.people().values()}
        changed = {name: stamp[0] / 1e9 for name, stamp in stamps.items() if stamp}
        rows, faults = tuple[history.Row, ...](), tuple[Diagnostic, ...]()
        try:
            rows = history.rows(day_of(today()))
        except CvbuildError as error:
            faults = error.diagnostics
        return {
            "folder": Path.cwd().name,
            "people": [{**row, "changed": changed.get(str(row["name"]))} for row in desk.titles()],
            "removed": people.removed_names(),
            "removed_applications": people.removed_names(people.APPLICATIONS),
            "applications": [
                {**row.as_json(), "over": row.is_over, "errors": len(row.diagnostics)}
                for row in rows
            ],
            "diagnostics": messages.plain(faults),
            "languages": fields.languages(),
            "styles": [
                {"name": name, "title": style.manifest.title, "about": style.manifest.description}
                for name, style in desk.templates.items()
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
            values["template"] = self.desk.request.library.require(template).name
        filled = partial(laid_out, wanted=SECTIONS[work]) if work else str
        return _target(saving.person(name, people.FOLDER, values, filled))

    def _move(
        self,
        act: Literal["remove", "back", "rename", "copy"],
        person: _Moved,
        name: _NewName = "",
    ) -> Json:
        """Put a person's or an application's files aside or back, rename or copy them."""
        if act == "back":
            path = Path(f"{person if '/' in person else people.FOLDER / person}.yaml")
            people.put_back(name, path)
            return _target(path)
        subject = self.desk.subject(person)
        match act:
            case "remove":
                path = people.put_aside(subject.path)
            case "rename":
                path = load.rename_person(self.desk.person(person), name)
                edits.follow(subject.path, path, self.desk.request.cache)
            case "copy" if isinstance(subject, people.Person):
                path = people.copy(subject)
            case "copy":
                path = load.copy_application(subject.slug)
        return _target(path)

    def _import(self, files: Files, person: Words | None = None) -> Json:
        read, photo = read_files(files, person, self.desk.new_folder())
        own, text = people.of_stem(read["stem"]), str(read["text"])
        if photo and not own.path.exists():
            text = edit.put(text, ("photo",), saving.photo(photo, own))
        saving.write_all({own.path.as_posix(): text})
        return _target(own.path)

    def _card(self, person: Subject) -> Json:
        """Send how a person's file is: errors, doubts, its first page."""
        self.desk.wait()
        desk, own = self.desk, self.desk.person(person)
        checked = profiles.check(own, desk.request.library, seconds=desk.request.timeout)
        unsure, pages, picture = 0, None, None
        with contextlib.suppress(CvbuildError):
            unsure = len(writer.doubts(source.text_of(own.path)[1]))
        with contextlib.suppress(CvbuildError, OSError):
            # The first PDF that ``cvbuild build`` made, if it is up to date; else one is made here.
            out, path = Path(safe_files.OUT), desk.request.template_path
            _, current = Entries(Documents(out, today(), template_path=path)).check([own])
            built = (document for _, documents, _ in current for document, _ in documents)
            pdfs = (pdf for pdf in built if pdf["format"] == PDF and pdf["path"])
            if (pdf := next(pdfs, None)) is None:
                request = desk.request._replace(out=desk.folder / "cards", today=today())
                name = checked.require()[0].template[0]
                pdf = pipeline.build(profiles.task(checked, name, request)).as_json()
            pages = pdf["pages"]
            picture = pdf["path"] and first_page(Path(pdf["path"]), _SCALE)
        return {
            "errors": len(checked.errors),
            "line": next((fault.span.line for fault in checked.errors if fault.span), None),
            "unsure": unsure,
            "pages": pages,
            "picture": picture,
        }

    # -- applications -----------------------------------------------------------------------------

    def _application(  # noqa: PLR0913 - the fields of a form
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
        own = self.desk.person(person)
        given = {"employer": employer, "position": position, "deadline": deadline, "locale": locale}
        values = {key: " ".join(value.split()) for key, value in given.items() if value.strip()}
        read = adverts.read(advert, PASTED) if advert.strip() else {}
        words = [values.get(key) or read.get((key,)) for key in ("employer", "position")]
        if not all(words):
            key = "position" if words[0] else "employer"
            raise UsageError.because(key, f"the advert doesn't say the {key}", "write it yourself")

        def filled(text: str) -> str:
            for at, value in read.items():
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
        """Make a packet, whole or not at all, and do with a file of it what is asked for."""
        (slug,) = load.find([application])
        if act == "kept":
            for sent in history.packets(Path(), slug):
                for name in sent.files():
                    if file == f"{sent.folder.name}/{name}":
                        data = safe_files.read(sent.folder / name, MAX_BYTES, links=False)
                        return messages.attachment(name, data)
            fact = "this copy is not there any more"
            raise UsageError.because("sent", fact, "reload the page")
        # The request of ``cvbuild apply``, with another output folder.
        request = self.desk.request._replace(
            out=self.desk.folder / "packets", cache=None, today=today()
        )
        request = request._replace(epoch=epoch_of(os.environ.get("SOURCE_DATE_EPOCH", "")))
        day, taken = request.day, self.taken.get(slug)
        # Whoever sent it sent what was taken, whatever was written since.
        packet = (act == "sent" and taken) or build(load.load(slug, day), request)
        if act in ("file", "eml"):
            self.taken[slug] = history.taken(packet, self.desk.new_folder())
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
                folder = history.keep(packet, Path(), day)
                self.taken.pop(slug, None)
                return {"folder": folder.as_posix(), "notes": [history.NOTICE.as_json()]}
            case "look":
                return _look(packet, day, taken)


def read_files(
    files: Sequence[GivenFile], person: str | None, folder: Path
) -> tuple[Json, bytes | None]:
    """Return what a process of its own reads of files, in a new ``folder``, and the photo."""
    taken: list[str] = []
    folder.mkdir()
    try:
        for file in files:
            # A name that stays in the folder, and that no other has.
            name = saving.plain_name(file.name) or "file"
            while name.casefold() in [*map(str.casefold, taken), new_file.REQUEST]:
                name = f"_{name}"
            taken.append(name)
            (folder / name).write_bytes(file.data)
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
    """Return a new file's text with these sections alone, in this order, each with an item."""
    head, *blocks = re.split(r"(?m)^(?=  - kind: )", text)
    there = {block.split()[2]: block.strip("\n") for block in blocks}
    text = head + "\n\n".join(there[kind] for kind in wanted if kind in there) + "\n"
    for at, kind in enumerate(wanted):
        if kind not in there:
            item = shapes.new_item(kind, kinds.new_name(kind))
            section = {"kind": kind, "items": [item]}
            text = edit.add(text, [edit.Addition(("sections", at), section)])
    return text


def _target(path: Path) -> Json:
    return {"person": path.stem, "path": path.as_posix()}


def _look(packet: Packet, day: Day, taken: Packet | None) -> Json:
    data = packet.application.data
    packets = history.packets(Path(), packet.application.slug)
    changes = None  # if nothing can be said of what has changed since
    with contextlib.suppress(CvbuildError):
        if packets:
            sent = versions.of_sent(packets[-1])
            now = versions.today(sent)
            files = versions.compared(sent, now, lambda person, _: versions.facts(person))
            changes = [row for file in files for row in file.as_json()]
    contents = [
        {name: (each.folder / name).read_bytes() for name in each.files}
        for each in (packet, taken or packet)
    ]
    return {
        "employer": data.employer,
        "position": data.position,
        "deadline": data.deadline and data.deadline.isoformat(),
        "days_left": data.deadline and (data.deadline - day).days,
        "files": packet.listed(),
        "limit": data.size_limit * 1_000_000,
        "mail": mail.as_read((packet.folder / MESSAGE).read_bytes()),
        "sent": [
            {"date": sent.date, "folder": sent.folder.as_posix(), "files": sent.files()}
            for sent in packets
        ],
        "changed": changes,
        "is_other": contents[0] != contents[1],
        "notes": messages.plain(packet.diagnostics),
    }
