"""Workers and schedulers that fail, leave, or can't be reached."""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from cluster.loopback import (
    ROOT,
    SECONDS,
    WITHOUT,
    Cluster,
    build,
    pdfs,
    settings,
    tasks,
    until,
    write,
)
from conftest import Run
from distributed.cli import dask_scheduler, dask_worker

from cvbuild import api
from cvbuild.building import batch
from cvbuild.building import cluster as workers
from cvbuild.building.outcome import Outcome
from cvbuild.cli import main
from cvbuild.common.errors import CvbuildError, UsageError


@pytest.mark.deep
def test_a_worker_is_killed_in_the_middle_and_every_document_is_there(cluster: Cluster) -> None:
    names = write(8)
    cluster.schedule()
    cluster.work("one")
    cluster.work("two")
    outcomes: list[Outcome] = []
    for outcome in build(cluster, tasks(), settings()):
        outcomes.append(outcome)
        if len(outcomes) == 1:
            assert cluster.busy("one")
            cluster.workers["one"].send_signal(signal.SIGKILL)
            cluster.workers["one"].wait()
    assert [outcome.diagnostics for outcome in outcomes if outcome.path is None] == []
    assert sorted(outcome.person for outcome in outcomes) == names
    assert all(outcome.verified and outcome.verified["texts"] > 2 for outcome in outcomes)
    # The same bytes and records as built here, so that a build here finds them up to date.
    local = list(batch.run(tasks()[::2], settings("local"), 2, lambda _: None))
    assert all(outcome.path and not outcome.cached for outcome in local)
    here, there = pdfs("local"), pdfs()
    assert (len(here), len(there)) == (4, 8)
    assert here == {name: there[name] for name in here}
    assert kept("local") == [name for name in kept() if int(name[8]) % 2 == 0]
    assert all(one.cached for one in batch.run(tasks(), settings(), 2, lambda _: None))


def kept(folder: str = "out") -> list[str]:
    """What is kept of each document, but what only its next edit here begins with."""
    found = Path(folder, ".build").glob("p*/*/*")
    ours = (path for path in found if path.name != "start.json")
    return sorted(path.relative_to(folder).as_posix() for path in ours)


def waiting(*command: str) -> subprocess.Popen[bytes]:
    """Start a build that finds no worker yet; what it says is in a file."""
    with Path("said").open("wb") as said:
        child = subprocess.Popen(
            [sys.executable, "-m", "cvbuild", *command],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stderr=said,
        )
    until(lambda: "no worker; waiting" in Path("said").read_text("utf-8"), child)
    return child


@pytest.mark.deep
def test_workers_that_all_die_and_a_scheduler_that_goes(cluster: Cluster) -> None:
    write(1)
    scheduler = cluster.schedule(
        "import dask; dask.config.set({'distributed.scheduler.allowed-failures': 0})"
    )
    cluster.work("weak")

    def kill() -> None:
        until(lambda: cluster.busy("weak"))
        cluster.workers["weak"].kill()

    killer = threading.Thread(target=kill)
    killer.start()
    (outcome,) = build(cluster, tasks(), settings())
    killer.join()
    assert outcome.diagnostics[0].message.startswith("the worker failed: KilledWorker: ")
    # Dask's own threads print to the stream of the process.
    child = waiting("build", "--cluster", cluster.address, "--force", "--engine", "embedded")
    scheduler.kill()
    assert child.wait(SECONDS) == 1
    lines = Path("said").read_text("utf-8").splitlines()
    then = "finished documents are in place; build again to continue"
    (last,) = (line for line in lines if "the cluster has no worker" not in line)
    assert last == f"the scheduler at {cluster.address} is gone; {then}"


def test_a_worker_without_cvbuild(cluster: Cluster) -> None:
    write(1)
    cluster.schedule()
    cluster.work("other", WITHOUT)
    with pytest.raises(CvbuildError, match=r"a worker can't load cvbuild: .*; start the workers"):
        list(build(cluster, tasks(), settings()))


def test_a_scheduler_that_cant_be_reached(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write(1)
    monkeypatch.setattr(workers, "CONNECT", 1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        took = run("build", "--cluster", f"tcp://127.0.0.1:{port}")
    gone = run("build", "--cluster", f"127.0.0.1:{port}")
    assert (took.code, gone.code) == (1, 1)
    assert f"no scheduler answers at tcp://127.0.0.1:{port}: no response within" in took.err
    assert f"no scheduler answers at 127.0.0.1:{port}: Timed out" in gone.err
    for wrong in ("here", "http://127.0.0.1:1", "tls://127.0.0.1:1", ""):
        ran = run("build", "--cluster", wrong)
        assert (ran.code, ran.err.count("\n")) == (2, 1), wrong
        assert f'"{wrong}" is not the address of a scheduler: ' in ran.err


def test_the_extra_is_missing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write(1)
    monkeypatch.setitem(sys.modules, "distributed", None)
    ran = run("build", "--cluster", "tcp://127.0.0.1:1")
    assert (ran.code, 'pip install "cvbuild[cluster]"' in ran.err) == (2, True)
    with pytest.raises(UsageError, match="jobs"):
        api.build(jobs=2, cluster="tcp://127.0.0.1:1")
    with pytest.raises(UsageError, match="distributed"):
        api.build(cluster="tcp://127.0.0.1:1")


def test_the_commands_of_the_page() -> None:
    """As Dask and cvbuild understand them; the tests above start the same by other options."""
    page = (ROOT / "docs" / "reference" / "cluster.md").read_text("utf-8")
    lines = [shlex.split(line) for line in re.findall(r"^(?:dask|cvbuild) .*", page, re.MULTILINE)]
    assert len(lines) == 3
    parts = {"scheduler": dask_scheduler.main, "worker": dask_worker.main}
    for program, command, *options in lines:
        if program == "dask":
            assert parts[command].make_context(command, list(options)).params
        else:
            assert main.parser().parse_args([command, *options])
    with pytest.raises(SystemExit):
        main.parser().parse_args(["build", "-j", "2", "--cluster", "x"])
