"""Every script: which face and engine set it, what extracts, what is refused and where."""

from __future__ import annotations

import contextlib
import itertools
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import deep
import pdfminer.high_level
import pikepdf
import pypdf
import pypdfium2
import pytest
from papers import Paper, build, folded, made, poppler, text_of
from pdfminer.layout import LTChar
from texlive import demand_fonts, demand_script_fonts, demand_tool, engine_of

from cvbuild.outputs.pdf.fonts import coverage, fallbacks, fira, installed
from cvbuild.outputs.pdf.scripts import bidi, runs, shaping
from cvbuild.outputs.pdf.tex import direct
from cvbuild.outputs.pdf.tex.types import Job
from cvbuild.outputs.styles.templates import Library

#: A name or two, and a sentence, as their writers would write them.
SAMPLES = {
    "romanian": "Ștefan Țiriac din Iași",
    "vietnamese": "Nguyễn Thị Ánh Tuyết, Đại học Bách khoa",
    "baltic": "Ģirts Ķēniņš, Žydrūnė Šėkštė",
    "greek": "Ιωάννα Παπαδοπούλου, Ἀθῆναι",
    "cyrillic": "Наталія Їжак; Қасымов Әлихан",
    "yoruba": "Ẹ̀kọ́ Yorùbá",
    "chinese": "李明在北京大学研究机器学习，发表了论文。",
    "japanese": "山田太郎は「東京大学」で研究しました。",
    "korean": "유경인 서울대학교",
    "hindi": "दिल्ली विश्वविद्यालय",
    "thai": "จุฬาลงกรณ์มหาวิทยาลัย",
    "hebrew": "אוניברסיטת תל אביב",
    "arabic": "جامعة القاهرة",
}
RIGHT_TO_LEFT = ("hebrew", "arabic")


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def _faces() -> None:
    """The faces of all scripts; poppler."""
    demand_script_fonts()
    demand_tool("pdftotext")


# Levels


def shown(text: str, base: int) -> str:
    """The text from left to right: rule L2 of UAX #9, and mirrored brackets (L4)."""
    levels = bidi.levels(text, base)
    order = list(range(len(text)))
    for level in range(max(levels, default=0), 0, -1):
        start = 0
        while start < len(order):
            end = start
            while end < len(order) and levels[order[end]] >= level:
                end += 1
            order[start:end] = order[start:end][::-1]
            start = max(end, start + 1)
    return "".join(
        bidi.MIRRORED.get(text[at], text[at]) if levels[at] % 2 else text[at]
        for at in order
        if text[at] not in bidi.CONTROLS
    )


@pytest.mark.parametrize(
    ("text", "base", "expected"),
    [
        ("abc", 0, "abc"),
        ("אבג", 0, "גבא"),
        ("abc אבג def", 0, "abc גבא def"),
        ("abc אבג def", 1, "def גבא abc"),
        ("אב 12 גד", 1, "דג 12 בא"),
        ("אב 1,234.5% גד", 1, "דג 1,234.5% בא"),
        ("ab (אב) cd", 0, "ab (בא) cd"),
        ("אב (ab) גד", 1, "דג (ab) בא"),
        ("אב (גד)", 1, "(דג) בא"),
        ("a אב [b] גד", 0, "a בא [b] דג"),
        ("م ١٢ م", 1, "م ١٢ م"),
        ("م 12-34 م", 1, "م 34-12 م"),
        ("x \u2067אב 12\u2069 3", 0, "x 12 בא 3"),
        ("x אב \u2066a 1\u2069 גד", 0, "x דג a 1 בא"),
        ("a\u202bbאב\u202c c", 0, "aבאb c"),
        ("a\u202eabc\u202c d", 0, "acba d"),
        # The end of a run has the level of what is higher there: the sign is not of the "b".
        ("a\u202bb!\u202c c", 0, "a!b c"),
        ("אְב", 1, "בְא"),
    ],
)
def test_levels(text: str, base: int, expected: str) -> None:
    assert shown(text, base) == expected


def test_every_character_has_one_level() -> None:
    for text in ("", "a", *SAMPLES.values(), "\u2067\u2069", "((([[[", ")))"):
        assert len(bidi.levels(text, 0)) == len(text)
        assert all(level % 2 == 0 for level in bidi.levels("ab 12 " + "c" * len(text), 0))


# Pieces and breaks


def test_pieces() -> None:
    assert list(runs.pieces("Iași și")) == ["Iași", " ", "și"]
    assert list(runs.pieces("漢字かな")) == ["漢", "字", "か", "な"]
    assert list(runs.pieces("Ẹ̀kọ́!")) == ["Ẹ̀kọ́", "!"]
    assert list(runs.pieces("abc漢Ωμ")) == ["abc", "漢", "Ωμ"]
    assert list(runs.pieces("“先，”是“C”")) == ["“先", "，”", "是“", "C", "”"]
    assert list(runs.pieces("“先”")) == ["“", "先", "”"]
    for text in SAMPLES.values():
        assert "".join(runs.pieces(text)) == text


def test_scripts_by_name() -> None:
    expected = {
        "a": "latin", "Ω": "greek", "Ж": "cyrillic", "漢": "han", "。": "han", "（": "han",
        "か": "kana", "ー": "kana", "한": "hangul", "م": "arabic", "ש": "hebrew",
        "ह": "devanagari", "ท": "thai", "1": "", ",": "", "€": "",
    }  # fmt: skip
    assert {character: runs.script_of(character) for character in expected} == expected


def test_lines_of_east_asian_text_end_where_they_may() -> None:
    text = "学（北京）、かっこ"
    found = [
        before + after
        for before, after in itertools.pairwise(text)
        if runs.breaks_between(before, after)
    ]
    assert found == ["学（", "北京", "、か", "っこ"]
    assert not runs.breaks_between("", "学")
    assert not runs.breaks_between("한", "국")
    assert runs.breaks_between("a", "学")


def test_the_base_of_a_text() -> None:
    left = runs.Setting(unicode=True)
    right = runs.Setting(unicode=True, rtl=True)
    for text, verbatim, of_left, of_right in (
        ("abc אבג", False, 0, 1),
        ("אבג abc", False, 1, 1),
        ("abc.", False, 0, 0),
        ("2019 – 2021", False, 0, 1),
        ("+972 50 123", True, 0, 0),
    ):
        assert left.base(text, verbatim=verbatim) == of_left
        assert right.base(text, verbatim=verbatim) == of_right


def test_whose_shapes_han_characters_have() -> None:
    regions = {
        ("en", "han"): "sc", ("zh-TW", "han"): "tc", ("zh-Hant-HK", "han"): "hk",
        ("ja", "han"): "jp", ("ko", "han"): "kr", ("zh", "han kana"): "jp",
        ("ja", "han hangul"): "kr",
    }  # fmt: skip
    for (locale, found), expected in regions.items():
        assert fallbacks.region("han", frozenset(found.split()), locale) == expected


# Engines


def test_pdftex_sets_what_its_table_says(tmp_path: Path, tex_cache: Path) -> None:
    """Every character of the table, in every family, comes out of the PDF as itself."""
    families = {
        "pdflatex": ("lmss", "lmr", "lmtt"),
        "embedded": ("SourceSansPro-LF", "lmr", "lmtt"),
    }
    tried = 0
    for engine, names in families.items():
        rows = [r"\documentclass{article}\usepackage[T1]{fontenc}\input{glyphtounicode}"]
        rows += [r"\pdfgentounicode=1 "]
        rows += [r"\renewcommand\rmdefault{lmr}\renewcommand\rmsubstdefault{lmr}"]
        rows += [r"\begin{document}\fontfamily{lmr}\raggedright\scriptsize\pagestyle{empty}"]
        for number, family in enumerate(names):
            for character in sorted(coverage.t1_characters(family) - coverage.T1_COMMANDS):
                if character > "\x7f":
                    tried += 1
                    mark = rf"{{\fontfamily{{lmr}}\selectfont q{number}h{ord(character):X}h}}"
                    rows.append(
                        rf"\mbox{{{mark}{{\fontfamily{{{family}}}\selectfont {character}}}"
                        r"{\fontfamily{lmr}\selectfont z}}"
                    )
        folder = tmp_path / engine
        folder.mkdir()
        tex = "\n".join([*rows, r"\end{document}"])
        done = direct.compile(Job(tex, folder, tex_cache, 0, timeout=120), engine_of(engine))
        assert done.pdf is not None, done.log[-2000:]
        found = re.findall(r"q(\d)h([0-9A-F]+)h(.*?)z", text_of(done.pdf), re.DOTALL)
        assert len(found) == sum("q" in row for row in rows[4:])
        wrong = {
            (names[int(number)], chr(int(code, 16)), got)
            for number, code, got in found
            if "".join(got.split()) != chr(int(code, 16))
        }
        assert wrong == set()
    assert tried > 700


@pytest.mark.usefixtures("workspace", "requires_embedded")
def test_auto_takes_the_embedded_tex_where_it_can() -> None:
    bullet = "Žluťoučký kůň, őrült, İstanbul, ğ ş…"
    text = f"name: Ștefan Țiriac\nsections: [{{kind: bullets, items: ['{bullet}']}}]\n"
    romanian = build(text, engine="auto")
    assert (romanian.engine or "").startswith("pdflatex (embedded")
    assert "Ștefan Țiriac" in text_of(made(romanian))
    assert build(text, engine="auto").cached


@pytest.mark.usefixtures("workspace", "requires_embedded")
def test_auto_takes_lualatex_where_words_cannot_be_shaped(monkeypatch: pytest.MonkeyPatch) -> None:
    demand_fonts()
    monkeypatch.setattr(shaping, "is_installed", lambda: False)
    hindi = build(f"name: Ada Example\nheadline: {SAMPLES['hindi']}\n", engine="auto")
    assert (hindi.engine or "").startswith("lualatex (system")


@pytest.mark.usefixtures("workspace", "requires_embedded")
def test_a_missing_shaper_is_an_error_with_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shaping, "is_installed", lambda: False)
    person = (
        "name: Ada हि\nsections:\n  - kind: bullets\n    items:\n"
        "      - one ก two ข\n      - fine\n      - '`x م`'\n"
    )
    expected = {(1, 7): "U+0939", (5, 9): "U+0E01", (7, 9): "U+0645"}
    for engine, hidden in (("embedded", "0"), ("auto", "1")):
        monkeypatch.setenv("CVBUILD_NO_SYSTEM_TEX", hidden)
        outcome = build(person, engine=engine)
        assert (outcome.path, outcome.exit_code) == (None, 1)
        found: dict[tuple[int, int], str] = {}
        for one in outcome.diagnostics:
            assert (one.code, one.hint) == ("shaping", "`pip install uharfbuzz`")
            assert "uharfbuzz, which shapes its script, is not installed" in one.message
            assert one.span is not None
            found[one.span.line, one.span.column] = one.message[:6]
        assert len(outcome.diagnostics) == len(found)
        assert found == expected


@pytest.mark.usefixtures("workspace", "requires_embedded")
def test_a_missing_face_is_an_error_with_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """For each field and script, and it names the package to install."""
    known = installed.find
    monkeypatch.setattr(
        installed,
        "find",
        lambda names: None if re.search("Hebrew|miri|Arabic", names[0]) else known(names),
    )
    monkeypatch.setattr(fira, "go_files", lambda _: ())
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


# Whole documents


def person(names: dict[str, str]) -> str:
    """Each sample as a bullet, and bold: the name of a project is, in every style."""
    rows = ["name: {full: Ada Example, native: 유경인}", "headline: Ιωάννα в Київ", "sections:"]
    rows += ["  - kind: bullets", "    items:"]
    rows += [f"      - '{key[0]}q {text} z{key[0]}'" for key, text in names.items()]
    rows += ["  - kind: project", "    items:"]
    rows += [f"      - {{name: '{text}'}}" for text in names.values()]
    return "\n".join(rows) + "\n"


@pytest.mark.usefixtures("_faces")
@pytest.mark.parametrize("template", deep.but(["academic", "industry"], Library.at().names()))
@pytest.mark.parametrize("engine", deep.but(["embedded"], ["embedded", "lualatex"]))
def test_every_script_extracts(template: str, engine: str, paper: Paper) -> None:
    # One page is typeset many times to measure it: with few faces.
    few = ("vietnamese", "greek", "cyrillic", "yoruba", "hebrew")
    samples = {key: SAMPLES[key] for key in few} if template == "one-page" else SAMPLES
    outcome = paper(person(samples), template, engine=engine)
    pdf = made(outcome)
    assert [one for one in outcome.diagnostics if one.code.startswith("overfull")] == []
    # In its raw order poppler takes a letter that stands left of the last one for a new line; in
    # its reading order, a mark above a Thai letter.
    right, left = folded(poppler(pdf)), folded(poppler(pdf, "-raw"))
    other = folded(text_of(pdf))
    third = folded("\n".join(page.extract_text() for page in pypdf.PdfReader(pdf).pages))
    for key, sample in samples.items():
        expected = folded(f"{key[0]}q{sample}z{key[0]}")
        text = right if key in RIGHT_TO_LEFT else left
        assert expected in text, key
        if key not in RIGHT_TO_LEFT:
            assert expected in other, key
        if engine == "embedded":
            assert all(folded(word) in other for word in sample.split()), key
            assert all(folded(word) in third for word in sample.split()), key
        assert text.count(folded(sample)) >= 2, key
    with pikepdf.open(pdf) as opened:
        assert str(opened.docinfo["/Subject"]) == "Ιωάννα в Київ"
        fonts = {
            str(font.BaseFont) for page in opened.pages for font in page.Resources.Font.values()
        }
    faces = ["NotoSansSC-Bold", "Mukta-Bold", "Amiri-Bold", "Noto.*Thai-Bold"]
    few_faces = ["GentiumBookPlus-Bold" if engine == "embedded" else "NotoSerif-Bold"]
    for bold in faces if samples is SAMPLES else few_faces:
        assert any(re.search(bold, font) for font in fonts), (bold, fonts)


LONG = "在北京大学研究自然语言处理与机器学习，发表了多篇论文（包括顶级会议），并且负责了项目。" * 3
HEBREW = """\
name: {full: דוד כהן, native: David Cohen}
locale: he
contact: {phone: "+972 50 123 4567", email: d@example.org}
sections:
  - kind: experience
    title: ניסיון
    items:
      - title: חוקר בכיר
        employer: אוניברסיטת תל אביב
        date: 2019 – 2021
        bullets: ["הוביל צוות של **חמישה חוקרים** (תל אביב) ב-Google Inc. בשנת 2019."]
"""


@pytest.mark.usefixtures("_faces")
@pytest.mark.parametrize("engine", deep.but(["embedded"], ["embedded", "lualatex"]))
def test_a_document_that_runs_right_to_left_is_mirrored(engine: str, paper: Paper) -> None:
    for template in ("academic", "industry"):
        pdf = made(paper(HEBREW, template, engine=engine))
        text = folded(poppler(pdf))
        assert folded("+972 50 123 4567") in text
        assert folded("הוביל צוות של חמישה חוקרים (תל אביב) ב") in text
        with contextlib.closing(pypdfium2.PdfDocument(pdf)) as document:
            page = document[0]
            words = page.get_textpage()
            places = {
                words.get_text_range(at, 1): words.get_charbox(at)[0]
                for at in range(words.count_chars() - 1, -1, -1)
            }
            middle = page.get_width() / 2
        # The bullet is on the right; "2021" of the dates, whose 9 and 0 come first, on the left.
        assert places["•"] > middle
        dates = [
            words_at for words_at in _boxes(pdf, "2019") + _boxes(pdf, "2021") if words_at < middle
        ]
        assert len(dates) >= 2


def _boxes(pdf: Path, word: str) -> list[float]:
    """The left edges of a word, in pt."""
    with contextlib.closing(pypdfium2.PdfDocument(pdf)) as document:
        text = document[0].get_textpage()
        search = text.search(word)
        found = []
        while place := search.get_next():
            found.append(text.get_charbox(place[0])[0])
        return found


@pytest.mark.usefixtures("_faces")
@pytest.mark.parametrize("engine", deep.but(["embedded"], ["embedded", "lualatex"]))
def test_quotation_marks_of_chinese_are_those_of_its_face(engine: str, paper: Paper) -> None:
    said = "成本；“先测量，再优化”是‘我’的做法。 Bob’s and the “Rust” of “语言” 以及“Rust”语言"
    pdf = made(paper(f"name: 甄伟\nlocale: zh\nsummary: {said}\n", engine=engine))
    assert folded(said) in folded(poppler(pdf))
    (page,) = pdfminer.high_level.extract_pages(pdf)
    fonts = [(c.get_text(), c.fontname) for c in _characters(page)]
    start = "".join(text for text, _ in fonts).index("成本")
    shown = [(text, font) for text, font in fonts[start:] if text.strip()]
    (chinese,) = {font for text, font in shown if text in "成本做法"}
    own = "".join(text for text, font in shown if font == chinese and text in "“”‘’")
    assert own == "“”‘’“”"
    assert "".join(text for text, font in shown if font != chinese and text in "“”‘’") == "’“”“”"


def _characters(part: object) -> Iterator[LTChar]:
    if isinstance(part, LTChar):
        yield part
    elif isinstance(part, Iterable):
        for one in part:
            yield from _characters(one)


def test_lines_of_chinese_end_inside_the_page(paper: Paper) -> None:
    outcome = paper(f"name: 李明\nlocale: zh\nsummary: {LONG}\n")
    pdf = made(outcome)
    assert outcome.diagnostics == ()
    assert folded(LONG) in folded(text_of(pdf))
    lines = [line for line in text_of(pdf).splitlines() if len(line) > 20]
    assert len(lines) >= 3
    assert not any(line[0] in "，。）" or line[-1] == "（" for line in lines)


# What nobody has

FORTY = [
    *"😀😁🎉🚀🙂🐍🏆🎓💡🔥", *"𓀀𓀁𒀀𒀁𐎀𐎁𐌀𐌁𐤀𐤁", *map(chr, range(0xE000, 0xE00A)),
    *map(chr, range(0x1D100, 0x1D10A)),
]  # fmt: skip


@pytest.mark.parametrize("engine", ["embedded", "lualatex"])
def test_characters_that_share_a_glyph_extract_as_written(engine: str, paper: Paper) -> None:
    """Letters of Hangul, wave dashes, radicals; and signs such as of a Korean company."""
    if engine == "lualatex":
        demand_fonts()
    headline = "㈜회사 ㅋㅋ ㄱ. 2019年〜2020年 全～角 〈書〉 ⼈人 ㎡ ㉠"
    pdf = made(paper(f"name: Ada Example\nheadline: {headline}\n", engine=engine))
    if shutil.which("pdftotext"):
        assert folded(headline) in folded(poppler(pdf))
    assert folded(headline) in folded(text_of(pdf))


@pytest.mark.usefixtures("workspace")
def test_characters_that_no_font_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty of them, in as many fields: one build, an error each, nothing set."""
    # Other machines may have fonts for them; the rest of the machine's fonts stay.
    none = replace(coverage.Coverage(frozenset(range(0x3000))), shared=())
    monkeypatch.setattr(coverage, "of", lambda *_, **__: none)
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
        # Without LuaLaTeX some can't be set for another reason: Phoenician runs from right to left.
        assert one.code in ("glyph", "glyph-engine")
        assert one.span is not None
        places[one.span.line] = one.message
        assert ("no installed font has it" in one.message) is (one.code == "glyph")
    assert sum(one.code == "glyph" for one in outcome.diagnostics) > 25
    assert len(places) == len(FORTY) == 40
    numbers = dict(enumerate(rows, start=1))
    for line, message in places.items():
        code = re.match(r"U\+([0-9A-F]+)", message)
        assert code is not None
        assert chr(int(code[1], 16)) in numbers[line]


@pytest.mark.usefixtures("workspace")
def test_an_emoji_names_itself() -> None:
    outcome = build("name: Ada Example\nheadline: hi 😀 there\n", engine="auto")
    (one,) = outcome.diagnostics
    assert str(one).startswith(
        'people/ada.yaml:2:11: U+1F600 GRINNING FACE in "hi 😀 there": no installed font has it'
    )


def test_coverage_is_kept(tmp_path: Path) -> None:
    font = next(
        (
            p
            for c in fallbacks.candidates("hebrew", frozenset(), "en", sans=True)
            if (p := installed.find(c.regular))
        ),
        None,
    )
    if font is None:
        pytest.skip("needs a Noto font for Hebrew: apt-get install fonts-noto-core")
    first = coverage.of(font, 0, tmp_path)
    (kept,) = (tmp_path / "glyphs").iterdir()
    assert first.has("שלום")
    assert not first.has("漢")
    coverage._of.cache_clear()
    assert coverage.of(font, 0, tmp_path) == first
    kept.write_text("no JSON", encoding="utf-8")
    coverage._of.cache_clear()
    assert coverage.of(font, 0, tmp_path) == first
    assert coverage.of(tmp_path / "none.ttf").codes == frozenset()
    (tmp_path / "bad.ttf").write_bytes(b"no font")
    assert coverage.of(tmp_path / "bad.ttf").codes == frozenset()
