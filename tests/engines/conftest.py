"""Fixtures for tests of engines: an engine of each kind and a job in a private folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from texlive import engine_of, requires_embedded, requires_texlive

from cvbuild.outputs.pdf.tex.types import Engine, Job

__all__ = ["requires_embedded", "requires_texlive"]


@pytest.fixture(params=["pdflatex", "lualatex", "embedded"])
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each engine in turn."""
    return engine_of(request.param)


@pytest.fixture
def pdflatex() -> Engine:
    return engine_of("pdflatex")


@pytest.fixture
def lualatex() -> Engine:
    return engine_of("lualatex")


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
