"""How each language writes what stands between texts, in the PDF and the other formats."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import deep
import docx
import pypdfium2
import pytest
from conftest import Run
from texlive import demand_script_fonts

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
    """The file of a person in a format."""
    Path("people/ada.yaml").write_text(text, encoding="utf-8")
    ran = run("build", "-t", template, "--format", form)
    assert ran.code == 0, ran.err
    (found,) = Path("out/ada").glob(f"{template}.{form}")
    return found


def lines_of(path: Path) -> list[str]:
    """The lines of a PDF; spaces that don't break are spaces there."""
    with pypdfium2.PdfDocument(path) as document:
        pages = [page.get_textpage().get_text_range() for page in document]
    return "\n".join(pages).replace("\r", "").splitlines()


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
      - {title: 大规模并行训练, authors: [甄伟, 李明], venue: 计算机学报, short-venue: 学报}
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
