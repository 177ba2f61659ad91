"""The structure of one PDF of several, proven on real ones: text, tags, links, the claim."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import outloud
import pikepdf
import pytest
from merges import ABOUT, DATE, objects, part, saved
from outloud.model import Document as Tagged
from outloud.rules._common import element_text
from pdfs import line, page_of
from pdfua.validator import validate
from pikepdf import Array, Dictionary, Name, Pdf, String
from PIL import Image
from texlive import engine_of

from cvbuild.applications.merge_pdf.merge import About, merge
from cvbuild.applications.merge_pdf.open_part import Part
from cvbuild.building import pipeline
from cvbuild.building.check import profiles
from cvbuild.inputs import people
from cvbuild.outputs.pdf.verify import pdf_facts
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Settings, Task
from tools.ats import readers

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
def build(tmp_path_factory: pytest.TempPathFactory, tex_cache: Path) -> Build:
    """``build(person, engine)``: the academic CV of "ada-example" or "german", made once."""
    folder = tmp_path_factory.mktemp("people")
    (folder / "ada-example.yaml").write_bytes((HERE / "accessible/ada-example.yaml").read_bytes())
    (folder / "german.yaml").write_text(GERMAN, encoding="utf-8")
    Image.new("RGB", (300, 400), (200, 120, 90)).save(folder / "photo.png")
    made: dict[tuple[str, str], bytes] = {}

    def built(who: str, engine: str) -> bytes:
        engine_of(engine)
        if (who, engine) not in made:
            library = Library.at()
            one = profiles.check(people.Person(who, folder / f"{who}.yaml"), library)
            assert one.profile is not None
            assert one.source is not None
            task = Task(one.person, one.profile, one.source, "academic")
            out = folder / engine
            settings = Settings(
                out, library, 0, DATE, engine=engine, driver="direct", timeout=600, cache=tex_cache
            )
            outcome = pipeline.build(task, settings)
            assert outcome.path is not None, outcome.diagnostics
            made[who, engine] = outcome.path.read_bytes()
        return made[who, engine]

    return built


@pytest.fixture
def tagged(build: Build) -> list[Part]:
    """Two tagged documents in two languages, with everything in one of them."""
    return [
        Part("CV", build("ada-example", "embedded"), "cv.pdf"),
        Part("Lebenslauf", build("german", "embedded"), "de.pdf"),
    ]


def texts(path: Path) -> dict[str, list[str]]:
    found = readers.read(path)
    return {name: found[name] for name in ("poppler raw", "pdfium") if name in found}


def spoken(path: Path) -> list[tuple[str, str, str | None]]:
    """Every element but Document and Part: its type, its text, its alternative text."""
    opened = Tagged(str(path))
    try:
        return [
            (one.type, element_text(opened, one), one.alt)
            for one in opened.elements
            if one.type not in ("Document", "Part")
        ]
    finally:
        opened.close()


# -- what tagged documents come to ---------------------------------------------------------------


def test_tagged_documents_stay_accessible(tagged: list[Part], tmp_path: Path) -> None:
    merged = merge(tagged, ABOUT)
    assert merged.accessible
    assert merged.notes == ()
    path = saved(merged, tmp_path)
    result = outloud.check(str(path))
    assert result.error is None
    assert result.stats["tagged"]
    assert [one.rule for one in result.findings] == ["LNK-010"]  # as in test_accessible
    report = validate(str(path))
    assert report.findings == ()
    assert len(report.outcomes) >= 10
    assert len(report.skipped) <= 1


def test_everything_is_said_that_the_parts_say(tagged: list[Part], tmp_path: Path) -> None:
    singles, words = [], []
    for number, one in enumerate(tagged):
        path = tmp_path / f"{number}.pdf"
        path.write_bytes(one.content)
        singles += spoken(path)
        words.append(texts(path))
    merged = saved(merge(tagged, ABOUT), tmp_path)
    assert len(singles) > 150
    assert spoken(merged) == singles
    found = texts(merged)
    assert "pdfium" in found
    assert {name: [*words[0][name], *words[1][name]] for name in found} == found


def test_the_tree_of_the_whole(tagged: list[Part]) -> None:
    with pikepdf.open(io.BytesIO(merge(tagged, ABOUT).content)) as opened:
        root: Any = opened.Root.StructTreeRoot
        assert str(root.K.S) == "/Document"
        parts = [(str(one.S), str(one.T), str(one.get("/Lang", ""))) for one in root.K.K]
        assert parts == [("/Part", "CV", ""), ("/Part", "Lebenslauf", "de")]
        assert str(opened.Root.Lang) == "en-GB"
        tree = pikepdf.NumberTree(root.ParentTree)
        keys: list[Any] = [page.obj.StructParents for page in opened.pages]
        links: list[Any] = [one for page in opened.pages for one in page.obj.get("/Annots", ())]
        keys += [one.StructParent for one in links]
        assert sorted(keys) == sorted(tree) == [*range(root.ParentTreeNextKey)]
        for one in links:
            owner = tree[one.StructParent]
            assert any(kid.get("/Obj") == one for kid in owner.K if isinstance(kid, Dictionary))
        for page in opened.pages:
            owners: Any = tree[int(page.obj.StructParents)]
            for number, owner in enumerate(owners):
                kids: Any = owner.K if isinstance(owner.K, Array) else [owner.K]
                marks = [
                    (owner.Pg, kid) if isinstance(kid, int) else (kid.Pg, kid.get("/MCID"))
                    for kid in kids
                    if isinstance(kid, int) or kid.get("/Type") in ("/MCR", "/OBJR")
                ]
                assert (page.obj, number) in marks


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


def test_links_lead_where_they_led(tagged: list[Part], tmp_path: Path) -> None:
    path = tmp_path / "one.pdf"
    urls: list[str] = []
    for one in tagged:
        path.write_bytes(one.content)
        urls += [found.url for found in pdf_facts.read(path).links]
    merged = pdf_facts.read(saved(merge(tagged, ABOUT), tmp_path))
    assert len(urls) > 20
    assert [found.url for found in merged.links] == urls
    assert merged.active == ()


def test_the_same_parts_give_the_same_bytes(tagged: list[Part]) -> None:
    assert merge(tagged, ABOUT).content == merge(tagged, ABOUT).content
    undated = merge(tagged, About("Application", "A"))
    assert b"CreationDate" not in undated.content
    with pikepdf.open(io.BytesIO(undated.content)) as opened:
        assert "/CreationDate" not in opened.docinfo


def test_an_untagged_part_takes_the_claim_and_nothing_else(
    tagged: list[Part], build: Build, tmp_path: Path
) -> None:
    content = build("german", "embedded")
    with pikepdf.open(io.BytesIO(content)) as opened:
        for key in ("/StructTreeRoot", "/MarkInfo", "/Metadata"):
            del opened.Root[key]
        plain = io.BytesIO()
        opened.save(plain)
    merged = merge([tagged[0], part(plain.getvalue())], ABOUT)
    assert not merged.accessible
    (note,) = merged.notes
    assert str(note) == (
        'applications/x.yaml:9:5: note: "transcript.pdf" has no tags for screen readers, so the '
        "merged PDF doesn't claim to be accessible (PDF/UA)"
    )
    path = saved(merged, tmp_path)
    alone = tmp_path / "alone.pdf"
    alone.write_bytes(tagged[0].content)
    assert spoken(path) == spoken(alone)
    with pikepdf.open(path) as opened:
        assert "pdfuaid:part" not in opened.open_metadata()
        assert opened.Root.MarkInfo.Suspects
        assert "/StructParents" not in opened.pages[-1].obj
    assert merged.pages == (4, 1)


# -- structure trees that are not like ours ------------------------------------------------------


def tree(document: Pdf, kind: str, **more: Any) -> None:
    """One tagged paragraph of this kind, with an id, and a claim."""
    page = document.pages[0].obj
    page.Contents = document.make_stream(b"/P <</MCID 0>> BDC " + line("words") + b" EMC")
    root = document.make_indirect(Dictionary(Type=Name.StructTreeRoot))
    owner = document.make_indirect(
        Dictionary(Type=Name.StructElem, S=Name(kind), P=root, Pg=page, K=0, ID=String("id"))
    )
    for key, value in more.items():
        (owner if key in ("A", "C") else root)[f"/{key}"] = value
    root.K = Array([owner])
    document.Root.StructTreeRoot = root
    document.Root.MarkInfo = Dictionary(Marked=True)
    document.Root.Lang = String("en")
    with document.open_metadata() as xmp:
        xmp["pdfuaid:part"] = "1"


def shaped(kind: str, **more: Any) -> bytes:
    return page_of(line("words"), lambda document: tree(document, kind, **more))


def test_names_that_mean_something_else_get_another_name(tmp_path: Path) -> None:
    one = shaped(
        "/Words",
        RoleMap=Dictionary(Words=Name.Text, Text=Name.P, Unused=Name.P),
        ClassMap=Dictionary(X=Dictionary(O=Name.Layout, Placement=Name.Block)),
        C=Name.X,
    )
    two = shaped(
        "/Words",
        RoleMap=Dictionary(Words=Name.H1, P=Name.H2),
        ClassMap=Dictionary(X=Dictionary(O=Name.Layout, Placement=Name.Inline)),
        C=Array([Name.X, 0]),
        A=Array([Dictionary(O=Name.Table, Headers=Array([String("id")])), 0]),
    )
    three = shaped("/P", RoleMap=Dictionary(P=Name.H2))
    merged = merge([Part(str(n), x, "x") for n, x in enumerate((one, two, three, one))], ABOUT)
    assert merged.accessible
    path = saved(merged, tmp_path)
    with pikepdf.open(path) as opened:
        root = opened.Root.StructTreeRoot
        found = [one.K if isinstance(one.K, Dictionary) else one.K[0] for one in root.K.K]
        assert [str(one.S) for one in found] == ["/Words", "/Words.2", "/H2", "/Words"]
        roles = {str(key): str(value) for key, value in root.RoleMap.items()}
        assert roles == {"/Words": "/P", "/Words.2": "/H1"}
        assert (found[0].C, found[1].C[0]) == (Name.X, Name("/X.2"))
        assert root.ClassMap["/X"].Placement == Name.Block
        assert root.ClassMap["/X.2"].Placement == Name.Inline
        ids = pikepdf.NameTree(root.IDTree)
        assert [str(one.ID) for one in found] == [*ids] == ["1.id", "2.id", "3.id", "4.id"]
        assert ids["2.id"] == found[1]
        assert str(found[1].A[0].Headers[0]) == "2.id"
    assert [(one[0], one[1].strip()) for one in spoken(path)] == [
        ("P", "words"), ("H1", "words"), ("H2", "words"), ("P", "words"),
    ]  # fmt: skip


def _circle(document: Pdf) -> None:
    tree(document, "/P")
    top = document.Root.StructTreeRoot.K[0]
    top.K = Array([0, document.make_indirect(Dictionary(S=Name.P, K=top))])


def _deep(document: Pdf) -> None:
    tree(document, "/P")
    one = document.Root.StructTreeRoot.K[0]
    for _ in range(3000):
        one.K = document.make_indirect(Dictionary(S=Name.P))
        one = one.K


def _far(document: Pdf) -> None:
    tree(document, "/P")
    document.Root.StructTreeRoot.K[0].K = 2_000_000_000


def _no_tree(document: Pdf) -> None:
    tree(document, "/P")
    document.Root.StructTreeRoot.K = Array([3, Name.P, Dictionary(S=4)])


def _no_marks(document: Pdf) -> None:
    tree(document, "/P")
    document.Root.MarkInfo = Dictionary(Marked=False)


@pytest.mark.parametrize("change", [_circle, _deep, _far, _no_tree, _no_marks])
def test_a_tree_that_nobody_could_follow_is_none(
    change: Callable[[Pdf], None], tmp_path: Path
) -> None:
    merged = merge([Part("a", shaped("/P"), "a"), part(page_of(line("x"), change))], ABOUT)
    assert not merged.accessible
    assert [one.code for one in merged.notes] == ["merged-untagged"]
    assert [kind for kind, _, _ in spoken(saved(merged, tmp_path))] == ["P"]


def test_what_a_tree_points_at_outside_of_it_is_dropped(tmp_path: Path) -> None:
    def change(document: Pdf) -> None:
        tree(document, "/P")
        top = document.Root.StructTreeRoot.K[0]
        script = document.make_indirect(Dictionary(S=Name.JavaScript, JS=String("app.alert(1)")))
        top.K = Array([
            0, Dictionary(Type=Name.OBJR, Obj=script), Dictionary(Type=Name.MCR, Pg=script, MCID=1),
            Dictionary(Type=Name.MCR, Stm=document.make_stream(b"evil"), MCID=1),
        ])  # fmt: skip
        top.AF = Array([script])
        top.Ref = Array([script])
        top.A = Dictionary(O=Name.Layout, AF=script)
        document.Root.StructTreeRoot.PronunciationLexicon = Array([script])

    merged = merge([part(page_of(line("x"), change))], ABOUT)
    saved(merged, tmp_path)
    with pikepdf.open(io.BytesIO(merged.content)) as opened:
        assert not [one for one in objects(opened) if "/JS" in one]
        assert opened.Root.StructTreeRoot.K.K[0].K[0].K == 0
        assert b"evil" not in b"".join(
            one.read_bytes() for one in opened.objects if isinstance(one, pikepdf.Stream)
        )
