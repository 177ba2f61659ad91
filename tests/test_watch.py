"""``cvbuild watch``, a real process: what is edited is built, however it is saved."""

from __future__ import annotations

import io
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import deep
import pytest
from conftest import Run
from PIL import Image
from texlive import engine_of
from waits import PATIENCE, descendants, ended, eventually, save
from workspaces import POINTS

from cvbuild.building import pipeline, profiles
from cvbuild.building.fresh import today
from cvbuild.common.diagnostics import DocumentError
from cvbuild.inputs.people import Person
from cvbuild.outputs.installed import builtin_folder
from cvbuild.outputs.pdf import output
from cvbuild.outputs.pdf.typeset import Pdf
from cvbuild.outputs.pdf.verify import Verified
from cvbuild.outputs.request import Request


class Watcher:
    """A running ``cvbuild watch --json`` in ``folder``, and what it says, object by object."""

    def __init__(self, folder: Path, cache: Path, *arguments: str) -> None:
        self.folder = folder
        options = ["watch", "--json", "--engine", "embedded", *arguments]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "cvbuild", *options],
            cwd=folder,
            env={**os.environ, "CVBUILD_CACHE": str(cache), "SOURCE_DATE_EPOCH": "1700006400"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._said: queue.Queue[dict[str, Any]] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._said.put(json.loads(line))
        self._said.put({})

    def next(self) -> dict[str, Any]:
        said = self._said.get(timeout=PATIENCE)
        assert said, "it has ended"
        return said

    def quiet(self, seconds: float = 1.0) -> bool:
        try:
            self._said.get(timeout=seconds)
        except queue.Empty:
            return True
        return False

    def write(self, text: str, name: str = "ada") -> None:
        save(self.folder / f"people/{name}.yaml", text)

    def built(self, text: str = "") -> bytes:
        said = self.next()
        assert said.get("path"), said
        assert not said["cached"]
        pdf = self.folder / str(said["path"])
        name = said["variant"] or said["template"]
        tex = self.folder / "out/.build" / said["person"] / name / "cv.tex"
        assert text in tex.read_text("utf-8")
        return pdf.read_bytes()

    def has_waited(self, name: str = "ada", template: str = "academic") -> bool:
        log = self.folder / "out/.build" / name / template / "cv.log"
        return "**wait.tex" in log.read_text(encoding="utf-8", errors="replace")[:1000]

    def end(self, number: int = signal.SIGINT) -> tuple[int, str]:
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        assert self.process.stderr is not None
        with self.process.stderr:
            return code, self.process.stderr.read()


Start = Callable[..., Watcher]


@pytest.fixture
def start(tmp_path: Path, tex_cache: Path) -> Iterator[Start]:
    engine_of("embedded")
    begun: list[Watcher] = []

    def one(*arguments: str) -> Watcher:
        if not (tmp_path / "people").is_dir():
            (tmp_path / "people").mkdir()
            (tmp_path / "people/ada.yaml").write_text(POINTS, "utf-8")
        begun.append(Watcher(tmp_path, tex_cache, *arguments))
        return begun[-1]

    yield one
    for watcher in begun:
        if watcher.process.poll() is None:
            watcher.process.kill()
            watcher.process.wait()
        for stream in (watcher.process.stdout, watcher.process.stderr):
            if stream is not None:
                stream.close()


@pytest.fixture
def watch(start: Start) -> Watcher:
    watcher = start()
    assert watcher.next() == {"watching": 1}
    watcher.built("One point")
    return watcher


def from_nothing(folder: Path, cache: Path) -> bytes:
    shutil.copytree(folder / "people", folder / "other/people")
    subprocess.run(
        [sys.executable, "-m", "cvbuild", "build", "--engine", "embedded"],
        cwd=folder / "other",
        env={**os.environ, "CVBUILD_CACHE": str(cache), "SOURCE_DATE_EPOCH": "1700006400"},
        check=True,
        capture_output=True,
    )
    return (folder / "other/out/ada/academic.pdf").read_bytes()


def test_edits_however_they_are_saved(watch: Watcher, tex_cache: Path) -> None:
    """Rename over it; truncate and write; with backup and swap files around it."""
    people = watch.folder / "people"
    watch.write(POINTS.replace("One", "Some"))
    watch.built("Some point")
    assert watch.has_waited()

    # Where its writer is held up, somebody may hear of the half.
    (people / "ada.yaml").write_text(POINTS.replace("One", "Second"), "utf-8")
    while not watch.next().get("path"):
        pass
    assert "Second point" in (watch.folder / "out/.build/ada/academic/cv.tex").read_text("utf-8")

    (people / ".ada.yaml.swp").write_bytes(b"swap")
    (people / "4913").write_bytes(b"")
    (people / "4913").unlink()
    (people / "ada.yaml").rename(people / "ada.yaml~")
    watch.write(POINTS.replace("One", "Third"))
    (people / ".ada.yaml.swp").unlink()
    made = watch.built("Third point")
    assert watch.has_waited()
    (people / "ada.yaml~").unlink()
    assert watch.quiet()
    assert made == from_nothing(watch.folder, tex_cache)


def test_a_file_that_is_wrong_keeps_the_pdf_and_recovers(watch: Watcher) -> None:
    pdf = watch.folder / "out/ada/academic.pdf"
    before = pdf.read_bytes()
    for wrong in (POINTS.replace("items:", "itms:"), "", "name: [\n"):
        watch.write(wrong)
        said = watch.next()
        assert said["person"] == "ada"
        assert [item["file"] for item in said["diagnostics"]] == ["people/ada.yaml"]
        assert pdf.read_bytes() == before
    watch.write(POINTS.replace("One", "Some"))
    assert watch.built("Some point") != before
    # What no font has is only found out when the document is made.
    watch.write(POINTS.replace("One", "\U0001f600"))
    said = watch.next()
    assert (said["path"], said["template"]) == (None, "academic")
    assert said["diagnostics"][0]["line"] == 4
    watch.write(POINTS.replace("One", "A further"))
    watch.built("A further point")


def test_of_a_burst_the_last_state_is_built(watch: Watcher) -> None:
    for number in range(20):
        watch.write(POINTS.replace("One", f"State {number} of a"))
        time.sleep(0.0025)
    tex = watch.folder / "out/.build/ada/academic/cv.tex"
    while "State 19 of a point" not in tex.read_text("utf-8"):
        assert watch.next()["path"]


def test_a_pdf_that_fails_its_check_gives_way_to_the_one_before(
    tmp_path: Path, tex_cache: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    """It is in place while it is checked, also if the process is killed then."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CVBUILD_CACHE", str(tex_cache))
    Path("people").mkdir()
    person, pdf = Path("people/ada.yaml"), Path("out/ada/academic.pdf")
    person.write_text(POINTS, "utf-8")
    assert run("build", "--engine", "embedded").code == 0
    before, good = pdf.read_bytes(), Path("out/.build/ada/academic/good.pdf")
    seen = []

    def wrong(made: Pdf, *_: object) -> Verified:
        seen.append(pdf.read_bytes() == made.keep.joinpath("cv.pdf").read_bytes())
        raise DocumentError.because("verify", "a point is missing")

    request = Request(Path("out"), today(), engine="embedded", shows_first=True)
    person.write_text(POINTS.replace("One", "Some"), "utf-8")
    ada, library = Person("ada", person), request.library
    task = profiles.task(profiles.check(ada, library), "academic", request)
    with monkeypatch.context() as broken:
        broken.setattr(output, "_verified", wrong)
        outcome = pipeline.build(task)
    assert seen == [True]
    assert [one.code for one in outcome.diagnostics] == ["verify", "back"]
    assert pdf.read_bytes() == before
    assert not good.exists()
    # With something private to search for, nothing is shown before that.
    hidden = "contact: {phone: {value: +1 202 555 0147, private: true}}\n"
    person.write_text(POINTS.replace("One", "No") + hidden, "utf-8")
    hiding = profiles.task(profiles.check(ada, library), "academic", request)
    with monkeypatch.context() as broken:
        broken.setattr(output, "_verified", wrong)
        assert [one.code for one in pipeline.build(hiding).diagnostics] == ["verify"]
    assert seen == [True, False]
    assert pdf.read_bytes() == before
    # A process was killed meanwhile; then TeX fails.
    good.write_bytes(before)
    pdf.write_bytes(b"%PDF of a killed one")
    with monkeypatch.context() as broken:
        broken.setattr(output.Format, "complete", lambda _, made, *others: wrong(made, *others))
        assert pipeline.build(task).exit_code == 1
    assert pdf.read_bytes() == before
    # What came with a clone is no file of ours.
    good.write_bytes(b"%PDF of others")
    with monkeypatch.context() as broken:
        broken.setattr(output.Format, "complete", lambda _, made, *others: wrong(made, *others))
        assert pipeline.build(task).exit_code == 1
    assert pdf.read_bytes() == before
    # It is put in place once.
    assert pipeline.build(task).exit_code == 0
    assert pdf.read_bytes() != before
    assert not good.exists()


def test_people_come_and_go(watch: Watcher) -> None:
    watch.write(POINTS.replace("Ada", "Bo"), "bo")
    assert b"%PDF" in watch.built("Bo Example")
    (watch.folder / "people/bo.yaml").unlink()
    assert watch.next() == {"person": "bo", "gone": True}
    assert (watch.folder / "out/bo/academic.pdf").is_file()
    watch.write(POINTS.replace("One", "Some"))
    watch.built("Some point")


@pytest.mark.deep
def test_variants_and_what_an_overlay_adds_to_them(start: Start, tmp_path: Path) -> None:
    variants = "template: short\nvariants:\n  short: {headline: Maker, private: true}\n"
    (tmp_path / "people").mkdir()
    (tmp_path / "people/ada.yaml").write_text(POINTS + variants, "utf-8")
    watch = start("ada", "--variant", "short")
    assert watch.next() == {"watching": 1}
    watch.built("Maker")
    watch.write("contact: {address: 1 Hidden Lane}\n", "ada.private")
    watch.built("1 Hidden Lane")
    assert watch.has_waited(template="short")
    watch.write(POINTS + variants.replace("Maker", "Breaker"))
    watch.built("Breaker")


@pytest.mark.deep
def test_templates_and_photos_count(start: Start, tmp_path: Path) -> None:
    own = tmp_path / "templates/mine"
    own.mkdir(parents=True)
    (tmp_path / "people").mkdir()

    def photograph(colour: str) -> None:
        Image.new("RGB", (80, 80), colour).save(picture := io.BytesIO(), "JPEG")
        save(tmp_path / "people/ada.jpg", picture.getvalue())

    photograph("navy")
    (tmp_path / "people/ada.yaml").write_text(
        f"{POINTS}photo: ada.jpg\noptions: {{photo: true}}\n", encoding="utf-8"
    )
    style = (builtin_folder() / "academic/cvb-academic.sty").read_text("utf-8")
    manifest = (builtin_folder() / "academic/template.yaml").read_text("utf-8")
    (own / "cvb-academic.sty").write_text(style, "utf-8")
    (own / "template.yaml").write_text(manifest, "utf-8")
    watch = start("-t", "mine")
    assert watch.next() == {"watching": 1}
    first = watch.built()
    photograph("red")
    second = watch.built()
    assert second != first
    (tmp_path / "people/ada.jpg").unlink()
    assert [item["code"] for item in watch.next()["diagnostics"]] == ["photo-missing"]
    photograph("green")
    third = watch.built()
    save(own / "cvb-academic.sty", f"{style}\\nosuchcommand\n")
    said = watch.next()
    assert (said["path"], said["diagnostics"][0]["code"]) == (None, "undefined-command")
    save(
        own / "cvb-academic.sty", f"{style}\\definecolor {{ cvb-muted }} {{ HTML }} {{ 000000 }}\n"
    )
    assert watch.built() not in (first, second, third)
    save(own / "template.yaml", "api: 1\n")
    said = watch.next()
    assert said["diagnostics"]
    save(own / "template.yaml", manifest)
    watch.next()
    assert watch.process.poll() is None


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes in /proc")
@pytest.mark.parametrize(
    "number", deep.but([signal.SIGKILL], [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
)
def test_it_ends_with_all_that_it_started(watch: Watcher, number: int) -> None:
    assert eventually(lambda: bool(descendants(watch.process.pid)))
    waiting = descendants(watch.process.pid)
    code, err = watch.end(number)
    assert code == (-number if number == signal.SIGKILL else 0)
    assert "Traceback" not in err
    assert eventually(lambda: all(map(ended, waiting)))
    if number != signal.SIGKILL:
        assert watch.next() == {"watching": 0}
        assert list((watch.folder / "out/.build/tmp").iterdir()) == []


def test_nobody_to_watch_is_bad_usage(run: Run, here: Path) -> None:
    (here / "people").mkdir()
    ran = run("watch")
    assert ran.code == 2
    assert "there is no person in people/" in ran.err


@pytest.mark.deep
def test_people_are_told_in_lines(start: Start, tmp_path: Path) -> None:
    watch = start("ada")
    watch.next()
    watch.built()
    assert watch.end()[0] == 0
    shutil.rmtree(tmp_path / "out/ada")
    lines = subprocess.Popen(
        [sys.executable, "-m", "cvbuild", "watch", "--engine", "embedded", "ada"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert lines.stderr is not None
    with lines.stderr as said:
        assert said.readline() == "watching 1 person; Ctrl-C ends it\n"
        while not (line := said.readline()).startswith("✓"):
            assert line.startswith("note: ")
        assert line.startswith("✓ out/ada/academic.pdf  1 page, ")
        save(tmp_path / "people/ada.yaml", "name: 1\nx: 2\n")
        while not (line := said.readline()).startswith("✗"):
            assert line.startswith(("people/ada.yaml:", "note: "))
        assert line == "✗ people/ada.yaml: the PDFs stay as they were\n"
        save(tmp_path / "people/ada.yaml", POINTS)
        assert said.readline() == "people/ada.yaml can be built again\n"
        assert "up to date" in said.readline()
        lines.send_signal(signal.SIGINT)
        assert said.readline() == "stopped\n"
    assert lines.wait(PATIENCE) == 0
