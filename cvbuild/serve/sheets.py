"""Page 1 of a text in any style, made beside what is edited; and what isn't translated."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from cvbuild.building.check import profiles
from cvbuild.building.environment import known_locale
from cvbuild.common.diagnostics import FieldPath
from cvbuild.common.errors import CvbuildError
from cvbuild.common.files import safe_files
from cvbuild.inputs import localize
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.model import language_tags
from cvbuild.outputs.pdf.verify.pdf_facts import MAX_BYTES
from cvbuild.serve import live, subjects
from cvbuild.serve.desk import Desk
from cvbuild.serve.documents import Json
from cvbuild.serve.form import rows
from cvbuild.serve.messages import SheetRequest, UntranslatedRequest
from cvbuild.serve.pictures import first_page
from cvbuild.serve.requests import QUICK, answered, endpoint


class Sheets:
    """Answers to requests for pictures of styles, and for texts without a translation."""

    def __init__(self, desk: Desk) -> None:
        self._desk, self._turn = desk, asyncio.Semaphore(1)
        self._folder = desk.folder / "sheets"
        untranslated = live.in_time(min(desk.settings.timeout, QUICK), self._untranslated)
        self.untranslated = endpoint(UntranslatedRequest, untranslated, self._turn)

    async def sheet(self, request: Request) -> Response:
        """Send page 1 of a document; one at a time, and after what tabs make."""
        await self._desk.idle()
        return await answered(request, SheetRequest, self._sheet, self._turn)

    def _sheet(self, wanted: SheetRequest) -> Response:
        person = self._desk.person(wanted.person)._replace(text=wanted.text)
        checked = subjects.check(person, self._desk.settings)
        settings = replace(self._desk.settings, out=self._folder)
        made = live.make(checked, wanted.document, settings)
        pdf = safe_files.read(made.path, MAX_BYTES, links=False)
        return JSONResponse(
            {
                "picture": base64.b64encode(first_page(pdf, wanted.scale)).decode(),
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
