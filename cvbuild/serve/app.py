"""The web application: the page, the socket, and the requests beside it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from importlib import resources
from types import MappingProxyType

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from cvbuild.common.errors import CvbuildError
from cvbuild.serve.additions import Additions
from cvbuild.serve.begin import Begin
from cvbuild.serve.desk import TABS, Desk
from cvbuild.serve.messages import PROTOCOL
from cvbuild.serve.packets import Packets
from cvbuild.serve.requests import Requests
from cvbuild.serve.tab import Tab

_FOREVER = "private, max-age=31536000, immutable"
#: The files of the page: nothing else is served from its folder.
_TYPES = MappingProxyType(
    {
        ".js": "text/javascript",
        ".css": "text/css",
        ".svg": "image/svg+xml",
        ".png": "image/png",
        ".txt": "text/plain",
        ".woff2": "font/woff2",
    }
)


def create(desk: Desk, proof: str) -> Starlette:
    """Return the application for a desk; ``proof`` tells a page that this is its server."""
    pages, requests = _Pages(desk, proof), Requests(desk)
    begin, packets = Begin(desk), Packets(desk)
    return Starlette(
        routes=[
            Route("/", pages.page),
            Route("/static/{name}", pages.static),
            Route("/pictures/{key}.png", pages.picture),
            Route("/begin", begin.begin),
            Route("/new", begin.new, methods=["POST"]),
            Route("/move", begin.move, methods=["POST"]),
            Route("/import", begin.import_files, methods=["POST"]),
            Route("/additions", Additions(desk).answer, methods=["POST"]),
            Route("/new-application", packets.new, methods=["POST"]),
            Route("/packet", packets.packet, methods=["POST"]),
            Route("/sheet", requests.sheet, methods=["POST"]),
            Route("/untranslated", requests.untranslated, methods=["POST"]),
            Route("/card", begin.card, methods=["POST"]),
            Route("/download", requests.download, methods=["POST"]),
            Route("/match", requests.match, methods=["POST"]),
            Route("/history", requests.history, methods=["POST"]),
            Route("/advert", requests.advert, methods=["POST"]),
            Route("/file", requests.file, methods=["POST"]),
            Route("/fields", requests.fields, methods=["POST"]),
            Route("/set", requests.set, methods=["POST"]),
            Route("/place", requests.place, methods=["POST"]),
            WebSocketRoute("/socket", pages.socket),
        ]
    )


class _Pages:
    def __init__(self, desk: Desk, proof: str) -> None:
        self._desk, self._proof = desk, proof
        self._static = resources.files("cvbuild.serve").joinpath("static")

    async def page(self, _: Request) -> Response:
        text = self._static.joinpath("page.html").read_text("utf-8")
        return Response(text, media_type="text/html")

    async def static(self, request: Request) -> Response:
        name = request.path_params["name"]
        known = {one.name: one for one in self._static.iterdir()}
        suffix = name[name.rfind(".") :]
        if name not in known or suffix not in _TYPES:
            return PlainTextResponse("There is no such file.\n", 404)
        return Response(
            known[name].read_bytes(),
            media_type=_TYPES[suffix],
            headers={"Cache-Control": "no-cache"},
        )

    async def picture(self, request: Request) -> Response:
        data = await asyncio.to_thread(self._desk.pictures.draw, request.path_params["key"])
        if data is None:
            return PlainTextResponse("This page has changed.\n", 404)
        return Response(data, media_type="image/png", headers={"Cache-Control": _FOREVER})

    async def socket(self, socket: WebSocket) -> None:
        desk = self._desk
        await socket.accept(PROTOCOL)

        async def send(message: dict[str, object]) -> None:
            # What is told to a tab that was closed is lost.
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                await socket.send_text(json.dumps(message, ensure_ascii=True))

        await send({"type": "welcome", "proof": self._proof})
        if len(desk.tabs) >= TABS:
            fact = f"{TABS} tabs are open already"
            await send({"type": "error", "message": fact, "hint": "close one of them, and reload"})
            await socket.close(1013)
            return
        tab = Tab(desk, send)
        desk.tabs.append(tab)

        async def run() -> None:
            try:
                await tab.run()
            except Exception as error:  # noqa: BLE001 - a tab that nobody works for must not wait
                fact = f"an error in cvbuild itself: {type(error).__name__}"
                hint = "the page connects again with its text; please report it"
                await send({"type": "error", "message": fact, "hint": hint})
                await socket.close(1011)

        work = asyncio.create_task(run())
        try:
            await tab.tell_people(await asyncio.to_thread(desk.titles))
            while (message := await socket.receive())["type"] == "websocket.receive":
                try:
                    await tab.receive(message.get("text") or message.get("bytes") or "")
                except CvbuildError as error:
                    first = error.diagnostics[0]
                    told = {"message": first.message, "hint": first.hint}
                    await send({"type": "error", **told})
        finally:
            desk.tabs.remove(tab)
            work.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await work
