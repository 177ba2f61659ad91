"""Run the application on this machine alone, until a signal ends it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import uvicorn

from cvbuild.common import processes
from cvbuild.common.errors import UsageError
from cvbuild.common.files import safe_folders
from cvbuild.serve import app, messages, watching
from cvbuild.serve.desk import Desk
from cvbuild.serve.guard import TOKEN, Connection, Guard, Keys

HOST = "127.0.0.1"
#: The file that leads a browser to the page.
_DOOR = "open.html"
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")


class _Server(uvicorn.Server):
    """uvicorn's server, which sleeps until it is told to end."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ended = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()

        def end(*_: object) -> None:
            # What waits for TeX goes on.
            processes.stop_all()
            loop.call_soon_threadsafe(self.ended.set)

        before = {}
        for name in _SIGNALS:
            if number := getattr(signal, name, None):
                with contextlib.suppress(ValueError):
                    before[number] = signal.signal(number, end)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def main_loop(self) -> None:
        await self.ended.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # uvicorn fails on a socket that the browser has just closed: an exception, and with it exit
        # code 1. The loop forgets such a one in its next turn, in which another may be closed.
        while closing := [
            one for one in self.server_state.connections if one.transport.is_closing()
        ]:
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
    with _listening(port) as listener:
        keys = Keys()
        number = listener.getsockname()[1]

        def address() -> str:
            return f"http://{HOST}:{number}/?{TOKEN}={keys.token()}"

        config = uvicorn.Config(
            Guard(app.create(desk, keys.proof), number, keys),
            loop="asyncio",
            http=Connection,
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
        processes.resume()
        asyncio.run(
            _serve(
                desk,
                config,
                listener,
                lambda: started(address(), lambda: _door(desk.folder, address())),
            )
        )
    desk.engines.end()


def _door(folder: Path, address: str) -> Path:
    """Write a page for this user alone that leads to an address; return its path."""
    page = f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>cvbuild</title>
<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url={address}">
<p><a href="{address}">Open the editor</a></p></html>
"""
    with safe_folders.opened(folder) as opened:
        opened.create(_DOOR, page.encode(), 0o600)
    return folder / _DOOR


async def _serve(
    desk: Desk, config: uvicorn.Config, listener: socket.socket, started: Callable[[], None]
) -> None:
    server = _Server(config)
    watcher = asyncio.create_task(watching.watch(desk))
    asyncio.get_running_loop().call_soon(started)
    try:
        await server.serve([listener])
    finally:
        watcher.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watcher


@contextlib.contextmanager
def _listening(port: int) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, port))
        except OSError as error:
            fact = f"port {port} can't be used: {error.strerror}"
            raise UsageError.because("port", fact, "name another one, or none") from None
        listener.listen(100)
        yield listener
