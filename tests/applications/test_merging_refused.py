"""What may not get into one PDF is refused with its place or left behind, and takes no memory."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from foreign_pdfs import UNFIT, UNREADABLE, WHOLE, object_stream
from merged import ABOUT, PLACE, part, saved
from pdfs import annotation, line, link, page_of
from pikepdf import Array, Dictionary, Name, Pdf, String

from cvbuild.applications.merge_pdf import Part, merge
from cvbuild.common.errors import CvbuildError
from cvbuild.outputs.pdf.verify import pdf_facts


def objects(opened: Pdf) -> Iterator[Dictionary | pikepdf.Stream]:
    """Every dictionary of a file, those in others too."""
    stack = [*opened.objects]
    while stack:
        one = stack.pop()
        if isinstance(one, Array):
            stack += [x for x in one.as_list() if not getattr(x, "is_indirect", True)]
        elif isinstance(one, Dictionary | pikepdf.Stream):
            yield one
            stack += [x for _, x in one.items() if not getattr(x, "is_indirect", True)]


@pytest.mark.parametrize(
    "parents",
    [
        Name.Nothing,
        Dictionary(Nums=Array([0, Array([None] * 200_000)])),
        Dictionary(Kids=Array([Dictionary(Limits=Array([0, 9]), Kids=Array([3]))])),
    ],
)
def test_a_strange_tree_of_another_is_left_behind(parents: Any, tmp_path: Path) -> None:
    def change(document: Pdf) -> None:
        script = document.make_indirect(Dictionary(S=Name.JavaScript, JS=String("evil")))
        root = Dictionary(Type=Name.StructTreeRoot, K=script, Evil=script, ParentTree=parents)
        document.Root.StructTreeRoot = document.make_indirect(root)
        document.Root.MarkInfo = Dictionary(Marked=True)
        document.pages[0].obj.StructParents = 0

    merged = merge([part(page_of(line("x"), change))], ABOUT)
    with pikepdf.open(saved(merged, tmp_path)) as opened:
        assert not [one for one in objects(opened) if "/JS" in one or "/Evil" in one]
        assert str(opened.Root.StructTreeRoot.K.K[0].K[0].Alt) == "Transcript"


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
    assert "scripts, attached files, signatures, and links but those to the web" in str(
        merged.notes[-1]
    )


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
    assert "signatures" in str(merged.notes[-1])


REFUSED = {**UNREADABLE, **UNFIT}


@pytest.mark.parametrize("case", sorted(REFUSED))
def test_what_cannot_be_merged_is_told_with_its_place(case: str) -> None:
    make, fact = REFUSED[case]
    with pytest.raises(CvbuildError) as caught:
        merge([Part("CV", WHOLE, "cv.pdf"), part(make())], ABOUT)
    (one,) = caught.value.diagnostics
    assert one.span == PLACE
    assert one.code == "attachment"
    assert one.message.startswith(f'"transcript.pdf" {fact}')
    assert one.hint
    assert "BytesIO" not in str(one)


@pytest.mark.skipif(sys.platform != "linux", reason="measures memory as Linux does")
@pytest.mark.skipif(not hasattr(pikepdf.settings, "set_qpdf_limits"), reason="has no limits")
def test_what_unpacks_to_much_takes_little_memory(tmp_path: Path) -> None:
    """A file of 1 MB that unpacks to 200 MB, in a process of its own."""
    bomb = tmp_path / "bomb.pdf"
    bomb.write_bytes(object_stream(200 << 20))
    code = """
import pathlib, re, sys
from cvbuild.applications.merge_pdf import About, Part, merge
from cvbuild.common.errors import CvbuildError
most = lambda: int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
before = most()
try:
    merge([Part("x", pathlib.Path(sys.argv[1]).read_bytes(), "x.pdf")], About("x", "x"))
except CvbuildError as error:
    print(most() - before, error)
"""
    run = [sys.executable, "-c", code, str(bomb)]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    more, _, message = done.stdout.partition(" ")
    assert "can't be read as a PDF" in message
    assert int(more) < 130_000  # in KB


def test_all_that_is_wrong_is_told_at_once() -> None:
    parts = [part(b"", "a.pdf"), part(WHOLE, "b.pdf"), part(b"", "c.pdf")]
    with pytest.raises(CvbuildError) as caught:
        merge(parts, ABOUT)
    assert [one.message[:7] for one in caught.value.diagnostics] == ['"a.pdf"', '"c.pdf"']
