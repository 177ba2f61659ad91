"""CVs in the shapes that people bring from other tools look right in every style.

Each shape is built in a third of the styles, each person's file in one or two; most are deep.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import deep
import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name
from texlive import demand_embedded

import cvbuild
from cvbuild.building.outcome import Outcome
from cvbuild.outputs.pdf.verify import pdf_facts
from cvbuild.outputs.templates import Library
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
