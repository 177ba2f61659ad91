"""PDFs are checked by the command line, and what is read of them is what they hold."""

from __future__ import annotations

import json
import os
from pathlib import Path

import deep
import pikepdf
import pytest
from conftest import Run
from msgspec.structs import replace
from pdfs import annotation, line, link, page_of
from pikepdf import Array, Dictionary, Name, Pdf

from cvbuild.outputs.pdf.verify import pdf_facts, verify
from cvbuild.outputs.pdf.verify.pdf_facts import Facts, Font
from cvbuild.outputs.pdf.verify.text_lines import Box, Page

A4 = Box(0, 0, 595, 842)
GOOD = Font("ABC+Good", "Type1", embedded=True, mapped=True)


def facts(*texts: str, **others: object) -> Facts:
    return replace(Facts(tuple(Page(A4, text) for text in texts), fonts=(GOOD,)), **others)


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
