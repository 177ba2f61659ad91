"""Everything that is wrong with an application is told with its place, and nothing is written.

A case is a folder: the content of applications/, and expected.txt.
"""

from __future__ import annotations

import datetime as dt
import shutil
from pathlib import Path

import pytest
from conftest import Run
from texlive import demand_embedded

from cvbuild.applications import documents, load
from cvbuild.common.errors import ProfileError, UsageError
from cvbuild.outputs.templates import Library

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


@pytest.fixture(autouse=True)
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


def test_a_letter_with_a_greeting_of_its_own_is_told_with_its_line() -> None:
    write(f"{HEAD}letter: |\n  Dear Ms. Lin,\n\n  I write.\n\n  Sincerely,\n  Ada Example\n")
    found = documents.of(load.load("demo", DAY), Library.of_workspace(), DAY).warnings
    assert [one.message for one in found] == [
        "the letter gets a second greeting: cvbuild writes one",
        "the letter gets a second closing: cvbuild writes one",
    ]
    assert [one.span and str(one.span) for one in found] == [
        "applications/demo.yaml:5:3",
        "applications/demo.yaml:9:3",
    ]


def test_a_letter_has_the_language_of_its_variant() -> None:
    person = "name: Ada Example\nvariants:\n  kurz: {template: plain, locale: de}\n"
    Path("people/ada.yaml").write_text(person, encoding="utf-8")
    write(f"{HEAD}variant: kurz\nletter: |\n  hiermit.\n\n  Mit freundlichen Grüßen\n")
    found = documents.of(load.load("demo", DAY), Library.of_workspace(), DAY).warnings
    assert [one.code for one in found] == ["letter-closing"]


def test_lists_belong_in_letters() -> None:
    texts = "letter: |\n  - a\n  - b\nnotes: |\n  - a\n  - b\n"
    write(f"{HEAD}{texts}")
    assert load.load("demo", DAY).warnings == ()


def test_a_deadline_that_passed_is_a_warning_and_today_is_not_late() -> None:
    write(f"{HEAD}deadline: 2026-11-20\n")
    (warning,) = load.load("demo", DAY).warnings
    assert str(warning).startswith("applications/demo.yaml:4:11: warning: the deadline has passed;")
    write(f"{HEAD}deadline: 2026-11-21\n")
    assert load.load("demo", DAY).warnings == ()


def test_the_letter_goes_to_the_recipient_or_to_the_employer() -> None:
    for recipient, name in (("", None), ("{name: Lin Example, email: l@a.org}", "Lin Example")):
        write(f"{HEAD}recipient: {recipient}\nletter: |\n  I would like to come.\n")
        written = load.load("demo", DAY).letter
        assert written is not None
        assert written.letter.recipient is not None
        assert written.letter.recipient.name == name
        assert written.letter.recipient.organization == "Example Lab"


def test_names_that_could_not_be_kept_are_refused_before_anything_is_built() -> None:
    for name in ("a\tb.pdf", "a\nb.pdf", "a:b.pdf", "a\\b.pdf"):
        Path("applications", name).write_bytes(b"%PDF-1.7\n")
    Path("applications/a\tb.md").write_text("Hello.\n", encoding="utf-8")
    names = r'["a\tb.pdf", "a\nb.pdf", "a:b.pdf", "a\\b.pdf", ../applications/a.pdf]'
    write(f'{HEAD}attachments: {names}\nletter: {{file: "a\\tb.md"}}\n')
    with pytest.raises(ProfileError) as caught:
        load.load("demo", DAY)
    found = [(one.code, one.message) for one in caught.value.diagnostics]
    assert [code for code, _ in found].count("attachment-name") == 4
    fact = '"a\\tb.pdf" has a character that no file\'s name should have'
    assert ("attachment-name", fact) in found
    assert ("letter-name", fact.replace("pdf", "md")) in found
    assert ("attachment-outside", '"../applications/a.pdf" lies outside the folder') in found
    assert not any("\n" in str(one) for one in caught.value.diagnostics)


def test_names_on_the_command_line_are_those_of_files() -> None:
    write(HEAD, "example-lab")
    write(HEAD, ".hidden")
    assert load.slugs() == ("example-lab",)
    assert load.find(["example-lab", "example-lab"]) == ("example-lab",)
    for name in ("example-lab.yaml", "applications/example-lab.yaml"):
        assert load.find([name, "example-lab"]) == ("example-lab",)
    for name in ("exmple-lab", "../applications/example-lab", "people/example-lab.yaml", ""):
        with pytest.raises(UsageError) as caught:
            load.find([name])
        (fault,) = caught.value.diagnostics
        assert fault.hint is not None
    Path("applications/example-lab.yaml").unlink()
    with pytest.raises(UsageError, match="there are none"):
        load.find(["example-lab"])


@pytest.mark.parametrize("slug", ["-rf", "Lab", "two words", "ünï", "a" * 101, "new\nline", "a.b"])
def test_what_cant_be_the_name_of_an_application(slug: str) -> None:
    write(HEAD, slug)
    with pytest.raises(ProfileError) as caught:
        load.load(slug, DAY)
    assert [fault.code for fault in caught.value.diagnostics] == ["slug"]
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "content", [b"\xfc", b"a\0b", b"word " * 300_000], ids=["latin", "nul", "huge"]
)
def test_a_letters_file_that_cant_be_read_is_no_empty_letter(content: bytes) -> None:
    Path("applications/letter.md").write_bytes(content)
    (message,) = problems(f"{HEAD}letter: letter.md\n")
    assert "no text" not in message
