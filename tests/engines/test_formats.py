"""Dumped heads, with real TeX: made once, used by all drivers, and made anew for another head."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from engines.dumps import (
    BODY,
    HEAD,
    PACKAGE,
    MakeWork,
    after_dumps,
    built,
    kept,
    said,
)
from msgspec.structs import replace

from cvbuild.outputs.pdf.tex import drivers
from cvbuild.outputs.pdf.tex.types import Engine, Job, Result


def whole(job: Job, engine: Engine) -> Result:
    """The same from the whole head."""
    done = drivers.direct(replace(job, head=0), engine)
    assert "article.cls" in done.log
    return done


def test_both_drivers_use_one(pdflatex: Engine, work: MakeWork, made: list[str]) -> None:
    first, second = work(), work()
    assert built(drivers.direct, first, pdflatex) == built(drivers.by_latexmk, second, pdflatex)
    assert (first.folder / "cv.tex").read_text() == (second.folder / "cv.tex").read_text()
    assert (first.folder / "cv.tex").read_text() == HEAD + BODY
    measured = "\\immediate\\openout15=cv.cvm \\immediate\\write15{a 1 2pt}"
    body = BODY.replace("\\typeout", measured + "\\typeout")
    assert drivers.measure(work(body), pdflatex) == {"a": (1, 2.0)}
    assert len(kept(first)) == len(made) == 1
    assert not list((first.cache / "formats").glob("new-*"))


def test_the_embedded_tex_makes_its_own(
    pdflatex: Engine, embedded: Engine, work: MakeWork, made: list[str]
) -> None:
    assert built(drivers.direct, work(), embedded) == built(drivers.direct, work(), embedded)
    assert len(made) == 1
    built(drivers.direct, work(), pdflatex)
    assert len(kept(work())) == len(made) == 2


def test_an_odd_cache_folder(embedded: Engine, work: MakeWork, tmp_path: Path) -> None:
    if os.name == "nt":
        pytest.skip("not a file name on Windows")
    odd = tmp_path / "a, $b;{c}:~d"
    assert built(drivers.direct, work(cache=odd), embedded)
    assert len(kept(work(cache=odd))) == 1


def test_what_a_head_puts_on_the_page_stays(
    pdflatex: Engine, work: MakeWork, made: list[str]
) -> None:
    """PdfTeX dumps no page: its spaces between words and specials would be gone."""
    package = PACKAGE + "\\pdfinterwordspaceon\\special{pdf: /kept Do}\\pdfcompresslevel=0\n"
    body = BODY.replace("page ", "on a page ")
    done = drivers.direct(work(body, package=package), pdflatex)
    assert done.pdf is not None, done.log
    assert len(made) == 1
    full = whole(work(body, package=package), pdflatex)
    assert full.pdf is not None
    for made_of in (done.pdf, full.pdf):
        data = made_of.read_bytes()
        assert b"kept" in data
        assert b"DummySpace" in data


def test_an_edited_package(pdflatex: Engine, work: MakeWork, made: list[str]) -> None:
    built(drivers.direct, work(), pdflatex)
    second = work(package=PACKAGE.replace("one", "two"))
    built(drivers.by_latexmk, second, pdflatex)
    assert said(second) == "two"
    assert len(made) == 2
    assert len(kept(second)) == 1, "the format of the old package is still there"


def test_a_file_that_appears_and_goes(embedded: Engine, work: MakeWork, made: list[str]) -> None:
    package = PACKAGE + "\\InputIfFileExists{facts.dat}{}{}"
    facts = work(package=package).inputs[0] / "facts.dat"
    for content, expected in ((None, "one"), ("\\def\\Here{dat}", "dat"), (None, "one")):
        if content:
            facts.write_text(content)
        else:
            facts.unlink(missing_ok=True)
        job = work(package=package)
        for name in ("cvb-x.sty~", ".cvb-x.sty.swp", "4913"):
            (facts.parent / name).write_text(str(content))
        built(drivers.direct, job, embedded)
        assert said(job) == expected
    assert len(made) == 3


@pytest.mark.deep
def test_another_tree(embedded: Engine, work: MakeWork, tmp_path: Path, made: list[str]) -> None:
    tree = tmp_path / "ls-R"
    tree.write_text("a")
    other = replace(embedded, tree=(*embedded.tree, tree))
    built(drivers.direct, work(), other)
    tree.write_text("ab")
    built(drivers.direct, work(), other)
    assert len(made) == 2
    assert len(kept(work())) == 1


def test_a_package_that_changes_while_it_is_read(
    embedded: Engine, work: MakeWork, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = work()
    texts = iter(["two", "three"])

    def edit(_: object) -> None:
        if text := next(texts, None):
            work(package=PACKAGE.replace("one", text))

    after_dumps(edit, monkeypatch)
    built(drivers.direct, job, embedded)
    assert said(job) == "three"
