"""Variants of a workspace: whose rule counts, and what a person lacks of what it names."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

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
    SHARED.write_text(SETTINGS, encoding="utf-8")
    write("ada", WORK + PAPERS)


def text(path: str) -> str:
    return Path("out", path).read_text(encoding="utf-8")


def settings(run: Run, name: str) -> dict[str, tuple[Any, str]]:
    (listed,) = run("check", name, "--settings", "--json").json["people"]
    return {
        one["key"]: (one["value"], f"{one['file']}:{one['line']}")
        for one in listed["settings"]
        if one["key"].startswith("variants.")
    }


def test_everybody_has_it_and_the_own_one_goes_before_key_by_key(run: Run) -> None:
    write(
        "own", WORK + PAPERS + "variants:\n  recent:\n    limit: {experience: 1}\n    locale: de\n"
    )
    assert run("build").code == 0
    assert "Second Ltd" in text("ada/recent.txt")
    assert "First Ltd" not in text("ada/recent.txt")
    assert "SELECTED" in text("ada/recent.txt").upper()
    assert "On winter" not in text("ada/recent.txt")
    assert settings(run, "ada") == {
        "variants.recent.since": ("5 years", "cvbuild.yaml:6"),
        "variants.recent.limit": ({"publication": "1"}, "cvbuild.yaml:7"),
        "variants.recent.titles": ({"publication": "Selected"}, "cvbuild.yaml:8"),
    }
    # The limit of experience is its own; that of publications is still there.
    assert settings(run, "own") == {
        "variants.recent.since": ("2005", "cvbuild.yaml:10"),
        "variants.recent.limit": ({"publication": "1", "experience": "1"}, "people/own.yaml:13"),
        "variants.recent.titles": ({"publication": "Selected"}, "cvbuild.yaml:8"),
        "variants.recent.locale": ("de", "people/own.yaml:14"),
    }


def test_what_a_person_lacks_is_a_note_with_a_count(run: Run) -> None:
    for number in range(6):
        write(f"bob{number}", WORK)
    built = run("build")
    assert built.code == 0
    line = 'note: 6 people have no section "publication" (bob0, bob1, bob2 and 3 more)'
    assert line in built.err
    assert "First Ltd" not in text("bob0/recent.txt")
    checked = run("check")
    assert checked.code == 0
    assert checked.err.count('no section "publication"') == 1
    assert line in checked.err
    (one,) = run("check", "bob0", "--json").json["diagnostics"]
    assert (one["severity"], one["file"]) == ("note", "people/bob0.yaml")
    assert one["hint"] == "cvbuild.yaml:7 names it"


def test_in_a_file_of_ones_own_it_stays_an_error(run: Run) -> None:
    write("bob", f"{WORK}variants:\n  short: {{limit: {{publication: 3}}}}\n")
    ran = run("build", "bob")
    assert ran.code == 1
    assert 'people/bob.yaml:8:19: no section is called "publication"' in ran.err


def test_one_with_a_text_of_its_own_has_something_to_show(run: Run) -> None:
    shared = "defaults: {variants: {bio: {kinds: summary, summary: Member of the lab.}}}"
    SHARED.write_text(shared)
    assert run("build", "ada", "--variant", "bio", "-f", "txt").code == 0
    assert "Member of the lab." in text("ada/bio.txt")


def test_what_was_fine_for_many_is_still_an_error_for_one(run: Run) -> None:
    SHARED.unlink()
    write("bob", WORK)
    arguments = ("build", "-t", "plain", "-f", "txt", "--set", "kinds=publication")
    for people, code in (((), 0), (("bob",), 1), ((), 0), (("bob",), 1)):
        assert run(*arguments, *people).code == code, people


def test_set_for_several_people_leaves_out_who_lacks_it(run: Run) -> None:
    SHARED.unlink()
    write("bob", WORK)
    arguments = ("build", "-t", "plain", "-f", "txt", "--set", "limit.publication=1")
    alone = run(*arguments, "bob")
    assert alone.code == 1
    assert '--set limit.publication: no section is called "publication"' in alone.err
    for people in ((), ("ada", "bob")):
        ran = run(*arguments, *people)
        assert ran.code == 0, ran.err
        assert "people/bob.yaml: note: no section" in ran.err
        assert "--set limit.publication names it" in ran.err
    assert "On winter" not in text("ada/plain.txt")
    wrong = run(*arguments[:-1], "limit.publicaton=1")
    assert wrong.code == 1
    assert 'did you mean "publication"?' in wrong.err
    made = cvbuild.build(
        ["ada", "bob"], templates=["plain"], formats=["txt"], sets={"limit.award": 1}
    )
    assert [one.path is not None for one in made] == [True, True]


def test_a_document_that_would_be_empty_is_not_built(run: Run) -> None:
    SHARED.write_text("defaults: {template: [plain, pubs], variants: {pubs: {kinds: publication}}}")
    write("bob", WORK)
    for _ in range(2):
        ran = run("build", "-f", "txt")
        assert ran.code == 0
        assert (
            'people/bob.yaml: note: nothing for "pubs"; it isn\'t built: cvbuild.yaml:1' in ran.err
        )
        assert sorted(Path("out/bob").iterdir()) == [Path("out/bob/plain.txt")]
        assert Path("out/ada/pubs.txt").exists()
    assert run("check").code == 0
    names = [one["variant"] for one in run("status", "-f", "txt", "--json").json["documents"]]
    assert names == [None, "pubs", None]
    only = run("build", "-f", "txt", "--set", "kinds=publication", "-t", "plain")
    assert only.code == 0, only.err
    assert 'nothing for "plain"' in only.err
    made = cvbuild.build(formats=["txt"])
    assert [(one.person, one.name) for one in made] == [
        ("ada", "plain"), ("ada", "pubs"), ("bob", "plain")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        ("{limti: 3}", '1:29: unknown key "limti"; did you mean "limit"?'),
        ("{since: soon}", '1:36: "soon" is not one date; write a year, a month or a day, such as '),
        ("{since: 900 years}", '1:36: "900 years" is not one date; '),
        ("{template: plum}", '1:39: unknown template "plum"; the templates are: '),
        ("{options: {acent: x}}", '1:39: unknown option "acent"; did you mean "accent"?'),
        ("{without: publicaton}", '1:38: no section is called "publicaton"; did you mean '),
        ("{limit: {publicaton: 1}}", '1:37: no section is called "publicaton"; did you mean '),
        ("{include: new}", '1:38: warning: nothing has the tag "new"; write tags: below items'),
    ],
)
def test_what_is_wrong_with_one_is_told_at_its_place(run: Run, variant: str, expected: str) -> None:
    SHARED.write_text(f"defaults: {{variants: {{new: {variant}}}}}\n")
    ran = run("check")
    assert f"cvbuild.yaml:{expected}" in ran.err
    assert ran.code == (0 if "warning" in expected else 1)


def test_a_section_that_only_some_people_have_is_no_error(run: Run) -> None:
    SHARED.write_text("defaults: {variants: {few: {without: youth, exclude: old}}}\n")
    write("bob", WORK + "    id: youth\n    tags: old\n")
    assert run("check").code == 0
    ran = run("build", "--variant", "few", "-f", "txt")
    assert ran.code == 0
    assert 'cvbuild.yaml:1:38: warning: no section is called "youth"' in ran.err
    assert 'people/ada.yaml: note: no tag "old"; cvbuild.yaml:1 names it' in ran.err


def test_one_that_is_called_like_a_template_is_an_error(run: Run) -> None:
    SHARED.write_text("defaults: {variants: {plain: {limit: 3}}}\n")
    assert 'cvbuild.yaml:1:23: the variant "plain" and the template' in run("check").err


def test_every_command_knows_it(run: Run) -> None:
    shown = run("show", "ada", "--variant", "recent").out
    assert "Engineer — since: 2021-07-01; it ended in 2019 (cvbuild.yaml:6)" in shown
    assert run("build", "--variant", "recent").code == 0
    (row,) = run("status", "--variant", "recent", "--json").json["documents"]
    assert (row["variant"], row["state"]) == ("recent", "up to date")
    SHARED.write_text(SETTINGS.replace("publication: 1", "publication: 2"), encoding="utf-8")
    why = run("status", "--why", "ada", "--variant", "recent")
    assert "limit of the variant was publication: 1 and is publication: 2" in why.out
    assert '"recent" is a variant, not a template' in run("build", "-t", "recent").err
    assert (
        'ada has no variant "resent"; did you mean "recent"?'
        in run("build", "ada", "--variant", "resent").err
    )
    SHARED.unlink()
    assert "nobody has a variant" in run("build", "--variant", "recent").err


# -- since: 5 years --------------------------------------------------------------------------------


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
