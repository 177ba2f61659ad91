"""Everything that is wrong with an application is told with its place, and nothing is written.

A case is a folder: the content of applications/, and expected.txt.
"""

from __future__ import annotations

import datetime as dt
import os
import shutil
from pathlib import Path

import pytest
from conftest import Run
from texlive import demand_embedded

from cvbuild.applications import load
from cvbuild.errors import ProfileError, UsageError

BAD = Path(__file__).parent / "bad"
CASES = sorted(folder.name for folder in BAD.iterdir())
DAY = dt.date(2026, 11, 21)
ADA = """\
name: Ada Example
contact: {email: ada@example.org}
variants:
  systems: {template: academic}
sections:
  - kind: skill
    items: [{name: Programming, keywords: [Python]}]
"""
HEAD = "person: ada\nemployer: Example Lab\nposition: Research Scientist\n"


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all, so that her CV is built once."""
    return tmp_path_factory.mktemp("out")


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("people").mkdir()
    Path("people/ada.yaml").write_text(ADA, encoding="utf-8")
    Path("applications").mkdir()
    return tmp_path


def write(text: str, slug: str = "demo") -> None:
    Path(f"applications/{slug}.yaml").write_text(text, encoding="utf-8")


def problems(text: str) -> list[str]:
    """What is wrong with an application, without its places."""
    write(text)
    with pytest.raises(ProfileError) as caught:
        load.load("demo", DAY)
    return [item.message for item in caught.value.diagnostics]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.usefixtures("workspace")
def test_bad_applications(case: str, run: Run, out: Path) -> None:
    demand_embedded()
    shutil.copytree(BAD / case, "applications", dirs_exist_ok=True)
    (slug,) = [path.stem for path in Path("applications").glob("*.yaml")]
    ran = run("apply", slug, "-o", str(out), "--engine", "embedded")
    first, *said = ran.err.splitlines()
    assert (ran.code, first) == (1, f"✗ {slug}: failed")
    expected = (BAD / case / "expected.txt").read_text(encoding="utf-8")
    assert said == expected.splitlines()
    assert all("; " in line for line in said), "no hint"
    assert not (out / "applications").exists()


@pytest.mark.usefixtures("workspace")
def test_an_application_needs_little() -> None:
    write(HEAD)
    opened = load.load("demo", DAY)
    assert (opened.slug, opened.said.person, opened.said.employer) == ("demo", "ada", "Example Lab")
    assert (opened.letter, opened.attached, opened.warnings) == (None, (), ())


@pytest.mark.usefixtures("workspace")
def test_a_deadline_that_passed_is_a_warning_and_today_is_not_late() -> None:
    write(f"{HEAD}deadline: 2026-11-20\n")
    (warning,) = load.load("demo", DAY).warnings
    assert str(warning).startswith("applications/demo.yaml:4:11: warning: the deadline has passed;")
    write(f"{HEAD}deadline: 2026-11-21\n")
    assert load.load("demo", DAY).warnings == ()


@pytest.mark.usefixtures("workspace")
def test_the_letter_goes_to_the_recipient_or_to_the_employer() -> None:
    write(f"{HEAD}letter: |\n  I would like to come.\n")
    letter = load.load("demo", DAY).letter
    assert letter is not None
    assert letter.letter.recipient is not None
    assert letter.letter.recipient.organization == "Example Lab"
    write(f"{HEAD}recipient: {{name: Lin Example, email: lin@example.org}}\nletter: |\n  Hello.\n")
    letter = load.load("demo", DAY).letter
    assert letter is not None
    assert letter.letter.recipient is not None
    assert letter.letter.recipient.name == "Lin Example"


@pytest.mark.usefixtures("workspace")
def test_links_out_of_the_folder_are_refused() -> None:
    Path("secret.pdf").write_bytes(b"%PDF-1.7\n")
    Path("secret.md").write_text("Secret.\n", encoding="utf-8")
    Path("applications/inside.pdf").symlink_to("../secret.pdf")
    Path("applications/inside.md").symlink_to("../secret.md")
    Path("applications/loop.pdf").symlink_to("loop.pdf")
    found = problems(f"{HEAD}attachments: [inside.pdf, loop.pdf]\nletter: inside.md\n")
    assert len(found) == 3
    assert found[0] == '"inside.pdf" lies outside the folder'
    assert '"loop.pdf"' in found[1]
    assert found[2] == '"inside.md" lies outside the folder'


@pytest.mark.usefixtures("workspace")
def test_pipes_and_folders_are_no_attachments() -> None:
    os.mkfifo("applications/pipe.pdf")
    Path("applications/folder.pdf").mkdir()
    found = problems(f"{HEAD}attachments: [pipe.pdf, folder.pdf]\n")
    assert found == ['there is no file "pipe.pdf"', 'there is no file "folder.pdf"']


@pytest.mark.usefixtures("workspace")
def test_names_on_the_command_line_are_those_of_files() -> None:
    write(HEAD, "example-lab")
    write(HEAD, ".hidden")
    assert load.slugs() == ("example-lab",)
    assert load.find(["example-lab", "example-lab"]) == ("example-lab",)
    for name in ("exmple-lab", "../applications/example-lab", "example-lab.yaml", ""):
        with pytest.raises(UsageError) as caught:
            load.find([name])
        (fault,) = caught.value.diagnostics
        assert fault.hint is not None
    Path("applications/example-lab.yaml").unlink()
    with pytest.raises(UsageError, match="there is none"):
        load.find(["example-lab"])
