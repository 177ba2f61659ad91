"""A Dask cluster on loopback: a scheduler and workers as they are started by hand, and their loss.

The embedded TeX, because it is the fastest; what is tested here is the same with all.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import Run
from texlive import demand_embedded

import cvbuild
from cvbuild import api, batch, people
from cvbuild.cluster import client, errand, packing
from cvbuild.cluster.parcel import Parcel, Returned
from cvbuild.diagnostics import Diagnostic
from cvbuild.document import Settings, Task
from cvbuild.errors import CvbuildError, UsageError
from cvbuild.pipeline import Outcome
from cvbuild.templates import Library

DAY = 1_700_000_000 // 86400 * 86400
ROOT = Path(__file__).resolve().parent.parent
PERSON = """\
name: Person {0}
sections:
  - kind: bullets
    items: [Made thing number {0}, And another point]
"""
#: Runs a part of Dask as its command does, after a statement of the test's.
START = "{}; import sys; from distributed.cli.dask_{} import main; sys.argv[0] = 'dask'; main()"
NOTHING = "pass"
#: What an environment without cvbuild looks like to Python.
WITHOUT = "import sys; sys.modules['cvbuild'] = None"
SECONDS = 60.0


class Cluster:
    """A scheduler and what workers a test starts; all are killed at the end."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder, self._cache = folder, cache
        self._running: list[subprocess.Popen[bytes]] = []
        self.workers: dict[str, subprocess.Popen[bytes]] = {}
        self.address = ""

    def _start(self, before: str, part: str, *arguments: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{part}-{len(self._running)}.log").open("wb") as log:
            child = subprocess.Popen(
                [sys.executable, "-c", START.format(before, part), *arguments],
                cwd=self.folder,
                env={
                    **os.environ,
                    "PYTHONPATH": str(ROOT),
                    "CVBUILD_CACHE": str(self._cache),
                    "CVBUILD_NO_SYSTEM_TEX": "1",
                },
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self._running.append(child)
        return child

    def schedule(self, before: str = NOTHING) -> subprocess.Popen[bytes]:
        place = self.folder / "scheduler.json"
        options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show")
        child = self._start(before, "scheduler", *options, "--scheduler-file", str(place))
        until(lambda: place.is_file() and place.stat().st_size > 0, child)
        self.address = json.loads(place.read_text())["address"]
        return child

    def work(self, name: str, before: str = NOTHING) -> None:
        options = ("--no-nanny", "--nthreads", "1", "--no-dashboard", "--name", name)
        local = ("--local-directory", str(self.folder / name))
        child = self._start(before, "worker", self.address, *options, *local)
        log = self.folder / f"worker-{len(self._running) - 1}.log"
        until(lambda: b"Registered to" in log.read_bytes(), child)
        self.workers[name] = child

    def kill(self) -> None:
        for child in self._running:
            child.kill()
            child.wait()


def until(there: Callable[[], bool], child: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + SECONDS
    while not there():
        assert child.poll() is None, "it ended"
        assert time.monotonic() < end, "it is late"
        time.sleep(0.05)


@contextmanager
def started(folder: Path, cache: Path) -> Iterator[Cluster]:
    cluster = Cluster(folder, cache)
    try:
        yield cluster
    finally:
        cluster.kill()


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for the workers, which is not ours."""
    demand_embedded()
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Iterator[Cluster]:
    """A cluster of one worker for the tests that break nothing."""
    with started(tmp_path_factory.mktemp("shared"), cache) as cluster:
        cluster.schedule()
        cluster.work("only")
        yield cluster


@pytest.fixture
def cluster(tmp_path: Path, cache: Path) -> Iterator[Cluster]:
    """A cluster of a test's own, to break."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    with started(folder, cache) as cluster:
        yield cluster


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "workspace"
    home.mkdir()
    monkeypatch.chdir(home)
    monkeypatch.setenv("CVBUILD_NO_SYSTEM_TEX", "1")
    return home


def write(count: int, text: str = PERSON) -> list[str]:
    Path("people").mkdir(exist_ok=True)
    names = [f"p{number}" for number in range(count)]
    for number, name in enumerate(names):
        Path(f"people/{name}.yaml").write_text(text.format(number), encoding="utf-8")
    return names


def settings(out: str = "out", **changes: object) -> Settings:
    first = Settings(out=Path(out), library=Library.at(), today=DAY, engine="embedded")
    return replace(first, **changes)  # type: ignore[arg-type]


def tasks(library: Library | None = None, *templates: str) -> tuple[Task, ...]:
    checked = [batch.check(person, library or Library.at()) for person in people.everyone()]
    assert all(one.profile for one in checked), checked
    return batch.tasks(checked, templates or ("academic",))


def build(cluster: Cluster, todo: tuple[Task, ...], **changes: object) -> list[Outcome]:
    notes: list[Diagnostic] = []
    outcomes = list(client.run(todo, settings(**changes), cluster.address, notes.append))
    assert notes == []
    return outcomes


def pdfs(folder: str = "out") -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(Path(folder).glob("*/*.pdf"))
    }


def test_a_worker_is_killed_in_the_middle_and_every_document_is_there(cluster: Cluster) -> None:
    names = write(8)
    cluster.schedule()
    cluster.work("one")
    cluster.work("two")
    outcomes: list[Outcome] = []
    for outcome in client.run(tasks(), settings(), cluster.address, lambda _: None):
        outcomes.append(outcome)
        if len(outcomes) == 1:
            cluster.workers["one"].send_signal(signal.SIGKILL)
            cluster.workers["one"].wait()
    assert [outcome.diagnostics for outcome in outcomes if outcome.pdf is None] == []
    assert sorted(outcome.person for outcome in outcomes) == names
    assert all(outcome.verified and outcome.verified["texts"] > 2 for outcome in outcomes)
    assert len(os.listdir("people")) == len(pdfs()) == 8  # noqa: PTH208
    # The same bytes and records as built here, so that a build here finds them up to date.
    local = list(batch.run(tasks(), settings("local"), 2, lambda _: None))
    assert all(outcome.pdf and not outcome.cached for outcome in local)
    assert pdfs() == pdfs("local")
    assert all(one.cached for one in batch.run(tasks(), settings(), 2, lambda _: None))
    # And of a worker that was killed between two documents nothing half-made is left here.
    assert sorted(path.name for path in Path("out/.build/p0/academic").iterdir()) == sorted(
        ["cv.log", "cv.tex", "record.json"]
    )
