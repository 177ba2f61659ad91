"""What is read of a PDF is what it holds."""

from __future__ import annotations

from pathlib import Path

import pikepdf
import pytest
from msgspec.structs import replace
from pdfs import annotation, line, link, page_of
from pikepdf import Array, Dictionary, Name, Pdf

from cvbuild.outputs.pdf import Expected, verify
from cvbuild.outputs.pdf.verify import pdf_facts
from cvbuild.outputs.pdf.verify.pdf_facts import Facts, Font
from cvbuild.outputs.pdf.verify.text_lines import Box, Page

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
