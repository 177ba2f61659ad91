"""How each language writes what stands between texts, in the PDF and the other formats."""

from __future__ import annotations

import itertools
import re
import shutil
from itertools import accumulate, pairwise
from pathlib import Path

import deep
import docx
import pdfminer.high_level
import pypdf
import pypdfium2
import pytest
from conftest import Run
from papers import build, made, poppler, text_of
from texlive import demand_script_fonts

from cvbuild.outputs.pdf.latex.typography import SOFT_HYPHEN, Divider

FRENCH = """\
name: Ada Exemple
locale: fr
contact: {email: ada@example.org, phone: {number: "+33 1 23 45 67 89", label: Bureau}}
sections:
  - kind: text
    items: [TEXT]
  - kind: education
    items:
      - institution: Université Modèle
        degree: Doctorat
        thesis: Des maillages qui tiennent
        grade: 16/20
"""


@pytest.fixture(autouse=True)
def workspace(here: Path) -> Path:
    (here / "people").mkdir()
    return here


def written(run: Run, text: str, template: str = "academic", form: str = "pdf") -> Path:
    Path("people/ada.yaml").write_text(text, "utf-8")
    ran = run("build", "-t", template, "--format", form)
    assert ran.code == 0, ran.err
    (found,) = Path("out/ada").glob(f"{template}.{form}")
    return found


def lines_of(path: Path) -> list[str]:
    return text_of(path).replace("\r", "").splitlines()


@pytest.mark.parametrize("template", deep.but(["banking"], ["academic", "banking"]))
def test_french_spaces_do_not_break(template: str, run: Run) -> None:
    # Words of all lengths before, so that each pair would be at the end of some line.
    said = "Elle dit « oui » : 1 200 000 € et 30 % ; quoi ? Non !"
    texts = [f"{'m' * more} {'un mot court et ' * 6}{said} {said}" for more in range(1, 24)]
    text = FRENCH.replace("TEXT", ", ".join(f'"{one}"' for one in texts))
    lines = lines_of(written(run, text, template))
    body = [line.strip() for line in lines if line.strip()]
    assert sum("«" in line for line in body) >= 25
    assert [line for line in body if re.search(r"[«“(]$", line)] == []
    assert [line for line in body if re.match(r"[»:;?!%€]", line)] == []
    pairs = itertools.pairwise(body)
    assert [pair for pair in pairs if pair[0][-1].isdigit() and pair[1][0].isdigit()] == []
    assert any(re.match(r"Thèse : Des", line) for line in body), body[-8:]


@pytest.mark.parametrize("form", ["txt", "md", "html", "docx"])
def test_french_labels_have_a_space_before_their_colon(form: str, run: Run) -> None:
    path = written(run, FRENCH.replace("TEXT", "Bonjour"), form=form)
    if form == "docx":
        shown = "\n".join(one.text for one in docx.Document(str(path)).paragraphs)
    else:
        text = path.read_text("utf-8")
        shown = re.sub(r"(?s)<(style|script)\b.*?</\1>|<[^>]*>", "", text)
    for label in ("Thèse", "Note", "Bureau"):
        assert f"{label}\u00a0: " in shown
    assert not re.search(r"[^\W\d_]: ", shown)


CHINESE = """\
name: {given: 伟, family: 甄}
locale: zh
contact: {email: zhen@example.org}
sections:
  - kind: text
    items: [TEXT]
  - kind: education
    items:
      - institution: 示例大学
        degree: 博士
        area: 计算机科学
        location: 北京
        advisor: [李明, 王芳]
        grade: 优秀
        courses: [编译原理, 操作系统, Rust]
  - kind: publication
    items:
      - {title: 大规模“并行训练”, authors: [甄伟, 李明], venue: 计算机学报, short-venue: 学报}
      - {title: Schedules that hold, authors: [Wei Zhen, Ming Li], venue: VLDB, date: 2020}
  - kind: skill
    items: [{name: 系统, keywords: [操作系统, Linux, 数据库, C++], level: 熟练}]
"""
HAN = "[\u4e00-\u9fff]"


@pytest.mark.parametrize("form", deep.but(["txt", "md"], ["txt", "md", "pdf"]))
@pytest.mark.parametrize("locale", deep.but(["zh"], ["zh", "ja"]))
def test_chinese_marks_stand_between_chinese_words(locale: str, form: str, run: Run) -> None:
    demand_script_fonts()
    text = CHINESE.replace("TEXT", "研究").replace("locale: zh", f"locale: {locale}")
    path = written(run, text, form=form)
    shown = "\n".join(lines_of(path)) if form == "pdf" else path.read_text("utf-8")
    comma = "，" if locale == "zh" else "、"
    for said in (
        f"李明{comma}王芳", f"编译原理{comma}操作系统{comma}Rust",
        f"操作系统{comma}Linux{comma}数据库{comma}C++", f"示例大学{comma}北京",
        "计算机学报（学报）", "Wei Zhen, Ming Li",
    ):  # fmt: skip
        assert said in shown, shown
    assert re.search(rf"甄伟\W*{comma}李明。", shown), shown
    assert re.search(r"“\s?并行训练\s?”\s?。", shown), shown
    assert not re.search(rf"{HAN}[*]*[,:;.(] ?{HAN}", shown), shown


@pytest.mark.deep
def test_a_last_line_has_two_ideographs_or_more(run: Run) -> None:
    demand_script_fonts()
    texts = ("研" * length + "缺陷。" for length in range(30, 80))
    text = CHINESE.replace("TEXT", ", ".join(texts))
    found = [line.strip() for line in lines_of(written(run, text))]
    ends = [line for line in found if line.endswith("陷。")]
    assert len(ends) == 50
    assert min(map(len, ends)) >= 3


@pytest.mark.parametrize(
    ("locale", "word"),
    deep.but([("ar", "كلام")], [("zh", "研究生"), ("ar", "كلام"), ("th", "โปเฟ")]),
)
def test_lines_of_tall_scripts_stand_apart(locale: str, word: str, run: Run) -> None:
    demand_script_fonts()
    said = " ".join([word] * 80) if locale == "ar" else word * 40
    text = f"name: Ada Example\nlocale: {locale}\nsections: [{{kind: text, items: [{said}]}}]"
    path = written(run, text, "banking")
    with pypdfium2.PdfDocument(path) as document:
        page = document[0].render(scale=4, grayscale=True).to_pil()
    lines = [page.crop((0, at, page.width, at + 1)) for at in range(page.height)]
    rows = [line.getextrema()[0] < 128 for line in lines]
    edges = [at for at in range(1, len(rows)) if rows[at] != rows[at - 1]]
    bands = list(zip(edges[::2], edges[1::2], strict=True))
    # In pixels, of which a point has four; before the last lines is the title.
    assert len(bands) >= 4
    gaps = [below[0] - above[1] for above, below in itertools.pairwise(bands)]
    assert min(gaps[-2:]) >= 4, bands


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
