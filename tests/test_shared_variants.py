"""Variants of a workspace; what is printed of them is in tests/commands."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from conftest import Run
from workspaces import write

import cvbuild

SHARED = Path("cvbuild.yaml")
SETTINGS = """\
defaults:
  formats: txt
  template: [plain, recent]
  variants:
    recent:
      since: 5 years
      limit: {publication: 1}
      titles: {publication: Selected}
groups:
  old: {people: "o*", variants: {recent: {since: 2005}}}
"""
WORK = """\
name: Ada Example
sections:
  - kind: experience
    items:
      - {employer: First Ltd, title: Engineer, date: 2010 to 2019}
      - {employer: Second Ltd, title: Engineer, date: 2024 to present}
"""
PAPERS = """\
  - kind: publication
    items:
      - {title: On winter, authors: [A. Example], date: 2024}
      - {title: On summer, authors: [A. Example], date: 2025}
"""
#: 1 July 2026
EPOCH = 1782864000


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(EPOCH))
    SHARED.write_text(SETTINGS, "utf-8")
    write("ada", WORK + PAPERS)


def text(path: str) -> str:
    return Path("out", path).read_text("utf-8")


def test_from_python_nobody_has_to_have_what_is_named() -> None:
    SHARED.write_text(
        "defaults: {formats: txt, template: [plain, pubs], variants: {pubs: {kinds: publication}}}"
    )
    write("bob", WORK)
    made = cvbuild.build(["ada", "bob"], templates=["plain"], sets={"limit.award": 1})
    assert [one.path is not None for one in made] == [True, True]
    made = cvbuild.build()
    assert [(one.person, one.name) for one in made] == [
        ("ada", "plain"), ("ada", "pubs"), ("bob", "plain")
    ]  # fmt: skip


def test_time_moves_items_out_of_a_document_that_is_up_to_date(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    clock, clock_ns = time.time, time.time_ns
    moved = {"days": 0}
    monkeypatch.setattr(time, "time", lambda: clock() + moved["days"] * 86400)
    monkeypatch.setattr(time, "time_ns", lambda: clock_ns() + moved["days"] * 86400 * 10**9)
    SHARED.write_text(
        "defaults: {formats: txt, template: last, variants: {last: {since: 2 months}}}\n"
    )
    today = time.strftime("%Y-%m-%d", time.gmtime(time.time()))
    award = f"  - {{kind: award, items: [{{title: A prize, date: {today}}}]}}\n"
    write("ada", WORK + award)

    def built() -> tuple[bool, bool]:
        (one,) = cvbuild.build()
        return one.cached, "A prize" in text("ada/last.txt")

    assert built() == (False, True)
    assert built() == (True, True)
    for days, expected in ((20, (True, True)), (80, (False, False)), (81, (True, False))):
        moved["days"] = days
        assert built() == expected
        assert built() == (True, expected[1])


@pytest.mark.parametrize(
    ("since", "shown"),
    [
        ("7 years", True),
        ("6 years", False),
        ("Last 79 months", True),
        ("78 months", False),
        ("1 year", False),
    ],
)
def test_it_counts_back_from_the_day_of_source_date_epoch(
    run: Run, since: str, shown: bool
) -> None:
    # First Ltd ended in 2019, at the latest on its last day.
    SHARED.write_text(f"defaults: {{template: last, variants: {{last: {{since: {since}}}}}}}\n")
    assert run("build", "-f", "txt").code == 0
    assert ("First Ltd" in text("ada/last.txt")) == shown
