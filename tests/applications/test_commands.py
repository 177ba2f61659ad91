"""Notes of applications; what is printed of them and of packets is in tests/commands."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest
from conftest import Run

from cvbuild.applications import history, load
from cvbuild.common.errors import CvbuildError, ProfileError, UsageError
from cvbuild.inputs import people, person_file

ADA = "name: Ada Example\nsections:\n  - {kind: bullets, items: [One point]}\n"
HEAD = "person: ada\nemployer: {}\nposition: Researcher\ndeadline: {}\n"
NOW = 1_800_000_000  # 2027-01-15


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two applications, one of them late."""
    monkeypatch.chdir(tmp_path)
    Path("people").mkdir()
    Path("people/ada.yaml").write_text(ADA, encoding="utf-8")
    Path("applications").mkdir()
    for slug, day in (("old-lab", "2020-01-01"), ("new-lab", "2999-01-01")):
        text = HEAD.format(slug.title(), day)
        Path(f"applications/{slug}.yaml").write_text(text, encoding="utf-8")
    return tmp_path


# -- notes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "  ", "a\nb", "a\rb", "a\x1b[2Jb", "a\u2028b"])
def test_a_note_is_one_line(text: str) -> None:
    with pytest.raises(UsageError):
        history.add_note("new-lab", text, NOW)
    assert not history.path_of("new-lab").exists()


def test_a_log_that_somebody_edited_is_gone_on_with() -> None:
    path = history.path_of("new-lab")
    path.write_text("2026-01-01T00:00:00Z sent\nby hand", encoding="utf-8")
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
    path.write_text("2026-01-01T00:00:00Z offer: x\n" * 40_000, encoding="utf-8")
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
