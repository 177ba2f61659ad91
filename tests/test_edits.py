"""A build after an edit runs TeX once, and gives what one from nothing gives."""

from __future__ import annotations

import os
from pathlib import Path

import deep
import pytest
from conftest import Run
from texlive import engine_of

from cvbuild.building import pipeline, profiles
from cvbuild.building.outcome import Outcome
from cvbuild.common import processes
from cvbuild.inputs import people
from cvbuild.outputs.pdf.tex import Result, Tex
from cvbuild.outputs.pdf.tex.preloaded import PreloadedPool
from cvbuild.outputs.request import Request
from cvbuild.outputs.templates import Library

DAY = 1_700_006_400
LONG = "of a list that goes over pages, " * 12
#: Of three pages, also after an edit; a last page that is nearly empty would take more runs.
BULLETS = [f"Point {number} {LONG}to its end." for number in range(23)]


def write(bullets: list[str], **more: str) -> None:
    lines = [f"{key}: {value}" for key, value in {"name": "Ada Example", **more}.items()]
    lines += [
        "sections:",
        "  - kind: bullets",
        "    items:",
        *(f"      - {text}" for text in bullets),
    ]
    Path("people").mkdir(exist_ok=True)
    Path("people/ada.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def cache() -> Path:
    return Path(os.environ["CVBUILD_CACHE"]).resolve()


def attempt(engine: str, template: str = "academic", **changes: object) -> Outcome:
    checked = profiles.check(people.find(["ada"])[0], Library.of_workspace())
    task = profiles.task(checked, template)
    how = {"epoch": DAY, "timeout": 300, "cache": cache(), "engine": engine, **changes}
    return pipeline.build(task, Request(Path("out"), DAY, **how))  # type: ignore[arg-type]


def build(engine: str, template: str = "academic", **changes: object) -> Outcome:
    outcome = attempt(engine, template, **changes)
    assert outcome.path is not None, outcome.diagnostics
    return outcome


class Passes(list[int]):
    """How many passes each run of TeX took."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        super().__init__()
        plain = Tex.run

        def counted(tex: Tex) -> Result:
            result = plain(tex)
            self.append(result.passes)
            return result

        patch.setattr(Tex, "run", counted)


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> Passes:
    return Passes(monkeypatch)


EDITED = ["Another " + BULLETS[0][6:], *BULLETS[1:]]
#: (what is edited, bullets, further keys)
EDITS: list[tuple[str, list[str], dict[str, str]]] = [
    ("a bullet edited", EDITED, {}),
    ("a bullet added", ["A new one.", *BULLETS], {}),
    ("an item removed", BULLETS[1:], {}),
    ("fewer pages", BULLETS[:9], {}),
    ("more pages again", BULLETS, {}),
    ("options", BULLETS, {"options": "{paper: letter, margin: 30}"}),
    ("title", BULLETS, {"headline": "Engineer"}),
]
#: How many of them are made one after another; the rest is deep.
FEW = 2


@pytest.mark.parametrize(
    ("kind", "edits"),
    deep.but([("embedded", FEW)], [("embedded", FEW), ("embedded", len(EDITS)), ("pdflatex", FEW)]),
)
@pytest.mark.usefixtures("here")
def test_each_edit_gives_the_bytes_of_a_build_from_nothing(
    kind: str, edits: int, passes: Passes
) -> None:
    engine_of(kind)
    write(BULLETS)
    build(kind)
    for name, bullets, more in EDITS[:edits]:
        write(bullets, **more)
        passes.clear()
        edited = build(kind)
        # Twice, where the last page would be nearly empty.
        assert passes in ([1], [1, 1]), name
        assert edited.path is not None
        assert not edited.cached
        assert edited.pages in ((2, 3) if len(bullets) > 20 else (1,)), name
        made = edited.path.read_bytes()
        build(kind, force=True)
        assert edited.path.read_bytes() == made, name


@pytest.mark.deep
@pytest.mark.usefixtures("here")
def test_one_page_is_measured_and_then_typeset_once(passes: Passes) -> None:
    engine_of("embedded")
    write(BULLETS)
    build("embedded", "one-page")
    write(EDITED)
    passes.clear()
    edited = build("embedded", "one-page")
    assert passes == [1]
    assert edited.path is not None
    made = edited.path.read_bytes()
    build("embedded", "one-page", force=True)
    assert edited.path.read_bytes() == made


# Watch, whose engine waits for the edit.


def log_of(name: str = "ada") -> str:
    path = Path(f"out/.build/{name}/academic/cv.log")
    return path.read_text(encoding="utf-8", errors="replace")[:1000]


@pytest.mark.usefixtures("here")
def test_an_edit_with_an_engine_that_waits() -> None:
    engine_of("embedded")
    pool = PreloadedPool(Path("waiting").resolve())
    for bullets, first_file in ((BULLETS[:2], "**cv.tex"), (EDITED[:2], "**wait.tex")):
        write(bullets)
        build("embedded", preloaded=pool)
        assert first_file in log_of()
        pool.start(Path("out/.build/ada/academic"))
    pool.end()
    made = Path("out/ada/academic.pdf").read_bytes()
    assert list(Path("waiting").glob("*")) == []
    build("embedded", force=True)
    assert "**cv.tex" in log_of()
    assert Path("out/ada/academic.pdf").read_bytes() == made


@pytest.mark.usefixtures("here")
def test_a_file_that_is_wrong_leaves_nobody_waiting(run: Run) -> None:
    engine_of("embedded")
    write(BULLETS[:2])
    assert run("build", "--engine", "embedded").code == 0
    write(BULLETS[:2], wrong="yes")
    assert run("build", "--engine", "embedded").code == 1
    assert list(Path("out/.build/tmp").iterdir()) == []
    assert not processes._running
