"""``--github`` and ``--mail``: annotations, and drafts to people; of builds and of checks."""

from __future__ import annotations

import json
import re
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest
from conftest import Run

from cvbuild.cli import console

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


# -- drafts of e-mails -----------------------------------------------------------------------------

ZOE = """\
name: Zoë Größe-Example
contact: {email: [{address: z@home.example.org, private: true}, zoe@example.org]}
tittle: x
"""


def drafts() -> dict[str, EmailMessage]:
    return {
        path.stem: message_from_bytes(path.read_bytes(), policy=policy.default)
        for path in Path("out/mail/errors").iterdir()
    }


def test_each_person_gets_a_draft_of_the_own_errors_and_warnings(run: Run) -> None:
    write("zoe", ZOE)
    write(
        "eve", GOOD.replace("name: Ada", "contact: {email: no, phone: +1 202 555 0123}\nname: Eve")
    )
    Path("cvbuild.yaml").write_text("groups: {old: {people: nobody}}\n")
    ran = run("check", "--mail")
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
    assert "out/mail/errors/; send them with a mail program" in ran.err
    assert "without an address, as the file has none that is public: cy, dee, eve" in ran.err


def test_a_build_drafts_what_a_check_does_and_greets_by_the_name_alone(run: Run) -> None:
    for name in ("zoe", "twin"):
        contact = f"contact: {{email: {name}@example.org}}\nheadline: <b>Cook</b>\n"
        bib = f"sections: [{{kind: publication, bib: {name}.bib}}]\n"
        write(name, f"name: Zoe Example\n{contact}{bib}")
        entry = "@misc{a, title = {Salt}, author = {Zoe Example}, year = 2020}\n"
        Path(f"people/{name}.bib").write_text(entry)
    assert run("check", "zoe", "twin", "--mail").code == 0
    checked = {name: one.get_content() for name, one in drafts().items()}
    assert sorted(checked) == ["twin", "zoe"]
    assert "- people/zoe.yaml:3:" in checked["zoe"]
    assert checked["zoe"].startswith("Dear Zoe Example,")
    assert drafts()["twin"]["To"] == "Zoe Example <twin@example.org>"
    for _ in range(2):  # once it is built, once it is up to date
        assert run(*BUILD, "zoe", "twin", "--mail").code == 0
        assert {name: one.get_content() for name, one in drafts().items()} == checked


def test_a_draft_goes_when_there_is_nothing_to_say_any_more(run: Run) -> None:
    write("zoe", ZOE)
    assert run(*BUILD, "zoe", "cy", "--mail").code == 1
    assert sorted(drafts()) == ["cy", "zoe"]
    write("zoe", GOOD)
    Path("out/mail/errors/notes.txt").write_text("mine")
    assert run(*BUILD, "zoe", "--mail").code == 0
    assert sorted(path.name for path in Path("out/mail/errors").iterdir()) == [
        "cy.eml",
        "notes.txt",
    ]
    assert "out/mail" not in run("status").out


def test_drafts_are_not_written_through_a_link(run: Run, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    Path("out").mkdir()
    Path("out/mail").symlink_to(tmp_path / "elsewhere")
    ran = run("check", "--mail")
    assert ran.code == 1
    assert "out/mail" in ran.err
    assert list((tmp_path / "elsewhere").iterdir()) == []
