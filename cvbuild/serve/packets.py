"""Everything that goes out with an application: made, shown, sent to the browser, kept.

The packet is that of ``cvbuild apply``: by the same functions and settings, so with the same bytes.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from datetime import date as Day
from email import message_from_bytes, policy
from pathlib import Path

from starlette.responses import JSONResponse, Response

from cvbuild import building as building_request
from cvbuild.applications import load, sent, versions
from cvbuild.applications.packet import assemble
from cvbuild.applications.packet.assemble import Packet
from cvbuild.applications.packet.contents import MESSAGE
from cvbuild.building.requested import settings_of
from cvbuild.common import safe_files
from cvbuild.common.errors import CvbuildError, UsageError
from cvbuild.inputs import new_files, output_folder
from cvbuild.inputs.output_folder import DefaultFolder
from cvbuild.outputs.pdf.verify.pdf_facts import MAX_BYTES
from cvbuild.outputs.types import Settings
from cvbuild.serve import messages
from cvbuild.serve.desk import Desk
from cvbuild.serve.documents import Json
from cvbuild.serve.messages import NewApplicationRequest, PacketRequest
from cvbuild.serve.requests import attachment, endpoint, packed

#: Of a mail's text, characters that are shown.
_MOST = 20_000


class Packets:
    """Answers to requests about applications."""

    def __init__(self, desk: Desk) -> None:
        self._desk, turn = desk, asyncio.Semaphore(1)
        self._folder = desk.folder / "packets"
        #: Of each application, what a draft, an archive or a folder was taken of, as it was then.
        self._taken: dict[str, Packet] = {}
        self.new = endpoint(NewApplicationRequest, self._new, turn)
        self.packet = endpoint(PacketRequest, self._packet, turn)

    def _new(self, wanted: NewApplicationRequest) -> Response:
        """Begin an application."""
        person = self._desk.person(wanted.person)
        given = wanted.model_dump()
        values = {
            key: " ".join(str(value).split())
            for key, value in given.items()
            if key != "person" and str(value).strip()
        }
        (path,) = new_files.application(_name(wanted), person.name, values)
        slug = Path(path).stem
        return JSONResponse({"application": f"{load.FOLDER}/{slug}", "path": path})

    def _packet(self, wanted: PacketRequest) -> Response:
        """Make a packet, and do with it what is asked for.

        It goes on if the browser is closed meanwhile: a packet is whole or not there.
        """
        (slug,) = load.find([wanted.application])
        if wanted.act == "kept":
            return _kept(slug, wanted.file)
        is_ours = wanted.act in ("write", "sent")
        settings = self._settings(output_folder.default() if is_ours else str(self._folder))
        day, taken = settings.day, self._taken.get(slug)
        if wanted.act == "sent" and taken:
            # Whoever sent it sent what was taken, whatever was written since.
            return self._keep(taken, day)
        packet = assemble.build(load.load(slug, day), settings)
        if wanted.act in ("zip", "eml", "write"):
            self._taken[slug] = sent.taken(packet, self._desk.new_folder())
            if taken:
                shutil.rmtree(taken.folder, ignore_errors=True)
        match wanted.act:
            case "zip":
                name, data = packed(packet.folder)
                return attachment(name, data)
            case "eml":
                return attachment(f"{slug}.eml", (packet.folder / MESSAGE).read_bytes())
            case "sent":
                return self._keep(packet, day)
            case "write":
                return JSONResponse({"folder": packet.folder.as_posix(), "notes": []})
            case "look":
                return JSONResponse(_look(packet, day, taken))

    def _keep(self, packet: Packet, day: Day) -> Response:
        kept = sent.keep(packet, Path(), day)
        self._taken.pop(packet.application.slug, None)
        return JSONResponse({"folder": kept.as_posix(), "notes": [sent.NOTICE.as_json()]})

    def _settings(self, out: str) -> Settings:
        """Return the settings of ``cvbuild apply``, with another output folder."""
        desk = self._desk
        request = building_request.Request(
            out=out,
            template_path=desk.template_path,
            engine=desk.settings.engine,
            epoch=os.environ.get("SOURCE_DATE_EPOCH", ""),
            one_folder=not isinstance(out, DefaultFolder),
        )
        return settings_of(request, timeout=desk.settings.timeout)


def _kept(slug: str, file: str) -> Response:
    """Send a file of a copy of what was sent; raises UsageError for any other."""
    for one in sent.packets(Path(), slug):
        for name in one.files():
            if file == f"{one.folder.name}/{name}":
                return attachment(name, safe_files.read(one.folder / name, MAX_BYTES, links=False))
    raise UsageError.because("sent", "this copy is not there any more", "reload the page")


def _name(wanted: NewApplicationRequest) -> str:
    """Return a name for the file: the employer, with the position if there is one already."""
    for words in (wanted.employer, f"{wanted.employer} {wanted.position}"):
        slug = new_files.slug(words)
        if load.SLUG.fullmatch(slug) and slug not in load.slugs():
            return slug
    return f"{new_files.slug(wanted.person)}-{len(load.slugs()) + 1}"


def _look(packet: Packet, day: Day, taken: Packet | None) -> Json:
    data = packet.application.data
    files = [
        {
            "name": name,
            "size": (packet.folder / name).stat().st_size,
            "pages": packet.pages.get(name),
        }
        for name in packet.files
    ]
    slug = packet.application.slug
    kept = [
        {"date": one.date, "folder": one.folder.as_posix(), "files": one.files()}
        for one in sent.packets(Path(), slug)
    ]
    return {
        "employer": data.employer,
        "position": data.position,
        "deadline": data.deadline and data.deadline.isoformat(),
        "days_left": data.deadline and (data.deadline - day).days,
        "files": files,
        "limit": data.size_limit * 1_000_000,
        "mail": _mail((packet.folder / MESSAGE).read_bytes()),
        "sent": kept,
        "changed": _changed(slug),
        "is_other": taken is not None and _bytes(taken) != _bytes(packet),
        "notes": messages.plain(packet.diagnostics),
    }


def _bytes(packet: Packet) -> dict[str, bytes]:
    return {name: (packet.folder / name).read_bytes() for name in packet.files}


def _changed(slug: str) -> list[Json] | None:
    """Return what has changed since an application was sent last; None if nothing can be said."""
    packets = sent.packets(Path(), slug)
    try:
        files = versions.since(packets[-1]) if packets else None
        return None if files is None else [change for file in files for change in file.as_json()]
    except CvbuildError:
        return None


def _mail(data: bytes) -> Json:
    """Return a draft as it reads: to whom, its subject, its text, its attachments."""
    mail = message_from_bytes(data, policy=policy.default)
    body = mail.get_body(("plain",))
    return {
        "to": str(mail.get("To", "")),
        "subject": str(mail.get("Subject", "")),
        "body": body.get_content()[:_MOST] if body else "",
        "attached": [str(part.get_filename()) for part in mail.iter_attachments()],
    }
