"""The pages of one PDF of several: nothing of a hostile one acts, all else stays."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import pikepdf
from merges import ABOUT, objects, part, saved
from pdfs import annotation, line, link, page_of
from pikepdf import Array, Dictionary, Name, Pdf, String

from cvbuild.applications.merge_pdf import merge
from cvbuild.outputs.pdf.verify import pdf_facts


def _script() -> Dictionary:
    return Dictionary(S=Name.JavaScript, JS=String("app.alert('evil')"))


def _everything(document: Pdf) -> None:
    """All that can act, in all places where it can be."""
    root, page = document.Root, document.pages[0].obj
    document.attachments["evil.txt"] = b"evil"
    root.OpenAction, root.AA = _script(), Dictionary(WC=_script())
    root.Names.JavaScript = Dictionary(Names=Array([String("evil"), _script()]))
    root.URI = Dictionary(Base=String("https://evil.example.com/"))
    page.AA, page.PieceInfo = Dictionary(O=_script()), Dictionary(Evil=_script())
    page.Metadata = page.Thumb = document.make_stream(b"evil")
    file = Dictionary(
        Type=Name.Filespec, F=String("evil"), EF=Dictionary(F=document.make_stream(b"evil"))
    )
    page.AF = Array([file])
    form = document.make_stream(b"", Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 9, 9]))
    form.AF, form.Ref, form.OPI = Array([file]), Dictionary(F=file), Dictionary(F=file)
    page.Resources.XObject = Dictionary(X=form)
    page.Resources.Properties = Dictionary(AF=Dictionary(AF=Array([file]), MCAF=Array([file])))
    outside = document.make_stream(b"inside")
    outside.F, outside.FFilter = file, Name.FlateDecode
    page.Resources.XObject.Y = outside


#: Actions of a link that must not be in what is sent.
ACTIONS = [
    _script(),
    Dictionary(S=Name.Launch, F=String("evil.exe")),
    Dictionary(S=Name.URI, URI=String("javascript:alert(1)")),
    Dictionary(S=Name.URI, URI=String("file:///etc/passwd")),
    Dictionary(S=Name.URI, URI=String("evil.html")),
    Dictionary(S=Name.URI, URI=String("https://example.org/\nevil")),
    Dictionary(S=Name.GoToR, F=String("evil.pdf"), D=Array([0, Name.Fit])),
    Dictionary(S=Name.GoToE, D=String("evil")),
    Dictionary(S=Name.SubmitForm, F=String("https://evil.example.com")),
    Dictionary(S=Name.ImportData, F=String("evil.fdf")),
    Dictionary(S=Name.Named, N=Name.Print),
    Dictionary(S=Name.Rendition, JS=String("evil")),
    Dictionary(S=Name.URI, URI=String("https://example.org/fine"), Next=_script()),
]


#: Keys that such things have.
ACTING = {
    "/AA", "/AF", "/EF", "/JS", "/OpenAction", "/JavaScript", "/EmbeddedFiles", "/OPI", "/MCAF",
    "/PieceInfo", "/Ref", "/Next", "/FFilter", "/Base", "/AcroForm", "/Thumb",
}  # fmt: skip


def test_nothing_that_acts_gets_into_the_merged_file(tmp_path: Path) -> None:
    kinds = ("/Link", "/Widget", "/Screen", "/RichMedia", "/Movie", "/Sound", "/FileAttachment",
             "/3D", "/Popup", "/Text", "/Evil")  # fmt: skip
    changes = [annotation(action) for action in ACTIONS]
    changes += [annotation(_script(), kind) for kind in kinds]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pikepdf.PageCopyWarning)  # the field has no form
        content = page_of(line("Harmless"), link("https://example.org/a"), *changes, _everything)
    merged = merge([part(content)], ABOUT)
    path = saved(merged, tmp_path)
    found = pdf_facts.read(path)
    assert [one.url for one in found.links] == ["https://example.org/a", "https://example.org/fine"]
    assert found.attachments == ()
    assert found.active == ()
    assert "Harmless" in found.pages[0].text
    with pikepdf.open(path) as opened:
        seen = [*objects(opened)]
        assert len(seen) > 15
        # /AF is a name of the page's resources here: what it names has nothing of the kind.
        assert [keys for one in seen if (keys := set(one.keys()) & ACTING)] == [{"/AF"}]
        assert {str(one.get("/Subtype")) for one in seen if "/Rect" in one} == {"/Link"}
        streams = [one for one in seen if isinstance(one, pikepdf.Stream)]
        assert len(streams) >= 4
        assert not [one for one in streams if b"evil" in one.read_bytes()]
        strings = [str(x) for one in seen for _, x in one.items() if isinstance(x, String)]
        assert "https://example.org/a" in strings
        assert not [one for one in strings if "evil" in one]
    assert "scripts, attached files, and links but those to the web" in str(merged.notes[-1])


def test_fields_comments_and_signatures_become_drawings(tmp_path: Path) -> None:
    def change(document: Pdf) -> None:
        fields = Array([])
        page = document.pages[0].obj
        page.Annots = Array([])
        for kind, words in (("Tx", b"(Typed)"), ("Sig", b"(Signed)")):
            look = document.make_stream(
                b"BT /F1 12 Tf 2 4 Td " + words + b" Tj ET", Type=Name.XObject, Subtype=Name.Form,
                BBox=Array([0, 0, 100, 20]), Resources=page.Resources,
            )  # fmt: skip
            rect = Array([72, 500 if kind == "Tx" else 400, 172, 520 if kind == "Tx" else 420])
            widget = document.make_indirect(
                Dictionary(Type=Name.Annot, Subtype=Name.Widget, FT=Name(f"/{kind}"), F=4,
                           T=String(kind), Rect=rect, AP=Dictionary(N=look), P=page,
                           A=_script(), AA=Dictionary(K=_script()))
            )  # fmt: skip
            page.Annots.append(widget)
            fields.append(widget)
        document.Root.AcroForm = Dictionary(Fields=fields, SigFlags=3, CO=Array([]))

    merged = merge([part(page_of(line("Form"), change))], ABOUT)
    found = pdf_facts.read(saved(merged, tmp_path))
    assert found.active == ()
    assert re.findall(r"\w+", found.pages[0].text) == ["Form", "Typed", "Signed"]
    assert "the digital signature, which holds for the file alone" in str(merged.notes[-1])


def test_pages_keep_their_size_and_turn(tmp_path: Path) -> None:
    def change(document: Pdf) -> None:
        document.add_blank_page(page_size=(300, 500))
        document.pages[1].obj.Rotate = 90
        document.pages[0].obj.CropBox = Array([10, 10, 200, 200])
        above = document.Root.Pages
        above.Rotate = 270
        above.MediaBox = Array([0, 0, 77, 88])
        above.Resources = document.pages[0].obj.Resources
        del document.pages[0].obj["/Resources"]
        del document.pages[0].obj["/MediaBox"]
        del document.pages[1].obj["/Resources"]

    def bare(document: Pdf) -> None:
        del document.pages[0].obj["/Resources"]

    merged = merge([part(page_of(line("Words"), change)), part(page_of(b"", bare))], ABOUT)
    with pikepdf.open(saved(merged, tmp_path)) as opened:
        pages: list[Any] = [page.obj for page in opened.pages]
        first, second, third = pages
        assert (first.Rotate, second.Rotate, third.get("/Rotate", 0)) == (270, 90, 0)
        assert [*map(int, first.MediaBox)] == [0, 0, 77, 88]
        assert [*map(int, first.CropBox)] == [10, 10, 200, 200]
        assert [*map(int, second.MediaBox)] == [0, 0, 300, 500]
        assert "/F1" in first.Resources.Font
        assert third.Resources == Dictionary()
