"""One PDF of several: its structure, its pages, and what is refused as a part of it."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import outloud
import pikepdf
import pypdfium2
import pytest
from merged import ABOUT, DATE, part, saved
from outloud.model import Document as Tagged
from outloud.rules._common import element_text
from pdfs import line, link, page_of
from pdfua.validator import validate
from pikepdf import Array, Dictionary, Pdf
from PIL import Image
from texlive import engine_of

from cvbuild.applications.merge_pdf import About, Part, merge
from cvbuild.building import pipeline, profiles
from cvbuild.inputs import people
from cvbuild.outputs.pdf.verify import pdf_facts
from cvbuild.outputs.request import Request
from cvbuild.outputs.templates import Library
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
            out = folder / engine
            request = Request(
                out, 0, epoch=DATE, engine=engine, driver="direct", timeout=600, cache=tex_cache
            )
            outcome = pipeline.build(profiles.task(one, "academic"), request)
            assert outcome.path is not None, outcome.diagnostics
            made[who, engine] = outcome.path.read_bytes()
        return made[who, engine]

    return built


@pytest.fixture
def tagged(build: Build) -> list[Part]:
    """Two tagged documents in two languages, with everything in one of them."""
    return [
        Part("CV", build("ada-example", "embedded"), "cv.pdf", is_own=True),
        Part("Lebenslauf", build("german", "embedded"), "de.pdf", is_own=True),
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


def pictures(content: bytes) -> list[bytes]:
    """What each page looks like."""
    with pypdfium2.PdfDocument(content) as opened:
        return [page.render().to_pil().tobytes() for page in opened]


def test_tagged_documents_stay_accessible(tagged: list[Part], tmp_path: Path) -> None:
    merged = merge(tagged, ABOUT)
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
