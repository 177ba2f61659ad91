"""What people write is changed in its own lines alone, and saved as it was, never over others."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import random
import re
import stat
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import Run

from cvbuild.common.diagnostics import CvbuildError, ProfileError
from cvbuild.common.files import safe_folders
from cvbuild.inputs import saving
from cvbuild.inputs.saving import ConflictError, FileState
from cvbuild.inputs.yaml import edit, source
from cvbuild.inputs.yaml.edit import EditError

MARK = b"\xef\xbb\xbf"


@pytest.fixture
def path(here: Path) -> Path:
    (here / "people").mkdir()
    return Path("people/ada.yaml")


def opened(path: Path) -> FileState:
    state = saving.read(path)
    assert state.fault is None
    return state


def saved(path: Path, before: bytes, text: str) -> bytes:
    path.write_bytes(before)
    version = saving.save(path, text, opened(path).version)
    assert version == opened(path).version
    return path.read_bytes()


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        (b"a: 1\n", "a: 2\n", b"a: 2\n"),
        (b"a: 1\r\nb: 2\r\n", "a: 1\nb: 3\nc: 4\n", b"a: 1\r\nb: 3\r\nc: 4\r\n"),
        (b"a: 1\rb: 2", "a: 1\nb: 3", b"a: 1\rb: 3"),
        (MARK + b"a: 1\r\n", "a: 2\n", MARK + b"a: 2\r\n"),
        # Of mixed line ends the most frequent holds for all.
        (b"a: 1\r\nb: 2\nc: 3\r\n", "a: 1\nb: 9\nc: 3\n", b"a: 1\r\nb: 9\r\nc: 3\r\n"),
        (b"a: 1\nb: 2\r\nc: 3", "", b""),
        ("a: né 漢\n".encode(), "a: né 漢字 😀\n", "a: né 漢字 😀\n".encode()),
    ],
)
def test_marks_and_line_ends_stay(path: Path, before: bytes, text: str, after: bytes) -> None:
    assert saved(path, before, text) == after
    assert "\r" not in (opened(path).text or "")


def test_what_is_unchanged_is_not_written(path: Path) -> None:
    for data in (b"a: 1\r\nb: 2\nc: 3\r", MARK + b"a: 1\n", b"", b"\n\r\n\r"):
        path.write_bytes(data)
        stamp = path.stat().st_mtime_ns
        state = opened(path)
        assert saving.save(path, state.text or "", state.version) == state.version
        assert (path.read_bytes(), path.stat().st_mtime_ns) == (data, stamp)


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_permissions_stay_and_links_inside_are_followed(path: Path) -> None:
    path.write_text("a: 1\n")
    path.chmod(0o640)
    assert saved(path, b"a: 1\n", "a: 2\n") == b"a: 2\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    link = Path("people/bob.yaml")
    link.symlink_to("ada.yaml")
    saving.save(link, "a: 3\n", opened(link).version)
    assert link.is_symlink()
    assert path.read_text() == "a: 3\n"
    assert sorted(one.name for one in Path("people").iterdir()) == ["ada.yaml", "bob.yaml"]


def test_a_link_out_of_the_workspace_is_not_followed(path: Path, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside.yaml"
    outside.write_text("secret: 1\n")
    path.symlink_to(outside)
    state = saving.read(path)
    assert state.text is None
    assert state.fault
    assert "outside" in state.fault.message
    for seen in (state.version, None):
        with pytest.raises((ConflictError, CvbuildError)):
            saving.save(path, "a: 1\n", seen)
    assert outside.read_text() == "secret: 1\n"
    # A folder that is a link, and a file that somebody puts there meanwhile.
    elsewhere = tmp_path.parent / f"{tmp_path.name}-folder"
    elsewhere.mkdir()
    Path("others").symlink_to(elsewhere)
    with pytest.raises(CvbuildError):
        saving.save(Path("others/ada.yaml"), "a: 1\n", None)
    assert not any(elsewhere.iterdir())


@pytest.mark.usefixtures("path")
def test_a_file_elsewhere_that_was_named_is_saved_there(tmp_path: Path) -> None:
    named = tmp_path.parent / f"{tmp_path.name}-named.yaml"
    named.write_bytes(b"a: 1\r\n")
    saving.save(named, "a: 2\n", opened(named).version)
    assert named.read_bytes() == b"a: 2\r\n"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ("name: Zo\xeb\n".encode("latin-1"), "yaml-encoding"),
        ("name: Zoë\n".encode("utf-16"), "yaml-encoding"),
        (b"x" * ((1 << 20) + 1), "yaml-too-large"),
    ],
)
def test_what_cannot_be_edited_is_told_and_stays(path: Path, data: bytes, code: str) -> None:
    path.write_bytes(data)
    state = saving.read(path)
    assert state.fault
    assert (state.text, state.fault.code) == (None, code)
    with pytest.raises((ConflictError, CvbuildError)):
        saving.save(path, "a: 1\n", "seen")
    assert path.read_bytes() == data


def test_what_could_not_be_opened_again_is_not_saved(path: Path) -> None:
    path.write_text("a: 1\r\n", newline="")
    seen = opened(path).version
    with pytest.raises(CvbuildError, match="more than"):
        saving.save(path, "a\n" * 400_000, seen)
    assert path.read_bytes() == b"a: 1\r\n"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no locks")
def test_a_folder_that_another_program_has_locked_is_told(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_text("a: 1\n")
    monkeypatch.setattr(saving, "_PATIENCE", 0.1)
    with safe_folders.locked(Path("people")) as is_locked:
        assert is_locked
        with pytest.raises(CvbuildError, match="locked"):
            saving.save(path, "a: 2\n", opened(path).version)
    assert path.read_text() == "a: 1\n"
    saving.save(path, "a: 2\n", opened(path).version)


def test_a_pipe_in_place_of_a_folder_keeps_nobody_waiting(here: Path) -> None:
    os.mkfifo(here / "pipe")
    with safe_folders.locked(here / "pipe"), pytest.raises(NotADirectoryError):
        safe_folders.write(here / "pipe/a.txt", b"")


def test_what_is_saved_just_before_the_renaming_is_not_lost(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program saves when the temporary file is there, and its bytes are on the disk."""
    path.write_text("a: 1\n")
    seen = opened(path).version
    synced = os.fsync

    def late(handle: int) -> None:
        synced(handle)
        path.write_text("a: theirs\n")

    monkeypatch.setattr(os, "fsync", late)
    with pytest.raises(ConflictError):
        saving.save(path, "a: mine\n", seen)
    assert path.read_text() == "a: theirs\n"
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_a_text_takes_the_place_of_the_one_that_was_read(path: Path) -> None:
    path.write_bytes(MARK + b"a: 1\r\nb: 2\r\n")
    saving.replace(path, "a: 1\r\nb: 2\r\n", "a: 1\r\nb: 2\r\nc: 3\n")
    assert path.read_bytes() == MARK + b"a: 1\r\nb: 2\r\nc: 3\r\n"
    with pytest.raises(CvbuildError, match="another program has changed the file meanwhile"):
        saving.replace(path, "a: 1\n", "a: 2\n")


_, TEXT, *ROWS = (Path(__file__).parent / "changes.txt").read_text("utf-8").split("---\n")


@pytest.mark.parametrize("row", ROWS)
def test_only_its_own_lines_change(row: str) -> None:
    what, *changes = row.splitlines()
    path, _, value = what.partition(" = ")
    steps = tuple(int(step) if step.isdecimal() else step for step in path.split())
    made = edit.put(TEXT.rstrip("\n"), steps, json.loads(value or "null"))
    found = difflib.ndiff(TEXT.splitlines(), made.splitlines())
    both = [one[0] + one[2:] for one in found if one[0] in "-+"]
    # Those that go are listed first.
    assert sorted(both, key=lambda one: one[0] == "+") == changes
    assert not value or made.endswith("\n") == (path == "nope")


def test_whole_numbers_keep_their_digits() -> None:
    for number in (12345678901, 10**400):
        assert edit.put("name: Ada\n", ("n",), number) == f"name: Ada\nn: {number}\n"


def test_what_is_added_to_an_addition_is_there_once() -> None:
    both = edit.Addition(("a",), {"b": ["c"]}), edit.Addition(("a", "b", 1), "d")
    made = edit.add("name: Ada\n", both)
    assert source.parse(made, "text").data == {"name": "Ada", "a": {"b": ["c", "d"]}}


def test_what_has_no_such_place_is_refused() -> None:
    text = "name: Ada\nphoto: ada.png\na: {b: c}\n"
    for path, to in ((("name", 0), 1), (("a", "b", 0), 0), (("a", "b"), 1), (("nope",), 0)):
        with pytest.raises(EditError):
            edit.move(text, path, to)
    with pytest.raises(EditError):
        edit.add(text, [edit.Addition(("a", -1), "d")])
    with pytest.raises(EditError):
        edit.add(text, [edit.Addition(("a", 0), "d")])


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("name: Ada", "name: Ada\noptions:\n  accent: x"),
        ("name: Ada\noptions:\n", "name: Ada\noptions: {accent: x}\n"),
        ("name: Ada\noptions: ~  # c\nb: c\n", "name: Ada\noptions: {accent: x}  # c\nb: c\n"),
        ("{name: Ada, options: {accent: y}}\n", "{name: Ada, options: {accent: x}}\n"),
        ("options:\n    accent: 'y'   # c\n", "options:\n    accent: x   # c\n"),
        ("options:\n  accent: |\n    y\n# c\n", "options:\n  accent: |\n    x\n# c\n"),
        ("options:\n  accent: >- # d\n    y\n# c\n", "options:\n  accent: >- # d\n    x\n# c\n"),
        ('options: {accent: "y: z"}\n', "options: {accent: x}\n"),
        ("options:\n  - accent\n", None), ("options: text\n", None),
        ("options: {accent: y", None), ("options: &a {accent: y}\n", None),
    ],
)  # fmt: skip
def test_forms_of_what_is_there(text: str, after: str | None) -> None:
    if after is not None:
        assert edit.put(text, ("options", "accent"), "x") == after
        return
    with pytest.raises((EditError, ProfileError)):
        edit.put(text, ("options", "accent"), "x")


pytestmark = pytest.mark.usefixtures("here")
PERSON = """\
# Kept: comments.
name: Ada Example
contact: {email: ada@example.org}
summary: I build clocks.   # and this one
sections:
  - kind: experience
    items:
      - employer: "Example Works"
        title: Engineer
        date: 2021-03 to 2022-04
        bullets:
          - Wrote a scheduler for 12 clusters.
          - Tested compilers.
"""
FILE, PATCH = Path("people/ada.yaml"), Path("patch.json")


def patch(*edits: tuple[Any, Any], **changes: Any) -> None:
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(PERSON)
    base = hashlib.sha256(FILE.read_bytes()).hexdigest()
    plain = [{"path": path, "value": value} for path, value in edits]
    PATCH.write_text(json.dumps({"person": "ada", "base": base, "edits": plain} | changes))


def test_it_is_shown_and_written_and_nothing_else_is_changed(run: Run) -> None:
    bullet = ["sections", 0, "items", 0, "bullets", 1]
    patch((["summary"], "I build small clocks."), (bullet, None))
    shown = run("apply-patch", "patch.json", "--yes")
    assert shown.code == 0
    assert shown.out.splitlines()[:2] == ["it adds no facts", "ada: 2 changes, with the patch"]
    expected = PERSON.replace("I build clocks.", "I build small clocks.")
    assert FILE.read_text() == expected.replace("          - Tested compilers.\n", "")


def test_new_facts_are_named_first(run: Run) -> None:
    bullet = ["sections", 0, "items", 0, "bullets", 0]
    patch((bullet, "Led a team of 40 that wrote a scheduler for 12 clusters."))
    told = run("apply-patch", "patch.json", "--json").json
    assert not told["written"]
    assert {"scope", "number"} <= {one["kind"] for one in told["new_facts"]}
    assert FILE.read_text() == PERSON
    first = run("apply-patch", "patch.json", "--yes").out.splitlines()[0]
    assert first.startswith("it adds 2 facts that the file hasn't: ")


def test_nobody_is_asked_where_nobody_is(run: Run) -> None:
    patch((["summary"], "I build."))
    ran = run("apply-patch", "patch.json")
    assert ran.code == 2
    assert "--yes" in ran.err
    assert FILE.read_text() == PERSON


REFUSED = [
    ({"base": "0" * 64}, "people/ada.yaml: the file has changed since the patch was made"),
    ({"person": "../ada"}, "ada"),
    ({"edits": []}, "patch.json: this is no patch: edits is empty; "),
    ({"more": 1}, "patch.json: this is no patch: unknown key"),
    ({"edits": [{"path": ["summary", "x"], "value": 1}]}, "change 1: summary.x isn't in"),
    ({"edits": [{"path": ["sections", 0, "kind"], "value": "nothing"}]}, "nothing was written"),
    ({"edits": [{"path": ["name"], "value": None}]}, "nothing was written"),
    ({"edits": [{"path": ["photo"], "value": "/etc/passwd"}]}, "nothing was written"),
]


@pytest.mark.parametrize(("changes", "message"), REFUSED)
def test_a_patch_that_is_none_or_does_harm(run: Run, changes: Any, message: str) -> None:
    patch((["summary"], "I build."), **changes)
    ran = run("apply-patch", "patch.json", "--yes")
    assert ran.code != 0
    assert message in ran.err
    assert "Traceback" not in ran.err
    assert FILE.read_text() == PERSON


@pytest.mark.parametrize("text", ["", "{", "[1]", '"a"', "\ud83d".encode("utf-8", "surrogatepass")])
def test_what_is_no_json(run: Run, text: str | bytes) -> None:
    patch((["summary"], "I build."))
    PATCH.write_bytes(text.encode() if isinstance(text, str) else text)
    ran = run("apply-patch", "patch.json", "--yes")
    assert ran.code != 0
    assert "patch.json: this is no patch" in ran.err


def test_random_values_arrive_as_they_are(run: Run) -> None:
    choose = random.Random(46)
    signs = "aé\u202e #:-\"'{}[]|>&*!%@`\\\n\t<$~?,=é中🙂"
    for _ in range(40):
        value = "x" + "".join(choose.choices(signs, k=12)) + "x"
        patch((["summary"], value))
        ran = run("apply-patch", "patch.json", "--yes", "--json")
        if ran.json["written"]:
            data: Any = source.load(FILE).data
            assert data["summary"] == value
            assert FILE.read_text().startswith("# Kept: comments.\n")
        else:
            assert FILE.read_text() == PERSON


def test_a_workspace_tells_agents_to_hand_over_patches(run: Run) -> None:
    assert run("init", ".").code == 0
    assert not Path("AGENTS.md").exists()
    assert run("init", ".", "--agents").code == 0
    skill = Path(".agents/skills/cvbuild/SKILL.md")
    _, head, body = skill.read_text().split("---\n", 2)
    about = yaml.safe_load(head)
    assert about["name"] == skill.parent.name
    assert 50 < len(about["description"]) <= 1024
    words = Path("AGENTS.md").read_text() + body
    for command in set(re.findall(r"`cvbuild ([a-z-]+)", words)):
        assert run(command, "--help").code == 0
