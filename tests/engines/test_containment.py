"""What a document or a template must not be able to do, tried with real TeX."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from waits import working_in

from cvbuild.common.errors import DocumentError
from cvbuild.outputs.pdf.tex import drivers
from cvbuild.outputs.pdf.tex.job_folder import environment
from cvbuild.outputs.pdf.tex.types import Engine, Job

MakeJob = Callable[..., Job]
Compile = Callable[[Job, Engine], object]


def typed(work: Job) -> list[str]:
    """What \\typeout wrote into the log of a job, marked with >>."""
    log = (work.folder / "cv.log").read_text(errors="replace")
    return [line[2:].strip() for line in log.splitlines() if line.startswith(">>")]


def ways(engine: Engine) -> list[Compile]:
    return [drivers.direct] if engine.latexmk is None else [drivers.direct, drivers.by_latexmk]


def anew(run: Compile, work: Job, engine: Engine) -> None:
    """Run a job as if its log had never been written."""
    (work.folder / "cv.log").unlink(missing_ok=True)
    run(work, engine)


def test_no_shell_and_no_reading_outside(pdflatex: Engine, job: MakeJob) -> None:
    """By both drivers; tests/attacks tries all else, with each engine."""
    probe = r"\openin\r=%s \ifeof\r\typeout{>>closed}\else\typeout{>>OPEN %s}\fi\closein\r"
    paths = ("/etc/passwd", "../secret.txt", ".hidden", "inside.txt")
    shell = r"\immediate\write18{touch pwned}\newread\r"
    work = job(shell + "".join(probe % (p, p) for p in paths) + "x")
    (work.folder.parent / "secret.txt").write_text("secret")
    (work.folder / ".hidden").write_text("hidden")
    (work.folder / "inside.txt").write_text("ours")
    for run in ways(pdflatex):
        anew(run, work, pdflatex)
        assert typed(work) == ["closed", "closed", "closed", "OPEN inside.txt"]
        assert not (work.folder / "pwned").exists()


@pytest.mark.parametrize("place", ["../pwned.txt", "{outside}/pwned.txt", ".pwned"])
def test_no_writing_outside(pdflatex: Engine, job: MakeJob, tmp_path: Path, place: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    target = place.format(outside=outside)
    work = job(rf"\typeout{{>>start}}\newwrite\w\immediate\openout\w={target} \typeout{{>>ON}}x")
    for run in ways(pdflatex):
        anew(run, work, pdflatex)
        assert typed(work) == ["start"]
        assert not list(tmp_path.rglob("*pwned*"))


@pytest.mark.parametrize("run", [drivers.direct, drivers.by_latexmk])
def test_an_endless_loop_is_stopped(run: Compile, pdflatex: Engine, job: MakeJob) -> None:
    work = job(r"\typeout{>>start}\loop\iftrue\repeat", timeout=2.0)
    with pytest.raises(DocumentError, match="did not finish within 2 s") as caught:
        run(work, pdflatex)
    assert caught.value.diagnostics[0].code == "tex-timeout"
    assert caught.value.log == work.folder / "cv.log"
    assert not alive_in(work.folder), "a child is still running"


def alive_in(folder: Path) -> list[str]:
    """The processes that work in ``folder`` (on Linux), given a second to die."""
    end = time.monotonic() + 1
    while (found := working_in(folder)) and time.monotonic() < end:
        time.sleep(0.02)
    return found


def test_latexmkrc_is_not_run(pdflatex: Engine, job: MakeJob) -> None:
    perl = "open(my $f, '>', '{}/pwned'); close($f);\n"
    work = job("x")
    places = [work.folder, work.folder / ".home", work.folder / ".home" / ".config" / "latexmk"]
    for place in places:
        place.mkdir(parents=True, exist_ok=True)
        for name in (".latexmkrc", "latexmkrc"):
            (place / name).write_text(perl.format(work.folder))
    assert drivers.by_latexmk(work, pdflatex).pdf is not None
    assert not (work.folder / "pwned").exists()


def test_the_user_s_environment_stays_outside(
    engine: Engine, job: MakeJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEXINPUTS", "/nowhere")
    monkeypatch.setenv("openin_any", "a")
    monkeypatch.setenv("LD_PRELOAD", "")
    monkeypatch.setenv("TOKEN", "secret")
    made = environment(job("x"), engine)
    assert made["openin_any"] == made["openout_any"] == "p"
    assert made["shell_escape"] == "f"
    assert not {"TOKEN", "LD_PRELOAD"} & set(made)
    assert "/nowhere" not in made["TEXINPUTS"]
    assert made["TEXINPUTS"].startswith(".")
    assert made["TEXINPUTS"].endswith((":", ";"))
