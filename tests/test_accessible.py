"""Tagged PDF of every engine, proven on the finished files by two checkers, qpdf and pikepdf."""

from __future__ import annotations

import functools
import io
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import deep
import papers
import pikepdf
import pypdfium2
import pytest
from msgspec.structs import replace
from pikepdf import pdfa
from PIL import Image, ImageChops, ImageCms
from texlive import engine_of
from trees import Element, check_accessible, elements, tree

from cvbuild.common.files import safe_folders
from cvbuild.outputs.pdf.output import as_pdf
from cvbuild.outputs.pdf.tex import Tex
from cvbuild.outputs.styles.templates import Library

HERE = Path(__file__).parent
ADA = HERE / "accessible" / "ada-example.yaml"
PEOPLE = sorted((HERE.parent / "people").glob("*.yaml"))
TEMPLATES = Library.at().names()
DATE = 1700000000
#: What the checkers may find: a project's name, whose letters and number are no reference number;
#: somebody else's address in a reference, which is shown, and no link for harvesters.
KNOWN = {("HDG-010", "Parrots2"), ("LNK-010", "grace@university.example")}
#: What pikepdf's validator doesn't know: the schema that explains the claim to be PDF/UA, too.
UNKNOWN = re.compile(r"pdfuaid:part|pdfaExtension|pdfaSchema|pdfaProperty")
ENGINES = ("embedded", "pdflatex")
#: Everything that a template can show in half of the styles, and a person in each other one.
CASES = [("embedded", ADA, name) for name in TEMPLATES[::2]]
CASES += [("embedded", path, name) for path, name in zip(PEOPLE, TEMPLATES[1::2], strict=False)]
CASES += [("pdflatex", ADA, TEMPLATES[1])]

#: The structure is the core's: of one style with the fastest engine.
ONCE = [case for case in CASES if case[0] == "embedded" and case[2] == TEMPLATES[0]]
Build = Callable[[str, Path, str], Path]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("people")
    shutil.copy(ADA, folder)
    Image.new("RGB", (300, 400), (200, 120, 90)).save(folder / "photo.png")
    return folder


@pytest.fixture(scope="module")
def build(files: Path, tmp_path_factory: pytest.TempPathFactory) -> Build:
    out = tmp_path_factory.mktemp("out")

    @functools.cache
    def built(engine: str, path: Path, template: str) -> Path:
        engine_of(engine)
        source = files / ADA.name if path == ADA else path
        outcome = papers.build(source, template, folder=out / engine, epoch=DATE, engine=engine)
        assert {note.code for note in outcome.notes} <= {"dead-label"}
        return papers.made(outcome)

    return built


@pytest.fixture(params=deep.but(["embedded"], ENGINES))
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def outline(tex: str) -> list[str]:
    found = ["H1"]
    level = 3
    for name, rest in re.findall(r"\\Cvb(Section|Group|Entry|Role)\{(.*)", tex):
        if name == "Section":
            level = 3
            found.append("H2 " + re.search(r"title=\{(.*)\}, items=", rest)[1])  # type: ignore[index]
        elif name == "Group":
            level = 4
            found.append("H3 " + re.search(r"title=\{(.*)\}\}", rest)[1])  # type: ignore[index]
        else:
            found.append(f"H{level + (name == 'Role')}")
    return [line.replace("\\", "") for line in found]


def headings(pdf: Path) -> list[tuple[str, str]]:
    return [(one.type, text) for one, text in elements(pdf) if one.is_heading]


@pytest.mark.parametrize(
    ("engine", "path", "template"),
    deep.but(ONCE, CASES, lambda case: f"{case[0]}-{case[1].stem}-{case[2]}"),
)
def test_checkers_find_nothing(engine: str, path: Path, template: str, build: Build) -> None:
    pdf = build(engine, path, template)
    check_accessible(pdf, KNOWN)
    assert len(elements(pdf)) > 40
    with pikepdf.open(pdf) as opened:
        archive = pdfa.validate_written(pdf, "3b" if opened.attachments else "2b")
    assert len(archive.findings) >= 4, "it found nothing to check"
    assert [str(one) for one in archive.findings if not UNKNOWN.search(str(one))] == []
    tex = (pdf.parents[1] / ".build" / path.stem / template / "cv.tex").read_text("utf-8")
    wanted, found = outline(tex), headings(pdf)
    assert [tag for tag, _ in found] == [line[:2] for line in wanted]
    assert [f"{tag} {text}" for tag, text in found if tag == "H2"] == [
        line for line in wanted if line.startswith("H2")
    ]
    with pikepdf.open(pdf) as opened:
        assert found[0][1].startswith(str(opened.docinfo.Title))
        assert len(opened.attachments) == (path == ADA and template == "one-page")
        assert opened.check_pdf_syntax() == []
        check_standards(opened)


def check_standards(pdf: pikepdf.Pdf) -> None:
    """What PDF/A and PDF/UA-1 ask for, as far as it can be seen without a validator."""
    root = pdf.Root
    assert pdf.pdf_version == "1.7"
    assert root.MarkInfo.Marked
    assert root.ViewerPreferences.DisplayDocTitle
    assert str(root.Lang).startswith("en")
    assert root.StructTreeRoot.K
    assert [str(one.S) for one in root.OutputIntents] == ["/GTS_PDFA1"]
    profile = ImageCms.ImageCmsProfile(
        io.BytesIO(root.OutputIntents[0].DestOutputProfile.read_bytes())
    )
    assert profile.profile.xcolor_space.strip() == "RGB"
    assert not {"/OpenAction", "/Outlines", "/PageMode"} & set(root.keys())
    fonts = 0
    for one in pdf.objects:
        if not isinstance(one, pikepdf.Dictionary | pikepdf.Stream):
            continue
        assert one.get("/ca", 1) == 1
        assert one.get("/CA", 1) == 1
        assert "/SMask" not in one or one.SMask == pikepdf.Name("/None")
        if one.get("/Type") == "/FontDescriptor":
            fonts += 1
            assert any(f"/FontFile{end}" in one for end in ("", "2", "3")), one.FontName
        if one.get("/Subtype") == "/Link":
            assert one.F == 4  # printed, and nothing else
            assert str(one.Contents)
    assert fonts >= 3
    check_metadata(pdf)


def check_metadata(pdf: pikepdf.Pdf) -> None:
    info, xmp = pdf.docinfo, pdf.open_metadata()
    # A file may be attached in PDF/A-3, but not in PDF/A-2.
    part = "3" if len(pdf.attachments) else "2"
    assert (xmp["pdfaid:part"], xmp["pdfaid:conformance"]) == (part, "B")
    assert xmp["pdfuaid:part"] == "1"
    assert xmp["dc:title"] == str(info.Title)
    assert xmp["dc:creator"] == [str(info.Author)]
    assert xmp.get("dc:description", "") == str(info.get("/Subject", ""))
    assert set(xmp["dc:language"]) == {str(pdf.Root.Lang)}
    keywords = str(info.get("/Keywords", ""))
    words = xmp.get("dc:subject", set())
    assert all(word in keywords for word in words)
    assert len(", ".join(words)) == len(keywords)
    assert str(info.CreationDate) == str(info.ModDate) == "D:20231114221320Z"
    assert xmp["xmp:CreateDate"] == xmp["xmp:ModifyDate"] == "2023-11-14T22:13:20Z"


def test_what_software_is_told(engine: str, build: Build) -> None:
    path = build(engine, ADA, "academic")
    with pikepdf.open(path) as pdf:
        assert str(pdf.docinfo.Author) == "Zoë O’Brien-Łukasz"
        assert str(pdf.docinfo.Subject) == "Research engineer & <editor>"
        assert str(pdf.docinfo.Keywords) == (
            "Programming, Statistics, Compilers, Schedules, and time, C#"
        )
        links = [
            (str(one.A.URI), str(one.Contents))
            for page in pdf.pages
            for one in page.get("/Annots", [])
        ]
    home = "ada.example.org/~ada/a_page%20of/everything/that/one/address/may/hold/in/one/line"
    assert {
        ("mailto:ada@example.org", "ada@example.org"),
        ("tel:+12025550123", "+1 202 555 0123"),
        (f"https://{home}/and/more", f"{home}/and/more"),
        ("https://example.org/paper.pdf", "PDF (https://example.org/paper.pdf)"),
        ("https://example.org/exemplar", "exemplar (https://example.org/exemplar)"),
    } <= set(links)
    assert not [url for url, text in links if "\\" in url + text]
    # A link over two lines has an annotation on each; all of them say the same.
    long = [text for url, text in links if url == "https://example.org/a?b=1&c=(2)#d_e"]
    assert 2 <= len(long) <= 4
    assert len(set(long)) == 1
    assert "with some words in italic type and a-hyphen, and more (https" in long[0]
    owners = [
        one
        for one in tree(path.read_bytes()).all("Link")
        if one.links()[0].target == "https://example.org/a?b=1&c=(2)#d_e"
    ]
    assert [len(one.links()) for one in owners] == [len(long)]


def test_lists_and_figure(engine: str, build: Build) -> None:
    found = elements(build(engine, ADA, "industry"))
    figures = [one for one, _ in found if one.type == "Figure"]
    assert [one.alt for one in figures] == ["Zoë O’Brien-Łukasz"]
    left, bottom, right, top = (float(value) for value in figures[0].attr("BBox"))
    assert right - left == pytest.approx(24 / 25.4 * 72, abs=0.5)
    assert top - bottom == pytest.approx(32 / 25.4 * 72, abs=0.5)
    labels = [text for one, text in found if one.type == "Lbl"]
    assert {"•", "2.", "1.", "Programming"} <= set(labels)
    items = [one for one, _ in found if one.type == "LI"]
    assert len(items) > 30
    assert all(one.parent is not None and one.parent.type == "L" for one in items)
    assert all([child.type for child in one.children][-1] == "LBody" for one in items)
    # A talk's bullets and links belong to the talk, after its date.
    talk = next(one for one, text in found if one.type == "LBody" and "How schedules" in text)
    assert [child.type for child in talk.children] == ["P", "L", "P"]


@pytest.mark.parametrize("template", deep.but(["academic"], ["academic", "industry"]))
def test_lists_in_lists(engine: str, template: str, build: Build) -> None:
    """Bullets under a bullet are a list in its body; what follows is in the outer list again."""
    found = list(tree(build(engine, ADA, template).read_bytes()).all("L"))

    def points(of: Element) -> list[object]:
        made: list[object] = []
        for item in of.children:
            assert isinstance(item, Element)
            (body,) = item.all("LBody") if not list(item.all("L")) else [item.children[-1]]
            assert isinstance(body, Element)
            own = "".join(child[0] for child in body.children if isinstance(child, tuple)).strip()
            below = [points(one) for one in body.children if isinstance(one, Element)
                     and one.role == "L"]  # fmt: skip
            made.append((own, *below) if below else own)
        return made

    job = next(points(one) for one in found if "Led a team" in one.text())
    assert job[1:] == ["Short.", ("Led a team of", ["three engineers", "one designer"]), "Last."]
    talk = next(points(one)[0] for one in found if "How schedules hold" in one.text())
    assert isinstance(talk, tuple)
    assert talk[1:] == (["Forty people came.", ("They asked", ["why"])],)


def test_items_and_links_over_pages_come_out_in_order(
    engine: str, tmp_path: Path, build: Build
) -> None:
    """Three items of more than a page, in which lines and pages end in links."""
    count = 130
    linked = (f"[{' '.join([f'l{n:04}'] * 5)}](https://example.org/{n})" for n in range(count))
    item = " ".join(f"w{n:04} {link}" for n, link in enumerate(linked))
    path = tmp_path / "ada.yaml"
    rows = "".join(f"      - {item}\n" for _ in range(3))
    path.write_text(f"name: Ada Example\nsections:\n  - kind: bullets\n    items:\n{rows}")
    bodies = list(tree(build(engine, path, "academic").read_bytes()).all("LBody"))
    assert len(bodies) == 3
    for body in bodies:
        own = "".join(child[0] for child in body.children if isinstance(child, tuple))
        assert re.findall(r"w(\d{4})", own) == [f"{n:04}" for n in range(count)]
        for n, link in enumerate(body.all("Link")):
            assert link.text().replace(" ", "") == f"l{n:04}" * 5
            assert {one.target for one in link.links()} == {f"https://example.org/{n}"}
            assert {one.page for one in link.links()} == set(link.pages())
        assert n == count - 1
    links = [link for body in bodies for link in body.all("Link")]
    assert max(len(link.links()) for link in links) > 1
    assert max(len(set(link.pages())) for link in links) == 2


#: Makes all hooks of the marks print their text.
QUIET = "\\csname __cvb_tag_quiet:\\endcsname"


@pytest.mark.parametrize("template", deep.but(["sidebar"], TEMPLATES[::3]))
def test_marks_change_no_height_and_no_look(template: str, files: Path, tmp_path: Path) -> None:
    engine_of("embedded")
    made = papers.document(files / ADA.name, template, folder=tmp_path)
    setter = as_pdf(made)
    rendered = setter.render(made.selected, {})
    bare = replace(rendered, head=0, setup=0, places=(), preamble=(), blocks=())
    begin = r"\begin{document}"
    pages: list[list[Any]] = []
    heights = []
    for after in ("", QUIET):
        tex = rendered.tex.replace(begin, begin + after)
        measuring = replace(bare, tex=tex.replace(begin, f"\\CvbMeasureOn\n{begin}"))
        with safe_folders.folder(setter.request.scratch) as folder:
            heights.append(Tex(replace(measuring, folder=folder), setter.engine).measure())
        pdf = setter.compile(replace(bare, tex=tex)).content
        opened = pypdfium2.PdfDocument(pdf)
        pages.append([page.render(scale=1.5).to_pil().convert("L") for page in opened])
        opened.close()
    assert len(heights[0]) > 30
    assert heights[0] == heights[1]
    assert len(pages[0]) == len(pages[1]) >= 2
    for with_marks, without in zip(*pages, strict=True):
        # No kern stands between a bracket and the mark of a link in it.
        ink = sum(with_marks.histogram()[:128])
        changed = sum(ImageChops.difference(with_marks, without).histogram()[96:])
        assert ink > 1000
        assert changed < ink / 15
