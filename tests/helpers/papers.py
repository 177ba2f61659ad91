"""Documents for tests: a person's text goes in, a PDF comes out; each is built once in a session.

``paper("name: Ada", "academic")`` is for tests that look at a document and change nothing. Whoever
asks first builds it, in any of pytest's workers; the others get what it came to.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import pickle
import shutil
import subprocess
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pikepdf
import pypdf
import pypdfium2
import pytest
from lettered import DAY, read
from msgspec.structs import replace
from PIL import Image
from texlive import demand_embedded, engine_of

from cvbuild.building import pipeline, profiles
from cvbuild.building.pipeline import Outcome
from cvbuild.inputs.letters import PATH, Draft
from cvbuild.inputs.people import Person
from cvbuild.outputs.pdf.latex import bidi
from cvbuild.outputs.request import Request
from cvbuild.outputs.types import Shown, Task

Paper = Callable[..., Outcome]
#: The same date in every document, and one run of the engine where latexmk would look for more.
USUAL = {"today": 0, "epoch": 0, "engine": "embedded", "driver": "direct", "timeout": 300}


def prepare(
    source: str | Path,
    style: str = "academic",
    *,
    folder: Path | None = None,
    letter: str = "",
    **how: Any,
) -> Task:
    """A person's text or file as a document to build in a folder, by default the working folder.

    With ``letter`` it is a letter of the person. A photo.png that the text names is there.
    """
    folder = folder or Path()
    path = folder / "people" / "ada.yaml" if isinstance(source, str) else source
    if isinstance(source, str):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, "utf-8")
        if "photo: photo.png" in source:
            Image.new("RGB", (300, 400), (120, 140, 160)).save(path.parent / "photo.png")
    given = {**USUAL, "cache": Path(os.environ["CVBUILD_CACHE"]), **how}
    request = Request(folder / "out", **given)
    task = profiles.task(profiles.check(Person(path.stem, path), request.library), style, request)
    if letter:
        written = read(letter)
        draft = Draft(style, written.letter, folder, DAY, "Designer")
        task = replace(task, source=task.source.grafted(PATH, written.node), draft=draft)
    return task


def document(source: str | Path, style: str = "academic", **how: Any) -> Shown:
    return pipeline.prepare(prepare(source, style, **how))


def build(source: str | Path, style: str = "academic", **how: Any) -> Outcome:
    return pipeline.build(prepare(source, style, **how))


def made(outcome: Outcome) -> Path:
    assert outcome.path is not None, [str(one) for one in outcome.diagnostics]
    return outcome.path


def pages_of(pdf: Path | str) -> list[str]:
    with pypdfium2.PdfDocument(pdf) as document:
        return [page.get_textpage().get_text_bounded() for page in document]


def text_of(pdf: Path | str) -> str:
    return "\n".join(pages_of(pdf))


def fonts_of(pdf: Path) -> set[str]:
    """The names of a PDF's fonts, without the tags of what is subset."""
    with pikepdf.open(pdf) as opened:
        fonts = [font for page in opened.pages for font in page.Resources.Font.values()]
        return {str(font.BaseFont)[1:].rpartition("+")[2] for font in fonts}


def poppler(pdf: Path, *options: str) -> str:
    command = ["pdftotext", *options, "-enc", "UTF-8", str(pdf), "-"]
    return subprocess.run(command, capture_output=True, check=True, timeout=60).stdout.decode()


def texts(pdf: Path) -> dict[str, str]:
    """The text of a PDF by reader; without poppler's if it isn't installed."""
    found = {"pdfium": text_of(pdf)}
    found["pypdf"] = "\n".join(page.extract_text() for page in pypdf.PdfReader(pdf).pages)
    if shutil.which("pdftotext"):
        found |= {"poppler": poppler(pdf), "poppler -raw": poppler(pdf, "-raw")}
    return found


def folded(text: str) -> str:
    kept = "".join(c for c in text if c not in bidi.CONTROLS and not c.isspace())
    return unicodedata.normalize("NFC", kept)


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """A folder that all workers of this run share."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if hasattr(request.config, "workerinput") else base) / "shelf"


@pytest.fixture(scope="session")
def paper(shelf: Path) -> Paper:
    """``paper(text, style, engine=…)``: a document that was built, for tests that only look."""

    def outcome(
        text: str, style: str = "academic", *, engine: str = "embedded", letter: str = ""
    ) -> Outcome:
        if engine == "auto":
            demand_embedded()
        else:
            engine_of(engine)
        key = hashlib.sha256(f"{text}\0{letter}".encode()).hexdigest()[:16]
        folder = shelf / f"{style}-{engine}-{key}"
        folder.mkdir(parents=True, exist_ok=True)
        kept = folder / "outcome"
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not kept.exists():
                found = build(text, style, folder=folder, letter=letter, engine=engine)
                kept.write_bytes(pickle.dumps(found))
        found = pickle.loads(kept.read_bytes())
        made(found)
        return found  # type: ignore[no-any-return]

    return outcome
