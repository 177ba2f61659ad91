"""Heads that can't be dumped, and documents with faults: told as without a format."""

from __future__ import annotations

import deep
import pytest
from engines.dumps import (
    BODY,
    PACKAGE,
    Compile,
    MakeWork,
    built,
    kept,
    said,
)

from cvbuild.outputs.pdf.tex import drivers, formats
from cvbuild.outputs.pdf.tex import log as texlog
from cvbuild.outputs.pdf.tex.types import Engine

UNDUMPABLE = {
    "it writes the file notes.txt": r"\newwrite\W\immediate\openout\W=notes.txt",
    r"\pdfmapline is lost in a format": r"\pdfmapline{+x x <x.pfb}",
    r"\pdfinfo is lost in a format": r"\edef\x{\pdfinfo{/A (b)}}\x",
    r"\pdfcolorstackinit is lost in a format": (
        r"\newcount\X \X=\pdfcolorstackinit page direct{1 0 0 rg}"
    ),
}


@pytest.mark.parametrize("reason", deep.but([*UNDUMPABLE][:1], UNDUMPABLE))
def test_a_head_that_can_t_be_dumped(
    reason: str, embedded: Engine, work: MakeWork, made: list[str]
) -> None:
    package = PACKAGE + UNDUMPABLE[reason]
    for _ in range(3):
        done = drivers.direct(work(package=package), embedded)
        assert done.pdf is not None, done.log
        assert [note.code for note in done.notes] == ["no-format"]
        assert reason in done.notes[0].message
        assert "may differ" not in done.notes[0].message
    assert len(made) == 1
    assert not kept(work())
    assert built(drivers.direct, work(), embedded), "the mended package"


def test_a_faulty_package_is_no_other_error(
    embedded: Engine, work: MakeWork, made: list[str]
) -> None:
    for _ in range(2):
        done = drivers.direct(work(package=PACKAGE + "\n\\nosuch"), embedded)
        assert done.pdf is None
        (message,) = texlog.parse(done.log)
        assert message.code == "undefined-command"
        assert "cvb-x.sty:4" in (message.file or "")
    assert len(made) == 1


@pytest.mark.parametrize("run", [drivers.direct, drivers.by_latexmk])
def test_a_faulty_document_makes_no_new_format(
    run: Compile, pdflatex: Engine, work: MakeWork, made: list[str]
) -> None:
    """And its line is that of the whole .tex."""
    for _ in range(2):
        job = work(BODY.replace("\\end{document}", "\\nosuch\n\\end{document}"))
        done = run(job, pdflatex)
        assert done.pdf is None
        assert done.notes == ()
        faults = [(m.code, m.tex_line) for m in texlog.parse(done.log) if m.fatal]
        assert faults == [("undefined-command", 7)]
        assert (job.folder / "cv.tex").read_text() == job.tex
    assert len(made) == 1


@pytest.mark.parametrize("run", [drivers.direct, drivers.by_latexmk])
def test_a_document_that_only_the_whole_head_can_make(
    run: Compile, pdflatex: Engine, work: MakeWork, made: list[str]
) -> None:
    """An open file is not dumped: no document may fail for that."""
    package = PACKAGE + r"\newread\R \openin\R=facts.dat "
    body = BODY.replace("\\typeout{", "\\read\\R to\\Fact\\typeout{>>\\Fact}\\typeout{")
    for _ in range(2):
        job = work(body, package=package)
        (job.inputs[0] / "facts.dat").write_text("read\n")
        done = run(job, pdflatex)
        assert done.pdf is not None, done.log
        assert said(job).strip() == "read"
    assert len(made) == 1


def test_a_loop_in_a_head_ends(embedded: Engine, work: MakeWork, made: list[str]) -> None:
    job = work(package=r"\loop\iftrue\repeat", timeout=1.0)
    form = formats.find_or_make(job, embedded)[0]
    assert form is None
    assert formats.find_or_make(job, embedded)[0] is None
    assert len(made) == 1, "it would take as long beside the cache, and once more"
