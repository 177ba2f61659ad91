"""Jobs whose heads are dumped, and what the tests of that look at."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cvbuild.outputs.pdf import Job
from cvbuild.outputs.pdf import tex as formats
from cvbuild.outputs.pdf.tex import Engine, Tex

PACKAGE = r"""\RequirePackage[T1]{fontenc}\RequirePackage{lmodern}
\newcommand\Here{one}
"""
HEAD = "\\documentclass{article}\n\\usepackage{cvb-x}\n"
BODY = (
    "\\pdftrailerid{x}\n\\begin{document}\n\\typeout{>>\\Here}\n"
    "\\Here, page \\pageref{a}\\label{a}\n\\end{document}\n"
)
MakeWork = Callable[..., Job]


def after_dumps(act: Callable[[Any], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let something happen to what each dump has made, and the files that were read for it."""
    really = formats.dumped

    @contextmanager
    def changed(*arguments: Any) -> Iterator[object]:
        with really(*arguments) as found:
            act(found)
            yield found

    monkeypatch.setattr(formats, "dumped", changed)


def kept(job: Job) -> list[Path]:
    return sorted((job.cache / "formats").glob("*.fmt"))


def built(job: Job, engine: Engine, driver: str = "direct") -> bytes:
    done = Tex(job, engine, driver).run()
    assert done.pdf is not None, done.log
    assert done.notes == ()
    assert "article.cls" not in done.log, "it was not made from a format"
    return done.pdf.read_bytes()


def said(job: Job) -> str:
    text = (job.folder / "cv.log").read_text(errors="replace")
    return next(line[2:] for line in text.splitlines() if line.startswith(">>"))


def cut(part: float) -> Callable[[Path], None]:
    return lambda path: os.truncate(path, int(path.stat().st_size * part))
