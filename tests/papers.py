"""Documents for tests: a person's text goes in, a PDF comes out; each is built once in a session.

``paper("name: Ada", "academic")`` is for tests that look at a document and change nothing. Whoever
asks first builds it, in any of pytest's workers; the others get what it came to.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from texlive import demand_embedded, engine_of

from cvbuild.building import pipeline
from cvbuild.building.check import profiles
from cvbuild.building.outcome import Outcome
from cvbuild.inputs.people import Person
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Settings, Task

Paper = Callable[..., Outcome]
#: The same date in every document, and one run of the engine where latexmk would look for more.
USUAL = {"today": 0, "epoch": 0, "engine": "embedded", "driver": "direct", "timeout": 300}


def build(
    text: str,
    style: str = "academic",
    *,
    folder: Path | None = None,
    library: Library | None = None,
    **settings: Any,
) -> Outcome:
    """Build a person's text in a folder, by default the working folder."""
    folder = folder or Path()
    path = folder / "people" / "ada.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    library = library or Library.at()
    checked = profiles.check(Person("ada", path), library)
    assert checked.profile is not None, [str(one) for one in checked.diagnostics]
    assert checked.source is not None
    task = Task(checked.person, checked.profile, checked.source, style)
    cache = Path(os.environ["CVBUILD_CACHE"])
    given = {**USUAL, "cache": cache, **settings}
    return pipeline.build(task, Settings(out=folder / "out", library=library, **given))


def made(outcome: Outcome) -> Path:
    """The PDF of a document; fail if there is none."""
    assert outcome.path is not None, [str(one) for one in outcome.diagnostics]
    return outcome.path


def text_of(pdf: Path) -> str:
    """The text of a PDF as pdfium reads it."""
    with pypdfium2.PdfDocument(pdf) as document:
        return "\n".join(page.get_textpage().get_text_bounded() for page in document)


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """A folder that all workers of this run share."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if hasattr(request.config, "workerinput") else base) / "shelf"


@pytest.fixture(scope="session")
def paper(shelf: Path) -> Paper:
    """``paper(text, style, engine=…)``: a document that was built, for tests that only look."""

    def outcome(text: str, style: str = "academic", *, engine: str = "embedded") -> Outcome:
        if engine == "auto":
            demand_embedded()
        else:
            engine_of(engine)
        key = hashlib.sha256(f"{style}\0{engine}\0{text}".encode()).hexdigest()[:16]
        folder = shelf / f"{style}-{engine}-{key}"
        folder.mkdir(parents=True, exist_ok=True)
        kept = folder / "outcome"
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not kept.exists():
                kept.write_bytes(pickle.dumps(build(text, style, folder=folder, engine=engine)))
        found: Outcome = pickle.loads(kept.read_bytes())
        made(found)
        return found

    return outcome
