"""The people of this repository: in every style, with every fact of their own documents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import deep
import glyphs
import papers
import pytest
from texlive import engine_of

from cvbuild.building.outcome import Outcome
from cvbuild.common.errors import UsageError
from cvbuild.inputs import people
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml.source import parse
from cvbuild.model import Profile
from cvbuild.model.rich_text import Link
from cvbuild.outputs.templates import Library
from cvbuild.selection.select import select
from cvbuild.view import builder
from cvbuild.view.types import Content, Document, Item

ROOT = Path(__file__).parent.parent
PEOPLE = sorted(path.stem for path in (ROOT / "people").glob("*.yaml"))
ENGINES = ("pdflatex", "embedded")
STYLES = Library.at().names()
#: Each style with a person, and each person by the other engine.
BUILDS = [(PEOPLE[at % len(PEOPLE)], style, "embedded") for at, style in enumerate(STYLES)]
BUILDS += [(*one, "pdflatex") for one in zip(PEOPLE, STYLES, strict=False)]
ONCE = BUILDS[: len(STYLES) : 4]


@pytest.fixture(scope="session")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("people")


def build(person: str, template: str, engine: str, out: Path) -> Outcome:
    engine_of(engine)
    path = ROOT / f"people/{person}.yaml"
    return papers.build(path, template, folder=out / engine, engine=engine)


#: What a build may tell of a document that is well set.
FINE = {"limited", "left-out", "paging", "dead-label"}


@pytest.mark.parametrize(("person", "template", "engine"), deep.but(ONCE, BUILDS, "-".join))
def test_every_style_builds_without_a_warning(
    person: str, template: str, engine: str, out: Path
) -> None:
    outcome = build(person, template, engine, out)
    papers.made(outcome)
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
    for person, template, _ in (one for one in BUILDS if one[2] == engine):
        page = glyphs.read(papers.made(build(person, template, engine, out)))
        assert len(page) > 200
        small = {one.text for one in page if one.size < 8.96 and not one.text.isspace()}
        assert small - {"*", "\0"} == set(), (person, template)


@pytest.mark.parametrize("given", ["ada.yaml", "ada.yml", "people/ada"])
def test_a_file_or_a_path_is_no_name(given: str, here: Path) -> None:
    (here / "people").mkdir()
    (here / "people/ada.yaml").write_text("name: Ada Example\n", "utf-8")
    with pytest.raises(UsageError, match=f'there is no file "{given}"'):
        people.find([given])


TESTS = Path(__file__).parent
FACTS = TESTS.parent / "people"
Unit = tuple[str, tuple[str, ...]]
"""A heading, and the facts under it that belong together, sorted."""


def units_of(person: str) -> list[Unit]:
    heading, units = "", []
    text = (TESTS / f"facts/{person}.items.txt").read_text("utf-8")
    for line in re.sub(r"\n +", " ", text.strip()).split("\n"):
        if line.startswith("== "):
            heading = line[3:]
        else:
            units.append((heading, tuple(sorted(line.split(" | ")))))
    return units


@cache
def document(person: str) -> Document:
    path = FACTS / f"{person}.yaml"
    profile: Profile = validate(parse(path.read_text("utf-8"), str(path)))
    return builder.build(select(profile, {}), {})


def shown(person: str) -> Iterator[Unit]:
    view = document(person)
    head = [*leaves(view.header.name), *leaves(view.header.headline)]
    head += [f"{other.label}: {other.name}" for other in view.header.others]
    head += [
        f"{line.label or line.network or ''} {line.text}".strip() for line in view.header.contacts
    ]
    yield unit("", head)
    for section in view.sections:
        title = str(section.title)
        if section.note:
            yield unit(title, leaves(section.note))
        for group in section.groups:
            heading = f"{title} / {group.title}" if group.title else title
            for item in [*([group.note] if group.note else []), *group.items]:
                yield unit(heading, leaves(item))


def unit(heading: str, facts: Iterable[str]) -> Unit:
    return heading, tuple(sorted(fact.replace("’", "'") for fact in facts))


def leaves(value: object, field: str = "") -> Iterator[str]:
    if isinstance(value, Content):
        yield str(value)
        yield from (f"<{node.url}>" for node in value.nodes if isinstance(node, Link))
    elif field in ("authors", "inventors") and isinstance(value, tuple) and value:
        yield ", ".join(f"{author.name}{author.marks or ''}" for author in value)
    elif field == "links" and isinstance(value, tuple):
        yield from (f"[{link.label}]" for link in value)
    elif field == "marks" and isinstance(value, tuple):
        yield from (f"{mark}{meaning}" for mark, meaning in value)
    elif isinstance(value, tuple):
        for part in value:
            yield from leaves(part)
    elif isinstance(value, Item):
        for name, part in value.fields.items():
            # The first two are among the links, the last two are said elsewhere or by us.
            if name not in ("arxiv", "doi", "tags", "column_date", "grade_label"):
                yield from leaves(part, name)


def bare(unit: Unit) -> Unit:
    """A unit without labels of links, which lead nowhere here, so that no page has them.

    And without what a mark of an author means: a page says that once in each section.
    """
    return unit[0], tuple(fact for fact in unit[1] if not re.fullmatch(r"\[\w+\]|\*.+", fact))


def marks(units: Iterable[Unit]) -> set[tuple[str, str]]:
    return {
        (heading.partition(" / ")[0], fact)
        for heading, unit in units
        for fact in unit
        if fact.startswith("*")
    }


@pytest.mark.parametrize("person", PEOPLE)
def test_a_persons_file_holds_the_facts_of_the_documents_and_no_others(person: str) -> None:
    written, printed = [*units_of(person)], [*shown(person)]
    assert marks(written) == marks(printed)
    told, said = Counter(map(bare, written)), Counter(map(bare, printed))
    assert sorted((told - said).elements()) == [], "lost"
    assert sorted((said - told).elements()) == [], "invented"


@pytest.mark.parametrize("person", PEOPLE)
def test_no_phone_number_of_a_real_person_is_kept(person: str) -> None:
    assert [line for line in document(person).header.contacts if line.kind == "phone"] == []
    text = (FACTS / f"{person}.yaml").read_text("utf-8")
    assert re.findall(r"\+[0-9][0-9 ()-]{6,}|tel:|phone: *\S", text) == []
