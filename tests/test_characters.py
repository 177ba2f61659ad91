"""Every character comes out of a PDF as it was written, for every reader, in any direction.

Escaping knows nothing of fields: attacks/test_injection_oracle has every field in its TeX. Here a
few of each form hold all characters. A marked text is ``q<number>z<characters>w<number>``: found in
the extracted text by its number, it must hold just these characters.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import unicodedata
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import deep
import pikepdf
import pypdf
import pytest
import yaml
from papers import Paper, build, folded, made, text_of
from script_samples import HEBREW, JOINED
from texlive import demand_embedded, demand_script_fonts

from cvbuild.model.text.rich_text import Break, Code, Link, Span, Text, parse, plain
from cvbuild.outputs import installed
from cvbuild.outputs.installed import FontError
from cvbuild.outputs.pdf.finish.directions import in_order
from cvbuild.outputs.pdf.fonts import fallbacks, layouts
from cvbuild.outputs.pdf.latex import escape as latex
from cvbuild.outputs.pdf.latex import typography
from cvbuild.outputs.pdf.latex.escape import Latex, escape
from cvbuild.outputs.pdf.latex.typography import Setting
from cvbuild.view.types import Content
from tools.ats import readers

#: What LaTeX, Markdown, YAML, Jinja or a font could take for something else: in every field.
SPECIAL = (
    *"\\{}#$%&_^~<>|\"'`-*[]()!+.:;/@=?,",
    "--", "---", "<<", ">>", ",,", "?`", "!`", "``", "''", "**", "__", "##", "^^M", "$x$",
    "\\input{/etc/passwd}", "\\write18{x}", "\\end{document}", "%comment", "{{7*7}}", "<%x%>",
    "<<x>>", "=}x,y={",
    "\u00a0", "\u00ad", "\u2026", "\u2013", "\u2014", "\u2018", "\u2019", "\u201c", "\u201d",
    "\u00ab", "\u00bb", "\u00df", "\u00e9", "\u0142", "\u0151", "\u0159", "\u011f", "fi",
)  # fmt: skip
#: Further ones, in some fields: one of each way in which texts reach a page.
OTHERS = (
    "~~", "^^", "$$", "\\\\", "%%", "^^5c", "#1", "\\&", "\\%", "[x]", "(x)", "[^1]", "![x]",
    "&amp;", "&#38;", "<b>", "<!--", "{}", "}{", "<#x#>", "\\par", "\\relax", "\\x", "\\csname",
    "\\catcode`\\%=12", "\\verb|x|", "\\begin{x}", "\u202f", "\u201e", "\u201a", "\u2039",
    "\u203a", "\u2019\u2019", "\u2018\u2018", "\u00a1", "\u00bf", "\u00a7", "\u00b6", "\u2020",
    "\u2021", "\u00b7", "\u00d7", "\u00b0", "\u00b1", "\u20ac", "\u00a3", "\u2022", "\u00a9",
    "\u2122", "e\u0301", "\u00f1", "\u00e7", "\u0131", "\u0130", "\u015f", "\u017e", "\u00f8",
    "\u00e5", "\u00fe", "\u00f0", "\u0153", "\u00c6", "ff", "ffi", "fl",
    *"ÁÖóöúüýćČďěŁńňőŘŚśŞťůűŹźŻż",
)  # fmt: skip
#: Not to be seen, or seen otherwise, as docs/reference/schema.md says; white space is folded away.
SHOWN = {
    "\u00a0": "", "\u202f": "", "\u00ad": "", "'": "\u2019", "''": "\u2019'",
    "e\u0301": "\u00e9",
}  # fmt: skip
_ACTIVE = re.compile(r"[\\`*_\[\]<>^~]")
#: Digits of the numbers: letters that form no ligatures.
_DIGITS = "0123456789acdeghjkmn"
_FOUND = re.compile(rf"q([{_DIGITS}]{{4}})z(.*?)w\1", re.DOTALL)
EVERY = (*SPECIAL, *OTHERS)


def document() -> tuple[str, dict[str, str]]:
    numbers, marked = map("".join, product(_DIGITS, repeat=4)), dict[str, str]()

    def text(*of: str, prose: bool = True) -> str:
        parts = []
        for character in of:
            mark = next(numbers)
            marked[mark] = character
            inner = _ACTIVE.sub(r"\\\g<0>", character) if prose else character
            parts.append(f"q{mark}z{inner}w{mark}")
        return " ".join(parts)

    award = {"title": text(*EVERY), "awarder": text(*EVERY)}
    award |= {"url": "https://example.org", "location": text(*EVERY)}
    date = {"text": text(*EVERY, prose=False)}
    skill = {"name": text(*EVERY)}
    links = [{"label": text(one, prose=False), "url": "https://example.org/"} for one in EVERY]
    data = {
        "name": "Ada Example",
        # A head has to fit on a page.
        "headline": text(*EVERY[:80]),
        "sections": [
            {"kind": "bullets", "items": [text(*EVERY)]},
            {"kind": "award", "title": text(*EVERY[:40]), "items": [{**award, "date": date}]},
            {"kind": "entry", "items": [{"title": "Links", "links": links}]},
            {"kind": "skill", "items": [skill]},
        ],
    }
    return yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=10**9), marked


@pytest.mark.parametrize("engine", deep.but(["embedded"], ["embedded", "pdflatex"]))
def test_as_written(engine: str, paper: Paper) -> None:
    text, marked = document()
    pdf = made(paper(text, engine=engine))
    there = shutil.which("pdftotext")
    names = [one for one in readers.READERS if there or not one.startswith("poppler")]
    for reader, pages in readers.read(pdf, names).items():
        # A hyphen at a line's end, which pdfium marks, is one again; a place to divide is none.
        whole = re.sub("[\ufffe\x02]", "-", "\n".join(pages)).replace("\u00ad", "")
        found = dict(_FOUND.findall("".join(whole.split())))
        wrong = [
            (character, found.get(number))
            for number, character in marked.items()
            if found.get(number) != "".join(SHOWN.get(character, character).split())
            and (found.get(number), character) != ("-", "\u00ad")
        ]
        assert wrong[:8] == [], f"{reader}: {len(wrong)} of {len(marked)}"


@pytest.mark.usefixtures("here", "requires_embedded")
def test_a_missing_face_is_an_error_with_places(monkeypatch: pytest.MonkeyPatch) -> None:
    known = installed.font_file
    monkeypatch.setattr(
        installed,
        "font_file",
        lambda names: None if re.search("Hebrew|miri|Arabic", names[0]) else known(names),
    )
    monkeypatch.setattr(fallbacks, "go_files", lambda _: ())
    monkeypatch.setenv("CVBUILD_NO_SYSTEM_TEX", "1")
    text = "name: Ada עדה\nheadline: 'عادل السعيد, שלום עולם'\nlocale: he\n"
    found = [
        (one.code, one.message[:6], one.hint or "")
        for one in build(text, engine="auto").diagnostics
    ]
    packages = {"U+05E2": "noto-core", "U+0639": "hosny-amiri", "U+05E9": "noto-core"}
    assert [code for _, code, _ in found] == list(packages)
    for code, character, hint in found:
        assert code == "glyph"
        assert hint.startswith(f"`apt-get install fonts-{packages[character]}`")


FORTY = [
    *"😀😁🎉🚀🙂🐍🏆🎓💡🔥", *"𓀀𓀁𒀀𒀁𐎀𐎁𐌀𐌁𐤀𐤁", *map(chr, range(0xE000, 0xE00A)),
    *map(chr, range(0x1D100, 0x1D10A)),
]  # fmt: skip


@pytest.mark.usefixtures("here")
def test_characters_that_no_font_has(monkeypatch: pytest.MonkeyPatch) -> None:
    # Other machines may have fonts for them; the rest of the machine's fonts stay.
    none = frozenset(range(0x3000))
    monkeypatch.setattr(layouts, "coverage", lambda *_, **__: none)
    rows = ["name: Ada Example", "sections:", "  - kind: bullets", "    items:"]
    rows += [f"      - 'a {c} b'" for c in FORTY[:20]]
    rows += ["  - kind: award", "    items:"]
    rows += [f"      - {{title: T, awarder: 'x{c}'}}" for c in FORTY[20:30]]
    rows += ["  - kind: skill", "    items:"]
    rows += [f"      - {{name: N, keywords: ['`{c}`']}}" for c in FORTY[30:]]
    outcome = build("\n".join(rows) + "\n", engine="auto")
    assert (outcome.path, outcome.exit_code) == (None, 1)
    assert not Path("out/ada/academic.pdf").exists()
    places = {}
    for one in outcome.diagnostics:
        assert one.code == "glyph"
        assert one.span is not None
        places[one.span.line] = one.message
        assert "no installed font has it" in one.message
    assert len(places) == len(FORTY) == 40
    numbers = dict(enumerate(rows, start=1))
    for line, message in places.items():
        code = re.match(r"U\+([0-9A-F]+)", message)
        assert code is not None
        assert chr(int(code[1], 16)) in numbers[line]


#: What TeX acts on; after escaping each stands only in what escaping itself wrote.
ACTIVE = "\\{}#$%&_^~"
WRITTEN = re.compile(r"\\(?:text[a-z]+|CvbAllowBreak)\{\}|\\[{}#$%&_]|\\-|~|\{\}")


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("a\u00a0b\u202fc", "a~b~c"), ("co\u00adop", r"co\-op"),
        ("a\u200bb", r"a\CvbAllowBreak{}b"), ("a\nb\tc\rd", "a b c d"), ("---", "-{}-{}-"),
        (",,", ",{},"), ("\u2018\u2018\u2019\u2019", "\u2018{}\u2018\u2019{}\u2019"),
    ],
)  # fmt: skip
def test_escape(text: str, tex: str) -> None:
    assert escape(text) == tex
    assert type(escape(text)) is Latex


def test_no_line_ends_between_a_number_and_its_unit() -> None:
    text = "From 40 ms to 6 µs, 30 % (5 €) of 2 GB; 3 mstar, 4 kmers, 9 %x, 7 of 8 and more."
    made = typography.typeset(Content(parse(text), ("summary", 0)), addresses=True)
    tied = ("40 ms", "6 µs", "30 %", "5 €", "2 GB")
    for one in tied:
        text = text.replace(one, one.replace(" ", "\u00a0"))
    # The last word is short: it isn't alone on its line.
    assert plain(made.nodes) == text.replace(" more.", "\u00a0more.")


def test_no_character_of_unicode_reaches_tex_with_a_meaning() -> None:
    # Control characters and surrogates are refused by the model.
    every = [
        character
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(character := chr(code)) not in ("Cc", "Cs")
    ]
    assert len(every) > 1_100_000
    for start in range(0, len(every), 256):
        part = every[start : start + 256]
        rest = WRITTEN.sub("", escape(" ".join(part)))
        assert not set(rest) & set(ACTIVE), part[0]
        assert set(rest) <= {*part, " "}


def test_the_tree() -> None:
    tree = (
        Text("a & "),
        Span("strong", (Text("b_"), Span("emph", (Code("c{}"),)))),
        Break(),
        Link("https://example.org/%7B#x_y", (Text("d#"), Span("sup", (Text("2"),)))),
        Span("sub", (Text("3"),)),
    )
    assert latex.text_of(Content(tree, ()), Setting()) == (
        r"a \& \CvbStrong{b\_\CvbEmph{\CvbCode{c\{\}}}}\CvbBreak{}"
        r"\CvbTextLink{https://example.org/\%7B\#x\_y}{d\#\CvbSup{2}}\CvbSub{3}"
    )


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
    demand_script_fonts()
    words = [word.replace("|", "\u200c") for word in JOINED["persian"].split()]
    for head in ("name: Ada Example", "name: علی\nlocale: fa"):
        # One that stands alone joins nothing.
        item = f"In Persian: \u200d {' '.join(words)}"
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
