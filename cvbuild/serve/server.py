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
from collections.abc import Callable, Collection, Iterator, Mapping
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

from cvbuild.common import interrupts, processes
from cvbuild.common.diagnostics import CvbuildError, UsageError
from cvbuild.common.files import safe_folders
from cvbuild.serve import messages
from cvbuild.serve.begin import Begin
from cvbuild.serve.live import Desk
from cvbuild.serve.requests import Requests
from cvbuild.serve.tab import Tab, watch

HOST = "127.0.0.1"
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
        while closing := [each for each in connections if each.transport.is_closing()]:
            for connection in closing:
                connection.transport.abort()
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
    try:
        listener = socket.create_server((HOST, port), backlog=100)
    except OSError as error:
        fact = f"port {port} can't be used: {error.strerror}"
        raise UsageError.because("port", fact, "name another one, or none") from None
    with listener:
        keys, tabs = Keys(), list[Tab]()
        number = listener.getsockname()[1]
        config = uvicorn.Config(
            guarded(application(desk, tabs, keys.proof), number, keys),
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
            doors = keys.address(number), lambda: _door(desk.folder, keys.address(number))
            asyncio.get_running_loop().call_soon(started, *doors)
            await _Server(config).serve([listener])
            watching.cancel()

        interrupts.stop.is_set = False
        asyncio.run(serve())
    desk.engines.end()


def _door(folder: Path, address: str) -> Path:
    """Write a page for this user alone that leads to an address; return its path."""
    page = f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>cvbuild</title>
<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url={address}">
<p><a href="{address}">Open the editor</a></p></html>
"""
    door = folder / "open.html"
    safe_folders.create(door, page.encode(), 0o600)
    return door


# -- the application -------------------------------------------------------------------------------

_FOREVER = "private, max-age=31536000, immutable"
_STATIC = Path(__file__).with_name("static")


def application(desk: Desk, tabs: list[Tab], proof: str) -> Starlette:
    """Return the application; ``proof`` tells a page that this is its server."""

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
                await tab.look(await asyncio.to_thread(desk.titles), own=False)
                while (message := await opened.receive())["type"] == "websocket.receive":
                    try:
                        await tab.receive(message.get("text") or message.get("bytes") or "")
                    except CvbuildError as error:
                        fault = error.diagnostics[0]
                        message = {"message": fault.message, "hint": fault.hint}
                        await send({"type": "error", **message})
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

    def address(self, port: int) -> str:
        """Return the address of the page with a new token, which lets one browser in."""
        token = secrets.token_urlsafe(32)
        self._tokens.add(token)
        return f"http://{HOST}:{port}/?{TOKEN}={token}"

    def is_key(self, secret: bytes) -> bool:
        """Return whether this is the key; if so, the tokens that it was given for are spent."""
        if not secrets.compare_digest(secret, self._key.encode()):
            return False
        self._tokens -= self._answered
        return True

    def enter(self, secret: bytes) -> dict[str, str] | None:
        """Return what the page keeps, for the key or a token that isn't spent; else None."""
        if not self.is_key(secret):
            same = {own for own in self._tokens if secrets.compare_digest(secret, own.encode())}
            if not same:
                return None
            self._answered |= same
        return {"key": self._key, "proof": self.proof}


def guarded(app: ASGIApp, port: int, keys: Keys) -> ASGIApp:
    """Return what refuses requests that don't come from the page, and adds ``HEADERS``."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def protected(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                headers = MutableHeaders(scope=message)
                headers.setdefault("Cache-Control", "no-store")
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        own = _own_answer(scope, (f"127.0.0.1:{port}", f"localhost:{port}"), keys)
        if own is None:
            await app(scope, receive, protected)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            await own(scope, receive, protected)

    return answer


def _own_answer(scope: Scope, hosts: Collection[str], keys: Keys) -> Response | None:
    """Return the guard's own answer; None for a request that the application may answer."""
    headers, refusal = Headers(scope=scope), PlainTextResponse(_REFUSED, 403)
    reads = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
    # It must name this server, and not come from elsewhere.
    named, origins = headers.getlist("host"), headers.getlist("origin")
    if len(named) != 1 or named[0].lower() not in hosts:
        return refusal
    if origins != [f"http://{named[0].lower()}"] and (origins or not reads):
        return refusal
    # The key or token: one, or none.
    prefix, values = _SCHEME, headers.getlist("authorization")
    if scope["type"] == "websocket":
        prefix, values = _KEY, [name for name in scope["subprotocols"] if name.startswith(_KEY)]
    is_one = len(values) == 1 and values[0].startswith(prefix)
    given, path = values[0].removeprefix(prefix) if is_one else "", scope["path"]
    secret = given.encode("utf-8", "replace")
    if scope["type"] == "http" and (scope["method"], path) == ("POST", "/enter"):
        kept = keys.enter(secret)
        return JSONResponse(kept) if kept else refusal
    # In the files of the page nothing is the user's.
    is_public = reads and (path == "/" or path.startswith("/static/"))
    return None if keys.is_key(secret) or is_public else refusal
