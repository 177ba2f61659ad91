"""What is written is in the PDF, in its order, and nothing else; what is said of others' PDFs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

import deep
import pikepdf
import pytest
from conftest import Run
from msgspec.structs import replace
from pdfs import annotation, line, link, page_of
from pikepdf import Array, Dictionary, Name, Pdf

from cvbuild.common.diagnostics import Span
from cvbuild.inputs import privacy
from cvbuild.inputs.yaml.source import parse
from cvbuild.model.text.rich_text import Text
from cvbuild.outputs import checks, text_folding
from cvbuild.outputs.checks import Secret
from cvbuild.outputs.pdf.expected import Expected, PrintedBlock, PrintedLink
from cvbuild.outputs.pdf.verify import find_texts, pdf_facts, text_lines, verify
from cvbuild.outputs.pdf.verify.pdf_facts import Facts, Font, LinkAnnotation
from cvbuild.outputs.pdf.verify.text_lines import Box, Page
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
    return replace(Facts(tuple(Page(A4, text) for text in texts), fonts=(GOOD,)), **others)


def found(what: Facts, wanted: Expected) -> list[tuple[str, int]]:
    """Codes and lines of what is wrong."""
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
        ("wait…", "wait. . ."),
        ("a\u00a0b\u202fc", "a b c"),
        ("soft\u00adhyphen", "softhyphen"),
        ("zero\u200bwidth", "zero width"),
        ("mark\u061ced", "marked"),
        ("non\u2011breaking", "non-breaking"),
        ("Zoe\u0308", "Zoë"),
        ("Zoë", "Zoe\u0308"),
        ("C-", "C- "),
        ("-", "a - b"),
        ("东京 大学", "东京 大学"),
    ],
)
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
    pages = (f"{first} {point[:cut]}\r\n1/2", f"Ada Example 2/2\r\n{point[cut:]}")
    assert found(facts(*pages), expected(*WHOLE)) == []
    # Not every header or footer can be recognised, so what is at a page's end is skipped.
    odd = (f"{first} {point[:cut]}\r\nseite eins", f"Ada Example, der Kopf\r\n{point[cut:]}")
    assert found(facts(*odd), expected(*WHOLE)) == []
    lost = (f"{first} {point[:cut]}\r\n1/2", f"Ada Example 2/2\r\n{point[cut + 1 :]}")
    assert found(facts(*lost), expected(*WHOLE)) == [("text", 3)]


def test_the_name_of_a_running_head_is_not_an_author() -> None:
    blocks = (HEAD, block("b2", "Ada Example", "A paper of some length"))
    first = "Ada Example ada@example.org"
    assert found(facts(first, "Ada Example 2/2\r\nAda Example. A paper of some length"),
                 expected(*blocks)) == []  # fmt: skip
    wrong = found(facts(first, "Ada Example 2/2\r\nA paper of some length"), expected(*blocks))
    assert wrong == [("order", 2)]


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("Ada 2/3", ""),
        ("2", ""),
        ("Page 2 of 3", ""),
        ("Ada", ""),
        ("– 2 –", ""),
        ("第 2 页，共 3 页", ""),
        ("level B2", "level B2"),
        ("2/4", "2/4"),
        ("Ada, 2 papers", "Ada, 2 papers"),
        ("2022", "2022"),
    ],
)
def test_headers_and_footers_are_told_from_text(line: str, left: str) -> None:
    pages = ["one", f"{line}\ntext\n{line}", "three"]
    kept = list(find_texts.bodies(pages, "Ada", ["Ada"]))[1]
    assert kept == (f"{left}\ntext\n{left}" if left else "text")


@pytest.mark.parametrize("last", ["1", "1.", "...", "--", "A footer"])
def test_a_last_line_that_looks_like_a_footer_is_text(last: str) -> None:
    footer = Content((Text("A footer"),), types.FOOTER)
    wanted = expected(HEAD, block("b2", "Volume", last), preamble=(footer,))
    head = "Ada Example\r\nada@example.org\r\nVolume"
    assert found(facts(f"{head}\r\n{last}\r\nA footer"), wanted) == []
    assert found(facts(f"{head}\r\n{last}\r\nA footer\r\n1/1"), wanted) == []
    # What is lost isn't found in the footer; only a bare number may be taken for the page's.
    assert found(facts(f"{head}\r\nA footer"), wanted) in ([("text", 2)], [("order", 2)])


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
        'x.yaml:7:1: "Ada Example" is not in the PDF, but "Ada Exmple" without "a" (U+0061); '
        "the font lacks a character, or the template doesn't print the field"
    )


def test_links_are_those_that_were_printed() -> None:
    url = "https://example.org/a"
    one = LinkAnnotation(1, url, A4)
    wanted = expected(block("b1", "here", targets=[url]), block("b2", "there", targets=[url]))
    text = "here there"
    assert found(facts(text, links=(one, one)), wanted) == []
    # A link over two lines is two annotations.
    assert found(facts(text, links=(one, one, one)), wanted) == []
    assert found(facts(text, links=(one,)), wanted) == [("link", 1)]
    other = LinkAnnotation(1, url + "b", A4)
    assert found(facts(text, links=(one, one, other)), wanted) == [("link", 0)]
    assert found(facts(text, links=(other,)), wanted) == [("link", 1), ("link", 0)]


@pytest.mark.parametrize("bad", ["\ue001", "\ufb01", "\ufffd", "\x07", "(cid:12)", "\U000f0001"])
def test_characters_that_readers_cant_use(bad: str) -> None:
    assert found(facts(f"a {bad} b"), expected()) == [("character", 0)]


def test_glyphs_stand_on_the_page() -> None:
    boxes = ((10, 590, 900), (20,) * 3, (20, 600, 910), (10,) * 3)
    page = Page(A4, "ab", outside=text_lines.outside("ab\u00a0", boxes, A4))
    wrong = verify.verify(replace(facts(), pages=(page,)), None).diagnostics
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
    wrong = verify.verify(facts("a", fonts=fonts), None).diagnostics
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
        (
            {
                "attachments": (
                    ("cv.json", b'{"name": "Secret\\u0020project", "p": "Secret Project"}'),
                )
            },
            9,
        ),
        ({"links": (LinkAnnotation(1, "tel:+49301234", A4),)}, 8),
    ],
)
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
        date: 2019-03
  - {kind: award, items: [{title: T, date: {value: 2020-07-14, private: true}}]}
""",
        "a.yaml",
    )
    found = checks.secrets(privacy.public(source).private, "de")
    assert [(one.text, one.span and one.span.line) for one in found] == [
        ("a@example.org", 3),
        ("home", 3),
        ("Hidden", 7),
        ("A **bold** [word](https://example.com/x)", 7),
        ("A bold word", 7),
        ("https://example.com/x", 7),
        ("2020-07-14", 12),
        ("14. Juli 2020", 12),
        ("14.07.2020", 12),
    ]


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


PERSON = """\
name: Ada Example
contact: {email: ada@example.org}
sections:
  - {kind: bullets, items: [One point, Another point]}
"""


@pytest.fixture
def workspace(here: Path) -> Path:
    """A working folder with one person."""
    Path("people").mkdir()
    Path("people/ada.yaml").write_text(PERSON, encoding="utf-8")
    return here


@pytest.mark.usefixtures("workspace", "requires_embedded")
def test_a_pdf_in_the_folder_of_a_group_is_compared(run: Run) -> None:
    Path("cvbuild.yaml").write_text(
        "groups: {all: {people: '*', out: pub/cvs}}\n", encoding="utf-8"
    )
    assert run("build", "--engine", "embedded", "-t", "academic").code == 0
    ran = run("check", "--pdf", "pub/cvs/ada/academic.pdf")
    assert ran.err.startswith("pub/cvs/ada/academic.pdf: fine (5 texts, ")


@pytest.mark.usefixtures("workspace", "requires_embedded")
@pytest.mark.parametrize("template", deep.but(["academic"], ["academic", "one-page"]))
def test_a_pdf_is_checked_against_the_present_file(template: str, run: Run) -> None:
    built = run("build", "--engine", "embedded", "-t", template)
    assert built.code == 0, built.err
    made = f"out/ada/{template}.pdf"
    fine = run("check", "--pdf", made)
    assert (fine.code, fine.out) == (0, "")
    assert fine.err.startswith(f"{made}: fine (5 texts, 1 link, ")
    # Another file with the same words is the same document, wherever it is.
    assert run("check", "--pdf", made, "people/ada.yaml").code == 0
    changed = PERSON.replace("Another", "A further").replace("ada@", "eve@")
    Path("people/ada.yaml").write_text(changed, encoding="utf-8")
    os.utime("people/ada.yaml", (2e9, 2e9))
    wrong = run("check", "--json", "--pdf", made)
    assert wrong.code == 1
    told = json.loads(wrong.out)
    assert (told["pdf"], told["ok"], told["compared"]) == (made, False, True)
    assert told["verified"]["texts"] == 5
    places = [(item["code"], item["line"]) for item in told["diagnostics"]]
    assert places == [
        ("verify-older", None),
        ("verify-text", 2),
        ("verify-text", 4),
        ("verify-link", 2),
        ("verify-link", None),
    ]


@pytest.mark.usefixtures("workspace", "requires_embedded")
def test_a_pdf_that_nothing_is_known_of(run: Run) -> None:
    assert run("build", "--engine", "embedded", "-t", "academic").code == 0
    Path("out/ada/academic.pdf").rename("other.pdf")
    alone = run("check", "--pdf", "other.pdf")
    assert alone.code == 0
    assert "note: it isn't known whose PDF this is, so its expected content is unknown" in alone.err
    assert "fine (0 texts, 1 link" in alone.err
    # Whoever names the person wants the texts compared.
    named = run("check", "--pdf", "other.pdf", "ada")
    assert named.code == 2
    assert '"other.pdf" is not named after a template' in named.err
    Path("other.pdf").rename("academic.pdf")
    moved = run("check", "--pdf", "academic.pdf", "ada")
    assert moved.code == 0
    assert "note: no record of its build was found" in moved.err
    # A PDF in the place of the built one: its texts are compared, and that it is another is said.
    Path("out/ada/academic.pdf").write_bytes(page_of(line("Ada Example")))
    another = run("check", "--pdf", "out/ada/academic.pdf")
    assert another.code == 1
    assert "is not the file that the last build made" in another.err
    assert 'people/ada.yaml:4:29: "One point" is not in the PDF' in another.err


@pytest.mark.usefixtures("workspace")
def test_what_can_be_wrong_with_the_command_line(run: Run) -> None:
    Path("a.pdf").write_bytes(page_of(line("a")))
    assert run("check", "--pdf", "none.pdf") == (
        2,
        "",
        '"none.pdf" is not a file; name a PDF after --pdf\n',
    )
    assert run("check", "--pdf", "a.pdf", "ada", "eve").code == 2
    assert run("check", "--pdf", "a.pdf", "eve").code == 2


ACTIONS = {
    "JavaScript": annotation(Dictionary(S=Name.JavaScript, JS=pikepdf.String("app.alert(1)"))),
    "Launch": annotation(Dictionary(S=Name.Launch, F=pikepdf.String("x.exe"))),
    "GoToR": annotation(Dictionary(S=Name.GoToR, F=pikepdf.String("x.pdf"))),
    "Screen": annotation(Dictionary(S=Name.URI, URI=pikepdf.String("https://a.b/")), "/Screen"),
    "a chain": annotation(
        Dictionary(
            S=Name.URI,
            URI=pikepdf.String("https://a.b/"),
            Next=Dictionary(S=Name.Launch, F=pikepdf.String("x")),
        )
    ),
}


@pytest.mark.parametrize("name", ACTIONS)
def test_only_links_to_web_addresses_may_be_there(name: str, tmp_path: Path) -> None:
    path = tmp_path / "x.pdf"
    path.write_bytes(page_of(line("a"), ACTIONS[name], link("https://example.org/")))
    facts = pdf_facts.read(path)
    assert [one.url for one in facts.links] == ["https://example.org/"]
    assert len(facts.active) == 1
    assert "verify-action" in {item.code for item in verify.verify(facts, None).diagnostics}


def _opening(document: Pdf) -> None:
    document.Root.OpenAction = Dictionary(S=Name.JavaScript, JS=pikepdf.String("x"))
    document.Root.AcroForm = Dictionary(Fields=Array([]))
    document.Root.Names = Dictionary(JavaScript=Dictionary(Names=Array([])))
    document.pages[0].obj.AA = Dictionary()


def test_nothing_acts_when_the_document_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "x.pdf"
    path.write_bytes(page_of(line("a"), _opening))
    assert len(pdf_facts.read(path).active) == 4


def _type3(document: Pdf) -> None:
    glyph = document.make_stream(b"500 0 0 0 500 500 d1 0 0 500 500 re f")
    document.pages[0].Resources.Font.F1 = document.make_indirect(
        Dictionary(
            Type=Name.Font,
            Subtype=Name.Type3,
            FontBBox=Array([0, 0, 500, 500]),
            FontMatrix=Array([0.001, 0, 0, 0.001, 0, 0]),
            CharProcs=Dictionary(a=glyph),
            Encoding=Dictionary(Type=Name.Encoding, Differences=Array([97, Name.a])),
            FirstChar=97,
            LastChar=97,
            Widths=Array([500]),
        )
    )


def test_fonts_metadata_and_attachments_are_read(tmp_path: Path) -> None:
    def more(document: Pdf) -> None:
        document.docinfo["/Title"] = "A title"
        document.docinfo["/Producer"] = "A program"
        document.attachments["cv.json"] = b"{}"

    path = tmp_path / "x.pdf"
    path.write_bytes(page_of(line("aaa"), _type3, more))
    facts = pdf_facts.read(path)
    assert [(font.kind, font.embedded, font.mapped) for font in facts.fonts] == [
        ("Type3", False, False)
    ]
    assert dict(facts.metadata) == {"Title": "A title"}
    assert facts.attachments == (("cv.json", b"{}"),)

    def ligatures(document: Pdf) -> None:
        mapping = b"1 beginbfchar <02> <FB01> endbfchar 1 beginbfrange <03> <04> <FB03> endbfrange"
        document.pages[0].obj.Resources.Font.F1.ToUnicode = document.make_stream(mapping)

    path.write_bytes(page_of(line("aaa"), ligatures))
    facts = pdf_facts.read(path)
    assert [font.ligatures for font in facts.fonts] == ["\ufb01\ufb03\ufb04"]
    path.write_bytes(page_of(line("aaa"), _type3, more))
    facts = pdf_facts.read(path)
    assert "Type 3" in verify.verify(facts, None).diagnostics[0].message
    path.write_bytes(page_of(line("aaa")))
    plain = pdf_facts.read(path).fonts
    assert [(font.name, font.embedded, font.mapped) for font in plain] == [
        ("Helvetica", False, False)
    ]


@pytest.mark.usefixtures("workspace", "requires_embedded")
def test_a_pdf_of_another_language(run: Run) -> None:
    text = PERSON.replace("One point", "{en: One point, de: Ein Punkt}")
    Path("people/ada.yaml").write_text(text, encoding="utf-8")
    built = run("build", "--engine", "embedded", "-t", "academic", "--locale", "de")
    assert built.code == 0, built.err
    checked = run("check", "--pdf", "out/ada/academic.de.pdf")
    assert checked.code == 0, checked.err
    assert "fine (5 texts, 1 link, " in checked.err
