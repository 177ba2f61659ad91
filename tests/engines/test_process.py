"""Children are contained: limits of time and size, whole groups, nothing inherited."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest
from waits import PATIENCE, ended, eventually

from cvbuild.common import processes

ENV = {"PATH": "/usr/bin:/bin"}
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the scripts are for a Unix shell")


def sh(script: str, timeout: float = 10, cwd: Path | None = None) -> processes.Finished:
    return processes.run(["sh", "-c", script], cwd=cwd, env=ENV, timeout=timeout)


def gone(pids: Path) -> bool:
    return eventually(lambda: ended(int(pids.read_text())))


def test_output_and_code() -> None:
    done = sh("echo out; echo err >&2; exit 7")
    assert (done.code, done.output) == (7, "out\nerr\n")
    assert done.seconds > 0


def test_the_environment_is_only_what_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CVBUILD_SECRET", "x")
    names = {line.partition("=")[0] for line in sh("env").output.splitlines()}
    assert "PATH" in names
    assert names <= {"PATH", "PWD", "_", "SHLVL", "OLDPWD"}


def test_a_late_child_dies_with_its_children(tmp_path: Path) -> None:
    pids, seconds = tmp_path / "pid", 0.15
    # As long as the machine needs for the child to begin.
    while not (pids.exists() and pids.read_text()):
        seconds *= 2
        with pytest.raises(processes.TimeLimitError, match=f"did not finish within {seconds} s"):
            sh("sleep 60 & echo $! > pid; sleep 60", timeout=seconds, cwd=tmp_path)
    assert gone(pids)


def test_a_grandchild_does_not_outlive_a_good_end(tmp_path: Path) -> None:
    assert sh("sleep 60 & echo $! > pid", cwd=tmp_path).code == 0
    assert gone(tmp_path / "pid")


def test_interruption_kills_the_group(tmp_path: Path) -> None:
    def interrupt() -> None:
        eventually((tmp_path / "ready").exists)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        sh("sleep 600 & echo $! > pid; touch ready; sleep 600", timeout=600, cwd=tmp_path)
    thread.join()
    assert gone(tmp_path / "pid")


def test_stop_all_ends_children_of_other_threads() -> None:
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(sh("sleep 60", 60).code))
    thread.start()
    assert eventually(lambda: bool(processes._running))
    time.sleep(0.1)
    processes.stop_all()
    thread.join(PATIENCE)
    assert codes == [-signal.SIGKILL]


def test_endless_output_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "MAX_FILE", 4 << 20)
    done = sh("exec yes")
    assert done.code == -signal.SIGXFSZ
    assert len(done.output) == processes.TAIL


def test_a_file_can_t_grow_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "MAX_FILE", 1 << 20)
    assert sh("exec yes > big", cwd=tmp_path).code == -signal.SIGXFSZ
    assert (tmp_path / "big").stat().st_size <= 1 << 20


@pytest.mark.parametrize("command", [["nosuch-program"], ["/nosuch/program"], ["sh", "-c", "a\0b"]])
def test_what_can_t_start_is_our_error(command: list[str]) -> None:
    with pytest.raises(processes.StartError, match="can't be started"):
        processes.run(command, cwd=None, env=ENV, timeout=5)


def test_a_folder_that_is_gone_is_our_error(tmp_path: Path) -> None:
    with pytest.raises(processes.StartError, match="can't be started"):
        sh("true", cwd=tmp_path / "gone")


def test_a_chore_is_done_once_while_a_child_runs(tmp_path: Path) -> None:
    mark = tmp_path / "done"
    processes.meanwhile(mark.touch)
    assert not mark.exists()
    assert sh(f"while [ ! -e {mark} ]; do sleep 0.01; done; echo seen").output == "seen\n"
    mark.unlink()
    assert sh("sleep 0.05").code == 0
    assert not mark.exists()


def test_a_chore_that_fails_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    failed = threading.Event()

    def chore() -> None:
        failed.set()
        raise ValueError("no")

    processes.meanwhile(chore)
    assert sh("true").code == 0
    assert failed.wait(PATIENCE)
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join(PATIENCE)
    assert capfd.readouterr().err == ""


def fills(_: str, result: str) -> None:
    """What the next test calls, in a process of its own."""
    Path(result).write_text(str(len(bytearray(1 << 30))), encoding="ascii")


def test_what_reads_files_of_others_has_little_memory() -> None:
    with pytest.raises(processes.FailedError, match="can't be read with 512 MB of memory"):
        processes.call_apart("engines.test_process", "fills", b"")
