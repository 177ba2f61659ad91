"""Documents for Word: styles, lists, links, letters; python-docx and mammoth read them."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import deep
import mammoth
import pypdfium2
import pytest
from docx.text.paragraph import Paragraph
from judges import program
from lettered import HEBREW, NOA, WHOLE
from lxml import etree
from word_files import CVS, ROOT, W, made, opened, person_in, shown_of, written

from cvbuild.common.diagnostics import DocumentError, UsageError
from cvbuild.model.text import language_tags
from cvbuild.outputs import checks, text_folding
from cvbuild.outputs.formats import docx
from cvbuild.outputs.formats.docx import Format, paragraphs


@pytest.fixture
def person(tmp_path: Path) -> Path:
    return person_in(tmp_path)


@pytest.mark.parametrize("path", deep.but(CVS[::6], CVS, lambda path: path.stem))
def test_a_cv_is_a_whole_file_that_others_read(path: Path) -> None:
    shown = shown_of(path)
    content = made(shown)
    assert made(shown_of(path)) == content
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
    document = opened(made(shown_of(written(person, text))))
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
    assert by_style["Reference"].text.startswith("1.\tAda Example, Lin Other. T. V, 2020.")
    (own,) = [run for run in by_style["Reference"].runs if run.style.name == "Own Name"]
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


def test_a_style_of_two_columns_has_one_in_reading_order() -> None:
    shown = shown_of(ROOT / "tests/shapes/engineer.yaml", "sidebar")
    document = opened(made(shown))
    assert document.tables == []
    titles = [one.text for one in document.paragraphs if one.style.name == "Heading 1"]
    assert titles == [str(one.title) for one in shown.view.sections]


PAPER = """\
name: Ada Example
headline: Engineer
contact: {email: ada@example.org, phone: +1 202 555 0123, address: "12 Example Street, Springfield",
  website: "https://ada.example.org", profiles: {github: ada-example, linkedin: ada-example}}
sections:
- kind: experience
  items: [{title: Engineer, employer: Example Corp, date: 2020-03 to 2021-05, location: Oxford,
     url: "https://corp.example.org", bullets: [Led. One., Ran.]}]
- kind: education
  items: [{degree: Grado, area: Física, institution: Example University, date: 2019,
     advisor: Dr. Ann Other}]
- {kind: skill, items: [{name: Tools, keywords: [60 000 saws]}, {name: Arts, keywords: [pottery]}]}
"""
#: The head of a post in each style: the lines, with tabs as |.
HEADS = {
    "academic": ["Engineer|Mar 2020 – May 2021", "Example Corp, Oxford"],
    "banking": ["Engineer|Mar 2020 – May 2021", "Example Corp, Oxford"],
    "bold": ["Engineer|Mar 2020 – May 2021", "Example Corp, Oxford"],
    "grid": ["Mar 2020 – May 2021|Engineer", "Example Corp, Oxford"],
    "industry": ["Engineer|Mar 2020 – May 2021", "Example Corp, Oxford"],
    "margin": ["Mar 2020 – May 2021|Engineer", "Example Corp, Oxford"],
    "one-page": ["Engineer, Example Corp, Oxford|Mar 2020 – May 2021"],
    "plain": ["Engineer|Mar 2020 – May 2021", "Example Corp, Oxford"],
    "sidebar": ["Engineer|Mar 2020 – May 2021", "Example Corp, Oxford"],
}


@pytest.mark.parametrize("style", HEADS)
def test_each_style_has_its_heads_and_contacts(person: Path, style: str) -> None:
    document = opened(made(shown_of(written(person, PAPER), style)))
    styled = [
        (str(one.pPr.pStyle.val), Paragraph(one, document).text)
        for one in document.element.body.xpath(".//w:p[w:pPr/w:pStyle]")
    ]
    found = [
        text.replace("\xa0", " ").replace("\t", "|")
        for style_id, text in styled
        if style_id in ("Heading2", "EntryDetail")
    ]
    assert found[: len(HEADS[style])] == HEADS[style]
    assert "https://corp.example.org" in {one.target_ref for one in document.part.rels.values()}
    (contact,) = [text for style_id, text in styled if style_id == "Contact"]
    # A line may end between two of them, and inside of none.
    ways = contact.replace(": ", ":").split(paragraphs.BETWEEN)
    assert len(ways) == 6
    assert not any(" " in way for way in ways)


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
    assert docx.by_direction("abc 12", True) == [("abc 12", False)]
    assert docx.by_direction("", True) == []
    assert docx.by_direction("א, ב (x) ג", True) == [("א, ב (", True), ("x", False), (") ג", True)]
    assert docx.by_direction("x אב y", False) == [("x ", False), ("אב", True), (" y", False)]


def test_a_letter(person: Path) -> None:
    document = opened(made(shown_of(person, "industry", WHOLE)))
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
    (person.parent / "noa.yaml").write_text(NOA, "utf-8")
    made(shown_of(person.parent / "noa.yaml", "plain", HEBREW))


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


def test_the_typeface_is_in_the_file_and_the_head_is_that_of_the_style() -> None:
    for style, name, stands_in, centred in (
        ("academic", "XCharter", "Charter, Cambria, Georgia", True),
        ("industry", "Source Sans 3", "Calibri", False),
    ):
        content = made(shown_of(ROOT / "people/guoliang-he.yaml", style))
        with zipfile.ZipFile(io.BytesIO(content)) as held:
            faces = [one for one in held.namelist() if one.endswith(".odttf")]
            table = held.read("word/fontTable.xml").decode()
        # XCharter has no outlines that Word can read.
        assert len(faces) == (4 if style == "industry" else 0)
        assert f'w:name="{name}"' in table
        assert f'w:altName w:val="{stands_in}"' in table
        styles = opened(content).styles
        assert [styles[one].paragraph_format.alignment == 1 for one in ("Title", "Contact")] == [
            centred
        ] * 2
        assert bool(styles["Heading 1"].font.small_caps) is centred


def converted(folder: Path, files: dict[str, bytes]) -> dict[str, tuple[int, str]]:
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


@pytest.mark.deep
def test_libreoffice_shows_every_text_in_order(tmp_path: Path) -> None:
    shown = {path.stem: shown_of(path) for path in CVS}
    shown["letter"] = shown_of(person_in(tmp_path), "plain", WHOLE)
    found = converted(tmp_path, {name: made(one) for name, one in shown.items()})
    for name, one in shown.items():
        # Words on the foot of a page stand between those of the text.
        page = re.sub(r"\n[^\n]{3,60} · [0-9]+\s*(?=\n|$)", "\n", found[name][1].replace("\r", ""))
        networks = {line.network for line in one.view.header.contacts}
        every = (text for text in checks.contents(one.view) if text not in networks)
        expected = [text for text in every if text.path[-1] != "url"]
        assert len(expected) > 5
        if language_tags.runs_right(one.view.language):
            letters = text_folding.shapes(page)
            assert all(text_folding.shapes(str(text)) <= letters for text in expected)
        else:
            checks.require(page, expected, one.source)


def dated(pdf: Path, document: Any) -> tuple[list[str], list[str]]:
    with pypdfium2.PdfDocument(pdf) as opened_pdf:
        letters = [
            (letter, (at, (box[1] + box[3]) / 2))
            for at, page in enumerate(opened_pdf)
            for letter, box in characters(page.get_textpage())
        ]
    text, every, apart = "".join(letter for letter, _ in letters), [], []
    for one in document.paragraphs:
        words, tab, date = one.text.rpartition("\t")
        is_dated = tab and words.strip() and one.style.name in ("Heading 2", "Heading 3", "Entry")
        if not is_dated:
            continue
        bare = re.sub(r"\s", "", words)
        start = text.index(bare + re.sub(r"\s", "", date)) + len(bare)
        (page, before), (other, after) = (letters[start - 1][1], letters[start][1])
        every.append(one.text)
        if page != other or abs(before - after) > 6:
            apart.append(one.text)
    return every, apart


def characters(page: Any) -> Iterator[tuple[str, tuple[float, ...]]]:
    for at in range(page.count_chars()):
        if (letter := page.get_text_range(at, 1)).strip():
            yield letter, page.get_charbox(at)


@pytest.mark.deep
def test_dates_stand_on_the_line_of_their_title(tmp_path: Path) -> None:
    styles = ("academic", "margin", "banking", "grid")
    people = (ROOT / "people/gyeong-in-yu.yaml", ROOT / "people/jiaao-he.yaml")
    files = {f"{path.stem}-{style}": made(shown_of(path, style))
             for number, path in enumerate(people) for style in styles[number::2]}  # fmt: skip
    converted(tmp_path, files)
    every: list[str] = []
    apart: list[str] = []
    for name, content in files.items():
        found = dated(tmp_path / f"{name}.pdf", opened(content))
        every, apart = every + found[0], apart + found[1]
    assert len(every) > 80
    # Of a title that fills the line the date begins the next one.
    assert len(apart) < len(every) / 12
