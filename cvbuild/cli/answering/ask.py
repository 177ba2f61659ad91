"""Let a running ``watch`` or ``serve`` run this command, and end as it ends.

Whatever is odd, the command runs in its own process, as if nothing else ran.
"""

from __future__ import annotations

import _socket  # not socket: importing that takes as long as Python's start
import os
import signal
import sys
from types import FrameType

from cvbuild.cli.answering import place

#: Seconds until nothing is expected of what should answer any more.
_PATIENCE = 2.0
#: Seconds between looks at the signals that came while the child runs.
_GLANCE = 0.2
#: What ends a program, or would.
_PASSED_ON = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1,
              signal.SIGUSR2, signal.SIGALRM, signal.SIGTSTP)  # fmt: skip
_LOST = b"what ran this build was killed; build again\n"


def ask() -> None:
    """Have the command run, and end this process; return if nothing answers."""
    try:
        connection = _connected()
    except (OSError, ValueError):
        return
    try:
        child = _accepted(connection)
        _pass_on(child)
        # Only now: what hangs must not keep the streams open.
        streams = b"".join(number.to_bytes(4, sys.byteorder) for number in range(3))
        passed = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)]
        connection.sendmsg([place.GO], passed)
    except (OSError, ValueError):
        connection.close()
        _restore()
        return
    connection.settimeout(None)
    _end(connection, child)


def _connected() -> _socket.socket:
    """Return a connection to what answers for the nearest folder above; raise OSError."""
    handle = place.opened()
    try:
        here = os.getcwd()
        while True:
            try:
                path = place.socket(handle, place.name(here))
                break
            except FileNotFoundError:
                if here == "/":
                    raise
                here = os.path.dirname(here)
        connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        connection.settimeout(_PATIENCE)
        connection.connect(path)
    finally:
        os.close(handle)
    credentials = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
    if int.from_bytes(credentials[4:8], sys.byteorder) != os.geteuid():
        raise PermissionError
    return connection


def _accepted(connection: _socket.socket) -> int:
    """Send what the command is; return a handle of the child that will run it, or raise."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        raise ValueError("a closed stream")
    mask = os.umask(0o077)
    os.umask(mask)
    ignored = [n for n in range(1, signal.SIGSYS + 1) if signal.getsignal(n) == signal.SIG_IGN]
    what = ascii((place.interpreter(), mask, ignored, sys.argv, dict(os.environ))).encode()
    connection.sendall(len(what).to_bytes(place.LENGTH, "big") + what)
    said, passed, _, _ = connection.recvmsg(1, _socket.CMSG_SPACE(4), _socket.MSG_CMSG_CLOEXEC)
    if said != place.ACCEPTED or len(passed) != 1:
        raise ValueError("refused")
    return int.from_bytes(passed[0][2], sys.byteorder)


def _pass_on(child: int) -> None:
    """Send the child each signal that comes from now on; this process ends when it has ended."""

    def pass_on(number: int, _: FrameType | None) -> None:
        try:
            if number != signal.SIGTSTP:
                signal.pidfd_send_signal(child, number)
                return
            # A child in no terminal ignores SIGTSTP.
            signal.pidfd_send_signal(child, signal.SIGSTOP)
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            signal.signal(number, pass_on)
            signal.pidfd_send_signal(child, signal.SIGCONT)
        except ProcessLookupError:
            return  # its end is about to be told

    for number in _PASSED_ON:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, pass_on)


def _restore() -> None:
    for number in _PASSED_ON:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(connection: _socket.socket, child: int) -> None:
    """Wait for the child's end, and end in the same way."""
    # A signal that comes just before a call that waits is seen after it: so none waits for long.
    connection.settimeout(_GLANCE)
    while True:
        try:
            said = connection.recv(4)
        except TimeoutError:
            continue
        except OSError:
            said = b""
        break
    if len(said) != 4:
        try:
            signal.pidfd_send_signal(child, signal.SIGKILL)
            os.write(2, _LOST)
        finally:
            os._exit(1)
    # The exit code, or a signal below zero.
    code = int.from_bytes(said, "big", signed=True)
    if code < 0:
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code if code >= 0 else 128 - code)
