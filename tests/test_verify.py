"""What is written is in the PDF, in its order and at its places, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import papers
import pypdfium2
import pytest
from msgspec.structs import replace

from cvbuild.common.diagnostics import Span
from cvbuild.inputs.person import privacy
from cvbuild.inputs.yaml.source import parse
from cvbuild.model.text.rich_text import Text
from cvbuild.outputs import checks, text_folding
from cvbuild.outputs.checks import Secret
from cvbuild.outputs.pdf import Expected, PrintedBlock, PrintedLink, verify
from cvbuild.outputs.pdf.verify import text_lines, text_places
from cvbuild.outputs.pdf.verify.pdf_facts import Facts, Font, LinkAnnotation
from cvbuild.outputs.pdf.verify.text_lines import Box, Page
from cvbuild.outputs.pdf.verify.text_places import TextPlace
from cvbuild.view import types
from cvbuild.view.types import Content

A4 = Box(0, 0, 595, 842)
GOOD = Font("ABC+Good", "Type1", embedded=True, mapped=True)


def block(name: str, *texts: str, targets: Iterable[str] = ()) -> PrintedBlock:
    contents = tuple(Content((Text(text),), (name, number)) for number, text in enumerate(texts))
    return PrintedBlock(name, contents, tuple(PrintedLink(url, (name, 0)) for url in targets))


def expected(*blocks: PrintedBlock, **others: object) -> Expected:
    """What is expected; a field's place is the line that its block's name says."""

    def place(path: tuple[str | int, ...]) -> Span:
        name = str(path[0])
        return Span("x.yaml", int(name[1:]) if name[1:].isdigit() else 1, 1)

    plain = Expected(blocks, (), None, (), place)
    return replace(plain, **others)


def facts(*texts: str, **others: object) -> Facts:
    pages = tuple(Page(A4, text, characters=text) for text in texts)
    return replace(Facts(pages, fonts=(GOOD,)), **others)


def found(what: Facts, wanted: Expected) -> list[tuple[str, int]]:
    return [
        (item.code.removeprefix("verify-"), item.span.line if item.span else 0)
        for item in verify.verify(what, wanted).diagnostics
    ]


HEAD = block("b1", "Ada Example", "ada@example.org")
WORK = block("b2", "Engineer", "Acme Corporation", "2019 – 2020")
POINT = block("b3", "Built a scheduler for well-known clusters, with 2019 machines.")
WHOLE = (HEAD, WORK, POINT)
GOOD_TEXT = (
    "Ada Example\r\nada@example.org\r\nEngineer 2019 – 2020\r\nAcme Corporation\r\n"
    "• Built a scheduler for well\ufffeknown clusters,\r\nwith 2019 machines."
)


def test_a_document_that_lost_nothing_passes() -> None:
    assert found(facts(GOOD_TEXT), expected(*WHOLE)) == []


LETTERS = [place for place, letter in enumerate(GOOD_TEXT) if letter not in " \r\n•\ufffe"]


@pytest.mark.parametrize("place", LETTERS)
def test_every_letter_that_is_lost_is_found_in_its_field(place: int) -> None:
    broken = GOOD_TEXT[:place] + GOOD_TEXT[place + 1 :]
    wrong = found(facts(broken), expected(*WHOLE))
    line = 1 if place < 30 else 2 if place < GOOD_TEXT.index("•") else 3
    # "2019" of the dates may be read from the bullet; then it is the order that is wrong.
    assert wrong in ([("text", line)], [("order", line)]), (broken, wrong)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        pytest.param("AdaExample ada@example.org", ("space", 1), id="words run together"),
        pytest.param("Ada Example ada@exam ple.org", None, id="a line ends in an address"),
        pytest.param("Ada Exam-ple ada@example.org", ("space", 1), id="a hyphen nobody wrote"),
        pytest.param("Ada Exam\ufffeple ada@example.org", None, id="a hyphen of TeX"),
        pytest.param("Ada Exam\x02ple ada@example.org", None, id="a hyphen of TeX, other mark"),
        pytest.param("Ada Exam-\r\nple ada@example.org", None, id="a hyphen at the line's end"),
        pytest.param("ada@example.org Ada Example", None, id="the other order in the block"),
        pytest.param("Ada Exämple ada@example.org", ("text", 1), id="another letter"),
        pytest.param("ada@example.org", ("text", 1), id="nothing of it"),
    ],
)
def test_what_counts_as_the_same_text(text: str, wrong: tuple[str, int] | None) -> None:
    assert found(facts(text), expected(HEAD)) == ([wrong] if wrong else [])


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("wait…", "wait. . ."), ("a\u00a0b\u202fc", "a b c"),
        ("soft\u00adhyphen", "softhyphen"), ("zero\u200bwidth", "zero width"),
        ("mark\u061ced", "marked"), ("non\u2011breaking", "non-breaking"), ("Zoe\u0308", "Zoë"),
        ("Zoë", "Zoe\u0308"), ("C-", "C- "), ("-", "a - b"), ("东京 大学", "东京 大学"),
    ],
)  # fmt: skip
def test_the_fold_table(written: str, read: str) -> None:
    assert found(facts(read), expected(block("b1", written))) == []


def test_a_text_that_stands_twice_must_be_found_twice() -> None:
    twice = expected(block("b1", "Seoul"), block("b2", "Seoul"))
    assert found(facts("Seoul, Seoul"), twice) == []
    assert found(facts("Seoul"), twice) == [("order", 2)]
    assert found(facts("Seoul"), expected(block("b1", "Seoul", "Seoul"))) == [("order", 1)]


def test_blocks_stand_in_their_order() -> None:
    wrong = found(facts("Third one. Second one. First one."), expected(
        block("b1", "First one"), block("b2", "Second one"), block("b3", "Third one")))  # fmt: skip
    assert wrong == [("order", 2)]


def test_a_text_over_the_end_of_a_page_is_one_text() -> None:
    first = "Ada Example ada@example.org Engineer 2019 – 2020 Acme Corporation"
    cut = POINT.contents[0].__str__().index("known")
    point = str(POINT.contents[0])
    pages = (f"{first} {point[:cut]}", point[cut:])
    assert found(facts(*pages), expected(*WHOLE)) == []
    # A style may have heads and feet that it doesn't mark, so what is at a page's end is skipped.
    odd = (f"{first} {point[:cut]}\r\nseite eins", f"Ada Example, der Kopf\r\n{point[cut:]}")
    assert found(facts(*odd), expected(*WHOLE)) == []
    lost = (f"{first} {point[:cut]}\r\n1/2", f"Ada Example 2/2\r\n{point[cut + 1 :]}")
    assert found(facts(*lost), expected(*WHOLE)) == [("text", 3)]


def test_scripts_that_are_reordered_are_compared_by_their_letters() -> None:
    written = block("b2", "جامعة القاهرة (Cairo)", "1999")
    visual = "Ada Example ada@example.org\r\n1999 )Cairo( ةرهاقلا ةعماج\r\nBuilt a thing"
    wanted = expected(HEAD, written, block("b3", "Built a thing"))
    assert text_folding.is_reordered("جامعة")
    assert not text_folding.is_reordered("Ελληνικά, 東京, Łódź")
    assert found(facts(visual), wanted) == []
    assert found(facts(visual.replace("ق", "")), wanted) == [("text", 2)]
    thai = expected(block("b1", "ภาษาไทยน้ำ"))
    assert found(facts("ภาษาไทยน้ํา"), thai) == []
    assert found(facts("ภาษาไทยนํา"), thai) == [("text", 1)]


def test_the_message_says_what_came_out_instead() -> None:
    one = verify.verify(facts("Once… Ada Exmple"), expected(block("b7", "Ada Example"))).diagnostics
    assert str(one[0]) == (
        'x.yaml:7:1: "Ada Example" is not in the PDF, but "Ada Exmple"; '
        "the font lacks a character, or the template doesn't print the field"
    )


def test_links_are_those_that_were_printed() -> None:
    url = "https://example.org/a"
    one = LinkAnnotation(1, url)
    wanted = expected(block("b1", "here", targets=[url]), block("b2", "there", targets=[url]))
    text = "here there"
    assert found(facts(text, links=(one, one)), wanted) == []
    # A link over two lines is two annotations.
    assert found(facts(text, links=(one, one, one)), wanted) == []
    assert found(facts(text, links=(one,)), wanted) == [("link", 1)]
    other = LinkAnnotation(1, url + "b")
    assert found(facts(text, links=(one, one, other)), wanted) == [("link", 0)]
    assert found(facts(text, links=(other,)), wanted) == [("link", 1), ("link", 0)]


@pytest.mark.parametrize("bad", ["\ue001", "\ufb01", "\ufffd", "\x07", "\U000f0001"])
def test_characters_that_readers_cant_use(bad: str) -> None:
    assert found(facts(f"a {bad} b"), expected()) == [("character", 0)]


def test_glyphs_stand_on_the_page() -> None:
    boxes = ((10, 590, 900), (20,) * 3, (20, 600, 910), (10,) * 3)
    page = Page(A4, "ab", outside=text_lines.outside("ab\u00a0", boxes, A4))
    wrong = verify.verify(replace(facts(), pages=(page,)), expected()).diagnostics
    assert [item.message for item in wrong] == ['"b" is outside of page 1']
    wanted = expected(block("b1", "aa"), block("b5", "bb"))
    located = verify.verify(replace(facts(), pages=(page,)), wanted).diagnostics[0]
    assert (located.code, located.span) == ("verify-box", Span("x.yaml", 5, 1))
    footer = Content((Text("too long b"),), types.FOOTER)
    wanted = expected(block("b4", "aa"), preamble=(footer,))
    hints = [
        item.hint or ""
        for item in verify.verify(replace(facts(), pages=(page,)), wanted).diagnostics
    ]
    assert "a footer is one line: make it shorter" in hints


def test_fonts_are_whole() -> None:
    fonts = (
        Font("A", "Type3", embedded=False, mapped=True),
        Font("B", "Type1", embedded=False, mapped=True),
        Font("C", "Type0", embedded=True, mapped=False),
        Font("D", "Type0", embedded=True, mapped=True, ligatures="\ufb01"),
        GOOD,
    )
    wrong = verify.verify(facts("a", fonts=fonts), expected()).diagnostics
    assert [(item.code, item.message.split()[0]) for item in wrong] == [
        ("verify-font", "A"),
        ("verify-font", "B"),
        ("verify-font", "C"),
        ("verify-character", "D"),
    ]


def test_pages_actions_metadata_and_footers() -> None:
    assert found(facts("a", "b"), expected(pages=1)) == [("pages", 0)]
    assert found(facts("a", active=("JavaScript",)), expected()) == [("action", 0)]
    title = Content((Text("Ada Example"),), ("b4",))
    footer = Content((Text("A footer"),), types.FOOTER)
    wanted = expected(preamble=(title, footer))
    meta = (("Title", "Ada Example"),)
    assert found(facts("text A footer", metadata=meta), wanted) == []
    assert found(facts("text", "A footer", metadata=()), wanted) == [("metadata", 4), ("footer", 1)]


SECRETS = (
    Secret("Secret Project", ("b9",)),
    Secret("+49 30 1234", ("b8",)),
    Secret("abc", ("b7",)),
)


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ({"metadata": (("Keywords", "x, secret  project"),)}, 9),
        ({"attachments": (
            ("cv.json", b'{"n": "Secret\\u0020project", "p": "Secret Project"}'),
        )}, 9),
        ({"links": (LinkAnnotation(1, "tel:+49301234"),)}, 8),
    ],
)  # fmt: skip
def test_nothing_private_is_anywhere(what: dict[str, object], line: int) -> None:
    wanted = expected(block("b1", "here"), secrets=SECRETS)
    wrong = found(facts("here", **what), wanted)
    assert ("private", line) in wrong
    assert found(facts("here Secret\r\nProject"), wanted) == [("private", 9)]
    assert found(facts("here abc Secret"), wanted) == []
    # What is public as well is no secret.
    public = expected(block("b1", "The Secret Project"), secrets=SECRETS)
    assert found(facts("The Secret Project"), public) == []
    assert found(facts("here nonsecret projects"), wanted) == []


def test_secrets_are_all_texts_that_were_taken_out_in_each_of_their_forms() -> None:
    source = parse(
        """
name: Ada Example
contact: {email: [{address: a@example.org, private: true, label: home}, b@example.org]}
sections:
  - kind: experience
    items:
      - employer: Hidden
        private: true
        tags: steering
        bullets: ["A **bold** [word](https://example.com/x)"]
        note: '[no Markdown](https://example.com/y "title")'
        date: 2019-03
  - {kind: award, items: [{title: T, date: {value: 2020-07-14, private: true}}]}
""",
        "a.yaml",
    )
    found = checks.secrets(privacy.public(source).private, "de")
    assert [(one.text, one.span and one.span.line) for one in found] == [
        ("a@example.org", 3), ("home", 3), ("Hidden", 7),
        ("A **bold** [word](https://example.com/x)", 7), ("A bold word", 7),
        ("https://example.com/x", 7), ('[no Markdown](https://example.com/y "title")', 7),
        ("2020-07-14", 13), ("14. Juli 2020", 13), ("14.07.2020", 13),
    ]  # fmt: skip


def test_one_text_from_right_to_left_turns_round_the_others_of_its_block() -> None:
    """PDFium gives such a line as it is seen: words of Latin letters change places."""
    authors = block("b4", "ליאל המשל", "Margaret Sample", "2008–2013")
    seen = "למשה לאיל .Sample Margaret , 2013–2008"
    assert found(facts(f"{GOOD_TEXT} {seen}"), expected(*WHOLE, authors)) == []
    assert found(facts(f"{GOOD_TEXT} {seen[:-1]}"), expected(*WHOLE, authors)) == [("text", 4)]
    # In a document of the other direction words have to stay in their order.
    latin = block("b4", "Margaret Sample", "2008–2013")
    turned = "Sample Margaret , 2013–2008"
    assert [code for code, _ in found(facts(turned), expected(latin))] == ["text", "text"]
    assert found(facts(turned), expected(latin, rtl=True)) == []


def test_no_letter_serves_two_texts_that_are_compared_in_any_order() -> None:
    twice = block("b1", "שלום", "שלום")
    assert found(facts("םולש םולש"), expected(twice)) == []
    assert found(facts("םולש"), expected(twice)) == [("text", 1)]
    # A ligature is the letters that it is made of.
    assert found(facts("\ufefb"), expected(block("b1", "ل", "ا"))) == []


ROOT = Path(__file__).parent.parent
NOA = """\
name: נועה כהן
locale: he
headline: מהנדסת תוכנה
contact: {email: noa@example.org}
summary: >
  מהנדסת תוכנה עם ניסיון רב בפיתוח מערכות מבוזרות, בניתוח נתונים ובהובלת צוותים. אוהבת Python
  וגם Rust, ומלמדת בשעות הפנאי תלמידים צעירים לתכנת ולבנות רובוטים פשוטים.
sections:
  - kind: education
    items:
      - degree: תואר ראשון במדעי המחשב
        institution: האוניברסיטה העברית
        date: 2010 -- 2014
        bullets: [הצטיינות דקאן, עבודת גמר על NLP בעברית]
  - kind: skill
    items:
      - {name: שפות, keywords: [Python, Rust, עברית]}
"""


def built(
    folder: Path, source: str | Path, template: str
) -> tuple[Path, list[TextPlace], dict[Any, list[str]]]:
    seen: list[Any] = []
    path = papers.made(
        papers.build(source, template, folder=folder, compared=lambda *both: seen.append(both))
    )
    ((facts, expected),) = seen
    texts: dict[Any, list[str]] = {}
    for block in expected.blocks:
        for content in block.contents:
            texts.setdefault(content.path, []).append(str(content))
    return path, text_places.find(facts, expected), texts


def letters(text: str) -> str:
    return "".join(sorted(text_folding.fold(text.strip("[]()")).letters))


@pytest.mark.usefixtures("requires_embedded")
@pytest.mark.parametrize(
    ("person", "template"),
    [
        ("people/zhisheng-ye.yaml", "academic"),
        pytest.param("people/jiaao-he.yaml", "sidebar", marks=pytest.mark.deep),
        pytest.param("people/gyeong-in-yu.yaml", "one-page", marks=pytest.mark.deep),
        pytest.param("tests/shapes/translator.yaml", "industry", marks=pytest.mark.deep),
        ("", "academic"),
    ],
)
def test_each_box_holds_its_text(
    person: str, template: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    pdf, places, texts = built(tmp_path, ROOT / person if person else NOA, template)
    # A text that was printed is a place, but for signs.
    missing = {key for key, found in texts.items() if letters("".join(found))}
    missing -= {place.path for place in places}
    assert len(missing) <= len(texts) // 20, missing
    read: dict[Any, str] = {}
    with pypdfium2.PdfDocument(pdf) as document:
        for place in places:
            page = document[place.page]
            height = page.get_height()
            left, top, right, bottom = place.box
            assert 0 <= left < right <= page.get_width() + 1
            assert 0 <= top < bottom <= height + 1
            text = page.get_textpage()
            inside = text.get_text_bounded(left, height - bottom, right, height - top)
            read[place.path] = read.get(place.path, "") + inside
    lacking = {
        key: (text, texts[key])
        for key, text in read.items()
        if Counter(letters(texts[key][0])) - Counter(letters(text))
    }
    wrong = {
        key: (text, texts[key])
        for key, text in read.items()
        if letters(text) not in (letters("".join(texts[key])), letters(texts[key][0]))
    }
    # A neighbour on a close line may reach into the box of large type, and into those of FiraGO. It
    # sets Hebrew where no font of the system does, and its boxes have room for marks.
    assert len(lacking) <= len(read) // 20, lacking
    is_hebrew = person in ("", "tests/shapes/translator.yaml")
    assert is_hebrew or len(wrong) <= len(read) // 20, wrong
