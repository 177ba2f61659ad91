"""The people of this repository in every style; test_people_facts has their facts."""

from __future__ import annotations

from pathlib import Path

import deep
import pypdfium2
import pytest
from msgspec.structs import replace
from texlive import engine_of

from cvbuild.building import pipeline
from cvbuild.building.check import profiles
from cvbuild.building.outcome import Outcome
from cvbuild.common import user_cache
from cvbuild.common.errors import UsageError
from cvbuild.inputs import people
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Settings, Task

ROOT = Path(__file__).parent.parent
PEOPLE = sorted(path.stem for path in (ROOT / "people").glob("*.yaml"))
ENGINES = ("pdflatex", "embedded")
STYLES = Library.at().names()
#: Each style with two people. All but one of each style are deep.
BUILDS = [
    (person, template, engine)
    for number, person in enumerate(PEOPLE)
    for template in STYLES
    for engine in ENGINES
    # By one engine each person in half of the styles; by the others each person, or style, once.
    if (engine == "embedded" and (STYLES.index(template) - number) % 2 == 0)
    or (engine == "pdflatex" and STYLES.index(template) % len(PEOPLE) == number)
]
ONCE = [(PEOPLE[at % len(PEOPLE)], style, "embedded") for at, style in enumerate(STYLES)]


#: latexmk makes a pass more of a document with tags; that it makes the same is tested elsewhere.
FIRST = Settings(Path("out"), Library.at(), 0, driver="direct", timeout=300)


@pytest.fixture(scope="session")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("people")


def build(person: str, template: str, engine: str, out: Path) -> Outcome:
    engine_of(engine)
    checked = profiles.check(people.Person(person, ROOT / f"people/{person}.yaml"), Library.at())
    assert checked.profile is not None, checked.diagnostics
    assert checked.source is not None
    task = Task(checked.person, checked.profile, checked.source, template)
    settings = replace(FIRST, out=out / engine, engine=engine, cache=user_cache.folder())
    outcome = pipeline.build(task, settings)
    assert outcome.path is not None, outcome.diagnostics
    return outcome


#: What a build may tell of a document that is well set.
FINE = {"limited", "left-out", "paging", "dead-label"}


@pytest.mark.parametrize(("person", "template", "engine"), deep.but(ONCE, BUILDS, "-".join))
def test_every_style_builds_without_a_warning(
    person: str, template: str, engine: str, out: Path
) -> None:
    outcome = build(person, template, engine, out)
    assert {item.code for item in outcome.diagnostics} <= FINE
    if Library.at().find(template).manifest.pages == "1":
        assert outcome.pages == 1
        assert outcome.fill is not None
        assert 0.7 <= outcome.fill <= 1
    else:
        assert outcome.pages in (1, 2, 3, 4)
        assert outcome.left_out == ()


@pytest.mark.deep
@pytest.mark.parametrize("engine", ENGINES)
def test_no_glyph_is_smaller_than_nine_points_but_superscripts(engine: str, out: Path) -> None:
    import pypdfium2.raw as pdfium

    checked = 0
    for number, person in enumerate(PEOPLE):
        # Sizes are the style's, not the engine's: each style with two people, then one a person.
        for template in STYLES[number % 2 :: 2] if engine == "embedded" else [STYLES[number]]:
            pdf = pypdfium2.PdfDocument(build(person, template, engine, out).path)
            for page in pdf:
                text = page.get_textpage()
                for index in range(0, text.count_chars(), 5):  # sizes come in runs
                    character = chr(pdfium.FPDFText_GetUnicode(text.raw, index))
                    size = pdfium.FPDFText_GetFontSize(text.raw, index)
                    if character.isspace() or character == "*":
                        continue
                    checked += 1
                    assert size >= 8.96, (person, template, character, size)
            pdf.close()
    assert checked > 2_000


@pytest.mark.parametrize("given", ["ada.yaml", "ada.yml", "people/ada"])
def test_a_file_or_a_path_is_no_name(given: str, here: Path) -> None:
    (here / "people").mkdir()
    (here / "people/ada.yaml").write_text("name: Ada Example\n", "utf-8")
    with pytest.raises(UsageError, match=f'there is no file "{given}"'):
        people.find([given])
