"""Both drivers, with every engine: what comes out, how often they run, what they may not do."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from waits import PATIENCE, ended, eventually, working_in

from cvbuild.common import processes
from cvbuild.common.diagnostics import CvbuildError, DocumentError, NoTexError, UsageError
from cvbuild.outputs.pdf import Job
from cvbuild.outputs.pdf.tex import Tex, choose_driver, heights
from cvbuild.outputs.pdf.tex.job_folder import Engine, inside

MakeJob = Callable[..., Job]
TWO_PAGES = r"Page \pageref{here}\newpage Two\label{here}"


def test_stable_auxiliary_files_need_one_pass(embedded: Engine, job: MakeJob) -> None:
    first = job(TWO_PAGES)
    assert Tex(first, embedded).run().passes == 2
    assert Tex(first, embedded).run().passes == 1


@pytest.mark.deep
def test_a_document_that_never_settles_stops_at_five_passes(embedded: Engine, job: MakeJob) -> None:
    body = r"x\AtEndDocument{\typeout{LaTeX Warning: Rerun to get it right.}}"
    assert Tex(job(body), embedded).run().passes == 5


def test_a_cache_that_is_a_file_is_named(embedded: Engine, job: MakeJob, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("", "utf-8")
    with pytest.raises(CvbuildError, match=r"cache can't be used \(.*taken\)") as caught:
        Tex(job("text", cache=tmp_path / "taken"), embedded).run()
    assert "CVBUILD_CACHE" in (caught.value.diagnostics[0].hint or "")


@pytest.mark.parametrize("name", ["../a", "cv.tex", ".latexmkrc", "a/b", "", "é"])
def test_an_asset_can_t_leave_the_folder(name: str, job: MakeJob, embedded: Engine) -> None:
    with pytest.raises(ValueError, match="asset"):
        Tex(job("x", assets=((name, b""),)), embedded).run()


def test_measure_says_what_went_wrong(embedded: Engine, job: MakeJob) -> None:
    with pytest.raises(DocumentError) as caught:
        Tex(job(r"\nosuch"), embedded).measure()
    assert caught.value.diagnostics[0].code == "undefined-command"
    assert caught.value.log is not None
    assert caught.value.log.name == "cv.log"


def test_measurements() -> None:
    assert heights("header 1 33.5\ns.0 1 50pt\n") == {"header": (1, 33.5), "s.0": (1, 50.0)}
    for line in ("a 1", "a b 3", "a 1 nan", "a 1 inf", "a 1 2 3"):
        with pytest.raises(DocumentError, match="not a line of measurements"):
            heights(f"ok 1 2.5\n{line}\n")


def test_choice_of_driver() -> None:
    pdf = Engine("pdflatex", "system", Path("/x/pdflatex"), "v", Path("/x/latexmk"))
    bare, own = replace(pdf, latexmk=None), replace(pdf, origin="embedded", latexmk=None)
    for engine in (pdf, bare, own):
        assert choose_driver("auto", engine) == "direct"
        assert choose_driver("direct", engine) == "direct"
    assert choose_driver("latexmk", pdf) == "latexmk"
    with pytest.raises(NoTexError, match=r"latexmk is not installed; .*install"):
        choose_driver("latexmk", bare)
    with pytest.raises(UsageError, match="latexmk can't drive the embedded TeX"):
        choose_driver("latexmk", own)
    with pytest.raises(UsageError, match='unknown driver "make"; one of: auto, latexmk, direct'):
        choose_driver("make", pdf)


def typed(work: Job) -> list[str]:
    log = (work.folder / "cv.log").read_text(errors="replace")
    return [line[2:].strip() for line in log.splitlines() if line.startswith(">>")]


def ways(engine: Engine) -> list[str]:
    return ["direct"] if engine.latexmk is None else ["direct", "latexmk"]


def anew(driver: str, work: Job, engine: Engine) -> None:
    (work.folder / "cv.log").unlink(missing_ok=True)
    Tex(work, engine, driver).run()


def test_no_shell_and_no_reading_outside(pdflatex: Engine, job: MakeJob) -> None:
    """By both drivers; tests/attacks tries all else, with each engine."""
    probe = r"\openin\r=%s \ifeof\r\typeout{>>closed}\else\typeout{>>OPEN %s}\fi\closein\r"
    paths = ("/etc/passwd", "../secret.txt", ".hidden", "inside.txt")
    shell = r"\immediate\write18{touch pwned}\newread\r"
    work = job(shell + "".join(probe % (p, p) for p in paths) + "x")
    (work.folder.parent / "secret.txt").write_text("secret")
    (work.folder / ".hidden").write_text("hidden")
    (work.folder / "inside.txt").write_text("ours")
    for driver in ways(pdflatex):
        anew(driver, work, pdflatex)
        assert typed(work) == ["closed", "closed", "closed", "OPEN inside.txt"]
        assert not (work.folder / "pwned").exists()


@pytest.mark.parametrize("driver", ["direct", "latexmk"])
def test_an_endless_loop_is_stopped(driver: str, pdflatex: Engine, job: MakeJob) -> None:
    work = job(r"\typeout{>>start}\loop\iftrue\repeat", timeout=2.0)
    with pytest.raises(DocumentError, match="did not finish within 2 s") as caught:
        Tex(work, pdflatex, driver).run()
    assert caught.value.diagnostics[0].code == "tex-timeout"
    assert caught.value.log == work.folder / "cv.log"
    assert eventually(lambda: not working_in(work.folder)), "a child is still running"


def test_latexmkrc_is_not_run(pdflatex: Engine, job: MakeJob) -> None:
    perl = "open(my $f, '>', '{}/pwned'); close($f);\n"
    work = job("x")
    places = [work.folder, work.folder / ".home", work.folder / ".home" / ".config" / "latexmk"]
    for place in places:
        place.mkdir(parents=True, exist_ok=True)
        for name in (".latexmkrc", "latexmkrc"):
            (place / name).write_text(perl.format(work.folder))
    assert Tex(work, pdflatex, "latexmk").run().pdf is not None
    assert not (work.folder / "pwned").exists()


def test_the_user_s_environment_stays_outside(
    engine: Engine, job: MakeJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEXINPUTS", "/nowhere")
    monkeypatch.setenv("openin_any", "a")
    monkeypatch.setenv("LD_PRELOAD", "")
    monkeypatch.setenv("TOKEN", "secret")
    made = inside(job("x"), engine, None)[0]
    assert made["openin_any"] == made["openout_any"] == "p"
    assert made["shell_escape"] == "f"
    assert not {"TOKEN", "LD_PRELOAD"} & set(made)
    assert "/nowhere" not in made["TEXINPUTS"]
    assert made["TEXINPUTS"].startswith(".")
    assert made["TEXINPUTS"].endswith((":", ";"))


ENV = {"PATH": "/usr/bin:/bin"}
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the scripts are for a Unix shell")


def sh(script: str, timeout: float = 10, cwd: Path | None = None) -> processes.Finished:
    return processes.run(["sh", "-c", script], cwd=cwd, env=ENV, timeout=timeout)


def gone(pids: Path) -> bool:
    return eventually(lambda: ended(int(pids.read_text())))


def test_output_and_code() -> None:
    done = sh("echo out; echo err >&2; exit 7")
    assert (done.code, done.output) == (7, "out\nerr\n")


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
        processes.call_apart("engines.test_drivers", "fills", b"")
