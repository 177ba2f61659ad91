"""Run the application on this machine alone, until a signal ends it, for one browser.

Any program and any web page on this machine can send requests to 127.0.0.1, also under another
name (DNS rebinding). So every request must name this server as its host, come from a page of this
server where it changes something, and have the server's key, but for the files of the page, which
are the same for everybody. The page gets the key for a token, once. There is no cookie: browsers
send those to all servers of this machine, whatever their port.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import secrets
import signal
import socket
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from cvbuild.common import processes, safe_folders
from cvbuild.common.errors import CvbuildError, UsageError
from cvbuild.serve import messages
from cvbuild.serve.begin import Begin, Packets
from cvbuild.serve.desk import Desk
from cvbuild.serve.requests import Requests
from cvbuild.serve.tab import Tab, watch

HOST = "127.0.0.1"
#: The file that leads a browser to the page.
_DOOR = "open.html"
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")


class _Server(uvicorn.Server):
    """uvicorn's server, which also ends what waits for TeX."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        def end(*_: object) -> None:
            processes.stop_all()
            self.should_exit = True

        numbers = (getattr(signal, name, None) for name in _SIGNALS)
        before = {number: signal.signal(number, end) for number in numbers if number}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # uvicorn fails on a socket that the browser has just closed; the loop then forgets it.
        connections = self.server_state.connections
        while closing := [one.transport for one in connections if one.transport.is_closing()]:
            for transport in closing:
                transport.abort()
            await asyncio.sleep(0)
        await super().shutdown(sockets)


def run(desk: Desk, port: int, started: Callable[[str, Callable[[], Path]], None]) -> None:
    """Serve until a signal comes, and call ``started`` at the beginning.

    It gets the address of the page, and a function that writes a file which leads there: what
    starts a browser needs the file's path, while all users of this machine may read the arguments
    of programs. Each of both lets one browser in. Raises UsageError if the port can't be used.
    """
    # It would tell of requests that it refuses on the terminal.
    logging.getLogger("uvicorn").addHandler(logging.NullHandler())
    with _listening(port) as listener:
        keys, tabs = Keys(), list[Tab]()
        number = listener.getsockname()[1]

        def address() -> str:
            return f"http://{HOST}:{number}/?{TOKEN}={keys.token()}"

        config = uvicorn.Config(
            Guard(application(desk, tabs, keys.proof), number, keys),
            loop="asyncio",
            http="h11",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            ws_max_size=messages.MOST,
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=2,
        )

        async def serve() -> None:
            watching = asyncio.create_task(watch(desk, tabs))
            doors = address(), lambda: _door(desk.folder, address())
            asyncio.get_running_loop().call_soon(started, *doors)
            await _Server(config).serve([listener])
            watching.cancel()

        processes.stopping.clear()
        asyncio.run(serve())
    desk.engines.end()


def _door(folder: Path, address: str) -> Path:
    """Write a page for this user alone that leads to an address; return its path."""
    page = f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>cvbuild</title>
<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url={address}">
<p><a href="{address}">Open the editor</a></p></html>
"""
    safe_folders.create(folder / _DOOR, page.encode(), 0o600)
    return folder / _DOOR


def _listening(port: int) -> socket.socket:
    try:
        return socket.create_server((HOST, port), backlog=100)
    except OSError as error:
        fact = f"port {port} can't be used: {error.strerror}"
        raise UsageError.because("port", fact, "name another one, or none") from None


# -- the application -------------------------------------------------------------------------------

_FOREVER = "private, max-age=31536000, immutable"
_STATIC = Path(__file__).with_name("static")


def application(desk: Desk, tabs: list[Tab], proof: str) -> Starlette:
    """Return the application for a desk, whose tabs are listed in ``tabs``.

    ``proof`` tells a page that this is its server.
    """

    async def picture(request: Request) -> Response:
        data = await asyncio.to_thread(desk.pictures.draw, request.path_params["key"])
        if data is None:
            return PlainTextResponse("This page has changed.\n", 404)
        return Response(data, media_type="image/png", headers={"Cache-Control": _FOREVER})

    async def socket(opened: WebSocket) -> None:
        await opened.accept(messages.PROTOCOL)

        async def send(message: dict[str, object]) -> None:
            # What is told to a tab that was closed is lost.
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                await opened.send_text(json.dumps(message, ensure_ascii=True))

        await send({"type": "welcome", "proof": proof})
        tab = Tab(desk, send)
        tabs.append(tab)
        try:
            async with asyncio.TaskGroup() as group:
                work = group.create_task(tab.run())
                await tab.tell_people(await asyncio.to_thread(desk.titles))
                while (message := await opened.receive())["type"] == "websocket.receive":
                    try:
                        await tab.receive(message.get("text") or message.get("bytes") or "")
                    except CvbuildError as error:
                        first = error.diagnostics[0]
                        told = {"message": first.message, "hint": first.hint}
                        await send({"type": "error", **told})
                work.cancel()
        finally:
            tabs.remove(tab)

    return Starlette(
        routes=[
            Route("/", lambda _: FileResponse(_STATIC / "page.html")),
            Mount("/static", StaticFiles(directory=_STATIC)),
            Route("/pictures/{key}.png", picture),
            WebSocketRoute("/socket", socket),
            *Requests(desk).routes(),
            *Begin(desk).routes(),
            *Packets(desk).routes(),
        ]
    )


# -- who may talk to the server --------------------------------------------------------------------

#: The key of the token in the address.
TOKEN = "token"  # noqa: S105 - its name
#: How the browser names the key of a socket beside its protocol: such requests have no headers.
_KEY = "key."
_SCHEME = "Bearer "
_REFUSED = "Open the address that cvbuild serve printed in the terminal: it lets one browser in, "
_REFUSED += "and is new each time it is started.\n"
#: What each answer says to the browser.
HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
        "img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
)


class Keys:
    """What lets a browser in: a token for each address that is told, and the key that it is for.

    A token is spent when the key is used: an answer may be lost, as by a page that is loaded again.
    ``proof`` is what the server tells a page that has the key: another program that listens on the
    same port later can't.
    """

    def __init__(self) -> None:
        self._tokens: set[str] = set()
        self._answered: set[str] = set()
        self._key, self.proof = secrets.token_urlsafe(32), secrets.token_urlsafe(32)

    def token(self) -> str:
        """Return a new token, which lets one browser in."""
        token = secrets.token_urlsafe(32)
        self._tokens.add(token)
        return token

    def is_key(self, secret: str) -> bool:
        """Return whether this is the key; if so, the tokens that it was given for are spent."""
        if not _same(secret, self._key):
            return False
        self._tokens -= self._answered
        return True

    def enter(self, secret: str) -> dict[str, str] | None:
        """Return what the page keeps, for the key or a token that isn't spent; else None."""
        if not self.is_key(secret):
            token = next((one for one in self._tokens if _same(secret, one)), None)
            if token is None:
                return None
            self._answered.add(token)
        return {"key": self._key, "proof": self.proof}


class Guard:
    """Refuses what doesn't come from the page, and adds the headers that protect it."""

    def __init__(self, app: ASGIApp, port: int, keys: Keys) -> None:
        self._app, self._keys = app, keys
        self._hosts = (f"127.0.0.1:{port}", f"localhost:{port}")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        async def protected(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                answer = MutableHeaders(scope=message)
                answer.setdefault("Cache-Control", "no-store")
                for name, value in HEADERS.items():
                    answer[name] = value
            await send(message)

        answer = self._answer(scope)
        if answer is None:
            await self._app(scope, receive, protected)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            await answer(scope, receive, protected)

    def _answer(self, scope: Scope) -> Response | None:
        """Return the guard's own answer; None for a request that the application may answer."""
        headers = Headers(scope=scope)
        secret = _given(scope, headers)
        if self._is_own(scope, headers):
            if scope["type"] == "http" and (scope["method"], scope["path"]) == ("POST", "/enter"):
                kept = self._keys.enter(secret)
                return JSONResponse(kept) if kept else PlainTextResponse(_REFUSED, 403)
            if self._keys.is_key(secret) or _is_public(scope):
                return None
        return PlainTextResponse(_REFUSED, 403)

    def _is_own(self, scope: Scope, headers: Headers) -> bool:
        """Return whether the request names this server, and doesn't come from elsewhere."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return False
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        if not origins:
            return not changes
        return origins == [f"http://{hosts[0].lower()}"]


def _is_public(scope: Scope) -> bool:
    """Return whether a request is for a file of the page, in which nothing is the user's."""
    if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
        return False
    path: str = scope["path"]
    return path == "/" or path.startswith("/static/")


def _given(scope: Scope, headers: Headers) -> str:
    """Return the key or token that came with a request; an empty text for none."""
    if scope["type"] == "websocket":
        names = [one for one in scope["subprotocols"] if one.startswith(_KEY)]
        return names[0].removeprefix(_KEY) if len(names) == 1 else ""
    values = headers.getlist("authorization")
    alone = len(values) == 1 and values[0].startswith(_SCHEME)
    return values[0].removeprefix(_SCHEME) if alone else ""


def _same(secret: str, known: str) -> bool:
    return secrets.compare_digest(secret.encode("utf-8", "replace"), known.encode())
