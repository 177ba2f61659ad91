"""An engine that waits: the bytes and messages of any other run, and it ends with its owner."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from papers import build, made
from waits import ended, eventually

from cvbuild.building.pipeline import Outcome
from cvbuild.common import processes
from cvbuild.common.diagnostics import DocumentError
from cvbuild.outputs.pdf import Job
from cvbuild.outputs.pdf.tex import OUT_OF_TIME, Engine, Tex
from cvbuild.outputs.pdf.tex import log as texlog
from cvbuild.outputs.pdf.tex.preloaded import PreloadedPool, PreloadedTex

PEOPLE = Path(__file__).parents[2] / "people"
HEAD = ["\\documentclass{article}", "\\usepackage[T1]{fontenc}\\usepackage{lmodern}"]
SETUP = ["\\pagestyle{plain}", "\\begin{document}"]

Make = Callable[..., Job]


@pytest.fixture
def make(tmp_path: Path, tex_cache: Path) -> Make:
    numbers = iter(range(100))

    def one(text: str, setup: list[str] = SETUP, **fields: object) -> Job:
        folder = tmp_path / f"job{next(numbers)}"
        folder.mkdir()
        lines = [*HEAD, *setup, text, "\\end{document}", ""]
        job = Job("\n".join(lines), folder, tex_cache, 1_704_067_200, timeout=60.0)
        job = replace(job, head=len(HEAD), setup=len(HEAD) + len(setup))
        return replace(job, **fields)

    return one


@pytest.fixture
def start() -> Iterator[Callable[[Job, Engine], PreloadedTex]]:
    begun: list[PreloadedTex] = []

    def one(job: Job, engine: Engine) -> PreloadedTex:
        begun.append(PreloadedTex(job, engine))
        return begun[-1]

    yield one
    for waiting in begun:
        waiting.end()


def run(waiting: PreloadedTex, job: Job) -> PreloadedTex:
    waiting.job = job
    return waiting.run()


Start = Callable[[Job, Engine], PreloadedTex]
TEXT = "One\\newpage two."
#: A template may refer to pages, which takes another pass.
REFERENCES = TEXT.replace("two", "two\\label{b} of \\pageref{b}")


def test_its_bytes_are_those_of_any_other_run(engine: Engine, make: Make, start: Start) -> None:
    edited = TEXT.replace("One", "Another")
    cold = Tex(make(edited), engine).run()
    assert cold.pdf is not None
    one = start(make(TEXT), engine)
    job = replace(make(edited), folder=one.folder)
    assert one.fits(job, engine)
    result = run(one, job)
    assert (result.passes, result.pages) == (1, 2)
    assert result.pdf is not None
    assert result.pdf.read_bytes() == cold.pdf.read_bytes()
    assert (one.folder / "cv.tex").read_text("utf-8") == job.tex
    # What has been used waits no more.
    assert not one.fits(job, engine)


@pytest.mark.usefixtures("requires_embedded")
def test_where_a_text_refers_to_pages_it_runs_again(
    embedded: Engine, make: Make, start: Start
) -> None:
    cold = Tex(make(REFERENCES), embedded).run()
    one = start(make(TEXT), embedded)
    result = run(one, replace(make(REFERENCES), folder=one.folder))
    assert (result.passes, result.pages) == (cold.passes, cold.pages) == (2, 2)
    assert result.pdf is not None
    assert cold.pdf is not None
    assert result.pdf.read_bytes() == cold.pdf.read_bytes()


@pytest.mark.parametrize(
    "text", ["\n\nOne \\nosuchcommand", "\\includegraphics{none}", "\\input{none}"]
)
def test_its_messages_name_the_same_lines(
    text: str, embedded: Engine, make: Make, start: Start
) -> None:
    plain = Tex(make(text), embedded).run()
    one = start(make(TEXT), embedded)
    result = run(one, replace(make(text), folder=one.folder))
    assert (plain.pdf, result.pdf) == (None, None)
    found = texlog.parse(result.log)
    assert [message.tex_line for message in found if message.fatal]
    assert found == texlog.parse(plain.log)


@pytest.mark.deep
def test_it_fits_no_other_setup(embedded: Engine, make: Make, start: Start, tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    packages.mkdir()
    (packages / "own.sty").write_text("\\def\\Own{1}\n", "utf-8")
    job = make(TEXT, inputs=(packages,))
    one = start(job, embedded)
    same = replace(make("other text", inputs=(packages,)), folder=one.folder)
    assert one.fits(same, embedded)
    other = make(TEXT, ["\\pagestyle{empty}", "\\begin{document}"], inputs=(packages,))
    assert not one.fits(replace(other, folder=one.folder), embedded)
    assert not one.fits(replace(same, epoch=0), embedded)
    assert not one.fits(replace(same, inputs=()), embedded)
    (packages / "own.sty").write_text("\\def\\Own{2}\n", "utf-8")
    assert not one.fits(same, embedded)


def test_it_fits_nothing_where_its_folder_is_gone(
    embedded: Engine, make: Make, start: Start
) -> None:
    one = start(make(TEXT), embedded)
    shutil.rmtree(one.folder)
    assert not one.fits(replace(make(TEXT), folder=one.folder), embedded)


def test_one_that_was_killed_fits_nothing(embedded: Engine, make: Make, start: Start) -> None:
    one = start(make(TEXT), embedded)
    os.kill(one._child.child.pid, signal.SIGKILL)
    job = replace(make(TEXT), folder=one.folder)
    assert eventually(lambda: not one.fits(job, embedded))
    result = run(one, job)
    assert result.pdf is None


@pytest.mark.parametrize(
    "setup", ["\\nosuchcommand", "\\input{nosuchfile}", "\\read16 to\\x \\read16 to\\x"]
)
def test_a_setup_that_fails_keeps_nobody_waiting(
    setup: str, embedded: Engine, make: Make, start: Start
) -> None:
    job = make(TEXT, [setup, "\\begin{document}"], head=0)
    one = start(job, embedded)
    assert run(one, replace(job, folder=one.folder)).pdf is None


@pytest.mark.deep
def test_a_text_that_loops_is_stopped_in_time(embedded: Engine, make: Make, start: Start) -> None:
    one = start(make(TEXT), embedded)
    time.sleep(1.0)  # This is not counted: the time begins with the text.
    job = make("\\def\\x{\\x}\\x", timeout=0.8)
    with pytest.raises(DocumentError) as caught:
        run(one, replace(job, folder=one.folder))
    assert [item.code for item in caught.value.diagnostics] == [OUT_OF_TIME]
    assert ended(one._child.child.pid)


@pytest.mark.parametrize("how", ["end", "stop_all"])
def test_it_is_ended_with_its_group(how: str, embedded: Engine, make: Make, start: Start) -> None:
    one = start(make(TEXT), embedded)
    pid = one._child.child.pid
    assert not ended(pid)
    if how == "end":
        one.end()
    else:
        processes.stop_all()
    assert eventually(lambda: ended(pid))


def told(outcome: Outcome) -> list[tuple[str, int | None]]:
    return [(one.message, one.span.line if one.span else None) for one in outcome.diagnostics]


@pytest.mark.deep
@pytest.mark.usefixtures("requires_embedded")
@pytest.mark.parametrize(("style", "places"), [("academic", 2), ("sidebar", 2), ("margin", 1)])
def test_an_engine_that_read_ahead_makes_the_bytes_of_any_other_run(
    style: str, places: int, tmp_path: Path
) -> None:
    text = (PEOPLE / "jiaao-he.yaml").read_text("utf-8")
    # None of a comment: an edit of it changes no document.
    found = re.finditer(r"^\s*#.*$|\b(?:with|from|for|the|of)\b", text, re.MULTILINE)
    words = [match.span() for match in found if "#" not in match[0]]
    pool = PreloadedPool(tmp_path / "tmp")
    place, cold = tmp_path / "out/.build/ada" / style, tmp_path / "cold"
    cold.mkdir()
    built = build(text, style, folder=tmp_path, preloaded=pool, driver="auto")
    ahead = 0
    for start, end in random.Random(7).sample(words, places):
        for word in ("between", "beyond"):  # the second time the place is known
            pool.start(place)
            with pool.take(place) as engines:
                lines = [engine.lines for engine in engines]
            edited = text[:start] + word + text[end:]
            built = build(edited, style, folder=tmp_path, preloaded=pool, driver="auto")
            with pool.take(place) as engines:
                left = [engine.lines for engine in engines]
            ahead += len(lines) == 2 and left == lines[1:]
            other = build(edited, style, folder=cold, force=True)
            assert made(built).read_bytes() == made(other).read_bytes(), (start, word)
            # What an edit of another document leaves as it was has no notes of how it was set.
            assert built.cached or told(built) == told(other)
    pool.end()
    # The first block has nothing before it to read, and sidebar doesn't show all.
    assert ahead >= places / 4
