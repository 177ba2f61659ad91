"""CVs in the shapes that people bring from other tools look right in every style.

Each shape is built in a third of the styles, each person's file in one or two; most are deep.
"""

from __future__ import annotations

import re
from pathlib import Path

import deep
import pytest
from texlive import demand_embedded

import cvbuild
from cvbuild.api import load_profile
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
    "banker": (1, 1),
    "engineer": (2, 3),
    "europass": (1, 2),
    "junior": (1, 1),
    "lecturer": (2, 3),
    "marketer": (1, 2),
    "physician": (1, 3),
    "professor": (2, 6),
    "student": (1, 2),
    "translator": (1, 1),
    "web-developer": (1, 3),
}
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
    """Fail if anything is wrong with the pages."""
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


def test_the_shapes_are_those_that_are_known() -> None:
    assert [path.stem for path in SHAPES] == sorted(PAGES)
    for path in SHAPES:
        assert load_profile(path).sections


def test_everything_in_the_shapes_is_made_up() -> None:
    reserved = re.compile(r"(^|\.)(example(\.(com|org|edu|net))?)$")
    for path in SHAPES:
        text = path.read_text(encoding="utf-8")
        hosts = re.findall(r"(?:https?://|[\w.]@)([\w.-]+)", text)
        assert hosts
        assert [host for host in hosts if not reserved.search(host)] == [], path.name
        for number in re.findall(r"\+[0-9 ]+", text):
            # Numbers that the countries keep free for films and examples.
            assert re.match(r"\+(1 202 555 01|44 20 7946 0|33 1 99 00|49 30 23125)", number), number


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
