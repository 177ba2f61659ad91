"""Page 1 of a text in any style, made beside what is edited; and what isn't translated."""

from __future__ import annotations

import asyncio
import base64
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from cvbuild.building.check import profiles
from cvbuild.building.environment import known_locale
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.files import safe_files
from cvbuild.inputs import localize
from cvbuild.outputs.pdf.verify.pdf_facts import MAX_BYTES
from cvbuild.serve import live, messages, subjects
from cvbuild.serve.desk import Desk
from cvbuild.serve.messages import SheetRequest, UntranslatedRequest
from cvbuild.serve.pictures import first_page
from cvbuild.serve.requests import answered

#: Seconds between two looks whether a tab makes pages; and how often at most.
_PAUSE, _LOOKS = 0.1, 300


class Sheets:
    """Answers to requests for pictures of styles, and for texts without a translation."""

    def __init__(self, desk: Desk) -> None:
        self._desk, self._turn = desk, asyncio.Semaphore(1)
        self._folder = desk.folder / "sheets"

    async def sheet(self, request: Request) -> Response:
        """Send page 1 of a document; one at a time, and after what tabs make."""
        for _ in range(_LOOKS):
            if not any(tab.is_busy for tab in self._desk.tabs):
                break
            await asyncio.sleep(_PAUSE)
        return await answered(request, SheetRequest, self._sheet, self._turn)

    async def untranslated(self, request: Request) -> Response:
        """Send a note for each text that isn't in a language."""
        return await answered(request, UntranslatedRequest, self._untranslated, self._turn)

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
        settings, locale = self._desk.settings, known_locale(wanted.locale)
        person = self._desk.person(wanted.person)._replace(text=wanted.text)
        checked = profiles.check(person, settings.library, seconds=settings.timeout)
        found: tuple[Diagnostic, ...] = ()
        if checked.profile and checked.source and locale:
            found = localize.untranslated(checked.profile, checked.source, locale)
        return JSONResponse({"notes": messages.plain(found)})
