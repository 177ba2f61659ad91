"""The process beside ``watch`` or ``serve`` that forks a child for each command that asks.

It is forked before anything was imported, has one thread, and does nothing but import: so a child
has code in its memory, and no state. It ends when its parent has.
"""

from __future__ import annotations

import ast
import contextlib
import errno
import gc
import io
import os
import select
import signal
import socket
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from cvbuild.cli.answering import place

#: Seconds before it begins: the parent has more urgent work.
_LATER = 1.0
#: Seconds in which a command must say what it is; and until it is tried again to take the place of
#: another ``watch``.
_PATIENCE, _AGAIN = 5.0, 30.0
#: The most bytes of a command with its environment: ten times what Linux allows.
_MOST = 32 << 20
_MODULES = (
    "cvbuild.cli.commands.build_pending",
    "cvbuild.outputs.pdf.output",
    "cvbuild.outputs.pdf.typeset",
    "cvbuild.outputs.pdf.choose_engine",
    "cvbuild.outputs.pdf.latex.render",
)


#: Interpreter, umask, ignored signals, arguments, environment.
_Request = tuple[str, int, list[int], list[str], dict[str, str]]


class _Running(NamedTuple):
    """A child that runs a command, and how its caller is told of its end."""

    pid: int
    handle: int
    caller: int
    connection: socket.socket


def begin() -> None:
    """Fork the process that answers; return in this one, and in each child that runs a command."""
    if None in (sys.stdin, sys.stdout, sys.stderr) or not hasattr(os, "pidfd_open"):
        return
    interpreter = place.interpreter()
    try:
        # Nobody writes: it is closed when this process ends.
        alive, _ = os.pipe()
        if os.fork():
            os.close(alive)
            return
    except OSError:
        return
    # Only a child of this one gets any further than this.
    try:
        _detach(alive)
        _answer(interpreter)
    except BaseException:  # noqa: BLE001 - what can't answer leaves commands to themselves
        os._exit(1)


def _detach(alive: int) -> None:
    """Leave the terminal, and close all but the pipe, which gets the number 3."""
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)
    if alive != 3:
        os.dup2(alive, 3, inheritable=False)
    os.closerange(4, os.sysconf("SC_OPEN_MAX"))


def _answer(interpreter: str) -> None:
    """Load the code and fork for each command; return in a child that is to run one."""
    began = time.time_ns()
    _end_with_parent(_LATER)
    _load()
    stamps = _stamps()
    if any(stamp and stamp > began for stamp in stamps.values()):
        os._exit(0)
    top = import_module("cvbuild.cli.workspace").top(Path.cwd())
    handle = place.make_folder()
    name = place.name(str(top))
    while (listener := _listening(handle, name)) is None:
        _end_with_parent(_AGAIN)
    running: list[_Running] = []
    while listener or running:
        waiting = [listener or -1, 3 if listener else -1]
        waiting += [number for one in running for number in (one.handle, one.caller)]
        ready, _, _ = select.select([one for one in waiting if one != -1], [], [])
        running = [one for one in running if not _has_ended(one, ready)]
        if listener in ready and _stamps() == stamps:
            connection = listener.accept()[0]
            child = os.fork()
            if not child:
                _become(connection, interpreter)
                return
            if one := _running(child, connection):
                running.append(one)
        elif listener in ready or 3 in ready:
            # The parent has ended, or what is installed is not what was loaded.
            with contextlib.suppress(OSError):
                os.unlink(name, dir_fd=handle)
            if listener:
                listener.close()
            listener = None
    os._exit(0)


def _end_with_parent(seconds: float) -> None:
    """Wait, and end this process at once if its parent has ended."""
    if select.select([3], [], [], seconds)[0]:
        os._exit(0)


def _load() -> None:
    """Import what builds need, and complete the models; nothing is read but code."""
    main = import_module("cvbuild.cli.main")
    main.start_fast()
    for module in _MODULES:
        import_module(module)
    import_module("cvbuild.outputs.pdf.output").load_readers()
    models = [import_module("cvbuild.model.base").Model]
    for model in models:
        models += model.__subclasses__()
        if not model.__pydantic_complete__:
            model.model_rebuild()
    gc.collect()
    gc.freeze()


def _stamps() -> dict[str, int]:
    """Return when each file of loaded code, and each folder of packages, changed (ns)."""
    files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    stamps = {}
    for path in (*sys.path[1:], *filter(None, files)):
        try:
            stamps[path] = os.stat(path).st_ctime_ns
        except OSError:
            stamps[path] = 0
    return stamps


def _listening(handle: int, name: str) -> socket.socket | None:
    """Return a socket at this name; None if another process has it. Raises OSError."""
    path = f"/proc/self/fd/{handle}/{name}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as attempt:
        # What a killed process has left listens no more.
        if attempt.connect_ex(path) == errno.ECONNREFUSED:
            os.unlink(name, dir_fd=handle)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)
    try:
        listener.bind(path)
        listener.listen(16)
    except OSError as error:
        listener.close()
        if error.errno != errno.EADDRINUSE:
            raise
        return None
    finally:
        os.umask(mask)
    return listener


def _peer(connection: socket.socket) -> int:
    """Return the process that asks; raise PermissionError if it is another user's."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    pid, user = (int.from_bytes(credentials[at : at + 4], sys.byteorder) for at in (0, 4))
    if user != os.geteuid():
        raise PermissionError
    return pid


def _running(child: int, connection: socket.socket) -> _Running | None:
    handle = os.pidfd_open(child)
    try:
        return _Running(child, handle, os.pidfd_open(_peer(connection)), connection)
    except OSError:
        # The caller has gone already.
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(handle)
        connection.close()
        return None


def _has_ended(one: _Running, ready: list[int | socket.socket]) -> bool:
    """Tell the caller of a child that has ended; kill a child whose caller has."""
    if one.caller in ready:
        os.kill(one.pid, signal.SIGKILL)
    elif one.handle not in ready:
        return False
    code = os.waitstatus_to_exitcode(os.waitpid(one.pid, 0)[1])
    with contextlib.suppress(OSError):
        one.connection.send(code.to_bytes(4, "big", signed=True))
    one.connection.close()
    os.close(one.handle)
    os.close(one.caller)
    return True


def _become(connection: socket.socket, interpreter: str) -> None:
    """Become the command that asks: its streams, folder, environment, arguments, signals."""
    try:
        connection.settimeout(_PATIENCE)
        process = _peer(connection)
        if place.rights(process) != place.rights("self"):
            raise PermissionError
        known, mask, ignored, arguments, environment = _request(connection)
        if known != interpreter:
            raise ValueError("another Python")
        os.chdir(f"/proc/{process}/cwd")
        socket.send_fds(connection, [place.ACCEPTED], [os.pidfd_open(os.getpid())])
        said, streams, _, _ = socket.recv_fds(connection, len(place.GO), 3)
        if said != place.GO or len(streams) != 3:
            raise ValueError("it waits no more")
    except BaseException:  # noqa: BLE001 - the command runs in its own process
        os._exit(1)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    connection.detach()
    os.umask(mask)
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)
    if signal.SIGINT not in ignored:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    sys.argv[:] = arguments
    _open_streams()


def _open_streams() -> None:
    """Open the standard streams as Python does when it starts: what they lead to is another."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        before = getattr(sys, name)
        # PYTHONUNBUFFERED is the same for both.
        buffering = 0 if number and before.write_through else -1
        stream = io.TextIOWrapper(
            open(number, "wb" if number else "rb", buffering, closefd=False),  # noqa: SIM115
            encoding=before.encoding,
            errors=before.errors,
            newline="\n" if number else None,
            line_buffering=number == 2 or os.isatty(number),
            write_through=before.write_through,
        )
        # As Python's own, which tell what they were opened for.
        stream.mode = "w" if number else "r"  # type: ignore[misc]
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _request(connection: socket.socket) -> _Request:
    """Return what the command says of itself; raises OSError and ValueError."""
    with connection.makefile("rb", buffering=0) as file:
        size = int.from_bytes(file.read(place.LENGTH) or b"", "big")
        if size > _MOST:
            raise ValueError("too long")
        text = b""
        while len(text) < size:
            if not (part := file.read(size - len(text))):
                raise ValueError("too short")
            text += part
    request: _Request = ast.literal_eval(text.decode("ascii"))
    return request
