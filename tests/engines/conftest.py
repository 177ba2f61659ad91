"""Fixtures for tests of engines: an engine of each kind and a job in a private folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from engines.dumps import BODY, HEAD, PACKAGE, MakeWork
from texlive import engine_of, requires_embedded, requires_texlive

from cvbuild.common.files import user_cache
from cvbuild.outputs.pdf import Job
from cvbuild.outputs.pdf import tex as formats
from cvbuild.outputs.pdf.tex import Engine

__all__ = ["requires_embedded", "requires_texlive"]


@pytest.fixture(params=["pdflatex", "embedded"])
def engine(request: pytest.FixtureRequest) -> Engine:
    return engine_of(request.param)


@pytest.fixture
def pdflatex() -> Engine:
    return engine_of("pdflatex")


@pytest.fixture
def embedded() -> Engine:
    return engine_of("embedded")


@pytest.fixture
def job(tmp_path: Path, tex_cache: Path) -> Callable[..., Job]:
    """``job(body, preamble="", **fields)``: a small document in a fresh folder."""

    def make(body: str, preamble: str = "", **fields: object) -> Job:
        folder = tmp_path / "job"
        folder.mkdir()
        tex = (
            "\\documentclass{article}\n"
            "\\usepackage[T1]{fontenc}\\usepackage{lmodern}\n"
            f"{preamble}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
        )
        values: dict[str, object] = {"cache": tex_cache, "epoch": 1_704_067_200, "timeout": 60.0}
        return Job(tex=tex, folder=folder, **(values | fields))  # type: ignore[arg-type]

    return make


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The dumps that were begun; nothing is remembered of other tests."""
    begun: list[str] = []
    really = formats.dumped

    @contextmanager
    def counted(folder: Path, name: str, job: Job, engine: Engine) -> Iterator[object]:
        begun.append(str(folder))
        with really(folder, name, job, engine) as found:
            yield found

    monkeypatch.setattr(formats, "dumped", counted)
    monkeypatch.setattr(formats, "_given_up", {})
    user_cache.private.cache_clear()
    return begun


@pytest.fixture
def work(tmp_path: Path, made: list[str]) -> MakeWork:
    """``work(body=.., head=.., package=..)``: a job in a new folder, from a cache of its own."""
    del made

    def make(body: str = BODY, head: str = HEAD, package: str = PACKAGE, **fields: object) -> Job:
        number = len(list(tmp_path.glob("job*")))
        folder, style = tmp_path / f"job{number}", tmp_path / "style"
        folder.mkdir()
        style.mkdir(exist_ok=True)
        style.joinpath("cvb-x.sty").write_text(package, "utf-8")
        values: dict[str, object] = {"cache": tmp_path / "cache", "epoch": 0, "inputs": (style,)}
        return Job(head + body, folder, head=head.count("\n"), **(values | fields))  # type: ignore[arg-type]

    return make
