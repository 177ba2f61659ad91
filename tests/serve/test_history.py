"""Earlier versions of a file: copies of what was saved, revisions of git, and back to one."""

from __future__ import annotations

import os
import re
import stat
import subprocess
from pathlib import Path

import pytest
from browsers import has_no_fault
from playwright.sync_api import expect
from serve.desks import ADA, Desk, Opens

from cvbuild.common.diagnostics import CvbuildError
from cvbuild.serve import edits


def _texts(path: Path, cache: Path) -> list[str]:
    return [read() for _, read in edits.earlier(path, cache).values()]


def test_what_is_saved_without_a_pause_is_one_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, cache = tmp_path / "ada.yaml", tmp_path / "cache"
    edits.keep_copy(path, "name: A\n", "name: B\n", cache)
    edits.keep_copy(path, "name: B\n", "name: C\n", cache)
    assert _texts(path, cache) == ["name: C\n", "name: A\n"]
    # What another program wrote meanwhile is a version, too.
    edits.keep_copy(path, "name: X\n", "name: D\n", cache)
    assert _texts(path, cache) == ["name: D\n", "name: X\n", "name: C\n", "name: A\n"]
    monkeypatch.setattr(edits, "PAUSE", -1)
    before = "name: D\n"
    for number in range(edits.MOST):
        edits.keep_copy(path, before, before := f"name: {number}\n", cache)
    kept = _texts(path, cache)
    assert (len(kept), kept[0]) == (edits.MOST, before)
    if os.name == "posix":
        folders = [cache / "history", *(cache / "history").iterdir()]
        copies = [file for folder in folders[1:] for file in folder.iterdir()]
        assert {stat.S_IMODE(one.stat().st_mode) for one in copies} == {0o600}
        assert stat.S_IMODE(folders[1].stat().st_mode) == 0o700
    edits.follow(path, tmp_path / "eve.yaml", cache)
    assert _texts(path, cache) == []
    assert len(_texts(tmp_path / "eve.yaml", cache)) == edits.MOST


def test_what_a_version_takes_the_place_of_is_kept(tmp_path: Path) -> None:
    path, cache = tmp_path / "ada.yaml", tmp_path / "cache"
    edits.keep_copy(path, "name: A\n", "name: B\n", cache)
    (first,) = [name for name, at in edits.earlier(path, cache).items() if at[1]() == "name: A\n"]
    edits.keep_copy(path, "name: B\n", edits.text_of(path, cache, first), cache)
    assert _texts(path, cache) == ["name: A\n", "name: B\n", "name: A\n"]
    # While the next one is written, or where that was killed, there is another file.
    for folder in (cache / "history").iterdir():
        (folder / "9999999999999.new").touch()
    edits.keep_copy(path, "name: A\n", "name: E\n", cache)
    assert _texts(path, cache) == ["name: E\n", "name: B\n", "name: A\n"]


def test_revisions_of_git_are_versions_with_what_changed_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, cache = tmp_path / "ada.yaml", tmp_path / "cache"
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    names = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")

    def git(*arguments: str) -> None:
        subprocess.run(["git", *names, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-q")
    for text in ("name: Ada\n", "name: Ada\nheadline: Engineer\n", "name: [\n"):
        path.write_text(text, encoding="utf-8")
        git("add", "ada.yaml")
        git("commit", "-qm", "x")
    # As it is in git, so it was saved here.
    edits.keep_copy(path, None, "name: [\n", cache)
    broken, second, first = edits.history(path, cache)
    assert not broken["is_copy"]
    assert (broken["changes"], first["changes"]) == (None, None)
    assert second["changes"] == [
        {"kind": "added", "place": "headline", "words": [("new", "Engineer")]}
    ]
    assert edits.text_of(path, cache, second["name"]) == "name: Ada\nheadline: Engineer\n"
    with pytest.raises(CvbuildError, match="not there any more"):
        edits.text_of(path, cache, "../../key")


def test_a_version_is_restored_as_one_edit(desk: Desk) -> None:
    page = desk.page
    desk.after("scheduler in Python")
    page.keyboard.type(" and Rust")
    changed = ADA.replace("in Python\n", "in Python and Rust\n")
    desk.becomes(changed)
    page.locator("#history-button").click()
    rows = page.locator("#history-list > li")
    expect(rows.first).to_contain_text("as it is now")
    expect(rows.first).to_contain_text("Experience › Engineer › bullets 1")
    rows.first.locator("summary").click()
    expect(rows.first.locator("ins")).to_have_text("and Rust")
    page.get_by_role("button", name=re.compile("^Restore today")).first.click()
    expect(page.locator("#told-words")).to_contain_text("is back")
    desk.becomes(ADA)
    desk.undo()
    desk.becomes(changed)


def test_over_a_text_that_is_not_saved_it_asks(desk: Desk) -> None:
    page = desk.page
    desk.after("scheduler in Python")
    page.keyboard.type("!")
    desk.becomes(ADA.replace("in Python\n", "in Python!\n"))
    page.locator("#history-button").click()
    restore = page.get_by_role("button", name=re.compile("^Restore today")).first
    expect(restore).to_be_visible()
    # Another program writes what isn't seen here, and something is typed meanwhile.
    desk.after("Languages")
    page.keyboard.type(" mine")
    desk.file.write_text(ADA.replace("Everything", "All"), encoding="utf-8")
    expect(page.locator("#conflict")).to_be_visible()
    restore.click()
    expect(page.locator("#history-ask")).to_contain_text("Your text isn’t saved")
    page.get_by_role("button", name="Keep my text").last.click()
    expect(page.locator("#history-ask")).to_be_hidden()
    assert "Languages mine" in desk.text()
    restore.click()
    page.get_by_role("button", name="Restore it").click()
    expect(page.locator("#told-words")).to_contain_text("is back")
    assert "Languages mine" not in desk.text()
    desk.undo()
    expect(page.locator("#editor .cm-content")).to_contain_text("Languages mine")


def test_axe_finds_nothing(opens: Opens) -> None:
    with opens(ADA, bypass_csp=True) as desk:
        desk.after("scheduler in Python")
        desk.page.keyboard.type("?")
        desk.has("in Python?")
        desk.page.locator("#history-button").click()
        expect(desk.page.locator("#history-list summary").first).to_be_visible()
        desk.page.locator("#history-list summary").first.click()
        has_no_fault(desk.page)
