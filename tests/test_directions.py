"""Lines from right to left, put in order when pdfTeX's pages are finished; and shaped words."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pikepdf
import pypdf
import pytest
from papers import Paper, build, folded, made, text_of
from script_samples import HEBREW, JOINED
from texlive import demand_embedded, demand_script_fonts

from cvbuild.outputs import installed
from cvbuild.outputs.installed import FontError
from cvbuild.outputs.pdf.finish.directions import in_order
from cvbuild.outputs.pdf.fonts import fallbacks, layouts

#: Every glyph is half an em wide: 5 pt in type of 10 pt.
WIDTHS, FORMS = {b"/F1": dict.fromkeys(range(256), 500.0)}, {b"/Fm1": 30.0}
WIDTH = 200.0


def ordered(content: str, *, mirrored: bool = False) -> dict[str, tuple[float, float]]:
    forms = FORMS if mirrored else None
    return places(in_order(content.encode(), WIDTHS, WIDTH, forms=forms)[0].decode())


def places(content: str) -> dict[str, tuple[float, float]]:
    found = {}
    for text in re.findall(r"BT\n(.*?)\nET", content, re.DOTALL):
        x = y = 0.0
        for dx, dy, shown in re.findall(r"(\S+) (\S+) Td \[(.*?)\]TJ", text):
            x, y = x + float(dx), y + float(dy)
            at = x
            for string, kern in re.findall(r"\(([^)]*)\)|([-0-9.]+)", shown):
                at -= float(kern or 0) / 100
                for letter in string:
                    found[letter] = (round(at, 3), round(y, 3))
                    at += 5
    return found


def text(*parts: str) -> str:
    lines = []
    for part in parts:
        found = re.fullmatch(r"([\d.]+) ([\d.]+) (\w+)", part)
        lines += (
            ["BT", f"/F1 10 Tf {found[1]} {found[2]} Td [({found[3]})]TJ", "ET"]
            if found
            else [part]
        )
    return "\n".join(lines)


RIGHT, LEFT, END = "/CvbR MP", "/CvbL MP", "/CvbE MP"


@pytest.mark.parametrize(
    ("page", "is_mirrored", "places"),
    [
        # A run is mirrored within itself; numbers in it keep their order.
        (("10 50 ab", RIGHT, "20 50 cde", END, "35 50 f"), False,
         {"a": (10, 50), "b": (15, 50), "e": (20, 50), "d": (25, 50), "c": (30, 50),
          "f": (35, 50)}),
        ((RIGHT, "20 50 ab", LEFT, "30 50 12", END, "40 50 c", END), False,
         {"c": (20, 50), "1": (25, 50), "2": (30, 50), "b": (35, 50), "a": (40, 50)}),
        # Each line of it by itself; raised letters stay on their line.
        (("10 50 x", RIGHT, "100 50 ab", "10 38 cd", END, "20 38 y"), False,
         {"x": (10, 50), "b": (100, 50), "a": (105, 50), "d": (10, 38), "c": (15, 38),
          "y": (20, 38)}),
        ((RIGHT, "10 50 ab", "20 52.2 s", "25 50 c", END), False,
         {"c": (10, 50), "s": (15, 52.2), "b": (20, 50), "a": (25, 50)}),
        (("10 50 1", LEFT, RIGHT, "20 50 ab", END, END, "40 50 xy"), True,
         {"1": (185, 50), "b": (170, 50), "a": (175, 50), "x": (150, 50), "y": (155, 50)}),
    ],
)  # fmt: skip
def test_where_letters_stand(
    page: tuple[str, ...], *, is_mirrored: bool, places: dict[str, tuple[float, float]]
) -> None:
    assert ordered(text(*page), mirrored=is_mirrored) == places


def test_rules_and_pictures_of_a_mirrored_page() -> None:
    rule = "1 0 0 1 20 70 cm\nq\n0 0 50 1 re f\nQ\n1 0 0 1 -20 -70 cm"
    picture = "1 0 0 1 120 20 cm\nq\n40 0 0 40 0 0 cm\n/Im1 Do\nQ\n1 0 0 1 -120 -20 cm"
    turned = "1 0 0 1 60 20 cm\nq\n0 1 -1 0 0 0 cm\nBT\n/F1 10 Tf 0 0 Td [(t)]TJ\nET\nQ"
    content = "\n".join((rule, picture, turned)).encode()
    made = in_order(content, WIDTHS, WIDTH, forms=FORMS)[0]
    with pikepdf.new() as document:
        page = document.add_blank_page(page_size=(WIDTH, 100))
        page.Contents = document.make_stream(made)
        matrix, saved = pikepdf.Matrix(), list[pikepdf.Matrix]()
        drawn: dict[str, Any] = {}
        steps: Any = pikepdf.parse_content_stream(page)
        for operands, operator in steps:
            match str(operator):
                case "q":
                    saved.append(matrix)
                case "Q":
                    matrix = saved.pop()
                case "cm":
                    matrix = pikepdf.Matrix(*map(float, operands)) @ matrix
                case "re":
                    drawn["rule"] = (matrix.transform((0, 0)), matrix.transform((50, 1)))
                case "Do":
                    drawn["picture"] = (matrix.transform((0, 0)), matrix.transform((1, 1)))
                case "Tj" | "TJ":
                    drawn["turned"] = (matrix.transform((0, 0)), matrix.transform((1, 0)))
    assert not saved
    # The rule was from 20 to 70, the picture from 120 to 160; the letter stays where it was.
    assert drawn["rule"] == ((180, 70), (130, 71))
    assert drawn["picture"] == ((40, 20), (80, 60))
    assert drawn["turned"] == ((60, 20), (60, 21))


def font(script: str, *names: str) -> Path:
    path = installed.font_file(names)
    if path is None:
        demand_script_fonts()
        pytest.fail(f"no face for {script}")
    return path


def test_a_joiner_is_read_where_it_was_written(paper: Paper) -> None:
    """In a text that runs left to right, and in a document that runs right to left."""
    demand_script_fonts()
    words = [word.replace("|", "\u200c") for word in JOINED["persian"].split()]
    for head in ("name: Ada Example", "name: علی\nlocale: fa"):
        item = f"In Persian: {' '.join(words)}"
        text = f"{head}\nsections: [{{kind: text, title: A, items: ['{item}']}}]"
        read = pypdf.PdfReader(made(paper(text))).pages[0].extract_text()
        assert [read.find(word) for word in words] == sorted(read.find(word) for word in words)
        assert all(word in read for word in words)


def test_a_font_that_is_python_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is unpacked once; a damaged package is an error, a missing one is no font."""
    found = fallbacks.go_files(tmp_path)
    assert [path.name for path in found] == [
        "FiraGO-Regular.ttf", "FiraGO-Italic.ttf", "FiraGO-Bold.ttf", "FiraGO-BoldItalic.ttf",
    ]  # fmt: skip
    assert all(
        layouts.coverage(path).issuperset(map(ord, "عادل עדה आदा ไทย ქართული")) for path in found
    )
    stamps = [path.stat().st_mtime_ns for path in found]
    assert [path.stat().st_mtime_ns for path in fallbacks.go_files(tmp_path)] == stamps
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "pymupdf_fonts.FiraGO_Bold", ModuleType("damaged"))
        with pytest.raises(FontError, match="damaged"):
            fallbacks.go_files(tmp_path / "other")
    monkeypatch.setattr(installed, "package", lambda _: None)
    assert fallbacks.go_files(tmp_path) == ()


NAMES = ["Đức Nguyễn", "Ελένη", "Łukasz", "Gheorghiță Țepeș", "Пётр", "艾达", "아다", "さくら"]
NAMES += ["عادل", "עדה", "आदा"]


@pytest.mark.deep
def test_names_of_the_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine without any fonts but those that `make` installs."""
    demand_embedded()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(installed, "_places_of_system", tuple)
    rows = "".join(f"      - '{name}'\n" for name in NAMES)
    pdf = made(build(f"name: Ada Example\nsections:\n  - kind: bullets\n    items:\n{rows}"))
    for found in (text_of(pdf), pypdf.PdfReader(pdf).pages[0].extract_text()):
        assert [name for name in NAMES if name not in found] == []
    with pikepdf.open(pdf) as opened:
        for one in opened.pages[0].Resources.Font.values():
            assert "+" in str(one.BaseFont)
            assert "/ToUnicode" in one


def test_the_structure_has_the_order_of_reading(paper: Paper) -> None:
    demand_script_fonts()
    pdf = made(paper(HEBREW))
    with pikepdf.open(pdf) as document:
        roles: list[str] = []

        def walk(node: Any) -> None:
            if isinstance(node, pikepdf.Dictionary) and "/S" in node:
                roles.append(str(node.S))
                for child in node.get("/K", ()):
                    walk(child)

        walk(document.Root.StructTreeRoot.K[0])
        (link,) = (
            one
            for page in document.pages
            for one in page.obj.Annots
            if "example.org/1" in str(one.A.URI)
        )
        assert str(link.Contents) == "מערכת חיפוש (https://example.org/1)"
    assert roles.index("/H1") < roles.index("/H2") < roles.index("/H3") < roles.index("/Lbl")


@pytest.mark.parametrize(
    ("name", "paid"), [("Ada Tiriac", "harfbuzz|shaped_"), ("Ada Țiriac", "shaped_")]
)
def test_a_document_without_such_scripts_pays_nothing(name: str, paid: str, tmp_path: Path) -> None:
    demand_embedded()
    (tmp_path / "people").mkdir()
    (tmp_path / "people/ada.yaml").write_text(
        f"name: {name}\nsections: [{{kind: bullets, items: [m]}}]\n", encoding="utf-8"
    )
    code = (
        "import re, sys; from cvbuild.cli.main import main; code = main(['build', '--force']);"
        f"print(sorted(n for n in sys.modules if re.search('{paid}', n)), code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    assert done.stdout.strip().endswith("[] 0")


#: A word or two of each script whose signs stand around their letters.
BRAHMIC = [
    "বাংলা বিশ্ববিদ্যালয়", "தமிழ் மொழியில் எழுதினேன்", "తెలుగు విశ్వవిద్యాలయం",
    "ಕನ್ನಡ ವಿಶ್ವವಿದ್ಯಾಲಯ", "മലയാളം സർവ്വകലാശാല",
    "ગુજરાતી યુનિવર્સિટી", "ਪੰਜਾਬੀ ਯੂਨੀਵਰਸਿਟੀ", "ଓଡ଼ିଆ ବିଶ୍ୱବିଦ୍ୟାଳୟ", "සිංහල විශ්වවිද්‍යාලය", "ພາສາລາວ ມະຫາວິທະຍາໄລ",
    "ភាសាខ្មែរ សាកលវិទ្យាល័យ", "မြန်မာဘာသာ တက္ကသိုလ်", "བོད་སྐད་", "नमस्‍ते हिन्दी",
]  # fmt: skip


def test_syllables_are_read_as_they_were_written(paper: Paper) -> None:
    demand_script_fonts()
    rows = "".join(f"      - '{one}'\n" for one in BRAHMIC)
    text = f"name: Ada Example\nsections:\n  - kind: bullets\n    items:\n{rows}"
    pdf = made(paper(text))
    readers = (text_of(pdf), pypdf.PdfReader(pdf).pages[0].extract_text())
    joiners = {0x200C: None, 0x200D: None}
    for read in (folded(text.translate(joiners)) for text in readers):
        words = [word for one in BRAHMIC for word in one.translate(joiners).split()]
        assert [word for word in words if folded(word) not in read] == []
