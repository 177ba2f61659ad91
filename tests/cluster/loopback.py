"""A scheduler and workers as they are started by hand, and what tests send to them.

The embedded TeX, because it is the fastest; what is tested here is the same with all.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from cvbuild.building import cluster as workers
from cvbuild.building import profiles
from cvbuild.building.outcome import Outcome
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.inputs import people
from cvbuild.outputs.request import Request
from cvbuild.outputs.templates import Library
from cvbuild.outputs.types import Task

DAY = 1_700_000_000 // 86400 * 86400
ROOT = Path(__file__).resolve().parents[2]
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
        """A scheduler, which needs no cvbuild."""
        place = self.folder / "scheduler.json"
        options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show")
        child = self._start(
            f"{WITHOUT}; {before}", "scheduler", *options, "--scheduler-file", str(place)
        )
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

    def busy(self, name: str) -> bool:
        from distributed import Client

        with Client(self.address, set_as_default=False) as asking:
            names = {
                address: worker["id"]
                for address, worker in asking.scheduler_info()["workers"].items()
            }
            doing = asking.processing()
        return any(keys for address, keys in doing.items() if names.get(address) == name)

    def kill(self) -> None:
        for child in self._running:
            child.kill()
            child.wait()


def until(there: Callable[[], bool], child: subprocess.Popen[bytes] | None = None) -> None:
    end = time.monotonic() + SECONDS
    while not there():
        assert child is None or child.poll() is None, "it ended"
        assert time.monotonic() < end, "it is late"
        time.sleep(0.05)


@contextmanager
def started(folder: Path, cache: Path) -> Iterator[Cluster]:
    cluster = Cluster(folder, cache)
    try:
        yield cluster
    finally:
        cluster.kill()


def write(count: int, text: str = PERSON) -> list[str]:
    Path("people").mkdir(exist_ok=True)
    names = [f"p{number}" for number in range(count)]
    for number, name in enumerate(names):
        Path(f"people/{name}.yaml").write_text(text.format(number), "utf-8")
    return names


def request(out: str = "out", **changes: object) -> Request:
    return Request(Path(out), DAY, **{"engine": "embedded", **changes})  # type: ignore[arg-type]


def tasks(*templates: str, library: Library | None = None) -> tuple[Task, ...]:
    checked = [profiles.check(person, library or Library.at()) for person in people.everyone()]
    assert all(one.profile for one in checked), checked
    return tuple(profiles.task(one, name) for one in checked for name in templates or ("academic",))


def build(
    cluster: Cluster, todo: Iterable[Task], how: Request, say: workers.Say | None = None
) -> Iterator[Outcome]:
    notes: list[Diagnostic] = []
    yield from workers.run(todo, how._replace(cluster=cluster.address), say or notes.append)
    assert notes == []


def pdfs(folder: str = "out") -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(Path(folder).glob("*/*.pdf"))
    }


STYLE = {
    "template.yaml": (ROOT / "templates/academic/template.yaml").read_text("utf-8"),
    "cvb-plum.sty": (ROOT / "templates/academic/cvb-academic.sty").read_text("utf-8"),
    "preview.png": "not sent",
    "sub/face.otf": "a font, which is told from others by its date",
}


def own_template(name: str, **files: str) -> Library:
    for file, text in {**STYLE, **files}.items():
        path = Path("templates", name, file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("cvb-academic", "cvb-plum"), "utf-8")
    return Library.at(Path("templates"))
