"""Documents of every engine, finished: tags, links over lines and pages, PDF/A, the same bytes."""

from __future__ import annotations

import io
import re
from pathlib import Path

import outloud
import pikepdf
import pytest
from marked import EPOCH, IDENT
from pdfua.validator import validate
from pikepdf import pdfa
from PIL import Image
from test_accessible import prepare
from texlive import engine_of
from trees import artifacts, tree

from cvbuild.common import safe_folders
from cvbuild.outputs.pdf import About, finish
from cvbuild.outputs.pdf.output import as_pdf
from cvbuild.outputs.pdf.tex import Tex

ENGINES = ("embedded", "pdflatex")
WORDS = " ".join(f"w{number:03}" for number in range(900))
LONG = " ".join(f"linked{number:02}" for number in range(40))
#: An item of several pages with links in it: one of three lines, one across each page's end.
PERSON = f"""\
name: Ada Example
headline: Research (engineer) & <editor>
photo: photo.png
locale: en-GB
interests: ["Com\\u00adpilers", "Schedules, and time"]
options: {{photo: true, footer: A footer, embed: true, links: label}}
sections:
  - kind: bullets
    title: Long
    items:
      - before [{LONG}](https://example.org/three?a=1&b=(2)#c) after {WORDS}
      - "MANY"
  - kind: publication
    title: Numbered
    numbering: reversed
    items:
      - {{title: One, authors: [A. Example], links: [PDF: https://example.org/a.pdf]}}
      - {{title: Two, authors: [A. Example]}}
  - {{kind: award, items: [{{title: A prize, date: 2020}}]}}
"""
#: So many linked words that lines and pages end in links.
LINKS = 260
MANY = " and ".join(
    f"[{' '.join([f'l{number:03}'] * 5)}](https://example.org/{number})" for number in range(LINKS)
)
#: What pikepdf's validator doesn't know: the schema that explains the claim to be PDF/UA, too.
UNKNOWN = re.compile(r"pdfuaid:part|pdfaExtension|pdfaSchema|pdfaProperty")
pytestmark = pytest.mark.deep
#: The PDF of TeX, what it becomes, and what that says about itself.
Made = tuple[bytes, bytes, About]


@pytest.fixture(scope="module", params=ENGINES)
def made(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, tex_cache: Path
) -> Made:
    """A document of each engine, before and after it is finished."""
    engine_of(request.param)
    folder = tmp_path_factory.mktemp("documents")
    Image.new("RGB", (300, 400), (200, 120, 90)).save(folder / "photo.png")
    (folder / "ada.yaml").write_text(PERSON.replace("MANY", MANY), encoding="utf-8")
    document = prepare(folder / "ada.yaml", "academic", folder, tex_cache, request.param)
    setter = as_pdf(document)
    with safe_folders.folder(setter.request.scratch) as work:
        job = setter.job(setter.render(document.selected, {}), work)
        result = Tex(job, setter.engine).run()
        assert result.pdf is not None, result.log[-2000:]
        assert result.passes == 1
        raw = result.pdf.read_bytes()
    says = setter.about(setter.rendered.document)
    return raw, finish.finish(raw, says, EPOCH, IDENT), says


def test_a_link_over_lines_is_one_element(made: Made) -> None:
    top = tree(made[1])
    (one,) = [
        link
        for link in top.all("Link")
        if link.links() and link.links()[0].target.startswith("https://example.org/three")
    ]
    assert len(one.links()) >= 3
    assert len(set(one.links())) == 1
    assert one.links()[0].description == f"{LONG} (https://example.org/three?a=1&b=(2)#c)"
    assert one.text().replace(" ", "") == LONG.replace(" ", "")


def test_links_over_a_page_s_end_and_all_others_are_in_order(made: Made) -> None:
    raw, pdf, _ = made
    assert len(artifacts(pdf)) >= 3
    many = max(tree(pdf).all("LBody"), key=lambda body: len(list(body.all("Link"))))
    links = list(many.all("Link"))
    targets = [link.links()[0].target for link in links]
    assert targets == [f"https://example.org/{number}" for number in range(LINKS)]
    for number, link in enumerate(links):
        assert link.text().replace(" ", "") == f"l{number:03}" * 5
        assert {one.page for one in link.links()} == set(link.pages())
    assert any(len(link.links()) > 1 for link in links)
    own = "".join(child[0] for child in many.children if isinstance(child, tuple))
    assert own.replace(" ", "") == "and" * (LINKS - 1)
    # Nothing of TeX's marks is left, and TeX's own file has no structure.
    with pikepdf.open(io.BytesIO(pdf)) as document:
        assert b"/Cvb" not in b"".join(page.Contents.read_bytes() for page in document.pages)
    with pikepdf.open(io.BytesIO(raw)) as document:
        assert "/StructTreeRoot" not in document.Root


def test_what_is_on_every_page_is_an_artifact(made: Made) -> None:
    found = artifacts(made[1])
    assert len(found) >= 3
    for number, text in enumerate(found, start=1):
        assert "Afooter" in text.replace(" ", "")
        assert number == 1 or f"{number}/{len(found)}" in text.replace(" ", "")


def test_the_checkers_find_nothing(made: Made, tmp_path: Path) -> None:
    path = tmp_path / "cv.pdf"
    path.write_bytes(made[1])
    result = outloud.check(str(path))
    assert result.error is None
    assert result.stats["tagged"]
    # It takes an element's own text before that of the links in it; the order is tested above.
    assert {one.rule for one in result.findings} <= {"ORD-001"}
    report = validate(str(path))
    assert report.findings == ()
    assert len(report.outcomes) >= 10
    # With the file attached it is PDF/A-3b.
    archive = pdfa.validate_written(path, "3b")
    assert len(archive.findings) >= 4, "it found nothing to check"
    assert [str(one) for one in archive.findings if not UNKNOWN.search(str(one))] == []


def test_what_the_file_says_of_itself(made: Made) -> None:
    raw, pdf, _ = made
    with pikepdf.open(io.BytesIO(raw)) as tex, pikepdf.open(io.BytesIO(pdf)) as document:
        # Hyphens that a word may be broken at are not among what is searched for.
        assert str(document.docinfo.Keywords) == "Compilers, Schedules, and time"
        assert str(document.docinfo.Subject) == "Research (engineer) & <editor>"
        said = document.open_metadata()
        assert said["dc:title"] == "Ada Example"
        assert said["pdf:Keywords"] == str(document.docinfo.Keywords)
        assert said["pdf:Producer"] == str(tex.docinfo.Producer)
        assert str(document.Root.Lang) == "en-GB"
        assert list(document.attachments) == ["resume.json"]
        assert len(document.pages) == len(tex.pages)


def test_the_same_input_gives_the_same_bytes(made: Made) -> None:
    raw, pdf, says = made
    assert finish.finish(raw, says, EPOCH, IDENT) == pdf
    assert finish.finish(raw, says, EPOCH + 1, IDENT) != pdf
    assert finish.finish(raw, says, EPOCH, IDENT[::-1]) != pdf
