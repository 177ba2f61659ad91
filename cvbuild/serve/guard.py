"""Who may talk to the server: only a page that it sent itself, opened from the printed address.

Any program and any web page on this machine can send requests to 127.0.0.1, also under another
name (DNS rebinding). So every request must name this server as its host, have the cookie that the
printed address sets, and, where it changes something, come from a page of this server.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: The key of the token in the address.
TOKEN = "token"  # noqa: S105 - its name
_REFUSED = "Open the address that cvbuild serve printed in the terminal: it has a key that is "
_REFUSED += "needed here, and that is new each time it is started.\n"
#: What each answer says to the browser.
HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
        "img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
)


class Guard:
    """Refuses what doesn't come from the page, and adds the headers that protect it."""

    def __init__(self, app: ASGIApp, port: int, token: str) -> None:
        self._app, self._token = app, token
        self._hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        self._name, self._cookie = f"cvbuild-{port}", secrets.token_urlsafe(32)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)

        async def protected(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                answer = MutableHeaders(scope=message)
                answer.setdefault("Cache-Control", "no-store")
                for name, value in HEADERS.items():
                    answer[name] = value
            await send(message)

        if not self._is_own(scope, headers):
            await self._answer(PlainTextResponse(_REFUSED, 403), scope, receive, protected)
        elif self._has_token(scope):
            answer = RedirectResponse("/", 303)
            answer.set_cookie(self._name, self._cookie, httponly=True, samesite="strict")
            await self._answer(answer, scope, receive, protected)
        elif self._has_cookie(headers):
            await self._app(scope, receive, protected)
        else:
            await self._answer(PlainTextResponse(_REFUSED, 403), scope, receive, protected)

    @staticmethod
    async def _answer(answer: Response, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            await answer(scope, receive, send)

    def _is_own(self, scope: Scope, headers: Headers) -> bool:
        """Return whether the request names this server, and doesn't come from elsewhere."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return False
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        if not origins:
            return not changes
        return origins == [f"http://{hosts[0].lower()}"]

    def _has_token(self, scope: Scope) -> bool:
        if scope["type"] != "http" or scope["path"] != "/" or scope["method"] != "GET":
            return False
        found = parse_qs(scope["query_string"].decode("latin-1")).get(TOKEN, [""])
        return _same(found[0], self._token)

    def _has_cookie(self, headers: Headers) -> bool:
        # Cookies of other servers on this machine come along, and may be written in any way.
        pairs = (one for text in headers.getlist("cookie") for one in text.split(";"))
        return any(_same(one.strip(), f"{self._name}={self._cookie}") for one in pairs)


def _same(given: str, known: str) -> bool:
    return secrets.compare_digest(given.encode("utf-8", "replace"), known.encode())
