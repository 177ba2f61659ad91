"""One PDF of several: its structure, its pages, and what is refused as a part of it."""

from __future__ import annotations

import functools
import io
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import papers
import pikepdf
import pypdfium2
import pytest
from pdfs import UNFIT, UNREADABLE, WHOLE, annotation, line, link, object_stream, page_of
from pikepdf import Array, Dictionary, Name, Pdf, String
from PIL import Image
from texlive import engine_of
from trees import check_accessible, elements

from cvbuild.applications.load import Part
from cvbuild.applications.packets.merge_pdf import About, Merged, merge
from cvbuild.common.diagnostics import CvbuildError, Span
from cvbuild.outputs.pdf.verify import pdf_facts
from tools.ats import readers

DATE = 1700000000
ABOUT = About("Application", "Zoë O’Brien-Łukasz", "en-GB", DATE)
PLACE = Span("applications/x.yaml", 9, 5, 9, 20)


def part(content: bytes, name: str = "transcript.pdf") -> Part:
    return Part("Transcript", content, name, span=PLACE)


def saved(merged: Merged, folder: Path) -> Path:
    path = folder / "merged.pdf"
    path.write_bytes(merged.content)
    with pikepdf.open(path) as opened:
        assert opened.check_pdf_syntax() == []
    return path


HERE = Path(__file__).parents[1]
#: A CV in another language, with a title of its own for a link in the text.
GERMAN = """\
name: Zoë Muster
locale: de
summary: "Ein [Verweis](https://example.org/verweis) im Text."
sections: [{kind: award, items: [{title: Ein Preis, date: 2020}]}]
"""
Build = Callable[[str, str], bytes]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    folder = tmp_path_factory.mktemp("people")
    (folder / "ada-example.yaml").write_bytes((HERE / "accessible/ada-example.yaml").read_bytes())
    (folder / "german.yaml").write_text(GERMAN, "utf-8")
    Image.new("RGB", (300, 400), (200, 120, 90)).save(folder / "photo.png")

    @functools.cache
    def built(who: str, engine: str) -> bytes:
        engine_of(engine)
        how: dict[str, Any] = {"folder": folder / engine, "epoch": DATE, "engine": engine}
        return papers.made(papers.build(folder / f"{who}.yaml", **how)).read_bytes()

    return built


@pytest.fixture
def tagged(build: Build) -> list[Part]:
    return [
        Part("CV", build("ada-example", "embedded"), "cv.pdf", is_own=True),
        Part("Lebenslauf", build("german", "embedded"), "de.pdf", is_own=True),
    ]


def texts(path: Path) -> dict[str, list[str]]:
    found = readers.read(path)
    return {name: found[name] for name in ("poppler raw", "pdfium") if name in found}


def spoken(path: Path) -> list[tuple[str, str, str | None]]:
    """Every element but Document and Part: its type, its text, its alternative text."""
    kept = [(one.type, text, one.alt) for one, text in elements(path)]
    return [one for one in kept if one[0] not in ("Document", "Part")]


def pictures(content: bytes) -> list[bytes]:
    with pypdfium2.PdfDocument(content) as opened:
        return [page.render().to_pil().tobytes() for page in opened]


def test_tagged_documents_stay_accessible(tagged: list[Part], tmp_path: Path) -> None:
    merged = merge(tagged, ABOUT)
    assert merged.notes == ()
    path = saved(merged, tmp_path)
    check_accessible(path, {("LNK-010", "grace@university.example")})  # as in test_accessible


def test_everything_is_said_that_the_parts_say(tagged: list[Part], tmp_path: Path) -> None:
    singles, words, urls = [], [], []
    for number, one in enumerate(tagged):
        path = tmp_path / f"{number}.pdf"
        path.write_bytes(one.content)
        singles += spoken(path)
        words.append(texts(path))
        urls += [link.url for link in pdf_facts.read(path).links]
    merged = saved(merge(tagged, ABOUT), tmp_path)
    assert len(singles) > 150
    assert spoken(merged) == singles
    assert len(urls) > 20
    assert [link.url for link in pdf_facts.read(merged).links] == urls
    found = texts(merged)
    assert "pdfium" in found
    assert {name: [*words[0][name], *words[1][name]] for name in found} == found


def test_the_tree_of_the_whole(tagged: list[Part]) -> None:
    foreign = Part("Anhang", tagged[1].content, "anhang.pdf")
    with pikepdf.open(io.BytesIO(merge([*tagged, foreign], ABOUT).content)) as opened:
        root: Any = opened.Root.StructTreeRoot
        assert str(root.K.S) == "/Document"
        parts = [(str(one.S), str(one.T), str(one.get("/Lang", ""))) for one in root.K.K]
        assert parts == [
            ("/Part", "CV", ""), ("/Part", "Lebenslauf", "de"), ("/Part", "Anhang", "de"),
        ]  # fmt: skip
        assert str(opened.Root.Lang) == "en-GB"


def test_what_the_file_says_of_itself(tagged: list[Part]) -> None:
    with pikepdf.open(io.BytesIO(merge(tagged, ABOUT).content)) as opened:
        assert opened.pdf_version == "1.7"
        root, info, xmp = opened.Root, opened.docinfo, opened.open_metadata()
        assert root.MarkInfo.Marked
        assert "/Suspects" not in root.MarkInfo
        assert root.ViewerPreferences.DisplayDocTitle
        assert (str(info.Title), str(info.Author)) == (ABOUT.title, ABOUT.author)
        assert (xmp["dc:title"], xmp["dc:creator"]) == (ABOUT.title, [ABOUT.author])
        assert xmp["pdfuaid:part"] == "1"
        assert "pdfaid:part" not in xmp
        assert str(info.CreationDate) == str(info.ModDate) == "D:20231114221320Z"
        assert xmp["xmp:CreateDate"] == xmp["xmp:ModifyDate"] == "2023-11-14T22:13:20Z"
        with opened.open_outline() as outline:
            found: list[Any] = [*outline.root]
            marks = [(one.title, opened.pages.index(one.destination[0])) for one in found]
        assert marks == [("CV", 0), ("Lebenslauf", 4)]
        assert "/Names" not in root


def test_the_same_parts_give_the_same_bytes(tagged: list[Part]) -> None:
    assert merge(tagged, ABOUT).content == merge(tagged, ABOUT).content
    undated = merge(tagged, About("Application", "A"))
    assert b"CreationDate" not in undated.content
    with pikepdf.open(io.BytesIO(undated.content)) as opened:
        assert "/CreationDate" not in opened.docinfo


def test_pages_of_others_are_figures(tagged: list[Part], tmp_path: Path) -> None:
    def change(document: Pdf) -> None:
        document.add_blank_page(page_size=(300, 200))

    plain = part(page_of(line("Grades"), link("https://example.org/a"), change))
    marked = Part("Other", tagged[1].content, "other.pdf")
    merged = merge([tagged[0], plain, marked], ABOUT)
    claim = "for screen readers, so the merged PDF doesn't claim to be accessible (PDF/UA)"
    assert [*map(str, merged.notes)] == [
        f'applications/x.yaml:9:5: note: each page of "transcript.pdf" is one figure {claim}',
        f'note: each page of "other.pdf" is one figure {claim}',
    ]
    path, alone = saved(merged, tmp_path), tmp_path / "alone.pdf"
    alone.write_bytes(tagged[0].content)
    said, found = spoken(alone), spoken(path)
    assert found[: len(said)] == said
    others = [(kind, alt) for kind, _, alt in found[len(said) :]]
    assert others == [
        ("Figure", "Transcript, 1/2"), ("Figure", "Transcript, 2/2"), ("Figure", "Other")
    ]  # fmt: skip
    looks = [pictures(content) for content in (merged.content, plain.content, marked.content)]
    assert looks[0][4:] == [*looks[1], *looks[2]]
    with pikepdf.open(path) as opened:
        assert "pdfuaid:part" not in opened.open_metadata()


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


def objects(opened: Pdf) -> Iterator[Dictionary | pikepdf.Stream]:
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
from cvbuild.applications.load import Part
from cvbuild.applications.packets.merge_pdf import About, merge
from cvbuild.common.diagnostics import CvbuildError
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
