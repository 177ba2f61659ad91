"""``--report``: a page, JUnit's XML, GitHub's annotations; of builds and of checks."""

from __future__ import annotations

import json
import re
from email import message_from_bytes, policy
from email.message import EmailMessage
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

import judges
import pytest
from browsers import find_no_fault
from conftest import Run
from lxml import etree

from cvbuild.cli import console, reports
from cvbuild.cli.reports import FAILED, Result, Results, forms
from cvbuild.common.diagnostics import Diagnostic

if TYPE_CHECKING:
    from playwright.sync_api import Browser

GOOD = "name: Ada Example\nsections: [{kind: award, items: [{title: A prize}]}]\n"
BUILD = ("build", "--format", "txt")
#: What somebody could write to have a build server do something.
HOSTILE = "100%, a: b\\n::error file=x::pwned ##[set-output name=a]b </failure> ]]>"


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with people: two that are fine, one wrong, one hostile."""
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    write("ada", GOOD)
    write("ben, x: 50%", GOOD + "template: [academic, plain]\n")
    write("cy", f'name: Cy\n"{HOSTILE}": 1\nheadline: "{HOSTILE}"\n')
    write("dee", 'name: "Dee <b>bold</b>"\n' + GOOD.partition("\n")[2])


def write(name: str, text: str) -> None:
    Path("people").mkdir(exist_ok=True)
    Path("people", f"{name}.yaml").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("::error::x", ": :error::x"),
        ("a\n \u00a0\u200b::error::x", "a\n \u00a0\u200b: :error::x"),
        (":\u200b:error::x", ":\u200b :error::x"),
        ("a ##[add-path]x", "a ## [add-path]x"),
        ("#\u200b#[x]", "#\u200b# [x]"),
        ("##vso[task.setvariable]", "##vso [task.setvariable]"),
        ("people/a.yaml:3:1: C::D and # [x]", "people/a.yaml:3:1: C::D and # [x]"),
        ("a\r::error::x", "a\ufffd::error::x"),
    ],
)
def test_no_printed_text_is_a_command(
    text: str, printed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    console.say(text)
    assert capsys.readouterr().err == printed + "\n"


def test_json_is_no_command_and_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    told = ["##[error]x", "###[a]", "##vso[a]", "## b", "\\##["]
    console.print_json(told)
    out = capsys.readouterr().out
    assert not re.search(r"##\w*\[", out)
    assert json.loads(out) == told


def test_the_summary_of_a_step_is_added_as_text_alone(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(*BUILD).code == 1
    assert not Path("step.md").exists()
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "step.md")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert run(*BUILD).code == 1
    assert not Path("step.md").exists(), "nothing happens by itself"
    Path("step.md").write_text("before\n")
    assert run(*BUILD, "--report", "github").code == 1
    text = Path("step.md").read_text("utf-8")
    before, _, table = text.partition("\n")
    assert before == "before"
    assert table.startswith("<h2>cvbuild build: 4 up to date, 1 file with errors in ")
    # One block of HTML: a line without anything would end it, and what follows be Markdown.
    assert "\n\n" not in table.rstrip("\n")
    cells = re.findall(r"<td>(.*?)</td>", table)
    assert cells[:2] == ["Cy", "❌ failed"]
    assert "<code>people/cy.yaml:2:1</code> unknown key &quot;100%, a: b\\n::error" in cells[2]
    assert cells[3:6] == ["Ada Example (ada) academic.txt", "up to date", ""]
    monkeypatch.setattr(forms, "_LONGEST_SUMMARY", 700)
    assert run(*BUILD, "--report", "github").code == 1
    assert "<tr><td>… and " in Path("step.md").read_text("utf-8").removeprefix(text)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "nowhere/step.md")
    ran = run(*BUILD, "--report", "github")
    assert ran.code == 1
    assert "can't write the report GITHUB_STEP_SUMMARY (nowhere/step.md): " in ran.err


#: What may stand in an element, and its attributes: all others are required.
XML = {
    "testsuites": ({"testsuite"}, {"name", "tests", "failures", "errors", "time"}),
    "testsuite": (
        {"testcase", "system-out"},
        {"name", "tests", "failures", "errors", "skipped", "time"},
    ),
    "testcase": ({"failure", "error", "system-out"}, {"name", "classname", "time"}),
    "failure": (set(), {"message", "type"}),
    "error": (set(), {"message", "type"}),
    "system-out": (set(), set()),
}


def read_junit(name: str) -> etree._Element:
    """Read a report and compare its form with what build servers expect."""
    root = etree.parse(name).getroot()
    assert root.tag == "testsuites"
    for element in root.iter():
        inside, attributes = XML[element.tag]
        assert {child.tag for child in element} <= inside
        assert {*element.attrib} == attributes
        if "time" in attributes:
            assert re.fullmatch(r"\d+\.\d{3}|0", element.get("time"))
        if inside:
            assert not (element.text or "").strip()
    for suite in (root, *root):
        cases = [*suite.iter("testcase")]
        assert suite.get("tests") == str(len(cases))
        for tag, attribute in (("failure", "failures"), ("error", "errors")):
            assert suite.get(attribute) == str(sum(case.find(tag) is not None for case in cases))
    return root


def test_junit_has_a_case_per_document_and_valid_xml(run: Run) -> None:
    assert run(*BUILD, "--report", "made/cv.xml").code == 1
    root = read_junit("made/cv.xml")
    cases = {(case.get("classname"), case.get("name")): case for case in root.iter("testcase")}
    assert [*cases] == [
        ("ada", "academic.txt"),
        ("ben, x: 50%", "academic.txt"),
        ("ben, x: 50%", "plain.txt"),
        ("cy", "file"),
        ("dee", "academic.txt"),
    ]
    (failure,) = root.iter("failure")
    assert failure.getparent() is cases["cy", "file"]
    assert failure.get("message").startswith("people/cy.yaml:2:1: unknown key ")
    assert failure.text.startswith("people/cy.yaml:2:1: unknown key ")
    assert "people/dee.yaml:1:" in root.findtext("testsuite/system-out")
    assert run("check", "--report", "check.xml").code == 1
    checked = read_junit("check.xml")
    assert (checked.get("tests"), checked.get("failures")) == ("4", "1")


def test_what_xml_cant_have_is_replaced(tmp_path: Path) -> None:
    text = "a\x00\x1b[2J\ud800\ufffe\U0001f600\n]]>"
    results = Results("build", "", 1, (Result(text, FAILED, text, diagnostics=(note(text),)),))
    (tmp_path / "r.xml").write_bytes(forms.junit(results))
    (case,) = read_junit(str(tmp_path / "r.xml")).iter("testcase")
    bad = "\N{REPLACEMENT CHARACTER}"
    shown = f"a{bad}{bad}[2J{bad}{bad}\U0001f600\n]]>"
    assert (case.get("classname"), case.get("name")) == (shown, shown)
    assert case.findtext("failure") == shown
    reports.write([str(tmp_path / "r.html")], results)
    assert "\x1b" not in (tmp_path / "r.html").read_text()


def note(text: str) -> Diagnostic:
    """An error of this text."""
    return Diagnostic("error", "code", text)


def test_what_stops_a_build_is_in_its_reports(run: Run) -> None:
    ran = run("build", "nobody", "--report", "r.xml", "--report", "r.html", "--report", "github")
    assert ran.code == 2
    assert '::error title=cvbuild::unknown person "nobody"; ' in ran.err
    (error,) = read_junit("r.xml").iter("error")
    assert error.get("message").startswith('unknown person "nobody"')
    assert "unknown person &#34;nobody&#34;" in Path("r.html").read_text("utf-8")


class Page(HTMLParser):
    """The tags, links and texts of a page."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.feed(Path(name).read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name == "href"]
        assert not any(name.startswith("on") or name == "src" for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_has_people_documents_links_and_errors(run: Run) -> None:
    assert run(*BUILD, "--report", "made/site/cv.html", "--json").code == 1
    text = Path("made/site/cv.html").read_text("utf-8")
    assert "default-src 'none'" in text
    assert "url(" not in text
    page = Page("made/site/cv.html")
    assert {"script", "img", "b", "iframe", "link"} & {*page.tags} == set()
    files = [link for link in page.links if not link.startswith("#")]
    assert len(files) == 4
    for link in files:
        assert link.startswith("../../out/")
        assert Path("made/site", unquote(link)).read_text("utf-8")
    assert page.text.count("✗ errors in the file of Cy") == 1
    assert "people/cy.yaml:2:1" in page.text
    assert 'HTML is printed as it is written: "<b>"' in page.text
    assert run(*BUILD, "ada", "--all-templates", "--report", "cv.html").code == 0
    wide = Page("cv.html")
    assert wide.tags.count("td") == 1, "nine columns are too many"
    assert "plain.txt: open of Ada Example plain.txt" in wide.text


def test_no_report_goes_through_a_link(run: Run, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").write_text("mine")
    Path("cv.html").symlink_to(tmp_path / "elsewhere" / "file")
    Path("a").mkdir()
    Path("a/b").symlink_to(tmp_path / "elsewhere")
    assert run("check", "ada", "--report", "cv.html").code == 0
    assert not Path("cv.html").is_symlink()
    ran = run("check", "ada", "--report", "a/b/cv.xml")
    assert (ran.code, "a/b: it is a symbolic link" in ran.err) == (1, True)
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["file"]
    assert (tmp_path / "elsewhere" / "file").read_text() == "mine"


def test_judges_find_no_fault_in_the_page(run: Run, browser: Browser) -> None:
    assert run(*BUILD, "--report", "some.html").code == 1
    assert run("check", "--report", "check.html").code == 1
    assert run("build", "nobody", "--report", "none.html").code == 2
    assert run(*BUILD, "ada", "--all-templates", "--report", "wide.html").code == 0
    pages = ["some.html", "check.html", "none.html", "wide.html"]
    assert judges.html_faults(*pages, every=True) == ""
    find_no_fault(browser, pages, (("light", 1280), ("dark", 360)))


# -- drafts of e-mails -----------------------------------------------------------------------------

ZOE = """\
name: Zoë Größe-Example
contact: {email: [{address: z@home.example.org, private: true}, zoe@example.org]}
tittle: x
"""


def drafts() -> dict[str, EmailMessage]:
    return {
        path.stem: message_from_bytes(path.read_bytes(), policy=policy.default)
        for path in Path("out/mail").iterdir()
    }


def test_each_person_gets_a_draft_of_the_own_errors_and_warnings(run: Run) -> None:
    write("zoe", ZOE)
    write(
        "eve", GOOD.replace("name: Ada", "contact: {email: no, phone: +1 202 555 0123}\nname: Eve")
    )
    Path("cvbuild.yaml").write_text("groups: {old: {people: nobody}}\n")
    ran = run("check", "--report", "mail")
    assert ran.code == 1
    found = drafts()
    assert sorted(found) == ["cy", "dee", "eve", "zoe"]  # nothing is wrong of the others
    assert found["zoe"]["To"] == "Zoë Größe-Example <zoe@example.org>"
    assert found["zoe"]["Subject"] == "Your CV: 1 error"
    text = found["zoe"].get_content().replace("\r\n", "\n")
    assert text.startswith("Dear Zoë Größe-Example,\n\ncvbuild found 1 error in your CV. ")
    assert '- people/zoe.yaml:3:1: unknown key "tittle"' in text
    assert "nobody" not in text
    assert "home.example.org" not in text
    # No address can be made of it, nor a header of what is hostile.
    assert (found["eve"]["To"], found["cy"]["To"]) == (None, None)
    assert sorted(found["cy"].keys()) == sorted(found["eve"].keys())
    assert "out/mail/; send them with a mail program" in ran.err
    assert "without an address, as the file has none that is public: cy, dee, eve" in ran.err


def test_a_build_drafts_what_a_check_does_and_greets_by_the_name_alone(run: Run) -> None:
    for name in ("zoe", "twin"):
        contact = f"contact: {{email: {name}@example.org}}\n"
        bib = f"sections: [{{kind: publication, bib: {name}.bib}}]\n"
        write(name, f"name: Zoe Example\n{contact}{bib}")
        entry = "@misc{a, title = {Salt &amp; pepper}, author = {Zoe Example}, year = 2020}\n"
        Path(f"people/{name}.bib").write_text(entry)
    assert run("check", "zoe", "twin", "--report", "mail").code == 0
    checked = {name: one.get_content() for name, one in drafts().items()}
    assert sorted(checked) == ["twin", "zoe"]
    assert "- people/zoe.bib:1:" in checked["zoe"]
    assert checked["zoe"].startswith("Dear Zoe Example,")
    assert drafts()["twin"]["To"] == "Zoe Example <twin@example.org>"
    for _ in range(2):  # once it is built, once it is up to date
        assert run(*BUILD, "zoe", "twin", "--report", "mail").code == 0
        assert {name: one.get_content() for name, one in drafts().items()} == checked


def test_a_draft_goes_when_there_is_nothing_to_say_any_more(run: Run) -> None:
    write("zoe", ZOE)
    assert run(*BUILD, "zoe", "cy", "--report", "mail").code == 1
    assert sorted(drafts()) == ["cy", "zoe"]
    write("zoe", GOOD)
    Path("out/mail/notes.txt").write_text("mine")
    assert run(*BUILD, "zoe", "--report", "mail").code == 0
    assert sorted(path.name for path in Path("out/mail").iterdir()) == ["cy.eml", "notes.txt"]
    assert "out/mail" not in run("status").out


def test_drafts_are_not_written_through_a_link(run: Run, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    Path("out").mkdir()
    Path("out/mail").symlink_to(tmp_path / "elsewhere")
    ran = run("check", "--report", "mail")
    assert ran.code == 1
    assert "out/mail" in ran.err
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_page_has_peoples_names_and_the_files_where_two_have_one(run: Run) -> None:
    write("other", GOOD)
    run("check", "--report", "report.html")
    page = Path("report.html").read_text(encoding="utf-8")
    for name in ("Ada Example (ada)", "Ada Example (other)", "Dee &lt;b&gt;bold&lt;/b&gt;"):
        assert f"<bdi>{name}</bdi>" in page
    assert '"check --report"' in run("report").err
