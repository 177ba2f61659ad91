"""A style that loses something fails the build, with the right line; the old PDF stays."""

from __future__ import annotations

import shutil
import unicodedata
from pathlib import Path

import deep
import papers
import pikepdf
import pytest
from msgspec.structs import replace
from pdfs import annotation, line, link, page_of
from pikepdf import Array, Dictionary, Name, Pdf
from workspaces import write

from cvbuild.building.pipeline import Outcome
from cvbuild.outputs.pdf import Expected, verify
from cvbuild.outputs.pdf.verify import pdf_facts
from cvbuild.outputs.pdf.verify.pdf_facts import Facts, Font
from cvbuild.outputs.pdf.verify.text_lines import Box, Page
from cvbuild.outputs.styles.templates import Library

PERSON = """\
name: Ada Example
contact:
  email: ada@example.org
  phone: [{number: +49 30 123456, private: true}]
sections:
  - kind: experience
    items:
      - employer: Acme Corporation
        title: Engineer
        date: 2019 to 2020
        bullets: ["Quite an *efficient* point", "A [link](https://example.org/x) here"]
  - kind: education
    items: [{institution: University of Examples, degree: Doctor of Things, date: 2018}]
"""
POINTS_LAST = r"""\NewCommandCopy \CvbPoint \CvbBullet
\RenewDocumentCommand \CvbBullet { +m } { \AddToHook {enddocument} { \CvbPoint {#1} } }"""
ONE_OVER_ANOTHER = r"""\NewCommandCopy \CvbPoint \CvbBullet
\RenewDocumentCommand \CvbBullet { +m } { \CvbPoint {#1} \vspace { -1.2\baselineskip } }"""
LETTER_OVER_LETTER = r"""\begingroup
\catcode`Q=13~ \gdef \Overprinted { \protected \def Q { \char81\kern-.7em~ } } \endgroup
\AddToHook {begindocument/end} { \catcode`Q=13~ \Overprinted }"""
ELSEWHERE = r"""\NewCommandCopy \CvbPlain \CvbLink
\RenewDocumentCommand \CvbLink { m m } { \CvbPlain {https://example.com/} {#2} }"""
#: Styles that do one thing wrong: what they add to academic, and what is said of it and where.
FAULTS = {
    # As a font without that glyph does: TeX only warns, and what it sets is shorter.
    "drops-a-letter": (r"\AddToHook{begindocument/end}{\catcode`Q=9~}", ("verify-text", 11)),
    "off-the-page": (
        r"\CvbLayout{bulletmark}{\hbox_overlap_right:n{\hskip~20cm•}}",
        ("verify-box", None),
    ),
    "a-letter-over-another": (LETTER_OVER_LETTER, ("verify-overlap", 11)),
    "one-over-another": (ONE_OVER_ANOTHER, ("verify-overlap", 11)),
    "another-link": (ELSEWHERE, ("verify-link", 11)),
    "no-link": (r"\RenewDocumentCommand\CvbLink{mm}{#2}", ("verify-link", 11)),
    "a-ligature": (r"\pdfglyphtounicode{uni006600660069}{FB03}", ("verify-character", None)),
    "a-private-character": (r"\pdfglyphtounicode{uni0051}{E001}", ("verify-character", None)),
    "no-dates": (r"\RenewDocumentCommand\CvbDated{+m+m}{\CvbPara{#2}}", ("verify-text", 10)),
    "another-order": (POINTS_LAST, ("verify-order", 12)),
    "no-unicode": (r"\pdfgentounicode=0~", ("verify-font", None)),
    "no-footer": (r"\cs_set:Npn\__cvb_foot:{}", ("verify-footer", 14)),
    "an-action": (
        r"\AddToHook{begindocument/end}{\pdfcatalog{/AA~<<~/WC~<<~/S~/JavaScript~/JS~(0)~>>~>>}}",
        ("verify-action", None),
    ),
}
pytestmark = pytest.mark.usefixtures("requires_embedded")


@pytest.fixture(autouse=True)
def workspace(here: Path) -> None:
    (here / "people").mkdir()
    write("ada", PERSON)


def style(name: str, code: str) -> None:
    source = Library.at().folders[0] / "academic"
    folder = Path("templates") / name
    shutil.copytree(source, folder)
    for file, before, after in (
        ("template.yaml", "style: cvb-academic", f"style: cvb-{name}"),
        ("cvb-academic.sty", "{cvb-academic}", f"{{cvb-{name}}}"),
    ):
        text = (folder / file).read_text("utf-8")
        assert before in text
        (folder / file).write_text(text.replace(before, after), "utf-8")
    package = (folder / "cvb-academic.sty").rename(folder / f"cvb-{name}.sty")
    with package.open("a", encoding="utf-8") as end:
        end.write(code + "\n")


def build(name: str = "academic", *, force: bool = False) -> Outcome:
    text = Path("people/ada.yaml").read_text("utf-8")
    return papers.build(text, name, force=force)


@pytest.mark.parametrize("name", deep.but(["off-the-page"], FAULTS))
def test_a_style_that_loses_something_fails_the_build(name: str) -> None:
    write("ada", PERSON + ("options: {footer: A footer}\n" if name == "no-footer" else ""))
    code, wanted = FAULTS[name]
    style(name, code)
    outcome = build(name)
    told = [
        (item.code, item.span.line if item.span else None)
        for item in outcome.diagnostics
        if item.severity == "error"
    ]
    assert wanted in told, outcome.diagnostics
    assert (outcome.path, outcome.exit_code) == (None, 1)
    assert not Path(f"out/ada/{name}.pdf").exists()
    assert Path(f"out/.build/ada/{name}/cv.pdf").is_file()
    assert outcome.log == Path(f"out/.build/ada/{name}/cv.log")


#: What a style's code leaves open or ends too often.
MARKS = {
    "ends-nothing": r"\AddToHook{enddocument}{\mode_leave_vertical:\pdfliteral page{EMC}}",
    "never-ends": r"\AddToHook{enddocument}{\mode_leave_vertical:\pdfliteral page{/Span<<>>BDC}x}",
}


@pytest.mark.deep
@pytest.mark.parametrize("name", MARKS)
def test_marks_that_dont_balance_publish_nothing(name: str) -> None:
    style(name, MARKS[name])
    outcome = build(name)
    assert (outcome.path, outcome.exit_code) == (None, 1)
    (error,) = [item for item in outcome.diagnostics if item.severity == "error"]
    assert error.code == "finish"
    assert "end" in error.message
    assert "template" in str(error.hint)
    assert not Path(f"out/ada/{name}.pdf").exists()
    assert outcome.log == Path(f"out/.build/ada/{name}/cv.log")


def test_metadata_of_a_style_s_own_are_not_published() -> None:
    style("says", r"\AddToHook{enddocument}{\pdfinfo{/Keywords(+49~30~123456)/Secret(yes)}}")
    outcome = build("says")
    assert outcome.path is not None, outcome.diagnostics
    with pikepdf.open(outcome.path) as document:
        assert {"/Keywords", "/Secret"} & set(document.docinfo.keys()) == set()


def test_the_old_pdf_stays_and_the_record_has_the_figures() -> None:
    style("mine", "")
    first = build("mine")
    assert first.path is not None, first.diagnostics
    assert first.verified is not None
    compared = {"texts": 12, "links": 2, "pages": 1, "paging_step": 0}
    assert {name: first.verified[name] for name in compared} == compared
    assert set(first.verified) == {*compared, *("fonts", "runs"), "last_page_fill"}
    assert first.verified["fonts"] > 2
    again = build("mine")
    assert again.cached
    assert again.verified == first.verified
    old = first.path.read_bytes()
    package = Path("templates/mine/cvb-mine.sty")
    code, _ = FAULTS["drops-a-letter"]
    package.write_text(package.read_text("utf-8") + code, "utf-8")
    failed = build("mine")
    assert failed.path is None
    assert first.path.read_bytes() == old
    message = str(failed.diagnostics[0])
    assert message.startswith(
        'people/ada.yaml:11:19: "Quite an efficient point" is not in the PDF, '
        'but "uite an efficient point"'
    )


LONG_WORD = ("Donaudampfschifffahrtsgesellschaft" * 9)[:300]
LONG_URL = "https://example.org/" + "path-segment/" * 150 + "a" * 30
LONG_BULLET = " ".join(f"word{number}" for number in range(400))


@pytest.mark.parametrize("template", deep.but(["sidebar"], ["academic", "margin", "sidebar"]))
def test_nothing_leaves_the_page_however_long_a_word(template: str) -> None:
    assert (len(LONG_WORD), len(LONG_URL), len(LONG_BULLET.split())) == (300, 2000, 400)
    w, priority = LONG_WORD, "priority: 1"
    fillers = [f"Point {number}" for number in range(14)]
    write(
        "ada",
        f"""\
name: Ada Example
headline: {w}
contact: {{email: ada@example.org, website: {LONG_URL[:600]}, address: {w}}}
sections:
  - {{kind: text, items: ["With {w} in it, `{w}` in code, [{w}](https://example.org/w) linked."]}}
  - kind: experience
    items:
      - {{employer: {w}, title: {w}, location: {w[:120]}, date: 2019 to 2020}}
      - {{employer: Example, {priority}, bullets: ["{LONG_BULLET}", "**{w}**, and <{LONG_URL}>."]}}
  - {{kind: project, {priority}, items: [{{name: P, url: "{LONG_URL}",
     links: [{{label: {w}, url: "{LONG_URL}"}}]}}]}}
  - kind: publication
    items: [{{title: {w}, authors: [{w}, A. Example], venue: "{"0123456789" * 30}",
      doi: 10.1000/{"abc." * 100}1}}]
  - {{kind: award, items: [{{title: {w}, awarder: {w}, date: 2020}}]}}
  - {{kind: skill, items: [{{name: {w}, keywords: [{w}, "{"x86_64-linux-gnu/" * 17}"]}}]}}
  - {{kind: keywords, items: [{w}, short]}}
  - {{kind: bullets, items: {fillers}}}
""",
    )
    outcome = build(template)
    assert outcome.path is not None, outcome.diagnostics
    assert outcome.verified is not None
    # A document of one page leaves out what has no room.
    one_page = Library.at().find(template).manifest.pages == "1"
    assert outcome.verified["texts"] > (15 if one_page else 25)


def test_combining_marks_and_composed_letters_give_the_same_page() -> None:
    composed = PERSON.replace("Acme", "Żółć Ångström é ő")
    write("ada", composed)
    first = build()
    assert first.path is not None, first.diagnostics
    tex = Path("out/.build/ada/academic/cv.tex").read_bytes()
    before = first.path.read_bytes()
    decomposed = unicodedata.normalize("NFD", composed)
    assert decomposed != composed
    write("ada", decomposed)
    assert build().cached
    second = build(force=True)
    assert second.path is not None
    assert Path("out/.build/ada/academic/cv.tex").read_bytes() == tex
    assert second.path.read_bytes() == before


A4 = Box(0, 0, 595, 842)
ANY = Expected((), (), None, (), lambda _: None)
GOOD = Font("ABC+Good", "Type1", embedded=True, mapped=True)


def facts(*texts: str, **others: object) -> Facts:
    return replace(Facts(tuple(Page(A4, text) for text in texts), fonts=(GOOD,)), **others)


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
    assert "verify-action" in {item.code for item in verify.verify(facts, ANY).diagnostics}


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
    assert "Type 3" in verify.verify(facts, ANY).diagnostics[0].message
    path.write_bytes(page_of(line("aaa")))
    plain = pdf_facts.read(path).fonts
    assert [(font.name, font.embedded, font.mapped) for font in plain] == [
        ("Helvetica", False, False)
    ]
