"""``cvbuild status --since``: who has changed nothing, by git's history and by the files' dates."""

from __future__ import annotations

import os
import shutil
import subprocess
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import pytest
from conftest import Run

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


@pytest.fixture(autouse=True)
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace in a repository: ada and ben are committed, cy isn't; all files are of 2023."""
    top = tmp_path / "repository" / "lab"
    (top / "people").mkdir(parents=True)
    monkeypatch.chdir(top)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1782864000")  # 1 July 2026
    git("init", "--quiet", "--initial-branch=main", "..")
    write("ada", "name: Ada Example\n")
    write("ben", "name: Ben Example\n")
    commit("2024-03-01")
    write("ben", "name: Ben Example\nheadline: Engineer\n")
    commit("2025-05-01")
    write("cy", "name: {given: Cy, family: Example}\n")
    return top


def git(*words: str) -> None:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(["git", *who, *words], check=True, capture_output=True)


def commit(day: str) -> None:
    git("add", "people")
    git("commit", "--quiet", "-m", day, "--date", f"{day}T12:00:00Z")


def write(name: str, text: str, day: int = 1_672_574_400) -> None:  # 1 January 2023
    path = Path("people", f"{name}.yaml")
    path.write_text(text, encoding="utf-8")
    os.utime(path, (day, day))


def listed(run: Run, since: str) -> list[tuple[str, str, str]]:
    people = run("status", "--since", since, "--json").json["people"]
    return [(one["person"], one["changed"], one["by"]) for one in people]


def test_drafts_to_them(run: Run, lab: Path) -> None:
    write("ada", "name: Ada Example\ncontact: {email: ada@example.org}\n")
    mail = lab / "out" / "mail" / "updates"
    ran = run("status", "--since", "2025", "--mail")
    assert ran.err.splitlines() == [
        "2 drafts in out/mail/updates/; send them with a mail program",
        "without an address, as the file has none that is public: cy",
    ]
    draft = message_from_bytes((mail / "ada.eml").read_bytes(), policy=default)
    assert (draft["To"], draft["Subject"]) == (
        "Ada Example <ada@example.org>",
        "Your CV of 2023-01-01",
    )
    assert " ".join(draft.get_content().split()) == (
        "Dear Ada Example, Your CV in people/ada.yaml was changed last on 2023-01-01. Please look "
        "through it, and send what is new, or write that nothing is."
    )
    # Who has updated it since needs no draft any more.
    write("ada", "name: Ada New\n", 1_767_225_600)
    run("status", "--since", "2025", "--mail")
    assert [path.name for path in mail.iterdir()] == ["cy.eml"]
    ran = run("status", "--mail")
    assert (ran.code, ran.err) == (2, "--mail writes to whom --since lists; add --since DATE\n")


CY, ADA, BEN = (
    ("cy", "2023-01-01", "file"),
    ("ada", "2024-03-01", "git"),
    ("ben", "2025-05-01", "git"),
)


def test_it_lists_who_changed_nothing_the_oldest_first(run: Run) -> None:
    ran = run("status", "--since", "2026")
    assert ran.out.splitlines() == [
        "PERSON  NAME         CHANGED",
        "cy      Cy Example   2023-01-01  by the file's date",
        "ada     Ada Example  2024-03-01",
        "ben     Ben Example  2025-05-01",
        "3 of 3 people changed nothing since 2026-01-01",
    ]
    assert (ran.code, ran.err) == (0, "")
    assert (
        run("status", "--since", "1999").out == "0 of 3 people changed nothing since 1999-01-01\n"
    )


@pytest.mark.parametrize(
    ("since", "expected"),
    [
        ("2025-05-01", [CY, ADA]),
        ("May 2, 2025", [CY, ADA, BEN]),
        ("14 months", [CY, ADA]),  # before 1 July 2026
        ("13 months", [CY, ADA, BEN]),
        ("3 years", [CY]),
    ],
)
def test_a_day_or_a_time(run: Run, since: str, expected: list[tuple[str, str, str]]) -> None:
    assert listed(run, since) == expected


def test_a_file_that_differs_from_its_commit_has_its_own_date(run: Run) -> None:
    write("ada", "name: Ada Example\nheadline: New\n", 1_780_272_000)  # 1 June 2026
    assert listed(run, "2026") == [CY, BEN]
    # Other ends of lines are no change; an overlay that git ignores is one.
    Path("people/ben.yaml").write_bytes(b"name: Ben Example\r\nheadline: Engineer\r\n")
    assert listed(run, "2026") == [CY, BEN]
    write("cy.private", "contact: {phone: +1 202 555 0123}\n", 1_780_272_000)
    assert listed(run, "2026") == [BEN]


def test_without_git_the_files_have_dates(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert [by for _, _, by in listed(run, "2026")] == ["file"] * 3


def test_a_history_that_is_cut_off_is_told(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = f"file://{tmp_path / 'repository'}"
    git("clone", "--quiet", "--depth", "1", source, str(tmp_path / "copy"))
    monkeypatch.chdir(tmp_path / "copy" / "lab")
    ran = run("status", "--since", "2026")
    assert "ada     Ada Example  2025-05-01" in ran.out
    assert "git fetch --unshallow" in ran.err


def test_nothing_that_a_repository_configures_is_run(run: Run, lab: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    evil = tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\ntouch {trap}\n")
    evil.chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "pager.log", "gpg.program", "diff.external",
                "core.sshCommand", "core.alternateRefsCommand"):  # fmt: skip
        git("config", key, str(evil))
    git("config", "log.showSignature", "true")
    git("config", "extensions.partialClone", "origin")
    git("config", "remote.origin.url", f"ext::{evil}")
    git("config", "protocol.ext.allow", "always")
    assert listed(run, "2026") == [CY, ADA, BEN]
    assert not trap.exists()
    assert lab.is_dir()


def test_what_is_no_date_is_refused(run: Run) -> None:
    ran = run("status", "--since", "soon")
    assert ran.code == 2
    assert '"soon" is not a date; write a day, a month or a year, such as 2026-04-01' in ran.err


def test_of_a_long_history_nothing_is_cut(run: Run) -> None:
    Path("notes").mkdir()
    for number in range(9_000):
        Path("notes", f"{number:05}-a-long-name-as-files-have-them.txt").touch()
    git("add", "-A")
    git("commit", "--quiet", "-m", "many", "--date", "2026-01-01T12:00:00Z")
    shutil.move("notes", "people/notes")
    git("add", "-A")
    git("commit", "--quiet", "-m", "moved", "--date", "2026-01-02T12:00:00Z")
    assert listed(run, "2025-05-01") == [ADA]
