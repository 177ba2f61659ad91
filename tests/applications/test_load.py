"""Everything that is wrong with an application is told with its place, and nothing is written.

A case is a folder: the content of applications/, and expected.txt.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import shutil
import threading
from pathlib import Path

import pytest
from conftest import Run
from lettered import request_on
from texlive import demand_embedded

from cvbuild.applications import documents, load
from cvbuild.applications.packets import history
from cvbuild.common.diagnostics import CvbuildError, ProfileError, UsageError
from cvbuild.inputs import people
from cvbuild.inputs.person import person_file

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
    return tmp_path_factory.mktemp("out")


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("people").mkdir()
    Path("people/ada.yaml").write_text(ADA, "utf-8")
    Path("applications").mkdir()
    return tmp_path


def write(text: str, slug: str = "demo") -> None:
    Path(f"applications/{slug}.yaml").write_text(text, "utf-8")


def problems(text: str) -> list[str]:
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
    expected = (BAD / case / "expected.txt").read_text("utf-8")
    assert said == expected.splitlines()
    assert all("; " in line for line in said), "no hint"
    assert not (out / "applications").exists()


def test_a_letter_with_a_greeting_of_its_own_is_told_with_its_line() -> None:
    write(f"{HEAD}letter: |\n  Dear Ms. Lin,\n\n  I write.\n\n  Sincerely,\n  Ada Example\n")
    found = documents.of(load.load("demo", DAY), request_on(DAY), DAY).warnings
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
    Path("people/ada.yaml").write_text(person, "utf-8")
    write(f"{HEAD}variant: kurz\nletter: |\n  hiermit.\n\n  Mit freundlichen Grüßen\n")
    found = documents.of(load.load("demo", DAY), request_on(DAY), DAY).warnings
    assert [one.code for one in found] == ["letter-closing"]


def test_what_is_doubtful_in_private_data_is_told_if_the_cv_has_it() -> None:
    Path("people/ada.yaml").write_text(ADA.replace("academic}", "academic, private: true}"))
    Path("people/ada.private.yaml").write_text("summary: I am <b>bold</b>.\n")
    write(HEAD + "variant: systems\n")
    (told,) = documents.of(load.load("demo", DAY), request_on(DAY), DAY).warnings
    assert (told.code, told.span and told.span.file) == ("text-html", "people/ada.private.yaml")


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
    Path("applications/a\tb.md").write_text("Hello.\n", "utf-8")
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


NOW = 1_800_000_000  # 2027-01-15


@pytest.mark.parametrize("text", ["", "  ", "a\nb", "a\rb", "a\x1b[2Jb", "a\u2028b"])
def test_a_note_is_one_line(text: str) -> None:
    with pytest.raises(UsageError):
        history.add_note("new-lab", text, NOW)
    assert not history.path_of("new-lab").exists()


def test_a_log_that_somebody_edited_is_gone_on_with() -> None:
    path = history.path_of("new-lab")
    path.write_text("2026-01-01T00:00:00Z sent\nby hand", "utf-8")
    note = history.add_note("new-lab", "offer", NOW)
    assert note.time == "2027-01-15T08:00:00Z"
    notes = history.read_notes("new-lab")
    assert [(one.time[:4], one.text) for one in notes] == [
        ("2026", "sent"), ("", "by hand"), ("2027", "offer")
    ]  # fmt: skip


def test_a_pipe_in_place_of_a_log_keeps_nobody_waiting() -> None:
    os.mkfifo(history.path_of("new-lab"))
    with pytest.raises(CvbuildError, match="can't write the note"):
        history.add_note("new-lab", "x", NOW)
    assert history.read_notes("new-lab") == ()
    # With a reader it can be opened; it is no log all the same.
    reader = os.open(history.path_of("new-lab"), os.O_RDONLY | os.O_NONBLOCK)
    try:
        with pytest.raises(CvbuildError, match="can't write the note"):
            history.add_note("new-lab", "x", NOW)
    finally:
        os.close(reader)


def test_a_log_that_is_too_long() -> None:
    path = history.path_of("new-lab")
    path.write_text("2026-01-01T00:00:00Z offer: x\n" * 40_000, "utf-8")
    with pytest.raises(CvbuildError, match=r"can't read the notes .* it is too large"):
        history.read_notes("new-lab")


def test_a_folder_that_cant_be_looked_into_is_told() -> None:
    """A name too long fails as a folder without rights does, for root as well."""
    root = Path("x" * 300)
    for read in (load.slugs, history.packets, lambda root: history.read_notes("new-lab", root)):
        with pytest.raises(CvbuildError, match=r"can't read .* check the"):
            read(root)
    with pytest.raises(ProfileError, match="can't be read"):
        person_file.read(people.find(["x" * 300])[0]).require()


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="a file that nobody can read")
def test_a_log_that_cant_be_read_hides_no_other_application(run: Run) -> None:
    for slug, day in (("old-lab", "2020-01-01"), ("new-lab", "2999-01-01")):
        write(f"{HEAD}deadline: {day}\n", slug)
    history.path_of("old-lab").symlink_to("/proc/self/mem")
    ran = run("applications", "--json")
    found = json.loads(ran.out)
    assert [row["slug"] for row in found["applications"]] == ["old-lab", "new-lab"]
    assert ["can't read the notes" in item["message"] for item in found["diagnostics"]] == [True]
    assert ran.code == 1


def test_notes_at_once_are_all_there() -> None:
    threads = [
        threading.Thread(target=history.add_note, args=("new-lab", f"note {n} {'x' * 500}", NOW))
        for n in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    notes = history.read_notes("new-lab")
    assert sorted(int(note.text.split()[1]) for note in notes) == list(range(20))
