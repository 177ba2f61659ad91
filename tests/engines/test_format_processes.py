"""Dumped heads where two processes want one, and where one is killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest
from engines.dumps import (
    PACKAGE,
    MakeWork,
    built,
    kept,
)
from waits import working_in

from cvbuild.common.store import Store
from cvbuild.outputs.pdf.tex import drivers, formats
from cvbuild.outputs.pdf.tex.types import Engine, Job

CHILD = """
import sys
from pathlib import Path
from cvbuild.outputs.pdf.tex import drivers, formats
from cvbuild.outputs.pdf.tex.find import probe_embedded
from cvbuild.outputs.pdf.tex.types import Job, Needs
tex, folder, cache, style = (Path(item) for item in sys.argv[1:])
really, engine = formats.dumped, probe_embedded(Needs()).engine
def counted(*given):
    print("made", flush=True)
    return really(*given)
formats.dumped = counted
print("begin", flush=True)
done = drivers.direct(Job(tex.read_text(), folder, cache, 0, (style,), head=2), engine)
print("pdf" if done.pdf and not done.notes else done, flush=True)
"""


def start(job: Job) -> subprocess.Popen[str]:
    tex = job.folder.with_suffix(".tex")
    tex.write_text(job.tex)
    arguments = [str(item) for item in (tex, job.folder, job.cache, job.inputs[0])]
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, *arguments], stdout=subprocess.PIPE, text=True
    )


@pytest.mark.deep
@pytest.mark.skipif(sys.platform == "win32", reason="there are no locks on Windows")
def test_two_processes_make_one(embedded: Engine, work: MakeWork) -> None:
    jobs = [work(), work()]
    form = formats.find_or_make(jobs[0], embedded)[0]
    assert form is not None
    store = Store(form.path.parent)
    with store.lock(form.path.stem):
        store.drop(form.path.stem)
        children = [start(job) for job in jobs]
        for child in children:
            assert child.stdout is not None
            assert child.stdout.readline() == "begin\n"
        time.sleep(0.5)
        assert [child.poll() for child in children] == [None, None], "they don't wait"
    told = sorted(child.communicate(timeout=60)[0].split() for child in children)
    assert told == [["made", "pdf"], ["pdf"]]
    pdfs = [(job.folder / "cv.pdf").read_bytes() for job in jobs]
    assert pdfs[0] == pdfs[1]


@pytest.mark.deep
@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal on Windows")
def test_killed_in_the_middle_of_a_dump(embedded: Engine, work: MakeWork) -> None:
    slow = r"\input{slow.dat}"
    job = work(package=PACKAGE + slow)
    job.inputs[0].joinpath("slow.dat").write_text(r"\loop\ifnum\pdfelapsedtime<200000 \repeat")
    child = start(job)
    end = time.monotonic() + 30
    while not list(job.cache.glob("formats/new-*/run/cv.log")):
        assert time.monotonic() < end, "no dump has begun"
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    assert child.communicate(timeout=10)[0] == "begin\nmade\n"
    assert kept(job) == []
    # Its TeX ends by itself, and may write until then.
    while working_in(job.cache):
        assert time.monotonic() < end, "TeX goes on"
        time.sleep(0.05)
    job.inputs[0].joinpath("slow.dat").write_text("")
    assert built(drivers.direct, work(package=PACKAGE + slow), embedded)
    assert not list(job.cache.glob("formats/new-*"))
