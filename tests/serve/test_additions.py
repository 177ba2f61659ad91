"""Files of other programs add to a CV that is open: what is ticked, as one edit."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsers import has_no_fault
from playwright.sync_api import Browser, FilePayload, expect
from serve.desks import FORMED, Desk, opened
from serving import Server

from cvbuild.inputs.people import Person
from cvbuild.inputs.yaml import source, writer
from cvbuild.serve import edits

BIB = b"""\
@article{a, title={A study of clocks}, author={Example, Ada and Sample, Bo}, journal={Journal of
  Examples}, year={2021}, doi={10.5555/1}}
@article{b, title={A second study}, author={Example, Ada}, journal={Journal}, year={2019}}
@article{c, title={<script>alert(1)</script> of others}, author={Example, Ada}, year={2018}}
"""
PAPERS: FilePayload = {"name": "papers.bib", "mimeType": "text/plain", "buffer": BIB}
SECTION = """\
  - kind: publication
    items:
      - {title: A first study, authors: Ada Example, date: 2020, venue: Journal of Examples}
"""


@pytest.fixture
def desk(browser: Browser, server: Server, folder: Path) -> Iterator[Desk]:
    """Ada's file as a form, with a paper."""
    with opened(browser, server, folder, FORMED + SECTION) as desk:
        desk.page.locator("#view-form").click()
        yield desk


def offer(desk: Desk, *files: FilePayload) -> None:
    desk.page.locator("#add-button").click()
    with desk.page.expect_file_chooser() as chooser:
        desk.page.get_by_role("button", name="From a file").click()
    chooser.value.set_files([*files])


def test_what_is_ticked_is_added_as_one_edit(desk: Desk) -> None:
    page, before = desk.page, desk.written()
    offer(desk, PAPERS)
    dialog = page.locator("#additions")
    expect(dialog.locator("h2")).to_have_text("What papers.bib adds")
    expect(dialog.locator("li input")).to_have_count(3)
    expect(dialog).to_contain_text("Publication › A study of clocks")
    has_no_fault(page)
    dialog.get_by_label("of others").uncheck()
    dialog.get_by_role("button", name="Add 2").click()
    # The newest first, as it was there; comments and quotes stay.
    desk.has("kind: publication", "A study of clocks", "A first study", "A second study")
    after = desk.written()
    assert "of others" not in after
    assert after.startswith(FORMED)
    page.locator("#undo-told").click()
    desk.becomes(before)


def test_a_file_that_is_dropped_on_the_form_adds_too(desk: Desk) -> None:
    page = desk.page
    files = page.evaluate_handle(
        """text => { const all = new DataTransfer();
        all.items.add(new File([text], "papers.bib")); return all }""",
        BIB.decode(),
    )
    page.dispatch_event("#fields", "drop", {"dataTransfer": files})
    expect(page.locator("#additions li input")).to_have_count(3)
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#additions")).to_be_hidden()


def test_nothing_new_and_no_cv_are_said(desk: Desk) -> None:
    page, before = desk.page, desk.written()
    offer(
        desk,
        {
            **PAPERS,
            "buffer": b"@article{x, title={A first study}, author={Example, Ada}, year={2020}}",
        },
    )
    expect(page.locator("#told")).to_contain_text("has nothing that isn’t here")
    offer(desk, {**PAPERS, "name": "x.png", "buffer": b"\x89PNG\r\n\x1a\n"})
    expect(page.locator("#told")).to_contain_text("has no format that can be read")
    assert desk.written() == before


def test_a_text_that_changes_meanwhile_is_not_written_over(desk: Desk) -> None:
    page = desk.page
    offer(desk, PAPERS)
    expect(page.locator("#additions li")).to_have_count(3)
    path = desk.file
    path.write_text(path.read_text("utf-8").replace("Research engineer", "Lead engineer"), "utf-8")
    expect(page.locator("#editor")).to_contain_text("Lead engineer", use_inner_text=False)
    page.get_by_role("button", name="Add 3").click()
    expect(page.locator("#told")).to_contain_text("choose the file again")
    assert "A study of clocks" not in desk.written()


def facts(roll: random.Random, first: int) -> dict[str, Any]:
    """Sections of some kinds, whose items are numbered."""
    sections = []
    for kind in roll.sample(("award", "talk", "grant"), roll.randint(1, 3)):
        dates = [str(roll.randint(1990, 2020)) for _ in range(roll.randint(1, 4))]
        items = [{"title": f"{kind} {first + n}", "date": date} for n, date in enumerate(dates)]
        sections.append({"kind": kind, "items": items})
    return {"name": "Ada", "sections": sections}


def test_any_choice_is_all_without_the_others() -> None:
    for seed in range(40):
        roll = random.Random(seed)
        there, new = facts(roll, 0), facts(roll, 10)
        for section in there["sections"]:
            section["items"].sort(key=lambda item: item["date"], reverse=True)
        text = writer.write_part(there)
        sources = source.parse(text, "there"), source.parse(writer.write_part(new), "new")
        found = edits.Import(Person("ada", Path("ada.yaml")), *sources)
        titles = [item["title"] for section in new["sections"] for item in section["items"]]
        assert len(found.in_words()[0]) == len(titles)
        numbers = {n for n in range(len(titles)) if roll.random() < 0.5}
        left_out = {title for n, title in enumerate(titles) if n not in numbers}
        whole: Any = source.parse(found.added_to(text, range(len(titles))), "whole").data
        for section in whole["sections"]:
            section["items"] = [one for one in section["items"] if one["title"] not in left_out]
        sections = [one for one in whole["sections"] if one["items"]]
        chosen: Any = source.parse(found.added_to(text, numbers), "chosen").data
        assert chosen == {"name": "Ada", "sections": sections}
