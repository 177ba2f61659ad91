"""In every text field of every kind, every special character comes out as written.

The documents hold all characters in all fields; each is typeset once for an engine and a template,
and every test reads the text that was extracted from them.
"""

from __future__ import annotations

import functools
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import NamedTuple

import characters as chars
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
from tools.ats import readers

#: So many characters a document; a head must fit on one page with all of them in each field, and
#: a one-page document leaves out what has no room. Starting an engine takes longer than pages do.
SIZE, HEAD_SIZE, ONE_PAGE_SIZE = 24, 8, 24
#: Each with whether all fields are tried: escaping knows nothing of fields, styles and engines, so
#: once is enough. (An untagged document of so many elements takes a fraction of a tagged one.)
BUILDS = {
    ("embedded", "academic"): True,
    ("pdflatex", "academic"): False,
    ("embedded", "one-page"): False,
}
#: One style with the embedded engine is tried in every run.
DEEP: dict[bool, tuple[pytest.MarkDecorator, ...]] = {True: (pytest.mark.deep,), False: ()}
EVERY = (*SPECIAL, *OTHERS)
#: Who reads the documents of all fields; pdfminer mixes up lines at the end of a page, and the
#: other documents, which are short, are read by all.
FAST = ("poppler raw", "poppler layout", "pdfium")


class Texts(NamedTuple):
    """What was extracted: reader -> number -> text; and what should have been."""

    engine: str
    expected: dict[str, Marked]
    found: dict[str, dict[str, str]]


def parts(characters: Sequence[str], size: int = SIZE) -> list[Sequence[str]]:
    """The characters in portions for one document."""
    return [characters[start : start + size] for start in range(0, len(characters), size)]


@functools.cache
def documents(everywhere: bool, size: int) -> dict[str, tuple[str, dict[str, Marked]]]:
    """YAML and marks by the name of the document."""
    plan: list[tuple[str, Callable[..., tuple[str, dict[str, Marked]]], Sequence[str]]] = []
    if everywhere:
        plan += [(f"all-{n}", chars.document, part) for n, part in enumerate(parts(SPECIAL))]
        plan += [
            (f"head-{n}", chars.head, part) for n, part in enumerate(parts(SPECIAL, HEAD_SIZE))
        ]
    few = OTHERS if everywhere else EVERY
    plan += [(f"some-{n}", chars.some, part) for n, part in enumerate(parts(few, size))]
    made, first = {}, 0
    for name, make, part in plan:
        made[name] = make(part, first)
        first += len(made[name][1])
    return made


def marked(everywhere: bool, size: int = len(EVERY)) -> dict[str, Marked]:
    """All marks of these documents."""
    made = documents(everywhere, size)
    return {n: mark for _, marks in made.values() for n, mark in marks.items()}


def typeset(
    folder: Path, cache: Path, build: tuple[str, str], texts: dict[str, str]
) -> dict[str, Path]:
    """The PDF of each YAML text."""
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


def read_by(everywhere: bool) -> list[str]:
    """The readers that there are."""
    there = shutil.which("pdftotext")
    return [
        name
        for name in (FAST if everywhere else readers.READERS)
        if there or not name.startswith("poppler")
    ]


def read(pdf: Path, names: Collection[str]) -> dict[str, dict[str, str]]:
    """The marked texts by reader; a hyphen at a line's end, which pdfium marks, is one again."""
    texts = {name: "\n".join(pages) for name, pages in readers.read(pdf, names).items()}
    return {
        reader: chars.found(text.replace("\ufffe", "-").replace("\x02", "-"))
        for reader, text in texts.items()
    }


@pytest.fixture(
    scope="session",
    params=[
        pytest.param(one, marks=DEEP[one != ("embedded", "academic")], id="-".join(one))
        for one in BUILDS
    ],
)
def texts(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, tex_cache: Path
) -> Texts:
    """All documents of an engine and a template."""
    engine, template = request.param
    engine_of(engine)  # skips or fails where it isn't
    everywhere = BUILDS[request.param]
    size = ONE_PAGE_SIZE if template == "one-page" else len(EVERY)
    folder = tmp_path_factory.mktemp("characters") / template
    sources = {name: text for name, (text, _) in documents(everywhere, size).items()}
    found: dict[str, dict[str, str]] = {}
    for pdf in typeset(folder, tex_cache, request.param, sources).values():
        for reader, marks in read(pdf, read_by(everywhere)).items():
            found.setdefault(reader, {}).update(marks)
    return Texts(engine, marked(everywhere, size), found)


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


def test_as_written(texts: Texts) -> None:
    """By every reader, for every character in every field of the documents."""
    counts = Counter(mark.character for mark in texts.expected.values())
    everywhere = len(texts.expected) > 10_000
    for character in EVERY:
        assert counts[character] > (150 if everywhere and character in SPECIAL else 3), character
    assert set(texts.found) == set(read_by(everywhere))
    wrong = [
        (reader, mark.field, got, want)
        for reader, marks in texts.found.items()
        for number, mark in texts.expected.items()
        if (got := marks.get(number)) != (want := mark.shown)
        # A place to divide a word, at the end of a line.
        and (got, mark.character) != ("-", "\u00ad")
    ]
    lost = Counter(want for *_, want in wrong)
    assert wrong[:8] == [], f"{len(wrong)} of {len(texts.expected)} fields and readers: {lost}"
