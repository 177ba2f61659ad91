"""What travels to workers and back; workers and schedulers that fail, leave or aren't reached."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import PIL.Image
import pytest
from conftest import Run
from distributed.cli import dask_scheduler, dask_worker
from msgspec.structs import replace
from texlive import demand_embedded

from cvbuild import api
from cvbuild.building import batch, profiles
from cvbuild.building import cluster as workers
from cvbuild.building.pipeline import Outcome
from cvbuild.cli import main
from cvbuild.common import VERSION
from cvbuild.common.diagnostics import CvbuildError, UsageError
from cvbuild.inputs import people
from cvbuild.inputs.person.person_file import PersonFile
from cvbuild.outputs.pdf.verify import pdf_facts
from cvbuild.outputs.request import Request
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.types import Task


@pytest.mark.deep
def test_a_worker_is_killed_in_the_middle_and_every_document_is_there(cluster: Cluster) -> None:
    names = write(8)
    cluster.schedule()
    cluster.work("one")
    cluster.work("two")
    outcomes: list[Outcome] = []
    for outcome in build(cluster, tasks(), request()):
        outcomes.append(outcome)
        if len(outcomes) == 1:
            assert cluster.busy("one")
            cluster.workers["one"].send_signal(signal.SIGKILL)
            cluster.workers["one"].wait()
    assert [outcome.diagnostics for outcome in outcomes if outcome.path is None] == []
    assert sorted(outcome.person for outcome in outcomes) == names
    assert all(outcome.verified and outcome.verified["texts"] > 2 for outcome in outcomes)
    # The same bytes and records as built here, so that a build here finds them up to date.
    local = list(batch.run(tasks(out="local")[::2], request(jobs=2)))
    assert all(outcome.path and not outcome.cached for outcome in local)
    here, there = pdfs("local"), pdfs()
    assert (len(here), len(there)) == (4, 8)
    assert here == {name: there[name] for name in here}
    assert kept("local") == [name for name in kept() if int(name[8]) % 2 == 0]
    assert all(one.cached for one in batch.run(tasks(), request(jobs=2)))


def kept(folder: str = "out") -> list[str]:
    found = Path(folder, ".build").glob("p*/*/*")
    return sorted(path.relative_to(folder).as_posix() for path in found)


def waiting(*command: str) -> subprocess.Popen[bytes]:
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
    (outcome,) = build(cluster, tasks(), request())
    killer.join()
    assert outcome.diagnostics[0].message.startswith("the worker failed (KilledWorker)")
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
    with pytest.raises(CvbuildError, match=r"a worker has no cvbuild, .*; start the workers"):
        list(build(cluster, tasks(), request()))


def test_a_scheduler_that_cant_be_reached(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write(1)
    monkeypatch.setattr(workers, "CONNECT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        took = run("build", "--cluster", f"tcp://127.0.0.1:{port}")
    gone = run("build", "--cluster", f"127.0.0.1:{port}")
    assert (took.code, gone.code) == (1, 1)
    assert f"no scheduler answers at tcp://127.0.0.1:{port}: no response within" in took.err
    assert f"no scheduler answers at 127.0.0.1:{port}: no response" in gone.err
    for wrong in ("here", "http://127.0.0.1:1", "tls://127.0.0.1:1", ""):
        ran = run("build", "--cluster", wrong)
        assert (ran.code, ran.err.count("\n")) == (2, 1), wrong
        assert f'"{wrong}" is not the address of a scheduler; ' in ran.err


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


@pytest.mark.deep
def test_all_that_a_document_is_made_from_travels(shared: Cluster) -> None:
    """A template of one's own, a photo, two documents of a person; each fault keeps its place."""
    write(3)
    PIL.Image.new("RGB", (300, 400), "teal").save("people/face.png")
    face = "photo: face.png\noptions: {photo: true, embed: true}\n"
    Path("people/p1.yaml").write_text(PERSON.format(1) + face, "utf-8")
    # No font has this character, and only this person's documents fail.
    faulty = PERSON.replace("Made", "A sign \U0001f600")
    Path("people/p2.yaml").write_text(faulty.format(2), "utf-8")
    own_template("broken", **{"sections/bullets.tex.j2": "\n<% for %>"})
    library = own_template("plum")
    (p0, p1, p2), how = people.everyone(), request(template_path=("templates",))
    todo = (
        profiles.task(profiles.check(p0, library), "plum", how),
        profiles.task(profiles.check(p1, library), "plum", how),
        profiles.task(profiles.check(p1, library), "broken", how),
        profiles.task(profiles.check(p2, library), "plum", how),
    )
    outcomes = list(build(shared, todo, how))
    here = how._replace(out=Path("local"), jobs=2)
    local = list(batch.run([replace(task, request=here) for task in todo], here))
    assert sorted(pdfs()) == ["p0/plum.pdf", "p1/plum.pdf"]
    assert pdfs() == pdfs("local")
    said = {(one.person, one.template): one.diagnostics for one in outcomes}
    assert said == {(one.person, one.template): one.diagnostics for one in local}
    (style,), (sign, *_) = said["p1", "broken"], said["p2", "plum"]
    assert (str(sign.span), style.span and style.span.line) == ("people/p2.yaml:4:13", 2)


VARIANTS = """\
template: [academic, short, whole]
variants:
  short: {template: industry, headline: Maker, kinds: bullets}
  whole: {private: true}
"""


@pytest.mark.deep
def test_variants_the_overlay_and_what_is_set_travel(shared: Cluster) -> None:
    write(1, PERSON + VARIANTS.replace("{", "{{").replace("}", "}}"))
    overlay = Path("people/p0.private.yaml")
    overlay.write_text("contact: {address: 1 Hidden Lane}\n", "utf-8")

    def todo(how: Request) -> list[Task]:
        found = list(batch.read([(people.everyone()[0], None)], how))
        assert [one.private for one in found if isinstance(one, PersonFile)] == [False, True]
        return [one for one in found if isinstance(one, Task)]

    how = request(sets=("headline=Breaker", "titles.bullets=Works"))
    assert [(one.name, one.private) for one in todo(how)] == [
        ("academic", False),
        ("short", False),
        ("whole", True),
    ]
    outcomes = list(build(shared, todo(how), how))
    local = how._replace(out=Path("local"), jobs=2)
    here = list(batch.run(todo(local), local))
    names = {(one.name, one.variant, one.diagnostics) for one in outcomes}
    assert names == {(one.name, one.variant, one.diagnostics) for one in here}
    assert sorted(pdfs()) == ["p0/academic.pdf", "p0/short.pdf", "p0/whole.pdf"]
    assert pdfs() == pdfs("local")
    texts = {
        name: " ".join(page.text for page in pdf_facts.read(Path("out/p0", f"{name}.pdf")).pages)
        for name, _, _ in names
    }
    assert all("Breaker" in text and "Works" in text for text in texts.values())
    assert [name for name, text in texts.items() if "Hidden Lane" in text] == ["whole"]
    # A fault of the overlay keeps its place.
    overlay.write_text("contact:\n  address: A sign \U0001f600\n", "utf-8")
    failed = [one for one in build(shared, todo(how), how) if one.path is None]
    assert [str(one.diagnostics[0].span) for one in failed] == ["people/p0.private.yaml:2:12"]


def test_a_worker_without_the_tex_that_is_asked_for(shared: Cluster) -> None:
    write(1)
    (outcome,) = build(shared, tasks(), request(engine="pdflatex"))
    assert (outcome.path, outcome.exit_code) == (None, 3)
    assert outcome.diagnostics[0].code == "no-engine"


def test_a_worker_of_another_version(shared: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    write(2)
    there = VERSION
    monkeypatch.setattr(workers, "VERSION", "99.9")
    said = re.escape(f"has cvbuild {there}, this is 99.9; install the same there")
    with pytest.raises(CvbuildError, match=said) as error:
        list(build(shared, tasks(), request()))
    assert error.value.exit_code == 1
    assert not Path("out").exists()


@pytest.mark.deep
def test_people_are_taken_as_workers_need_them_and_called_back(shared: Cluster) -> None:
    write(12)
    taken: list[Task] = []

    def lazily() -> Iterator[Task]:
        for task in tasks():
            taken.append(task)
            yield task

    outcomes = build(shared, lazily(), request())
    first = next(outcomes)
    assert first.path
    # Four for the one thread.
    assert len(taken) == workers.AHEAD
    outcomes.close()  # type: ignore[attr-defined]
    until(lambda: not shared.busy("only"))
    assert len(pdfs()) == 1


@pytest.fixture(scope="session")
def workers_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, workers_cache: Path) -> Iterator[Cluster]:
    with started(tmp_path_factory.mktemp("shared"), workers_cache) as cluster:
        cluster.schedule()
        cluster.work("only")
        yield cluster


@pytest.fixture
def cluster(tmp_path: Path, workers_cache: Path) -> Iterator[Cluster]:
    folder = tmp_path / "cluster"
    folder.mkdir()
    with started(folder, workers_cache) as cluster:
        yield cluster


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    demand_embedded()
    home = tmp_path / "workspace"
    home.mkdir()
    monkeypatch.chdir(home)
    monkeypatch.setenv("CVBUILD_NO_SYSTEM_TEX", "1")


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


def tasks(out: str = "out") -> tuple[Task, ...]:
    checked = [profiles.check(person, Library.at()) for person in people.everyone()]
    return tuple(profiles.task(one, "academic", request(out)) for one in checked)


def build(cluster: Cluster, todo: Iterable[Task], how: Request) -> Iterator[Outcome]:
    how = how._replace(cluster=cluster.address)
    for event in workers.run((replace(task, request=how) for task in todo), how):
        assert isinstance(event, Outcome), event
        yield event


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
