"""Connections to the server: a stranger's may be few, and end soon.

Any program on this machine may connect, send half a request, and wait. uvicorn would wait as long.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, MutableMapping
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

#: Connections without a request that has the key: the oldest gives way to a new one.
STRANGERS = 64
#: Seconds after which such a connection ends, whatever it has sent.
PATIENCE = 5.0
_ADMIT = "admit"


class Connection(H11Protocol):
    """A connection that ends soon, unless the guard admits one of its requests."""

    _end: asyncio.TimerHandle

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request with the key."""
        super().connection_made(transport)
        self._end = self.loop.call_later(PATIENCE, transport.abort)
        # Also for the socket that this connection may become.
        self.app_state = {**self.app_state, _ADMIT: self._end.cancel}
        strangers = [
            one
            for one in self.connections
            if isinstance(one, Connection) and not one._end.cancelled()  # noqa: SLF001
        ]
        if len(strangers) > STRANGERS:
            min(strangers, key=lambda one: one._end.when()).refuse()  # noqa: SLF001

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._end.cancel()
        super().connection_lost(exc)

    def refuse(self) -> None:
        """End the connection now."""
        self._end.cancel()
        self.transport.abort()


def admit(scope: MutableMapping[str, Any]) -> None:
    """Let the connection of a request go on: it has the key."""
    cancel: Callable[[], None] = scope["state"][_ADMIT]
    cancel()
