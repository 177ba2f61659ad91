"""CVs look right in every style: in the shapes of other tools, and this repository's people."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import deep
import glyphs
import papers
import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name
from texlive import demand_embedded, engine_of

import cvbuild
from cvbuild.building.pipeline import Outcome
from cvbuild.common.diagnostics import UsageError
from cvbuild.inputs import people
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml.source import parse
from cvbuild.model.profile import Profile
from cvbuild.model.text.rich_text import Link
from cvbuild.outputs.pdf.verify import pdf_facts
from cvbuild.outputs.styles.templates import Library
from cvbuild.selection.select import select
from cvbuild.view import builder
from cvbuild.view.types import Content, Document, Item
from tools import page_gate

LIBRARY = Library.at()
ROOT = Path(__file__).parents[1]
SHAPES = tuple(sorted((ROOT / "tests/shapes").glob("*.yaml")))
STYLES = LIBRARY.names()
#: People whose pages are judged as well: those of this repository, and the gallery's.
PEOPLE = (
    *sorted((ROOT / "people").glob("*.yaml")),
    ROOT / "docs" / "gallery" / "nora-lindqvist.yaml",
)
#: How many pages each CV may have in a style that has no limit.
PAGES = {
    "banker": (1, 1), "engineer": (2, 3), "europass": (1, 2), "junior": (1, 1),
    "lecturer": (2, 3), "marketer": (1, 2), "physician": (1, 3), "professor": (2, 6),
    "student": (1, 2), "translator": (1, 1), "web-developer": (1, 3),
}  # fmt: skip
#: What a build may tell of a document that is well set.
FINE = {"limited", "left-out", "paging"}


#: A line of more characters is hard to read.
LONGEST = 115


def longest_line(pdf: Path) -> int:
    """The characters of the longest line, without what stands in another column, such as a date."""
    lengths = [0]
    for line in (line for page in pdf_facts.read(pdf).pages for line in page.lines):
        length = -1
        for before, word in zip((None, *line), line, strict=False):
            apart = 0.6 * min(before.size, word.size) if before else 0
            length = -1 if before and word.left - before.right > apart else length
            length += 1 + len(word.text)
            lengths.append(length)
    assert len(lengths) > 20
    return max(lengths)


def check(outcome: Outcome) -> None:
    shape, style = outcome.person, outcome.template
    assert outcome.path is not None, [str(one) for one in outcome.diagnostics]
    assert outcome.verified is not None
    told = {one.code: str(one) for one in outcome.diagnostics if one.code not in FINE}
    assert not told, (shape, style, told)
    low, high = (1, 1) if LIBRARY.find(style).manifest.pages == "1" else PAGES[shape]
    assert low <= (outcome.pages or 0) <= high, (shape, style, outcome.pages)
    figures = outcome.verified
    assert longest_line(outcome.path) <= LONGEST, (shape, style)
    if (outcome.pages or 0) > 1:
        assert figures["last_page_fill"] >= 0.25, (shape, style)


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("style", "step"),
    deep.but(
        [("sidebar", 5)],
        [(style, 5 if style in ("sidebar", "one-page") else 3) for style in STYLES],
    ),
)
def test_the_embedded_engine(style: str, step: int, tmp_path: Path) -> None:
    """Each style with a third of them, or a fifth."""
    demand_embedded()
    start = STYLES.index(style) % step
    shapes, people = SHAPES[start::step], PEOPLE[start::step]
    outcomes = cvbuild.build(
        [*shapes, *people],
        templates=[style],
        engine="embedded",
        out=tmp_path,
        epoch=page_gate.EPOCH,
    )
    for outcome in outcomes[: len(shapes)]:
        check(outcome)
    judged = [page_gate.judge(outcome.path) for outcome in outcomes if outcome.path]
    assert len(judged) == len(shapes) + len(people) >= 3
    faults = page_gate.faults(judged)
    if style == "sidebar":
        # In its narrow columns a word more on the last line may cost more than a fifth of another.
        faults = [one for one in faults if not one.startswith(page_gate.WORDS["stray"])]
    assert faults == [], [str(one) for each in judged for one in each.faults]


#: Points of A4.
WIDTH, HEIGHT = 595, 842


@dataclass(frozen=True)
class Line:
    text: str
    base: float
    left: float = 60
    page: int = 0
    size: float = 10


@dataclass(frozen=True)
class Element:
    role: str
    inside: Sequence[Line | Element]


def write(path: Path, elements: Sequence[Element]) -> Path:
    pdf = pikepdf.new()
    drawn: dict[int, list[str]] = defaultdict(list)
    font = Dictionary(
        Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding
    )
    count = 1 + max(line.page for one in elements for line in _lines(one))
    for _ in range(count):
        page = pdf.add_blank_page(page_size=(WIDTH, HEIGHT))
        page.obj.Resources = Dictionary(Font=Dictionary(F1=font))

    def made(one: Line | Element) -> Any:
        if isinstance(one, Element):
            kids = Array([made(child) for child in one.inside])
            return pdf.make_indirect(
                Dictionary(Type=Name.StructElem, S=Name(f"/{one.role}"), K=kids)
            )
        number = len(drawn[one.page])
        text = one.text.encode("cp1252").hex()
        place = f"1 0 0 1 {one.left} {one.base} Tm <{text}> Tj"
        drawn[one.page].append(f"/P <</MCID {number}>> BDC BT /F1 {one.size} Tf {place} ET EMC")
        return Dictionary(Type=Name.MCR, Pg=pdf.pages[one.page].obj, MCID=number)

    top = made(Element("Document", elements))
    pdf.Root.StructTreeRoot = pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot, K=top))
    for number, page in enumerate(pdf.pages):
        page.obj.Contents = pdf.make_stream("\n".join(drawn[number]).encode())
    pdf.save(path)
    return path


def _lines(one: Line | Element) -> list[Line]:
    if isinstance(one, Line):
        return [one]
    return [line for child in one.inside for line in _lines(child)]


def test_a_style_may_have_some_stray_words() -> None:
    fault = page_gate.Fault("stray", 0, "a / b")
    fine = page_gate.Judged([fault], 20)
    assert page_gate.faults([fine]) == []
    assert page_gate.faults([fine, page_gate.Judged([fault] * 4, 10)]) == [
        "a stray word is the last line: 5 of 30"
    ]


NAME = Element("H1", [Line("Ada Example", 780, size=24)])
TITLE = Element("H2", [Line("Experience", 740, size=12)])
LINE = "Wrote the scheduler of the cluster, and measured what it does to the work of all others"


def lines(*texts: str, base: float = 700, step: float = 14, page: int = 0) -> Element:
    return Element("P", [Line(text, base - at * step, page=page) for at, text in enumerate(texts)])


def item(*inside: Line | Element) -> Element:
    return Element("LI", [Element("LBody", inside)])


def filled(page: int, base: float = 780, count: int = 24) -> Element:
    return lines(*[LINE] * count, base=base, page=page)


FAULTY: dict[str, list[Element]] = {
    "cut": [NAME, TITLE, lines("Leitung der Kapazitätsreservebew", "irtschaftung im Norden")],
    "touch": [NAME, TITLE, lines("Quickly jumping", "HÅLÅND the last words", step=9)],
    "dead": [NAME, TITLE, Element("L", [item(Line("A paper of ours. [PDF]", 700))])],
    "stub": [NAME, TITLE, filled(0, 720, 46), lines("The end of it all", base=780, page=1)],
    "stray": [NAME, TITLE, lines(LINE, "so.")],
    "name": [Element("H1", [Line("Ada", 780, size=24), Line("Example", 750, size=24)]), TITLE],
    "split": [
        NAME, TITLE, Element("L", [item(Line(LINE, 60), Line(LINE, 780, page=1))]), filled(1),
    ],
    "single": [
        NAME, TITLE,
        Element("L", [item(Line(LINE, 100)), item(Line(LINE, 80)), item(Line(LINE, 790, page=1))]),
        filled(1),
    ],
    "parted": [
        NAME, TITLE, filled(0, 720, 43), Element("H3", [Line("Acme", 115)]),
        lines("Springfield", base=101),
        Element("L", [
            *[item(Line("Wrote a part of it", base)) for base in (87, 73, 59)],
            *[item(Line("Wrote a part of it", base, page=1)) for base in (780, 766)],
        ]),
        filled(1, 750),
    ],
    "hole": [NAME, TITLE, lines(LINE, LINE), filled(1)],
}  # fmt: skip
SOUND = [
    NAME,
    TITLE,
    lines(LINE, "and then wrote it down for all."),
    Element("L", [item(Element("Link", [Line("[PDF]", 470)]), Line("A paper.", 470, left=100))]),
    filled(0, 440),
    filled(1),
]


def test_every_fault_has_a_test() -> None:
    assert FAULTY.keys() == page_gate.LIMITS.keys() == page_gate.WORDS.keys()


@pytest.mark.parametrize("kind", FAULTY)
def test_a_faulty_page_is_found(kind: str, tmp_path: Path) -> None:
    found = page_gate.judge(write(tmp_path / "cv.pdf", FAULTY[kind]))
    assert {fault.kind for fault in found.faults} == {kind}
    (told,) = page_gate.faults([found] * 3)  # as many as a style may not have
    assert told.startswith(page_gate.WORDS[kind])


def test_a_sound_page_has_no_fault(tmp_path: Path) -> None:
    found = page_gate.judge(write(tmp_path / "cv.pdf", SOUND))
    assert found.faults == []
    assert found.paragraphs == 3


OWN = sorted(path.stem for path in (ROOT / "people").glob("*.yaml"))
ENGINES = ("pdflatex", "embedded")
#: Each style with a person, and each person by the other engine.
BUILDS = [(OWN[at % len(OWN)], style, "embedded") for at, style in enumerate(STYLES)]
BUILDS += [(*one, "pdflatex") for one in zip(OWN, STYLES, strict=False)]
ONCE = BUILDS[: len(STYLES) : 4]


@pytest.fixture(scope="session")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("people")


def build(person: str, template: str, engine: str, out: Path) -> Outcome:
    engine_of(engine)
    path = ROOT / f"people/{person}.yaml"
    return papers.build(path, template, folder=out / engine, engine=engine)


#: What a build may tell of a document that is well set.
WELL_SET = {"limited", "left-out", "paging", "dead-label"}


@pytest.mark.parametrize(("person", "template", "engine"), deep.but(ONCE, BUILDS, "-".join))
def test_every_style_builds_without_a_warning(
    person: str, template: str, engine: str, out: Path
) -> None:
    outcome = build(person, template, engine, out)
    papers.made(outcome)
    assert {item.code for item in outcome.diagnostics} <= WELL_SET
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


@pytest.mark.parametrize("person", OWN)
def test_a_persons_file_holds_the_facts_of_the_documents_and_no_others(person: str) -> None:
    written, printed = [*units_of(person)], [*shown(person)]
    assert marks(written) == marks(printed)
    told, said = Counter(map(bare, written)), Counter(map(bare, printed))
    assert sorted((told - said).elements()) == [], "lost"
    assert sorted((said - told).elements()) == [], "invented"


@pytest.mark.parametrize("person", OWN)
def test_no_phone_number_of_a_real_person_is_kept(person: str) -> None:
    assert [line for line in document(person).header.contacts if line.kind == "phone"] == []
    text = (FACTS / f"{person}.yaml").read_text("utf-8")
    assert re.findall(r"\+[0-9][0-9 ()-]{6,}|tel:|phone: *\S", text) == []
