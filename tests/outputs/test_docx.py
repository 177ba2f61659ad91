"""Documents for Word: styles, lists, links, pages; python-docx and LibreOffice read them."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import docx
import lettered
import mammoth
import pypdfium2
import pytest
from judges import program
from lettered import ADA, HEBREW, NOA, WHOLE
from lxml import etree
from PIL import Image
from texlive import demand_embedded

from cvbuild.building import pipeline
from cvbuild.common.errors import DocumentError, UsageError
from cvbuild.model import language_tags
from cvbuild.model.kinds import KINDS
from cvbuild.outputs.checks import text_folding, view_texts
from cvbuild.outputs.docx import package, paragraphs, write
from cvbuild.outputs.docx.output import Format
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Settings
from cvbuild.outputs.types import Shown
from cvbuild.view.types import Content

ROOT = Path(__file__).parents[2]
CVS = sorted(
    [*ROOT.glob("people/*.yaml"), *ROOT.glob("tests/shapes/*.yaml"),
     ROOT / "docs/gallery/nora-lindqvist.yaml"]
)  # fmt: skip
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
HOSTILE = (
    "<w:p/>", "]]>", "<!-- a", "&amp;", "&lt;b&gt;", "<script>alert(1)</script>", "{{ x }}",
    'a" w:x="b', "{ HYPERLINK x }", "_x000D_", "../../etc/passwd", "\u202eturned\u202c", "%1. %n",
    "\u202bx\u202c", "e\u0301", "\U0001f600", "\u05d0 b \u05d1", "a b",
)  # fmt: skip

SHAPES = Path(__file__).resolve().parents[1] / "shapes"


def shown_of(path: Path, template: str = "academic", letter: str = "") -> Shown:
    return lettered.shown_of(path, "docx", letter, template)


def made(shown: Shown) -> bytes:
    content = Format().make(shown).content
    assert isinstance(content, bytes)
    return content


def opened(content: bytes) -> Any:
    return docx.Document(io.BytesIO(content))


@pytest.fixture
def person(tmp_path: Path) -> Path:
    """A person's file with a photo and a signature beside it."""
    Image.new("RGB", (300, 400), (90, 120, 150)).save(tmp_path / "photo.png")
    Image.new("RGBA", (600, 200), (0, 0, 90, 255)).save(tmp_path / "sig.png")
    (tmp_path / "ada.yaml").write_text(ADA, encoding="utf-8")
    return tmp_path / "ada.yaml"


def written(person: Path, text: str) -> Path:
    person.write_text(text, encoding="utf-8")
    return person


def whole(content: bytes) -> None:
    """Check that all that the parts of a file name is there: types, relations, styles, lists."""
    with zipfile.ZipFile(io.BytesIO(content)) as held:
        names = held.namelist()
        assert len({*names}) == len(names)
        assert {one.date_time for one in held.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        roots = {name: etree.fromstring(held.read(name)) for name in names if name.endswith("ml")}
        relations = {
            name: etree.fromstring(held.read(name)) for name in names if name.endswith(".rels")
        }
    types = roots["[Content_Types].xml"]
    overrides = {one.get("PartName") for one in types if one.get("PartName")}
    defaults = {one.get("Extension") for one in types if one.get("Extension")}
    assert overrides == {one for one in overrides if one.removeprefix("/") in names}
    for name in names[1:]:
        assert f"/{name}" in overrides or name.rpartition(".")[2] in defaults, name
    for name, root in relations.items():
        folder = name.partition("_rels/")[0]
        for one in root:
            if one.get("TargetMode") != "External":
                target = one.get("Target")
                assert target.removeprefix("/") in names or folder + target in names, target
        source = roots.get(folder + name.rpartition("/")[2].removesuffix(".rels"))
        if source is not None:
            used = {value for one in source.iter() for key, value in one.attrib.items()
                    if key.startswith(R)}  # fmt: skip
            assert used <= {one.get("Id") for one in root}
    styles = {one.get(f"{W}styleId") for one in roots["word/styles.xml"].iter(f"{W}style")}
    lists = {one.get(f"{W}numId") for one in roots["word/numbering.xml"].iter(f"{W}num")}
    for root in roots.values():
        for tag in ("pStyle", "rStyle", "basedOn", "next", "link"):
            assert {one.get(f"{W}val") for one in root.iter(f"{W}{tag}")} <= styles, tag
        assert {one.get(f"{W}val") for one in root.iter(f"{W}numId")} <= lists
    ids = [one.get("id") for one in roots["word/document.xml"].iter() if one.tag.endswith("}docPr")]
    assert len({*ids}) == len(ids)


@pytest.mark.parametrize("path", CVS, ids=lambda path: path.stem)
def test_a_cv_is_a_whole_file_that_others_read(path: Path) -> None:
    shown = shown_of(path)
    content = made(shown)
    assert made(shown_of(path)) == content
    whole(content)
    document = opened(content)
    headings = [one.text for one in document.paragraphs if one.style.name == "Heading 1"]
    titles = [str(section.title) for section in shown.view.sections]
    assert headings == titles
    assert document.paragraphs[0].style.name == "Title"
    read_back = mammoth.convert_to_html(io.BytesIO(content)).value
    text = [re.sub("<.*?>", "", one) for one in re.findall("<h1>(.*?)</h1>", read_back)]
    assert text == [title.replace("&", "&amp;") for title in titles]
    bullets = [one for one in document.paragraphs if one.style.name.startswith("List Bullet")]
    assert read_back.count("<li>") == len(bullets)


def test_every_kind_is_shown(person: Path) -> None:
    """A text that is lost or in the wrong place is an error of ``make``."""
    for kind in sorted(KINDS):
        text = f"name: Ada Example\n{KINDS[kind].require('example')}"
        for template in ("academic", "grid"):
            whole(made(shown_of(written(person, text), template)))


def test_what_is_lost_or_moved_is_an_error(person: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "name: A\nsections:\n- kind: bullets\n  title: T\n  items: [First one, Second one]\n"
    shown, of = shown_of(written(person, text)), paragraphs.of
    for broken, fact in {
        "lacks": lambda found: found[:-1],
        "before what precedes it": lambda found: [*found[:-2], found[-1], found[-2]],
    }.items():
        monkeypatch.setattr(paragraphs, "of", lambda *of_, f=fact, **kw: f(of(*of_, **kw)))
        with pytest.raises(DocumentError) as caught:
            Format().make(shown)
        (fault,) = caught.value.diagnostics
        assert broken in fault.message
        assert '"Second one"' in fault.message
        assert fault.span is not None
        assert fault.span.line == 5


def test_hostile_texts_are_texts(person: Path) -> None:
    head = "name: A\nsections:\n- kind: bullets\n  title: T\n  items:\n"
    shown = shown_of(
        written(
            person,
            head + "".join(f"  - {json.dumps(one, ensure_ascii=False)}\n" for one in HOSTILE),
        )
    )
    content = made(shown)
    whole(content)
    found = [one.text for one in opened(content).paragraphs if one.style.name == "List Bullet"]
    (group,) = shown.view.sections[0].groups
    assert found == [str(item.text) for item in group.items]
    assert {"<w:p/>", "]]>", "{{ x }}", "\U0001f600", "\u05d0 b \u05d1"} <= {*found}


def test_looks_and_facts_of_the_file(person: Path) -> None:
    text = """\
name: Ada Example
headline: Research engineer
photo: photo.png
updated: 2026-01-31
locale: en-GB
contact: {email: ada@example.org, profiles: {github: ada-example}}
options: {accent: "7A1F3D", font: Lato, paper: letter, size: "11", photo: true, footer: Foot,
  photo-shape: circle, bullet: dash, margin: 25, links: address}
sections:
- kind: experience
  items:
  - {title: Engineer, employer: Example Corp, date: 2020 - 2021, location: Oxford,
     bullets: ["**Led** a [team](https://example.org/a?b=1&c=2)", {text: B, bullets: [C]}]}
  - {title: Assistant, employer: Example Corp, date: 2019}
- kind: publication
  numbering: reversed
  items: [{title: T, authors: [Ada Example, Lin Other], venue: V, date: 2020, doi: 10.5555/x}]
"""
    shown = shown_of(written(person, text))
    content = made(shown)
    whole(content)
    document = opened(content)
    facts = document.core_properties
    assert (facts.title, facts.author, facts.language) == ("Ada Example", "Ada Example", "en-GB")
    assert (facts.subject, facts.created) == ("Research engineer", facts.modified)
    assert facts.created is not None
    assert facts.created.replace(tzinfo=None) == datetime(2026, 1, 31)  # noqa: DTZ001
    section = document.sections[0]
    assert (round(section.page_width.pt), round(section.left_margin.mm)) == (612, 25)
    assert section.first_page_footer.paragraphs[0].text == "Foot"
    assert section.footer.paragraphs[0].text.startswith("Foot · Ada Example · ")
    heading = document.styles["Heading 1"]
    assert str(heading.font.color.rgb) == "7A1F3D"
    xml = etree.tostring(document.styles.element).decode()
    assert 'w:ascii="Lato"' in xml
    assert '<w:lang w:val="en-GB"' in xml
    by_style = {one.style.name: one for one in document.paragraphs}
    assert by_style["Heading 2"].text.startswith("Assistant\t2019")
    assert by_style["Entry Detail"].text == "Example Corp"
    assert by_style["List Bullet 2"].text == "C"
    assert by_style["Numbered Reference"].text.startswith("1.\tAda Example, Lin Other. T. V, 2020.")
    (own,) = [run for run in by_style["Numbered Reference"].runs if run.style.name == "Own Name"]
    assert own.text == "Ada Example"
    links = {rel.target_ref for rel in document.part.rels.values() if rel.is_external}
    assert links == {
        "mailto:ada@example.org", "https://github.com/ada-example", "https://doi.org/10.5555/x",
        "https://example.org/a?b=1&c=2",
    }  # fmt: skip
    body = etree.tostring(document.element.body).decode()
    assert 'w:tooltip="GitHub"' in body
    assert "example.org/a?b=1&amp;c=2" in body
    assert 'prst="ellipse"' in body
    assert 'descr="Ada Example"' in body
    marks = document.part.numbering_part.element.iter(f"{W}lvlText")
    assert [one.get(f"{W}val") for one in marks] == ["–", "–"]


def test_the_columns_of_sidebar_fill_the_width() -> None:
    body = opened(made(shown_of(SHAPES / "engineer.yaml", "sidebar"))).element.body
    main, aside = (int(width) for width in body.xpath("(//w:cols[@w:num=2])[1]/w:col/@w:w"))
    (page,), (left,), (right,), (space,) = (
        list(map(int, body.xpath(f"({name})[1]")))
        for name in ("//w:pgSz/@w:w", "//w:pgMar/@w:left", "//w:pgMar/@w:right", "//w:col/@w:space")
    )
    assert main > 1.5 * aside
    assert abs(main + space + aside - (page - left - right)) <= 1


@pytest.mark.parametrize(("contacts", "label"), [("plain", False), ("label", True)])
def test_a_network_is_named_if_the_style_names_it(person: Path, contacts: str, label: bool) -> None:
    text = f"""\
name: Ada Example
contact: {{email: ada@example.org, profiles: {{github: ada-example}}}}
options: {{contacts: {contacts}}}
"""
    document = opened(made(shown_of(written(person, text))))
    assert any("GitHub" in one.text for one in document.paragraphs) == label


def test_what_runs_right_is_marked() -> None:
    content = made(shown_of(ROOT / "tests/shapes/translator.yaml"))
    document = opened(content)
    styles = etree.tostring(document.styles.element).decode()
    assert "<w:bidi/>" in styles
    assert 'w:bidi="he"' in styles
    turned = [
        one for one in document.element.body.iter(f"{W}r") if one.find(f".//{W}rtl") is not None
    ]
    words = "".join(text.text or "" for one in turned for text in one.iter(f"{W}t"))
    assert re.search("[א-ת]", words)
    assert not re.search("[A-Za-z]", words)
    assert write.by_direction("abc 12", True) == [("abc 12", False)]
    assert write.by_direction("", True) == []
    assert write.by_direction("א, ב (x) ג", True) == [
        ("א, ב (", True),
        ("x", False),
        (") ג", True),
    ]
    assert write.by_direction("x אב y", False) == [("x ", False), ("אב", True), (" y", False)]


def test_a_letter(person: Path) -> None:
    shown = shown_of(person, "industry", WHOLE)
    content = made(shown)
    whole(content)
    document = opened(content)
    styles = [one.style.name for one in document.paragraphs]
    assert styles == [
        "Title", "Subtitle", "Contact", "Recipient", "Date", "Heading 1", "Salutation",
        "Letter Text", "Letter Text", "List Bullet", "List Bullet", "Letter Text", "List Number",
        "List Number", "Letter Text", "Closing", "Signature", "Signature", "Enclosures",
    ]  # fmt: skip
    assert document.core_properties.title == "Cover letter, Ada Example"
    assert [shape._inline.docPr.get("descr") for shape in document.inline_shapes] == [
        "Signature of Ada Example"
    ]
    starts = [one.get(f"{W}val") for one in document.part.numbering_part.element.iter(f"{W}start")]
    assert starts == ["1", "1", "3"]
    (person.parent / "noa.yaml").write_text(NOA, encoding="utf-8")
    whole(made(shown_of(person.parent / "noa.yaml", "plain", HEBREW)))


def test_what_is_searched_for_what_is_private(person: Path) -> None:
    content = made(shown_of(person))
    text = package.text_of(content)
    for found in ("mailto:ada@example.org", "Of the CV alone", "Ada Example"):
        assert found in text
    for style in ("Heading 1", "Calibri"):
        assert style not in text


def test_without_the_extra(person: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shown = shown_of(person)
    monkeypatch.setitem(sys.modules, "docx", None)

    def hint() -> str | None:
        with pytest.raises(UsageError) as caught:
            Format().make(shown)
        (fault,) = caught.value.diagnostics
        return fault.hint

    assert hint() == 'pip install "cvbuild[formats]"'
    # pipx and uv mark the environments that they make.
    here = tmp_path / "my cvbuild"
    here.mkdir()
    monkeypatch.setattr(sys, "prefix", str(here))
    (here / "uv-receipt.toml").touch()
    assert hint() == f"uv pip install --python '{here}' \"cvbuild[formats]\""
    (here / "pipx_metadata.json").touch()
    assert hint() == "pipx runpip 'my cvbuild' install \"cvbuild[formats]\""


# -- LibreOffice ---------------------------------------------------------------------------------


def converted(folder: Path, files: dict[str, bytes]) -> dict[str, tuple[int, str]]:
    """The number of pages and the text of each file, as LibreOffice sets it."""
    office = program("soffice", "libreoffice", package="libreoffice-writer-nogui")
    for name, content in files.items():
        (folder / f"{name}.docx").write_bytes(content)
    home = f"-env:UserInstallation=file://{folder}/home"
    names = [str(folder / f"{name}.docx") for name in files]
    subprocess.run(
        [office, "--headless", home, "--convert-to", "pdf", "--outdir", str(folder), *names],
        check=True, capture_output=True, timeout=300,
    )  # fmt: skip
    found = {}
    for name in files:
        with pypdfium2.PdfDocument(folder / f"{name}.pdf") as pdf:
            pages = [page.get_textpage().get_text_bounded() for page in pdf]
        found[name] = len(pages), "\n".join(pages)
    return found


def on_the_page(shown: Shown) -> list[Content]:
    """The texts of a view that are on the page: the tips of links are not."""
    networks = {line.network for line in shown.view.header.contacts}
    return [one for one in view_texts.contents(shown.view) if one not in networks]


@pytest.mark.deep
def test_libreoffice_shows_every_text_in_order(tmp_path: Path, person: Path) -> None:
    shown = {path.stem: shown_of(path) for path in CVS}
    shown["letter"] = shown_of(person, "plain", WHOLE)
    found = converted(tmp_path, {name: made(one) for name, one in shown.items()})
    for name, one in shown.items():
        # Words on the foot of a page stand between those of the text.
        page = re.sub(r"\n[^\n]{3,60} · [0-9]+\s*(?=\n|$)", "\n", found[name][1].replace("\r", ""))
        expected = on_the_page(one)
        assert len(expected) > 5
        if language_tags.runs_right(one.view.language):
            letters = text_folding.shapes(page)
            assert all(text_folding.shapes(str(text)) <= letters for text in expected)
        else:
            assert view_texts.lost(page, expected, one.task.source) == (), name


def dated(pdf: Path, document: Any) -> tuple[list[str], list[str]]:
    """Return the dated lines of a document, and those whose date is on another line in the PDF."""
    with pypdfium2.PdfDocument(pdf) as opened_pdf:
        letters = [
            (letter, (at, (box[1] + box[3]) / 2))
            for at, page in enumerate(opened_pdf)
            for letter, box in characters(page.get_textpage())
        ]
    text, every, apart = "".join(letter for letter, _ in letters), [], []
    for one in document.paragraphs:
        words, tab, date = one.text.rpartition("\t")
        if not tab or one.style.name not in ("Heading 2", "Heading 3", "Entry"):
            continue
        bare = re.sub(r"\s", "", words)
        start = text.index(bare + re.sub(r"\s", "", date)) + len(bare)
        (page, before), (other, after) = (letters[start - 1][1], letters[start][1])
        every.append(one.text)
        if page != other or abs(before - after) > 6:
            apart.append(one.text)
    return every, apart


def characters(page: Any) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Yield the visible characters of a page with their boxes in pt."""
    for at in range(page.count_chars()):
        if (letter := page.get_text_range(at, 1)).strip():
            yield letter, page.get_charbox(at)


def test_dates_stand_on_the_line_of_their_title(tmp_path: Path) -> None:
    styles = ("academic", "engineer", "margin", "banking", "industry")
    people = (ROOT / "people/gyeong-in-yu.yaml", ROOT / "people/jiaao-he.yaml")
    files = {f"{path.stem}-{style}": made(shown_of(path, style)) for path in people
             for style in styles}  # fmt: skip
    converted(tmp_path, files)
    every: list[str] = []
    apart: list[str] = []
    for name, content in files.items():
        found = dated(tmp_path / f"{name}.pdf", opened(content))
        every, apart = every + found[0], apart + found[1]
    assert len(every) > 150
    assert apart == []


def test_the_typeface_is_in_the_file_and_the_head_is_that_of_the_style() -> None:
    for style, name, centred in (
        ("academic", "XCharter", True),
        ("industry", "Source Sans 3", False),
    ):
        content = made(shown_of(ROOT / "people/guoliang-he.yaml", style))
        with zipfile.ZipFile(io.BytesIO(content)) as held:
            fonts = [one for one in held.namelist() if one.endswith(".odttf")]
            table = held.read("word/fontTable.xml").decode()
        assert len(fonts) == 4
        assert f'w:name="{name}"' in table
        styles = opened(content).styles
        assert [styles[one].paragraph_format.alignment == 1 for one in ("Title", "Contact")] == [
            centred
        ] * 2
        assert bool(styles["Heading 1"].font.small_caps) is centred


@pytest.mark.deep
def test_one_page_stays_one_page(tmp_path: Path, tex_cache: Path) -> None:
    demand_embedded()
    files = {}
    chosen = [ROOT / "docs/gallery/nora-lindqvist.yaml", ROOT / "people/gyeong-in-yu.yaml",
              ROOT / "tests/shapes/physician.yaml"]  # fmt: skip
    for path in chosen:
        for template in ("one-page", "sidebar"):
            settings = Settings(tmp_path / "out", Library.at(), 0, 1700000000, cache=tex_cache,
                                timeout=600)  # fmt: skip
            task = lettered.task_of(path, "docx", template=template)
            outcome = pipeline.build(task, settings)
            assert outcome.path is not None, outcome.diagnostics
            assert pipeline.build(task, settings).cached
            files[f"{path.stem}-{template}"] = outcome.path.read_bytes()
            whole(files[f"{path.stem}-{template}"])
            if (path.stem, template) == ("nora-lindqvist", "one-page"):
                pdf = pipeline.build(replace(task, format="pdf"), settings)
                assert outcome.left_out == pdf.left_out != ()
    found = converted(tmp_path, files)
    assert {name: pages for name, (pages, _) in found.items()} == dict.fromkeys(files, 1)
