"""Sources in other spellings than their format's: old columns, sloppy tags."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pikepdf
import pytest
from conftest import Run
from word_files import packed

from cvbuild.common import extras
from cvbuild.importers import files, registry
from cvbuild.importers.types import Imported
from cvbuild.importers.words import descriptions

EXAMPLES = Path(__file__).parent / "examples"


def read(path: Path) -> Imported:
    return registry.read(files.opened(path))


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


@pytest.mark.parametrize("title", ["Sources of vitamin C", "A letter of J. Sample to B. Ample"])
def test_a_title_may_end_in_one_capital_and_has_initials(title: str, tmp_path: Path) -> None:
    line = f"A. Example, B. Sample. {title}. ACM SoCC, 2019."
    (tmp_path / "a.md").write_text(f"# Ada Example\n\n## Publications\n\n- {line}\n")
    (item,) = read(tmp_path / "a.md").data["sections"][0]["items"]
    assert [item[key] for key in ("title", "venue", "date")] == [title, "ACM SoCC", "2019"]


@pytest.mark.parametrize("compress", [True, False])
def test_an_attachment_of_a_pdf_is_read_packed_or_not(compress: bool, tmp_path: Path) -> None:
    xml = (EXAMPLES / "europass/given.xml").read_bytes()
    document = pikepdf.new()
    document.add_blank_page()
    (tmp_path / "attachment.xml").write_bytes(xml)
    attached = pikepdf.AttachedFileSpec.from_filepath(document, tmp_path / "attachment.xml")
    document.attachments["attachment.xml"] = attached
    document.save(tmp_path / "cv.pdf", compress_streams=compress)
    assert (b"Elena" in (tmp_path / "cv.pdf").read_bytes()) is not compress
    assert read(tmp_path / "cv.pdf").data == read(EXAMPLES / "europass/given.xml").data


def test_linkedins_first_position_without_a_title_keeps_both_at_their_employer(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "export"
    folder.mkdir()
    (folder / "Profile.csv").write_text("First Name,Last Name,Headline\nAda,Example,Engineer\n")
    (folder / "Positions.csv").write_text(
        "Company Name,Title,Description,Location,Started On,Finished On\n"
        "Initech,,,,Jan 2020,\nInitech,Tester,,,Jan 2018,Dec 2019\n"
    )
    (work,) = read(folder).data["sections"]
    assert [one["employer"] for one in work["items"]] == ["Initech", "Initech"]


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
    assert sorted((one.note.message, one.near[:4]) for one in found.lost) == [
        ("field of study, a code: 03", ("sections", 1, "items", 0)),
        ("sector, a code: M", ("sections", 0, "items", 0)),
    ]


@pytest.mark.parametrize(
    ("text", "bullets"),
    [
        (
            "<ul><li>A<ul><li>B<ul><li>C</li></ul></li><li>D</li></ul></li><li>E</li></ul>",
            ["A\n- B\n  - C\n- D", "E"],
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
def test_blocks_of_html(text: str, bullets: list[str]) -> None:
    item: dict[str, object] = {}
    assert descriptions.describe(item, "experience", text) == []
    assert item == {"bullets": bullets}


@pytest.mark.parametrize(
    ("region", "address"),
    [("Berlin", "10115 Berlin, DE"), ("Brandenburg", "10115 Berlin, Brandenburg, DE")],
)
def test_a_town_that_is_its_own_region_is_written_once(
    region: str, address: str, tmp_path: Path
) -> None:
    place = {"postalCode": "10115", "city": "Berlin", "region": region, "countryCode": "DE"}
    resume = {"basics": {"name": "Ada Example", "location": place}}
    (tmp_path / "resume.json").write_text(json.dumps(resume), "utf-8")
    found = read(tmp_path / "resume.json")
    assert found.data["contact"]["address"] == address
    assert found.lost == ()


@pytest.mark.parametrize(
    ("line", "languages"),
    [
        ("English (native), German, 日本語", {"English": "native", "German": None, "日本語": None}),
        ("English - native, German - B2", {"English": "native", "German": "B2"}),
        ("English: C2, German: B1", {"English": "C2", "German": "B1"}),
        ("Deutsch, Sign Language, हिन्दी", {"Deutsch": None, "Sign Language": None, "हिन्दी": None}),
        ("English: reading, writing, C2", {"English": "reading, writing, C2"}),
        ("English, Native", {"English, Native": None}),
        ("English (native), fluent in speech", {"English (native), fluent in speech": None}),
        ("I speak English, German, and French", {"I speak English, German, and French": None}),
    ],
)  # fmt: skip
def test_languages_of_one_line(line: str, languages: dict[str, str | None], tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(f"# Ada Example\n\n## Languages\n\n{line}\n", "utf-8")
    (section,) = read(tmp_path / "a.md").data["sections"]
    assert {one["language"]: one.get("level") for one in section["items"]} == languages


@pytest.mark.parametrize(
    ("title", "lines", "items"),
    [
        ("Skills", "Programming: Python, C++\nOffice: writing", ["Programming", "Office"]),
        ("Languages", "English (C2), German\nIrish: A1", ["English", "German", "Irish"]),
        ("Awards", "2020: Best Paper\nDean's List, 2014", ["Best Paper", "Dean's List"]),
        ("Awards", "Best Paper, 2020\n2014 Prize of X", ["Best Paper", "Prize of X"]),
        (
            "Education",
            "M.Sc. Physics, Sample University, 2018\nB.Sc. Physics, Sample College (2013 - 2016)",
            ["M.Sc. Physics", "B.Sc. Physics"],
        ),
        ("Talks", "Tides, Example Days, 2019\nClocks, Example Nights, 2018", ["Tides", "Clocks"]),
        ("Memberships", "Member, Society X, since 2012\nFellow, Society Y", ["Member", "Fellow"]),
        (
            "Publications",
            ("Example A, Demo J. Small networks wait. Letters. 2017;5(2):101-9.\n"
            "Demo J, Example A. Why buses bunch. Annals. 2016."),
            ["Small networks wait", "Why buses bunch"],
        ),
        # One item in two lines.
        ("Education", "Sample University, 2018\nM.Sc. Physics", ["M.Sc. Physics"]),
        ("Awards", "Best Paper of the\nExamples, 2020", ["Best Paper of the Examples"]),
    ],
)  # fmt: skip
def test_lines_of_a_paragraph_that_are_items(
    title: str, lines: str, items: list[str], tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text(f"# Ada Example\n\n## {title}\n\n{lines}\n", "utf-8")
    found = read(tmp_path / "a.md")
    (section,) = found.data["sections"]
    keys = {"Skills": "name", "Languages": "language", "Education": "degree", "Memberships": "role"}
    key = keys.get(title, "title")
    assert [one[key] for one in section["items"]] == items
    assert found.lost == ()


@pytest.mark.parametrize(
    ("line", "title", "date"),
    [
        ("Dean's List, 2014", "Dean's List", "2014"),
        ("Final Cut Pro 2019", "Final Cut Pro", "2019"),
        ("Data Set, 2019", "Data Set", "2019"),
        ("Premio, set. 2019", "Premio", "September 2019"),
        ("Cena, list. 2012", "Cena", "November 2012"),
        ("Prix, févr 2018", "Prix", "February 2018"),
        ("Premio, marzo, 2019", "Premio", "March, 2019"),
    ],
)
def test_what_begins_a_month_elsewhere_is_no_month(
    line: str, title: str, date: str, tmp_path: Path
) -> None:
    """Listopad, prosinec and settembre are months, List, Pro and Set mostly words."""
    (tmp_path / "a.md").write_text(f"# Ada Example\n\n## Awards\n\n- {line}\n", "utf-8")
    (section,) = read(tmp_path / "a.md").data["sections"]
    assert section["items"] == [{"title": title, "date": date}]


@pytest.mark.parametrize("title", ["Hobbies", "Freizeit", "Interests and hobbies"])
def test_hobbies_keep_their_title(title: str, tmp_path: Path) -> None:
    path = tmp_path / "cv.md"
    path.write_text(f"# Ada Example\n\n## {title}\n\n- Chess\n- Tides\n", encoding="utf-8")
    data = read(path).data
    if title.startswith("Interests"):
        assert data["interests"] == ["Chess", "Tides"]
    else:
        (section,) = data["sections"]
        assert (section["title"], section["items"]) == (title, ["Chess", "Tides"])


@pytest.mark.parametrize(
    ("line", "date"),
    [
        ("01.10.2018 – heute", "2018-10-01 – present"),
        ("01/09/2016 - 31/08/2017", "2016-09-01 - 2017-08-31"),
        ("01/10/2020-aktuell", "2020-10-01 – present"),
        ("02/23/2019 - 05/06/2020", "2019-02-23 - 2020-05-06"),
        ("Aug'19 – May’21", "Aug 2019 – May 2021"),
        ("Setembro de 2019 até o momento", "September 2019 to present"),
        ("07.2018 – по настоящее время", "07.2018 – present"),
    ],
)
def test_days_in_figures_short_years_and_other_words_for_now_are_read(
    line: str, date: str, tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text(f"# Ada Example\n\n## Work\n\n### Engineer, Initech\n\n{line}\n")
    (section,) = read(tmp_path / "a.md").data["sections"]
    assert section["items"] == [{"employer": "Initech", "title": "Engineer", "date": date}]


def test_days_that_may_be_months_stay_a_text(tmp_path: Path) -> None:
    """As nobody can know which is the month, they aren't torn either."""
    line = "Engineer, Initech, 05/06/2020"
    (tmp_path / "a.md").write_text(f"# Ada Example\n\n## Awards\n\n- {line}\n")
    (section,) = read(tmp_path / "a.md").data["sections"]
    assert "date" not in section["items"][0]
    assert "05/06/2020" in str(section["items"])


@pytest.mark.parametrize(
    "head", ["<!-- the title -->\n# Ada Example\n", '<h3 align="center">\n  Ada Example\n</h3>\n']
)
def test_markdown_may_begin_with_html(head: str, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(f"{head}\n<h2>Skills</h2>\n\n- Knots\n")
    found = read(tmp_path / "a.md").data
    assert (found["name"], found["sections"][0]["items"]) == ("Ada Example", [{"name": "Knots"}])


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
_TYPST = "= Ada Example\n== Experience\n=== Engineer, Initech\n2019 -- present\n"


@pytest.mark.parametrize(
    ("name", "text", "lost"),
    [
        ("cv.org", _ORG, ['piece of another format: "<p>Only on the web</p>"']),
        ("cv.html", _HTML, ['piece of another format: "<custom-tag>"',
                            'piece of another format: "</custom-tag>"',
                            "table with paragraphs in cells"]),
        ("cv.typ", _TYPST, []),
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


@pytest.mark.parametrize("name", ["cv.org", "cv.html", "cv.typ", "cv.rst"])
def test_without_pandoc_one_line_says_how_to_get_it(
    run: Run, here: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setitem(sys.modules, "pypandoc", None)
    (here / name).write_text("Ada Example")
    code, _, err = run("import", name)
    fact = "importing org, HTML and Typst needs the package pypandoc, which is not installed"
    assert (code, err.splitlines()) == (2, [f"{fact}; {extras.how_to_get('pandoc')}"])


def test_a_heading_may_have_its_date_and_place_as_points_below(tmp_path: Path) -> None:
    """So RenderCV writes its Markdown."""
    points = "- May 2020 – July 2020\n- Leeds, UK\n- Weaves.\n- Leeds, UK\n"
    text = f"# Ada's CV\n\n# Experience\n\n## Initech, Engineer - 3 months\n\n{points}"
    (tmp_path / "a.md").write_text(text)
    (section,) = read(tmp_path / "a.md").data["sections"]
    assert section["items"] == [
        {
            "employer": "Initech",
            "title": "Engineer",
            "location": "Leeds, UK",
            "date": "May 2020 – July 2020",
            "bullets": ["Weaves.", "Leeds, UK"],
        }
    ]


def test_what_is_after_at_may_be_a_link(tmp_path: Path) -> None:
    head = "### Engineer at [Initech](https://example.org)\n\n*2019 - 2020* | Leeds\n"
    (tmp_path / "a.md").write_text(f"# Ada Example\n\n## Work\n\n{head}")
    (item,) = read(tmp_path / "a.md").data["sections"][0]["items"]
    assert (item["title"], item["employer"], item["location"]) == ("Engineer", "Initech", "Leeds")


def test_client_and_role_are_said_by_their_labels(tmp_path: Path) -> None:
    head = (
        "**Client: Initech, Leeds, UK** | 2019 - 2020  \nRole: Data Engineer  \nResponsibilities:\n"
    )
    (tmp_path / "a.md").write_text(f"# Ada Example\n\n## Work\n\n{head}\n- Weaves.\n")
    found = read(tmp_path / "a.md")
    (item,) = found.data["sections"][0]["items"]
    assert (item["title"], item["employer"]) == ("Data Engineer", "Initech")
    assert (item["bullets"], found.lost) == (["Weaves."], ())
