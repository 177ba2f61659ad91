"""``cvbuild apply`` and ``cvbuild applications`` as they are typed."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from conftest import Run
from texlive import demand_embedded

from cvbuild.applications import history, load
from cvbuild.applications.sent import archive
from cvbuild.common.errors import CvbuildError, ProfileError, UsageError
from cvbuild.inputs import people, person_file

ADA = "name: Ada Example\nsections:\n  - {kind: bullets, items: [One point]}\n"
HEAD = "person: ada\nemployer: {}\nposition: Researcher\ndeadline: {}\n"
NOW = 1_800_000_000  # 2027-01-15


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("out"))


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


def test_apply_says_what_was_made(run: Run, out: str) -> None:
    demand_embedded()
    ran = run("apply", "new-lab", "-o", out, "--engine", "embedded")
    assert (ran.code, ran.out) == (0, "")
    lines = ran.err.splitlines()
    assert re.fullmatch(r"✓ .*/applications/new-lab/, due 2999-01-01, \d+ days left", lines[0])
    assert re.fullmatch(r"  Ada-Example_CV_Researcher.pdf  \d+ kB, 1 page", lines[1])
    assert lines[-1].startswith("message.eml opens as a draft")
    # Once more, all of them: one is there already, one has a deadline that has passed.
    ran = run("apply", "--all", "-o", out, "--engine", "embedded", "--json")
    assert (ran.code, ran.err) == (0, "")
    first, second = json.loads(ran.out)["packets"]
    assert (first["slug"], first["ok"], first["cached"]) == ("new-lab", True, True)
    assert (second["slug"], second["cached"], second["days_left"] < 0) == ("old-lab", False, True)
    assert "deadline" in [item["code"] for item in second["diagnostics"]]
    assert [one["name"] for one in first["files"]] == [
        path.name for path in sorted(Path(first["folder"]).iterdir())
    ]
    assert first["files"][0]["pages"] == 1
    assert all(
        one["size"] == Path(first["folder"], one["name"]).stat().st_size for one in first["files"]
    )


def test_one_that_is_wrong_stops_no_other(run: Run, out: str) -> None:
    demand_embedded()
    Path("applications/bad.yaml").write_text("person: ada\n", encoding="utf-8")
    ran = run("apply", "bad", "new-lab", "-o", out, "--engine", "embedded")
    assert ran.code == 1
    assert ran.err.startswith('✗ bad: failed\napplications/bad.yaml:1:1: "employer" is missing')
    assert "\n✓ " in ran.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name the applications, or give --all; the applications are: new-lab, old-lab"),
        (("new-lab", "--all"), "name the applications, or give --all"),
        (("new-lap",), 'unknown application "new-lap"; did you mean "new-lab"?'),
        (("../people/ada",), 'unknown application "../people/ada"'),
    ],
)
def test_what_there_is_not_is_bad_usage(arguments: tuple[str, ...], said: str, run: Run) -> None:
    ran = run("apply", *arguments)
    assert ran.code == 2
    assert said in ran.err
    assert not Path("out").exists()


def test_all_of_none(run: Run) -> None:
    for path in Path("applications").iterdir():
        path.unlink()
    ran = run("apply", "--all")
    assert ran.code == 2
    assert ran.err.startswith("there are no applications yet; write applications/<name>.yaml")
    ran = run("applications")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("there are no applications yet")
    if Path("/dev/full").exists():
        with Path("/dev/full").open("wb") as full:
            command = [sys.executable, "-m", "cvbuild", "applications"]
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
        assert (done.returncode, b"standard output" in done.stderr) == (1, True)


def test_the_list_tells_how_they_stand(run: Run) -> None:
    ran = run("applications")
    assert (ran.code, ran.err) == (0, "")
    old, new = ran.out.splitlines()
    assert re.fullmatch(r"old-lab  missed  was due 2020-01-01 +Old-Lab: Researcher", old)
    assert re.fullmatch(r"new-lab  open    due 2999-01-01, \d+ days left  New-Lab: Researcher", new)
    assert run("applications", "note", "old-lab", "Rejected: by mail").code == 0
    new, old = run("applications").out.splitlines()
    assert re.fullmatch(r"old-lab  rejected +Old-Lab: Researcher", old)
    rows = {
        row["slug"]: row for row in json.loads(run("applications", "--json").out)["applications"]
    }
    assert rows["old-lab"]["status"] == "rejected"
    assert [note["text"] for note in rows["old-lab"]["notes"]] == ["Rejected: by mail"]
    assert rows["new-lab"]["deadline"] == "2999-01-01"


def test_a_file_that_is_wrong_is_listed_with_what_is_wrong(run: Run) -> None:
    Path("applications/bad.yaml").write_text("person: ada\nemployr: x\n", encoding="utf-8")
    ran = run("applications")
    assert ran.code == 1
    assert re.search(r"^bad +faulty$", ran.out, re.MULTILINE)
    rows = json.loads(run("applications", "--json").out)["applications"]
    assert {row["slug"]: row["status"] for row in rows} == {
        "old-lab": "missed",
        "new-lab": "open",
        "bad": "faulty",
    }
    assert 'applications/bad.yaml:2:1: unknown key "employr"; did you mean "employer"?' in ran.err


def test_what_was_sent_was_sent_though_it_is_damaged_by_now(run: Run) -> None:
    for name in ("2026-01-02-new-lab", "2026-01-03-old-lab-2", "2026-01-04-nobody"):
        Path("applications/sent", name).mkdir(parents=True)
    ran = run("applications")
    assert ran.code == 1
    found = {line.split()[0]: line.split()[1:] for line in ran.out.splitlines()}
    assert found["new-lab"][0] == found["old-lab"][0] == "sent"
    assert "sent 2026-01-02, damaged since" in ran.out
    assert found["?"] == ["damaged"]
    assert ran.err.count("the packet is damaged") == 3
    rows = json.loads(run("applications", "--json").out)["applications"]
    (packet,) = next(row for row in rows if row["slug"] == "old-lab")["sent"]
    assert (packet["date"], packet["damaged"]) == ("2026-01-03", True)


# -- notes ---------------------------------------------------------------------------------------


def test_notes_are_lines_of_a_log_and_touch_nothing_else(run: Run) -> None:
    before = Path("applications/new-lab.yaml").read_bytes()
    ran = run("applications", "note", "new-lab", "interview: on Friday")
    assert (ran.code, ran.err) == (0, "noted in applications/new-lab.log; status: interview\n")
    ran = run("applications", "note", "new-lab", "  Lin was kind  ")
    assert ran.err == "noted in applications/new-lab.log\n"
    first, second = Path("applications/new-lab.log").read_text(encoding="utf-8").splitlines()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ interview: on Friday", first)
    assert second.endswith("Z Lin was kind")
    assert Path("applications/new-lab.yaml").read_bytes() == before
    ran = run("applications", "note", "new-lab", "ofer: at last")
    assert '"ofer" is not a status' in ran.err
    assert 'add another note if you meant "offer:"' in ran.err
    assert run("applications", "note", "lab", "x").code == 2


@pytest.mark.parametrize("text", ["", "  ", "a\nb", "a\rb", "a\x1b[2Jb", "a\u2028b", "x" * 1001])
def test_a_note_is_one_line(text: str) -> None:
    with pytest.raises(UsageError):
        history.add("new-lab", text, NOW)
    assert not history.path_of("new-lab").exists()


def test_a_log_that_somebody_edited_is_gone_on_with() -> None:
    path = history.path_of("new-lab")
    path.write_text("2026-01-01T00:00:00Z sent\nby hand", encoding="utf-8")
    note = history.add("new-lab", "offer", NOW)
    assert note.time == "2027-01-15T08:00:00Z"
    notes, wrong = history.read("new-lab")
    assert [(one.text, one.status) for one in notes] == [("sent", "sent"), ("offer", "offer")]
    assert [str(one) for one in wrong] == [
        (
            "applications/new-lab.log:2:1: warning: this line is not a note; "
            "write a time and a text, as cvbuild applications note does"
        )
    ]


def test_a_log_is_no_link() -> None:
    Path("precious").write_text("mine\n", encoding="utf-8")
    history.path_of("new-lab").symlink_to("../precious")
    with pytest.raises(Exception, match="can't write the note"):
        history.add("new-lab", "x", NOW)
    assert Path("precious").read_text(encoding="utf-8") == "mine\n"


def test_a_pipe_in_place_of_a_log_keeps_nobody_waiting() -> None:
    os.mkfifo(history.path_of("new-lab"))
    with pytest.raises(CvbuildError, match="can't write the note"):
        history.add("new-lab", "x", NOW)
    assert history.read("new-lab") == ((), ())
    # With a reader it can be opened; it is no log all the same.
    reader = os.open(history.path_of("new-lab"), os.O_RDONLY | os.O_NONBLOCK)
    try:
        with pytest.raises(CvbuildError, match="is not a regular file; move it away"):
            history.add("new-lab", "x", NOW)
    finally:
        os.close(reader)


def test_a_log_that_is_too_long_is_told_and_takes_no_note() -> None:
    path = history.path_of("new-lab")
    path.write_text("2026-01-01T00:00:00Z offer: x\n" * 40_000, encoding="utf-8")
    before = path.stat().st_size
    with pytest.raises(CvbuildError, match="larger than 1 MiB"):
        history.add("new-lab", "declined", NOW)
    assert path.stat().st_size == before
    notes, wrong = history.read("new-lab")
    assert len(notes) > 30_000
    assert [one.severity for one in wrong][-1:] == ["error"]


def test_the_last_note_that_is_taken_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MAX_BYTES", 20_000)
    taken = 0
    with contextlib.suppress(CvbuildError):
        for _ in range(100):
            history.add("new-lab", "\N{GRINNING FACE}" * history.LONGEST, NOW)
            taken += 1
    notes, wrong = history.read("new-lab")
    assert (len(notes), wrong) == (taken, ())
    assert 0 < taken < 100


def test_a_time_that_is_none_and_many_odd_lines() -> None:
    path = history.path_of("new-lab")
    path.write_text("2026-13-99T99:99:99Z offer\n" + "odd\n" * 9, encoding="utf-8")
    notes, wrong = history.read("new-lab")
    assert notes == ()
    assert [one.span.line for one in wrong if one.span] == [1, 2, 3, 0]
    assert str(wrong[-1]) == "applications/new-lab.log: warning: 7 more lines are not notes"


def test_a_folder_that_cant_be_looked_into_is_told() -> None:
    """A name too long fails as a folder without rights does, for root as well."""
    root = Path("x" * 300)
    for read in (load.slugs, archive.packets, lambda root: history.read("new-lab", root)):
        with pytest.raises(CvbuildError, match=r"can't read .* check the"):
            read(root)
    with pytest.raises(ProfileError, match="can't be read"):
        person_file.load(people.find(["x" * 300])[0])


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="a file that nobody can read")
def test_a_log_that_cant_be_read_hides_no_other_application(run: Run) -> None:
    history.path_of("old-lab").symlink_to("/proc/self/mem")
    ran = run("applications", "--json")
    found = json.loads(ran.out)
    assert [row["slug"] for row in found["applications"]] == ["old-lab", "new-lab"]
    assert ["can't read the notes" in item["message"] for item in found["diagnostics"]] == [True]
    assert ran.code == 1


def test_a_note_as_json(run: Run) -> None:
    ran = run("applications", "note", "new-lab", "offer: yes", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert json.loads(ran.out)["status"] == "offer"


def test_notes_at_once_are_all_there() -> None:
    threads = [
        threading.Thread(target=history.add, args=("new-lab", f"note {n} {'x' * 500}", NOW))
        for n in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    notes, wrong = history.read("new-lab")
    assert wrong == ()
    assert sorted(int(note.text.split()[1]) for note in notes) == list(range(20))
