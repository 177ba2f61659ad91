"""Every script: levels, pieces and breaks of its texts; faces and engine; what extracts."""

from __future__ import annotations

import contextlib
import re
import shutil
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

import deep
import pdfminer.high_level
import pikepdf
import pypdf
import pypdfium2
import pytest
from bidi import get_display
from papers import Paper, folded, made, poppler, text_of
from pdfminer.layout import LTChar
from script_samples import HEBREW, JOINED, RIGHT_TO_LEFT, SAMPLES
from texlive import demand_script_fonts, demand_tool, engine_of

from cvbuild.outputs.pdf import Job
from cvbuild.outputs.pdf.fonts import fallbacks, layouts
from cvbuild.outputs.pdf.latex import bidi
from cvbuild.outputs.pdf.tex import Tex


@pytest.fixture
def _faces() -> None:
    demand_script_fonts()
    demand_tool("pdftotext")


@pytest.mark.parametrize("engine", ["pdflatex", "embedded"])
def test_pdftex_sets_what_its_table_says(engine: str, tmp_path: Path, tex_cache: Path) -> None:
    """Every character of typewriter type comes out of the PDF as itself."""
    rows = [r"\documentclass{article}\usepackage[T1]{fontenc}\input{glyphtounicode}"]
    rows += [r"\pdfgentounicode=1 \renewcommand\rmdefault{lmr}\renewcommand\rmsubstdefault{lmr}"]
    rows += [r"\begin{document}\fontfamily{lmr}\raggedright\scriptsize\pagestyle{empty}"]
    tried = [character for character in sorted(layouts.TYPEWRITER) if character > "\x7f"]
    for character in tried:
        mark = rf"{{\fontfamily{{lmr}}\selectfont qh{ord(character):X}h}}"
        rows.append(
            rf"\mbox{{{mark}{{\fontfamily{{lmtt}}\selectfont {character}}}"
            r"{\fontfamily{lmr}\selectfont z}}"
        )
    tex = "\n".join([*rows, r"\end{document}"])
    done = Tex(Job(tex, tmp_path, tex_cache, 0, timeout=120), engine_of(engine)).run()
    assert done.pdf is not None, done.log[-2000:]
    found = re.findall(r"qh([0-9A-F]+)h(.*?)z", text_of(done.pdf), re.DOTALL)
    assert len(found) == len(tried) > 150
    got = {chr(int(code, 16)): "".join(text.split()) for code, text in found}
    assert {pair for pair in got.items() if pair[0] != pair[1]} == set()


def person(names: dict[str, str]) -> str:
    rows = ["name: {full: Ada Example, native: 유경인}", "headline: Ιωάννα в Київ", "sections:"]
    rows += ["  - kind: bullets", "    items:"]
    rows += [f"      - '{key[0]}q {text} z{key[0]}'" for key, text in names.items()]
    rows += ["  - kind: project", "    items:"]
    rows += [f"      - {{name: '{text}'}}" for text in names.values()]
    return "\n".join(rows) + "\n"


@pytest.mark.usefixtures("_faces")
@pytest.mark.parametrize("template", deep.but(["academic"], ["academic", "one-page", "sidebar"]))
def test_every_script_extracts(template: str, paper: Paper) -> None:
    # One page is typeset many times to measure it: with few faces.
    few = ("vietnamese", "greek", "cyrillic", "yoruba", "hebrew")
    samples = {key: SAMPLES[key] for key in few} if template == "one-page" else SAMPLES
    outcome = paper(person(samples), template, engine="embedded")
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
        assert all(folded(word) in other for word in sample.split()), key
        assert all(folded(word) in third for word in sample.split()), key
        assert text.count(folded(sample)) >= 2, key
    with pikepdf.open(pdf) as opened:
        assert str(opened.docinfo["/Subject"]) == "Ιωάννα в Київ"
        fonts = {
            str(font.BaseFont) for page in opened.pages for font in page.Resources.Font.values()
        }
    faces = ["NotoSansSC-Bold", "Mukta-Bold", "Amiri-Bold", "Noto.*Thai-Bold"]
    for bold in faces if samples is SAMPLES else ["GentiumBookPlus-Bold"]:
        assert any(re.search(bold, font) for font in fonts), (bold, fonts)


LONG = "在北京大学研究自然语言处理与机器学习，发表了多篇论文（包括顶级会议），并且负责了项目。" * 3


@pytest.mark.usefixtures("_faces")
def test_a_document_that_runs_right_to_left_is_mirrored(paper: Paper) -> None:
    for template in ("academic", "industry"):
        pdf = made(paper(HEBREW, template, engine="embedded"))
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
    with contextlib.closing(pypdfium2.PdfDocument(pdf)) as document:
        text = document[0].get_textpage()
        search = text.search(word)
        found = []
        while place := search.get_next():
            found.append(text.get_charbox(place[0])[0])
        return found


@pytest.mark.usefixtures("_faces")
def test_quotation_marks_of_chinese_are_those_of_its_face(paper: Paper) -> None:
    said = "成本；“先测量，再优化”是‘我’的做法。 Bob’s and the “Rust” of “语言” 以及“Rust”语言"
    pdf = made(paper(f"name: 甄伟\nlocale: zh\nsummary: {said}\n", engine="embedded"))
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


@pytest.mark.deep
def test_characters_that_share_a_glyph_extract_as_written(paper: Paper) -> None:
    """Letters of Hangul, wave dashes, radicals; and signs such as of a Korean company."""
    headline = "㈜회사 ㅋㅋ ㄱ. 2019年〜2020年 全～角 〈書〉 ⼈人 ㎡ ㉠"
    pdf = made(paper(f"name: Ada Example\nheadline: {headline}\n", engine="embedded"))
    if shutil.which("pdftotext"):
        assert folded(headline) in folded(poppler(pdf))
    assert folded(headline) in folded(text_of(pdf))


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
        # A joiner, and a place for a line's end, go with the text before them.
        ("ab אב\u200cגד cd", 0, "ab דג\u200cבא cd"),
        ("אב a.\u200bb/\u200bc גד", 1, "דג a.\u200bb/\u200bc בא"),
    ],
)
def test_levels(text: str, base: int, expected: str) -> None:
    assert shown(text, base) == expected


@pytest.mark.parametrize("script", JOINED)
@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("mark", "\u00ad\u200b\u200c\u200d\u2060\u2061\ufeff")
def test_what_is_not_printed_leaves_a_text_in_its_order(script: str, base: int, mark: str) -> None:
    """Joiners, soft hyphens and the like between letters: the order is that of another program."""
    assert unicodedata.bidirectional(mark) == "BN"
    for frame in ("Name: {} 12", "{} abc", "12 {}, {} abc {}", "{}"):
        text = frame.replace("{}", JOINED[script].replace("|", mark))
        other = str(get_display(text, base_dir="LR"[base]))
        assert shown(text, base).replace(mark, "") == other.replace(mark, "")


def test_whose_shapes_han_characters_have() -> None:
    regions = {
        ("en", "han"): "sc", ("zh-TW", "han"): "tc", ("zh-Hant-HK", "han"): "hk",
        ("ja", "han"): "jp", ("ko", "han"): "kr", ("zh", "han kana"): "jp",
        ("ja", "han hangul"): "kr",
    }  # fmt: skip
    for (locale, found), expected in regions.items():
        assert fallbacks.region("han", frozenset(found.split()), locale) == expected
