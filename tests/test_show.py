"""``cvbuild show``: what a document shows of a file, what it doesn't, and why, with lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Run
from workspaces import write

ADA = """\
name: Ada Example
contact: {phone: [{number: +1 202 555 0199, private: true}]}
summary: I build engines.
variants:
  systems:
    template: one-page
    include: systems and not teaching
    since: {experience: 2011}
    limit: {publication: 1}
    titles: {publication: Papers}
    without: skill
  none: {kinds: teaching, limit: 0}
options: {industry: {publications: 1}}
sections:
  - kind: experience
    items:
      - employer: Example Labs
        date: 2012 to 2017
        roles:
          - {title: Manager, tags: [lead, people], bullets: [Led]}
          - title: Engineer
            tags: systems
            bullets: [Built, {text: Taught, tags: teaching}]
      - {employer: Old Works, date: 1999 to 2010-06}
      - {employer: Hidden Works, private: true}
  - kind: publication
    items:
      - {title: Newer, authors: [X], date: 2021, tags: [systems]}
    groups:
      - title: Workshops
        items: [{title: Older, authors: [X], date: 2019}]
  - {kind: teaching, items: [{course: Logic, tags: [teaching, systems]}, {course: Set, tags: lead}]}
  - {kind: skill, items: [Python]}
"""
SYSTEMS = """\
ada systems, a variant of one-page (en)

✓ people/ada.yaml:3  Summary
  ✓ people/ada.yaml:3  I build engines.

✓ people/ada.yaml:15  Experience: 1 of 2
  ✓ people/ada.yaml:17  Example Labs
    ✗ people/ada.yaml:20  Manager — include: systems and not teaching; its tags: lead, people\
 (people/ada.yaml:7)
    ✓ people/ada.yaml:21  Engineer
      ✗ people/ada.yaml:23  Taught — include: systems and not teaching; its tags: systems,\
 teaching (people/ada.yaml:7)
  ✗ people/ada.yaml:24  Old Works — since: 2011; it ended in 2010-06 (people/ada.yaml:8)

✓ people/ada.yaml:26  Papers: 1 of 2
  ✓ people/ada.yaml:28  Newer
  Workshops
    ✗ people/ada.yaml:31  Older — limit: 1; keep: newest (people/ada.yaml:9)

✗ people/ada.yaml:32  Teaching: 0 of 2
  ✗ people/ada.yaml:32  Logic — include: systems and not teaching; its tags: teaching, systems\
 (people/ada.yaml:7)
  ✗ people/ada.yaml:32  Set — include: systems and not teaching; its tags: lead\
 (people/ada.yaml:7)

✗ people/ada.yaml:33  Skills: 0 of 1 — without: skill (people/ada.yaml:11)

Private, and in no public document
  ✗ people/ada.yaml:2  contact.phone.0
  ✗ people/ada.yaml:25  sections.0.items.2

one-page is one page: what doesn't fit is left out; --one-page says what.
"""


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with Ada in it."""
    monkeypatch.chdir(tmp_path)
    write("ada", ADA)
    return tmp_path


def parts(shown: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every part of a document's JSON."""
    for part in shown.get("sections", shown.get("parts", ())):
        yield part
        yield from parts(part)


def test_a_variant_says_what_is_in_what_is_out_and_why(run: Run) -> None:
    assert run("show", "ada", "--variant", "systems") == (0, SYSTEMS, "")


def test_nothing_private_is_printed(run: Run) -> None:
    for arguments in (["--variant", "systems"], ["-t", "academic"], []):
        for form in ([], ["--json"]):
            ran = run("show", "ada", *arguments, *form)
            assert "Example Labs" in ran.out
            assert "Hidden Works" not in ran.out + ran.err
            assert "0199" not in ran.out + ran.err


def test_json_has_every_part_once_with_its_place_and_the_rules(run: Run) -> None:
    ran = run("show", "ada", "--variant", "systems", "--json")
    told = ran.json
    assert (ran.code, told["diagnostics"]) == (0, [])
    (document,) = told["documents"]
    head = {key: document[key] for key in ("person", "variant", "template", "locale", "one_page")}
    assert head == {
        "person": "ada",
        "variant": "systems",
        "template": "one-page",
        "locale": "en",
        "one_page": True,
    }
    every = list(parts(document))
    assert len({part["path"] for part in every}) == len(every) == 19
    lines = ADA.split("\n")
    for part in every:
        assert part["file"] == "people/ada.yaml"
        if part["level"] not in ("section", "group"):
            assert part["words"] in lines[part["line"] - 1]
        if part["why"]:
            assert not part["shown"]
            assert part["why"]["message"].partition(":")[0] in lines[part["why"]["line"] - 1]
    reasons = {part["path"]: part["why"]["reason"] for part in every if part["why"]}
    assert reasons == {
        "sections.0.items.0.roles.0": "tags",
        "sections.0.items.0.roles.1.bullets.1": "tags",
        "sections.0.items.1": "since",
        "sections.1.groups.0.items.0": "limit",
        "sections.2.items.0": "tags",
        "sections.2.items.1": "tags",
        "sections.3": "section",
    }
    # A role's bullets and an emptied group or section are out without a reason of their own.
    silent = {part["path"] for part in every if not part["shown"]} - set(reasons)
    assert silent == {
        "sections.0.items.0.roles.0.bullets.0",
        "sections.1.groups.0",
        "sections.2",
        "sections.3.items.0",
    }
    assert [(one["path"], one["line"]) for one in document["private"]] == [
        ("contact.phone.0", 2),
        ("sections.0.items.2", 25),
    ]


def test_a_templates_limit_has_no_line_in_the_file(run: Run) -> None:
    ran = run("show", "ada", "-t", "industry")
    assert "  ✗ people/ada.yaml:31  Older — publications: 1; the template's limit\n" in (
        ran.out.replace("    ✗", "  ✗")
    )
    assert "one page" not in ran.out
    told = run("show", "ada", "-t", "industry", "--json").json
    (why,) = [part["why"] for part in parts(told["documents"][0]) if part["why"]]
    assert (why["reason"], why["file"], why["line"]) == ("limit", None, None)


def test_without_a_name_it_is_what_the_person_picked(run: Run) -> None:
    ran = run("show", "people/ada.yaml")
    assert ran.out.startswith("ada academic (en)\n")
    assert ran.out.count("✗") == 2
    assert "Teaching" in ran.out


def test_headings_are_in_the_language_that_is_asked_for(run: Run) -> None:
    ran = run("show", "ada", "-t", "academic", "--locale", "de")
    assert ran.out.startswith("ada academic (de)\n")
    assert "✓ people/ada.yaml:15  Berufserfahrung\n" in ran.out


def test_a_variant_that_selects_nothing_is_shown_and_is_an_error(run: Run) -> None:
    error = (
        'people/ada.yaml:12:3: the variant "none" selects nothing;'
        " kinds leaves out 4, limit leaves out 2\n"
    )
    ran = run("show", "ada", "--variant", "none")
    assert (ran.code, ran.err) == (1, error)
    assert "✗ people/ada.yaml:33  Skills: 0 of 1 — kinds: teaching (people/ada.yaml:12)" in ran.out
    # It is one of that document alone, and a check of the file tells it.
    ran = run("check", "ada")
    assert (ran.code, ran.err) == (1, f"{error}0 of 1 files are fine\n")
    assert run("show", "ada").code == 0


def test_a_faulty_file_is_told_of(run: Run) -> None:
    write("ada", ADA.replace("summary:", "sumary:"))
    ran = run("show", "ada")
    assert (ran.code, ran.out) == (1, "")
    assert 'unknown key "sumary"' in ran.err


def test_what_is_set_for_one_time_counts(run: Run) -> None:
    ran = run("show", "ada", "-t", "academic", "--set", "limit.experience=1", "--set", "summary=Me")
    assert ran.code == 0
    assert ran.out.startswith("ada academic (en)\n\n✓ --set summary  Summary\n")
    assert "✗ people/ada.yaml:24  Old Works — limit: 1; keep: newest (--set limit.experience)" in (
        ran.out
    )
    ran = run("show", "ada", "--variant", "systems", "--set", "without=experience")
    assert "Experience: 0 of 2 — without: experience (--set without)\n" in ran.out


def test_what_is_private_is_shown_of_a_private_document(run: Run) -> None:
    overlay = "sections: [{kind: experience, items: [{employer: Secret Works, date: 2024}]}]\n"
    write("ada.private", overlay)
    assert "Secret Works" not in run("show", "ada", "-t", "academic").out
    ran = run("show", "ada", "-t", "academic", "--private")
    assert "  ✓ people/ada.private.yaml:1  Secret Works\n" in ran.out
    assert "  ✓ people/ada.yaml:25  Hidden Works\n" in ran.out
    assert "✗" not in ran.out
    own = ADA.replace("kinds: teaching, limit: 0", "private: true, kinds: experience, limit: 1")
    write("ada", own)
    ran = run("show", "ada", "--variant", "none")
    assert "✓ people/ada.yaml:15  Experience: 1 of 4\n  ✓ people/ada.private.yaml:1" in ran.out
    assert run("check", "ada").code == 0
