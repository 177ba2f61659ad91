"""Nothing but the user's own running ``watch`` runs a build; else the build does so itself."""

from __future__ import annotations

import contextlib
import os
import resource
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import deep
import pytest
from answering import ELSEWHERE, START, Workspace

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nothing answers elsewhere")
ATTACKS = "Links, paths and names"
NOBODY = 65534


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    place = Workspace(tmp_path, tmp_path / "cache")
    place.cache.mkdir(mode=0o700)
    return place


def is_left_alone(workspace: Workspace) -> bool:
    """Whether a command runs itself, as if nothing answered."""
    cold = workspace.run(START, "build", "--help", CVBUILD_COLD="1")
    assert cold[0] == 0
    return not workspace.is_answered() and workspace.run(START, "build", "--help") == cold


@contextlib.contextmanager
def listening(
    path: Path, answer: Callable[[socket.socket], object]
) -> Iterator[list[socket.socket]]:
    """Something else listens at this path; yields what came of each command."""
    came: list[socket.socket] = []
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        path.chmod(0o600)
        listener.listen()

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    came.append(connection)
                    with contextlib.suppress(OSError):
                        answer(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        yield came
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
        for connection in came:
            connection.close()


def _much(connection: socket.socket) -> None:
    for _ in range(1024):
        connection.sendall(bytes(1 << 20))


ANSWERS: dict[str, Callable[[socket.socket], object]] = {
    "closes": lambda connection: connection.close(),
    "hangs": lambda _: None,
    "accepts without a child": lambda connection: connection.sendall(b"+"),
    "rubbish": lambda connection: connection.sendall(b"rubbish"),
    "a gigabyte": _much,
    "a handle of something else": lambda connection: socket.send_fds(connection, [b"-"], [0]),
}


@pytest.mark.parametrize("name", deep.but([one for one in ANSWERS if one != "hangs"], ANSWERS))
def test_what_listens_instead(workspace: Workspace, name: str) -> None:
    workspace.socket.parent.mkdir(mode=0o700)
    with listening(workspace.socket, ANSWERS[name]) as came:
        assert is_left_alone(workspace)
        assert came


@pytest.mark.parametrize(
    "what",
    deep.but(
        ["open folder", "linked socket"],
        ["open folder", "open socket", "linked folder", "linked socket"],
    ),
)
def test_places_that_others_could_use(workspace: Workspace, what: str) -> None:
    folder = workspace.socket.parent
    folder.mkdir(mode=0o700)
    path = workspace.socket
    if what == "linked socket":
        path = folder / "another"
        workspace.socket.symlink_to(path)
    with listening(path, ANSWERS["closes"]) as came:
        assert is_left_alone(workspace)
        # It is asked as long as nothing is wrong.
        assert bool(came) == (path == workspace.socket)
        before = len(came)
        if what == "open folder":
            folder.chmod(0o777)
        elif what == "open socket":
            path.chmod(0o666)
        elif what == "linked folder":
            folder.rename(workspace.cache / "moved")
            folder.symlink_to(workspace.cache / "moved")
        assert is_left_alone(workspace)
        assert len(came) == before


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs two users")
@pytest.mark.parametrize("what", ["folder", "socket", "listener"])
def test_what_belongs_to_another_user(workspace: Workspace, what: str) -> None:
    folder = workspace.socket.parent
    folder.mkdir(mode=0o700)
    if what == "listener":
        # Its file belongs to the user; who listens is another.
        code = (
            "import os, socket, sys, time\n"
            "listener = socket.socket(socket.AF_UNIX)\n"
            "listener.bind(sys.argv[1]); os.chmod(sys.argv[1], 0o600)\n"
            f"os.setuid({NOBODY}); listener.listen(); print(flush=True); time.sleep(60)\n"
        )
        command = [sys.executable, "-c", code, str(workspace.socket)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout
            process.stdout.readline()
            assert is_left_alone(workspace)
            process.kill()
        return
    with listening(workspace.socket, ANSWERS["closes"]) as came:
        os.chown(folder if what == "folder" else workspace.socket, NOBODY, NOBODY)
        assert is_left_alone(workspace)
        assert came == []


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (512, 512))


def _another_user() -> None:
    os.setgroups([NOBODY])


@pytest.mark.parametrize(
    "change", deep.but([_another_user], [_limited, _another_user], lambda change: change.__name__)
)
def test_other_rights_than_those_of_watch(workspace: Workspace, change: Callable[[], None]) -> None:
    if change is _another_user and os.geteuid():
        pytest.skip("only root may change its groups")
    with workspace.watching():
        assert workspace.is_answered()
        for program, code in ((ELSEWHERE, 1), (START, 0)):
            done = subprocess.run(
                [sys.executable, "-c", program, "build", "--help"],
                cwd=workspace.folder,
                env=workspace.environment,
                capture_output=True,
                preexec_fn=change,
                check=False,
            )
            assert done.returncode == code


REQUESTS = {
    "nothing": b"",
    "rubbish": b"rubbish that is no length",
    "a large length": (1 << 62).to_bytes(8, "big") + b"x",
    "no literal": (9).to_bytes(8, "big") + b"open('x')",
    "deep": (100_000).to_bytes(8, "big") + b"(" * 100_000,
    "another Python": (24).to_bytes(8, "big") + b"('x', 0, [], ['x'], {}) ",
}


def test_requests_of_something_else(workspace: Workspace) -> None:
    with workspace.watching():
        for request in REQUESTS.values():
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(str(workspace.socket))
                with contextlib.suppress(OSError):
                    socket.send_fds(connection, [request], [0, 1, 2]) if request else None
                    connection.shutdown(socket.SHUT_WR)
                    connection.settimeout(20)
                    said = connection.recv(64)
                    # All that is told is that a child ended by itself.
                    assert said in (b"", (1).to_bytes(4, "big"))
        assert workspace.is_answered()
