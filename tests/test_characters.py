"""In every text field of every kind, every special character comes out as written.

The documents hold all characters in all fields; each is typeset once for an engine and a template,
and every test reads the text that was extracted from them.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import characters as chars
import pypdfium2
import pytest
from characters import SPECIAL, Marked
from texlive import engine_of

from cvbuild import batch
from cvbuild.model import Profile
from cvbuild.people import Person
from cvbuild.pipeline import Settings
from cvbuild.schema import models
from cvbuild.templates import Library

#: So many characters a document: the head must fit on a page with all of them in each field.
SIZE = 23
ENGINES = ("pdflatex", "lualatex", "embedded")
TEMPLATES = ("academic", "industry")
NAMES = {
    character: f"{number}-{ascii(character)[1:-1]}" for number, character in enumerate(SPECIAL)
}


def documents() -> dict[str, tuple[str, dict[str, Marked]]]:
    """YAML and marks by the name of the document."""
    made = {}
    first = 0
    for start in range(0, len(SPECIAL), SIZE):
        part = SPECIAL[start : start + SIZE]
        for name, make in (("all", chars.document), ("head", chars.head)):
            made[f"{name}-{start}"] = make(part, first)
            first += len(made[f"{name}-{start}"][1])
    return made


MARKED = {number: mark for _, marks in documents().values() for number, mark in marks.items()}


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """One of pytest's workers at a time."""
    import fcntl

    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder that all workers of this run share."""
    base = tmp_path_factory.getbasetemp()
    return base if worker_id == "master" else base.parent


@pytest.fixture(scope="session")
def worker_id(request: pytest.FixtureRequest) -> str:
    """The name of this worker; pytest-xdist has the same fixture."""
    given = getattr(request.config, "workerinput", {"workerid": "master"})
    return str(given["workerid"])


def typeset(folder: Path, engine: str, template: str, texts: dict[str, str]) -> dict[str, Path]:
    """The PDF of each YAML text."""
    folder.mkdir(parents=True)
    library = Library.at()
    checked = []
    for name, text in texts.items():
        path = folder / f"{name}.yaml"
        path.write_text(text, encoding="utf-8")
        one = batch.check(Person(name, path), library)
        assert one.profile is not None, [str(item) for item in one.diagnostics[:5]]
        checked.append(one)
    origin = "lualatex" if engine == "lualatex" else engine
    settings = Settings(out=folder / "out", library=library, today=0, epoch=0, engine=origin)
    outcomes = list(batch.run(batch.tasks(checked, [template]), settings, 2, lambda _: None))
    for outcome in outcomes:
        assert outcome.pdf, [str(item) for item in outcome.diagnostics[:5]]
    return {outcome.person: outcome.pdf for outcome in outcomes if outcome.pdf}


def poppler(pdf: Path) -> str | None:
    """The text as pdftotext reads it; None where it isn't installed."""
    if not shutil.which("pdftotext"):
        return None
    command = ["pdftotext", "-raw", "-enc", "UTF-8", str(pdf), "-"]
    return subprocess.run(command, capture_output=True, check=True, timeout=60).stdout.decode()


def pdfium(pdf: Path) -> str:
    """The text as pdfium reads it; a hyphen at a line's end, which it marks, is one again."""
    with contextlib.closing(pypdfium2.PdfDocument(pdf)) as document:
        pages = [page.get_textpage().get_text_bounded() for page in document]
    return "\n".join(pages).replace("\ufffe", "-").replace("\x02", "-")


def read(pdf: Path) -> dict[str, dict[str, str]]:
    """The marked texts by reader."""
    texts = {"pdfium": pdfium(pdf), "poppler": poppler(pdf)}
    return {reader: chars.found(text) for reader, text in texts.items() if text is not None}


@pytest.fixture(scope="session", params=[(e, t) for e in ENGINES for t in TEMPLATES], ids="-".join)
def extracted(request: pytest.FixtureRequest, shelf: Path) -> dict[str, dict[str, str]]:
    """reader -> number -> text, of all documents of an engine and a template."""
    engine, template = request.param
    engine_of(engine)  # skips or fails where it isn't
    kept = shelf / f"characters-{engine}-{template}.json"
    with locked(kept.with_suffix(".lock")):
        if not kept.exists():
            texts = {name: text for name, (text, _) in documents().items()}
            everything: dict[str, dict[str, str]] = {}
            for pdf in typeset(kept.with_suffix(""), engine, template, texts).values():
                for reader, marks in read(pdf).items():
                    everything.setdefault(reader, {}).update(marks)
            kept.write_text(json.dumps(everything), encoding="utf-8")
    result: dict[str, dict[str, str]] = json.loads(kept.read_text(encoding="utf-8"))
    return result


def test_every_text_field_of_every_kind_is_tried() -> None:
    """What the documents hold is compared with the models, counted in another way."""
    fields = {mark.field.removesuffix("+url") for mark in MARKED.values()}
    assert {mark.character for mark in MARKED.values()} == set(SPECIAL)
    assert set(chars.sections()) == set(Profile.KINDS)
    last = {name.rpartition(".")[2] for name in fields}
    prose = {
        key
        for model in models()
        for key, info in model.model_fields.items()
        if "Prose" in str(info.annotation)
    }
    assert len(prose) > 30
    assert prose - last == set()
    for kind in Profile.KINDS:
        assert f"{kind}.title" in fields
        assert f"{kind}.note" in fields
        assert f"{kind}.groups.title" in fields
        assert f"{kind}.groups.note" in fields
    assert len(fields) > 150
    assert len(MARKED) > 20_000


@pytest.mark.parametrize("character", SPECIAL, ids=NAMES.get)
def test_as_written(character: str, extracted: dict[str, dict[str, str]]) -> None:
    expected = {n: mark for n, mark in MARKED.items() if mark.character == character}
    assert len(expected) > 150
    wrong = [
        (reader, mark.field, marks.get(number))
        for reader, marks in extracted.items()
        for number, mark in expected.items()
        if marks.get(number) != mark.shown
    ]
    count = len(wrong)
    assert wrong[:8] == [], f"{count} of {len(expected)}, wanted {mark_of(character)!r}"


def mark_of(character: str) -> str:
    return Marked("", character).shown
