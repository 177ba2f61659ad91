"""Long words are divided at the end of a line with a hyphen, at their joints, or not at all."""

from __future__ import annotations

import re
import shutil
from itertools import accumulate, pairwise

import deep
import pdfminer.high_level
import pypdf
import pytest
from papers import build, made, poppler, text_of

from cvbuild.outputs.pdf.latex.typography import SOFT_HYPHEN, Divider

COMPOUNDS = (
    "Kapazitätsreservebewirtschaftung",
    "Höchstspannungsgleichstromübertragung",
    "Datenschutzgrundverordnung",
)
BULLETS = [
    f"{'und ' * count}{first} für {second} nach {third} und Weiteres"
    for count in range(1, 12)
    for first, second, third in (COMPOUNDS, COMPOUNDS[::-1])
]
#: Of fewer than 31 letters.
NAMES = ["Bundesverfassungsgericht", "Datenschutzgrundverordnung", "Versorgungssicherheitsplan"]
SKILLS = ", ".join(NAMES * 5)
PERSON = f"""\
name: Ada Example
locale: de
sections:
  - kind: bullets
    title: Arbeiten
    items: {BULLETS}
  - kind: experience
    items: [{{employer: {" ".join(NAMES * 3)}, title: Leitung, date: 2020}}]
  - kind: skill
    items: [{{name: Gebiete, keywords: [{SKILLS}]}}]
"""


def divided(text: str, language: str = "de", *, prose: bool = True) -> str:
    return Divider(language, prose)(text).replace(SOFT_HYPHEN, "-")


def ends(text: str) -> list[tuple[str, str]]:
    """The two parts of each word that a line's end divides."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return [
        (one.split()[-1].removesuffix("-"), other.split()[0])
        for one, other in pairwise(lines)
        if one.endswith("-")
    ]


@pytest.mark.usefixtures("here", "requires_embedded")
@pytest.mark.parametrize("template", deep.but(["grid"], ["academic", "grid"]))
def test_compounds_are_divided_at_their_joints(template: str) -> None:
    pdf = made(build(PERSON, template, engine="embedded"))
    text = "\n".join(page.extract_text() for page in pypdf.PdfReader(pdf).pages)
    found = ends(text)
    assert len(found) >= 5
    joints = {
        (word[:at], word[at:])
        for word in COMPOUNDS
        for at in accumulate(map(len, divided(word).split("-")))
    }
    for first, rest in found:
        assert (first, rest.rstrip(",.")) in joints
    # No line ends in the middle of a word without a hyphen: as many whole words as were written.
    read = [text, pdfminer.high_level.extract_text(pdf), text_of(pdf)]
    if shutil.which("pdftotext"):
        read.append(poppler(pdf))
    for extracted in read:
        whole = re.sub(r"-\s+|[\ufffe\x02]\s*", "", extracted)
        assert whole.count(COMPOUNDS[0]) == whole.count(COMPOUNDS[1]) == len(BULLETS)
        assert whole.count(COMPOUNDS[2]) == len(BULLETS) + 3 + 5
        assert whole.count(NAMES[0]) == 3 + 5


@pytest.mark.deep
@pytest.mark.usefixtures("here", "requires_embedded")
def test_words_longer_than_a_line() -> None:
    long, cyrillic = "m" * 300, "щ" * 90
    data = (
        f"name: Ada {'Q' * 70}\nlocale: tr\nsummary: An {long}.\n"
        "sections:\n"
        f"  - {{kind: skill, items: [{{name: A, keywords: [{'w' * 150}, {cyrillic}]}}]}}\n"
        f"  - {{kind: bullets, title: B, items: ['`{'k' * 120}`', 'x {'o' * 30} y']}}\n"
    )
    outcome = build(data, "sidebar", engine="embedded")
    pdf = made(outcome)
    assert not [str(one) for one in outcome.diagnostics if "too wide" in str(one)]
    text = re.sub(r"-\s+", "", "".join(p.extract_text() + "\n" for p in pypdf.PdfReader(pdf).pages))
    for word in (long, "w" * 150, cyrillic, "k" * 120, "Q" * 70, "o" * 30):
        assert word in text


@pytest.mark.usefixtures("here", "requires_embedded")
def test_soft_hyphens_that_were_typed() -> None:
    word = "Abc\u00addefgh" * 12
    pdf = made(build(f"name: Ada Example\nsummary: '{f'{word} ' * 4}'\n", engine="embedded"))
    lines = pypdf.PdfReader(pdf).pages[0].extract_text().splitlines()
    # An older pdfTeX has a space after it.
    found = [line.rstrip() for line in lines if line.rstrip().endswith("-")]
    assert len(found) >= 3
    assert all(line.endswith("Abc-") for line in found)


def test_what_is_divided_in_prose() -> None:
    assert divided(COMPOUNDS[2]) == "Daten-schutz-grund-ver-ord-nung"
    # Patterns that contradict each other say nothing.
    assert divided("Zusammenarbeiten") == "Zusam-menarbei-ten"
    assert divided("Verantwortung") == "Verantwortung"  # 13 letters
    text = (
        "see internationalization in Papadimitropoulos, INTERNATIONALIZATION, InternationalizatioN"
    )
    marked = text.replace("see internationalization", "see inter-na-tion-al-iza-tion")
    assert divided(text, "en") == marked
    long = "internationalization"
    for address in (f"www.{long}.org", f"a@{long}", f"/usr/{long}/x", f"{long}2"):
        assert divided(address, "en") == address
    assert divided("internatio\u00adnalization", "en") == "internatio-nalization"


def test_what_is_divided_elsewhere() -> None:
    assert divided("x " + "a" * 30, "en", prose=False) == "x " + "a" * 30
    assert divided("a" * 31, "zh", prose=False) == f"{'a' * 7}-{'a' * 8}-{'a' * 8}-{'a' * 8}"
    assert divided(COMPOUNDS[1], prose=False).startswith("Höchst-span-nungs-gleich-strom")
    parts = divided("deadbeef" * 9, "en", prose=False).split("-")
    assert max(map(len, parts)) <= 20
    assert divided("字" * 60, "zh") == "字" * 60


@pytest.mark.parametrize(
    ("language", "word", "expected"),
    [
        ("de-AT", "Datenschutzgrund", "Daten-schutz-grund"),
        ("de-Latn-LI", "Datenschutzgrund", "Daten-schutz-grund"),
        ("en-GB", "photographically", "pho-to-graph-ic-ally"),
        ("en", "photographically", "pho-to-graphically"),
        ("ru", "высококвалифицированный", "высо-ко-ква-ли-фи-ци-ро-ван-ный"),
        ("hu", "emberkultusszal", "ember-kul-tusszal"),  # kultusz-szal
        ("sr-Latn", "internacionalizacija", "inter-na-ciona-li-za-cija"),
        ("zh", "internationalization", "internationalization"),
        ("tr", "internationalization", "internationalization"),
        ("xx-Zzzz", "internationalization", "internationalization"),
    ],
)
def test_languages(language: str, word: str, expected: str) -> None:
    assert divided(word, language) == expected
