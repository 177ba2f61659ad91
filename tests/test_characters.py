"""In every text field of every kind, every special character comes out as written.

The documents hold all characters in all fields; each is typeset once for an engine and a template,
and every test reads the text that was extracted from them.
"""

from __future__ import annotations

import contextlib
import functools
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import characters as chars
import pypdfium2
import pytest
from characters import OTHERS, SPECIAL, Marked
from texlive import engine_of

from cvbuild.building import batch
from cvbuild.building.check import profiles
from cvbuild.inputs.people import Person
from cvbuild.inputs.schema.json_schema import models
from cvbuild.model import Profile
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Settings

#: So many characters a document; a head must fit on one page with all of them in each field.
SIZE, HEAD_SIZE = 24, 10
#: Each with whether all fields are tried: escaping knows nothing of fields, styles and engines, so
#: once is enough. (An untagged document of so many elements takes a fraction of a tagged one.)
BUILDS = {
    ("embedded", "academic"): True,
    ("pdflatex", "academic"): False,
    ("lualatex", "academic"): False,
    ("pdflatex", "industry"): False,
    ("lualatex", "industry"): False,
    ("embedded", "one-page"): False,
}
EVERY = (*SPECIAL, *OTHERS)
NAMES = {character: f"{number}-{ascii(character)[1:-1]}" for number, character in enumerate(EVERY)}


class Texts(NamedTuple):
    """What was extracted: reader -> number -> text; and what should have been."""

    engine: str
    expected: dict[str, Marked]
    found: dict[str, dict[str, str]]


def parts(characters: Sequence[str], size: int = SIZE) -> list[Sequence[str]]:
    """The characters in portions for one document."""
    return [characters[start : start + size] for start in range(0, len(characters), size)]


@functools.cache
def documents(everywhere: bool) -> dict[str, tuple[str, dict[str, Marked]]]:
    """YAML and marks by the name of the document."""
    plan: list[tuple[str, Callable[..., tuple[str, dict[str, Marked]]], Sequence[str]]] = []
    if everywhere:
        plan += [(f"all-{n}", chars.document, part) for n, part in enumerate(parts(SPECIAL))]
        plan += [
            (f"head-{n}", chars.head, part) for n, part in enumerate(parts(SPECIAL, HEAD_SIZE))
        ]
    few = OTHERS if everywhere else EVERY
    plan += [(f"some-{n}", chars.some, part) for n, part in enumerate(parts(few))]
    made, first = {}, 0
    for name, make, part in plan:
        made[name] = make(part, first)
        first += len(made[name][1])
    return made


def marked(everywhere: bool) -> dict[str, Marked]:
    """All marks of these documents."""
    return {n: mark for _, marks in documents(everywhere).values() for n, mark in marks.items()}


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


def typeset(
    folder: Path, cache: Path, build: tuple[str, str], texts: dict[str, str]
) -> dict[str, Path]:
    """The PDF of each YAML text; ``cache`` is where lualatex keeps its list of fonts."""
    engine, template = build
    folder.mkdir()
    library = Library.at()
    checked = []
    for name, text in texts.items():
        path = folder / f"{name}.yaml"
        path.write_text(text, encoding="utf-8")
        one = profiles.check(Person(name, path), library)
        assert one.profile is not None, [str(item) for item in one.diagnostics[:5]]
        checked.append(one)
    settings = Settings(
        out=folder / "out",
        library=library,
        today=0,
        epoch=0,
        engine=engine,
        driver="direct",
        timeout=300,
        cache=cache,
    )
    outcomes = list(batch.run(profiles.tasks(checked, [template]), settings, 2, lambda _: None))
    for outcome in outcomes:
        assert outcome.path, [str(item) for item in outcome.diagnostics[:5]]
    return {outcome.person: outcome.path for outcome in outcomes if outcome.path}


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


@pytest.fixture(scope="session", params=BUILDS, ids="-".join)
def texts(request: pytest.FixtureRequest, shelf: Path, tex_cache: Path) -> Texts:
    """All documents of an engine and a template, typeset once for all workers of this run."""
    engine, template = request.param
    engine_of(engine)  # skips or fails where it isn't
    everywhere = BUILDS[request.param]
    kept = shelf / f"characters-{engine}-{template}.json"
    with locked(kept.with_suffix(".lock")):
        if not kept.exists():
            sources = {name: text for name, (text, _) in documents(everywhere).items()}
            found: dict[str, dict[str, str]] = {}
            for pdf in typeset(kept.with_suffix(""), tex_cache, request.param, sources).values():
                for reader, marks in read(pdf).items():
                    found.setdefault(reader, {}).update(marks)
            kept.write_text(json.dumps(found), encoding="utf-8")
    return Texts(engine, marked(everywhere), json.loads(kept.read_text(encoding="utf-8")))


def test_every_text_field_of_every_kind_is_tried() -> None:
    """What the documents hold is compared with the models, counted in another way."""
    fields = {mark.field.removesuffix("+url") for mark in marked(everywhere=True).values()}
    assert {mark.character for mark in marked(everywhere=True).values()} == set(EVERY)
    assert set(chars.sections()) == set(Profile.KINDS)
    last = {name.rpartition(".")[2] for name in fields}
    prose = {
        key
        for model in models()
        for key, info in model.model_fields.items()
        if "Prose" in str(info.annotation)
    }
    assert len(prose) > 30
    # Headings of variants take the way of sections' own ones: see test_variants.
    assert prose - last == {"titles"}
    for kind in Profile.KINDS:
        assert f"{kind}.title" in fields
        assert f"{kind}.note" in fields
        assert f"{kind}.groups.title" in fields
        assert f"{kind}.groups.note" in fields
    assert len(fields) > 150
    assert len(marked(everywhere=True)) > 14_000


@pytest.mark.parametrize("character", EVERY, ids=NAMES.get)
def test_as_written(character: str, texts: Texts) -> None:
    expected = {n: mark for n, mark in texts.expected.items() if mark.character == character}
    everywhere = character in SPECIAL and len(texts.expected) > 10_000
    assert len(expected) > (150 if everywhere else 3)
    assert "pdfium" in texts.found
    wrong = [
        (reader, mark.field, marks.get(number), want)
        for reader, marks in texts.found.items()
        for number, mark in expected.items()
        if marks.get(number) != (want := shown(mark, texts.engine))
    ]
    count = len(wrong)
    assert wrong[:8] == [], f"{count} of {len(expected)} fields and readers"


def shown(mark: Marked, engine: str) -> str:
    """What must be found; T1 fonts have no ellipsis but three stops."""
    return mark.shown if engine == "lualatex" else mark.shown.replace("\u2026", "...")
