"""Sources in other spellings than their format's: old columns, sloppy tags, odd Markdown."""

from __future__ import annotations

import sys
from pathlib import Path

import pikepdf
import pytest
import yaml
from conftest import Run
from told import rows
from word_files import packed

from cvbuild.common import diagnostics
from cvbuild.importers import descriptions, registry, types
from cvbuild.importers.types import Imported

EXAMPLES = Path(__file__).parent / "examples"


def read(path: Path) -> Imported:
    return registry.read(types.opened(path))


NUMBER = "9" * 5_000
_WORD = (
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
    f'<w:p><w:pPr><w:outlineLvl w:val="{NUMBER}"/><w:numPr><w:ilvl w:val="{NUMBER}"/></w:numPr>'
    f'</w:pPr><w:r><w:rPr><w:sz w:val="{NUMBER}"/></w:rPr><w:t>Ada</w:t></w:r></w:p>'
    '<w:p><w:pPr><w:outlineLvl w:val="²"/></w:pPr></w:p></w:body></w:document>'
)


def test_a_number_that_python_does_not_convert_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(f'{{"basics": {{"name": "Ada", "summary": {NUMBER}}}}}')
    assert read(tmp_path / "a.json").data["summary"] == NUMBER
    packed(tmp_path / "a.docx", _WORD)
    assert read(tmp_path / "a.docx").data["name"] == "Ada"
    entry = f"@article{{a, title={{T}}, author={{A B}}, author+an={{{NUMBER}=equal}}, year=2020}}"
    (tmp_path / "a.bib").write_text(entry)
    (item,) = read(tmp_path / "a.bib").data["sections"][0]["items"]
    assert item["title"] == "T"


@pytest.mark.parametrize("compress", [True, False])
def test_an_attachment_of_a_pdf_is_read_packed_or_not(compress: bool, tmp_path: Path) -> None:
    xml = (EXAMPLES / "europass/given.xml").read_bytes()
    document = pikepdf.new()
    document.add_blank_page()
    (tmp_path / "attachment.xml").write_bytes(xml)
    for name in ("a.xml", "attachment.xml"):
        attached = pikepdf.AttachedFileSpec.from_filepath(document, tmp_path / "attachment.xml")
        document.attachments[name] = attached
    # One that is broken hides no other.
    del document.attachments["a.xml"].obj.EF
    document.save(tmp_path / "cv.pdf", compress_streams=compress)
    assert (b"Elena" in (tmp_path / "cv.pdf").read_bytes()) is not compress
    assert read(tmp_path / "cv.pdf").data == read(EXAMPLES / "europass/given.xml").data


def test_linkedins_positions_without_a_title_or_an_employer_stand_alone(tmp_path: Path) -> None:
    folder = tmp_path / "export"
    folder.mkdir()
    (folder / "Profile.csv").write_text("First Name,Last Name,Headline\nAda,Example,Engineer\n")
    (folder / "Positions.csv").write_text(
        "Company Name,Title,Description,Location,Started On,Finished On\n"
        "Initech,,,,Jan 2020,\nInitech,Tester,,,Jan 2018,Dec 2019\n,Clerk,,,2017,\n,Cook,,,2016,\n"
    )
    (work,) = read(folder).data["sections"]
    assert [one.get("employer") for one in work["items"]] == ["Initech", "Initech", None, None]


def test_europass_codes_are_comments_and_words_are_not(tmp_path: Path) -> None:
    ns = 'xmlns="http://www.europass.eu/1.0" xmlns:hr="http://www.hr-xml.org/3"'
    field = "<hr:ProgramConcentration>{}</hr:ProgramConcentration>"
    xml = f"""<Candidate {ns}><CandidatePerson><PersonName><hr:GivenName>Ada</hr:GivenName>
    <hr:FamilyName>Example</hr:FamilyName></PersonName></CandidatePerson><CandidateProfile>
    <EmploymentHistory><EmployerHistory><hr:OrganizationName>Initech</hr:OrganizationName>
    <IndustryCode>M</IndustryCode><PositionHistory><PositionTitle>Engineer</PositionTitle>
    </PositionHistory></EmployerHistory></EmploymentHistory><EducationHistory>
    <EducationOrganizationAttendance><hr:OrganizationName>Example University</hr:OrganizationName>
    <EducationDegree><hr:DegreeName>MSc</hr:DegreeName>
    <FieldOfStudy>{field.format("03")}</FieldOfStudy></EducationDegree>
    </EducationOrganizationAttendance><EducationOrganizationAttendance>
    <hr:OrganizationName>Sample College</hr:OrganizationName>
    <EducationDegree><hr:DegreeName>BSc</hr:DegreeName><FieldOfStudy>{field.format("Law")}
    </FieldOfStudy></EducationDegree></EducationOrganizationAttendance></EducationHistory>
    </CandidateProfile></Candidate>"""
    (tmp_path / "cv.xml").write_text(xml, "utf-8")
    found = read(tmp_path / "cv.xml")
    work, study = found.data["sections"]
    assert work["items"] == [{"title": "Engineer", "employer": "Initech"}]
    assert [one.get("area") for one in study["items"]] == [None, "Law"]
    assert sorted((one.note.message[-14:], one.near[:4]) for one in found.lost) == [
        ("centration: 03", ("sections", 1, "items", 0)),
        ("ndustryCode: M", ("sections", 0, "items", 0)),
    ]


_TOWN = 'r.json {"basics": {"name": "A", "location": {"city": "Berlin", "region": "R"}}}'
_STUDY = {"institution": "B", "degree": "MSc"}
#: Data as sites and people write it, and what is under ``contact`` and in sections.
DATA = {
    "r.yaml cv:\n  name: A\n  social_networks:\n"
    "    - {network: GitHub, username: github.com/ada}": {"profiles": {"github": ["ada"]}},
    # A town that is its own region is written once.
    _TOWN.replace("R", "Berlin"): {"address": "Berlin"},
    _TOWN.replace("R", "Brandenburg"): {"address": "Berlin, Brandenburg"},
    'r.json {"basics": {"name": "A", "linkedin": "https://linkedin.com/in/ada"}, "work": []}': {
        "profiles": {"linkedin": ["ada"]}
    },
    'r.json {"basics": {"name": "A"}, "teaching": [{"course": "Clocks", "institution": "B"}]}': [
        {"kind": "teaching", "items": [{"course": "Clocks", "institution": "B"}]}
    ],
    'r.json {"basics": {"name": "A"}, "presentations": [{"name": "Clocks", "event": "B"}]}': [
        {"kind": "talk", "items": [{"title": "Clocks", "event": "B"}]}
    ],
    'r.json {"basics": {"name": "A"}, "volunteer": [{"position": "Reviewer", "icon": "fa-x"}]}': [
        {"kind": "entry", "title": "Volunteering", "items": [{"title": "Reviewer"}]}
    ],
    'r.json {"basics": {"name": "A", "customFields": [{"label": "B", "value": "C"}]},'
    + " " * (1 << 16)
    + '"sections": {"custom": {"b": {"name": "Badges", "items": '
    '[{"name": "", "summary": "<ul><li>Gold</li></ul>"}]}}}, "metadata": {}}': [
        {"kind": "bullets", "title": "Badges", "items": ["Gold"]}
    ],
    "cv.yml - title: Education\n  type: time_table\n  contents:\n    - title: MSc\n"
    "      institution: B\n      description:\n        - Thesis of a year: On it": [
        {"kind": "education", "items": [_STUDY | {"bullets": ["Thesis of a year: On it"]}]}
    ],
}


@pytest.mark.parametrize("given", DATA)
def test_data_as_sites_and_people_write_it(given: str, tmp_path: Path) -> None:
    name, _, text = given.partition(" ")
    (tmp_path / name).write_text(text, "utf-8")
    found = read(tmp_path / name)
    data, told = DATA[given], found.data
    assert data == told["contact" if isinstance(data, dict) else "sections"]
    assert found.lost == ()


@pytest.mark.parametrize(
    ("text", "bullets"),
    [
        (
            "<ul><li>A<ul><li>B<ul><li>C</li></ul></li><li>D</li></ul></li><li>E</li></ul>",
            [{"text": "A", "bullets": ["B", "C", "D"]}, "E"],
        ),
        (
            (
                "<ul><li><p>One</p><p>two</p></li></ul><table><tr><td>A</td><td>B</td></tr></table>"
                "<p>Use <code>a_b*c</code>, <code>x`y</code> &amp; <b> bold </b>x</p>"
            ),
            ["One two", "A B", "Use `a_b*c`, x`y & **bold** x"],
        ),
    ],
)
def test_blocks_of_html(text: str, bullets: list[object]) -> None:
    item: dict[str, object] = {}
    assert descriptions.put(item, "experience", descriptions.read(text)) == []
    assert item == {"bullets": bullets}


def test_signs_and_sizes_of_a_head_are_no_text(tmp_path: Path) -> None:
    head = r"\moveleft.5\hoffset\centerline{\bf Ada Example}\vbox{\hrule width\hsize height 1pt}"
    text = rf"\documentclass{{res}}\begin{{document}}{head}\address{{ada@example.org $\|$ Bern}}"
    signs = " ".join(rf"a\{sign} $a\{sign}$" for sign in "|*+<?0;!")
    deep = r"\q{" * 50 + "}" * 50  # Each is read once.
    (tmp_path / "a.tex").write_text(rf"{text}\section{{Notes}}{signs}{deep}\end{{document}}")
    data = read(tmp_path / "a.tex").data
    assert data["name"] == "Ada Example"
    assert data["contact"] == {"email": ["ada@example.org"], "address": "Bern"}


def test_an_ending_says_that_words_alone_are_markdown(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Ada Example\n")
    assert read(tmp_path / "a.md").data["name"] == "Ada Example"


@pytest.mark.parametrize(
    ("text", "data", "lost"), [(a, b, c) for a, b, *c in rows("importers/odd-markdown.txt")]
)
def test_markdown_as_people_write_it(text: str, data: str, lost: list[str], tmp_path: Path) -> None:
    whole = text if "Ada Example" in text else f"# Ada Example\n\n{text}"
    (tmp_path / "a.md").write_text(whole, "utf-8")
    found = read(tmp_path / "a.md")
    expected = yaml.load(f"{{{data}}}", Loader=yaml.BaseLoader)
    assert found.data == {"name": "Ada Example", **expected}
    assert [f"{one.note.message}\n" for one in found.lost] == lost


_ORG = """#+title: Ada Example

* Experience
** Engineer | Initech | 2019 -- present
#+begin_export html
<p>Only on the web</p>
#+end_export
"""
_HTML = """<html><body><h1>Ada Example</h1><h2>Experience</h2><h3>Engineer, Initech</h3>
<p>2019 - present</p><custom-tag>Words</custom-tag>
<table><tr><td><p>a</p><p>b</p></td><td>c</td></tr></table></body></html>"""
_RTF = r"""{\rtf1 {\pard\outlinelevel0 Ada Example\par}{\pard\outlinelevel1 Experience\par}
{\pard\outlinelevel2 Engineer{\b ,} Initech\par}{\pard 2019 - present\par}}"""
_TYPST = "= Ada Example\n== Experience\n=== Engineer, Initech\n2019 -- present\n"


@pytest.mark.parametrize(
    ("name", "text", "lost"),
    [
        ("cv.org", _ORG, ['piece of another format: "<p>Only on the web</p>"']),
        ("cv.html", _HTML, ['piece of another format: "<custom-tag>"',
                            'piece of another format: "</custom-tag>"',
                            "table with paragraphs in cells"]),
        ("cv.typ", _TYPST, []),
        ("cv.rtf", _RTF, []),
    ],
)  # fmt: skip
def test_pandoc_makes_markdown_of_it(tmp_path: Path, name: str, text: str, lost: list[str]) -> None:
    pytest.importorskip("pypandoc", reason='needs pip install "cvbuild[pandoc]"')
    (tmp_path / name).write_text(text)
    found = read(tmp_path / name)
    (item,) = found.data["sections"][0]["items"]
    assert found.data["name"] == "Ada Example"
    assert (item["title"], item["employer"]) == ("Engineer", "Initech")
    assert [one.note.message for one in found.lost] == [f"not imported: {one}" for one in lost]


@pytest.mark.parametrize("name", ["cv.org", "cv.html", "cv.odt", "cv.rtf"])
def test_without_pandoc_one_line_says_how_to_get_it(
    run: Run, here: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setitem(sys.modules, "pypandoc", None)
    (here / name).write_text("Ada Example")
    assert 'unknown format "pandoc"' in run("import", "--from", "pandoc", name).err
    code, _, err = run("import", name)
    fact = "importing what pandoc reads needs the package pypandoc, which is not installed"
    assert (code, err.splitlines()) == (2, [f"{fact}; {diagnostics.how_to_get('pandoc')}"])
