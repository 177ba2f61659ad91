"""What files add in Chromium: to a CV that is open, photos; what an import guessed or lost."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsers import has_no_fault
from PIL import Image
from playwright.sync_api import FilePayload, expect
from serve.desks import ADA, FORMED, Desk, Opens, drop
from waits import eventually

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
def desk(opens: Opens) -> Iterator[Desk]:
    with opens(FORMED + SECTION) as desk:
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
    drop(page.locator("#fields"), {"papers.bib": BIB})
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
        about = Person("ada", Path("ada.yaml")), text, writer.write_part(new)
        titles = [item["title"] for section in new["sections"] for item in section["items"]]
        assert len(edits.additions(*about, None)["additions"]) == len(titles)
        numbers = {n for n in range(len(titles)) if roll.random() < 0.5}
        left_out = {title for n, title in enumerate(titles) if n not in numbers}
        after = edits.additions(*about, range(len(titles)))["text"]
        whole: Any = source.parse(after, "whole").data
        for section in whole["sections"]:
            section["items"] = [one for one in section["items"] if one["title"] not in left_out]
        sections = [one for one in whole["sections"] if one["items"]]
        chosen: Any = source.parse(edits.additions(*about, numbers)["text"], "chosen").data
        assert chosen == {"name": "Ada", "sections": sections}


SECRET = b"51.5007 N, 0.1246 W"


@pytest.fixture
def head(opens: Opens) -> Iterator[Desk]:
    with opens(ADA) as desk:
        desk.page.locator("#view-form").click()
        desk.part("")
        yield desk
    for photo in desk.people.glob("*.jpg"):
        photo.unlink()


def picture(colour: str, form: str = "JPEG") -> bytes:
    exif = Image.Exif()
    exif[0x010E] = SECRET.decode()
    stream = io.BytesIO()
    Image.new("RGB", (1200, 1600), colour).save(stream, form, exif=exif)
    assert SECRET in stream.getvalue()
    return stream.getvalue()


def red(desk: Desk) -> bool:
    shot = desk.page.locator(".sheet").first.screenshot()
    with Image.open(io.BytesIO(shot)) as image:
        colours = image.convert("RGB").getcolors(1 << 24) or []
    return sum(n for n, (r, g, b) in colours if r > 200 and g < 60 and b < 60) > 400  # type: ignore[misc]


def test_a_picture_is_chosen_printed_and_taken_back(head: Desk) -> None:
    page, people, box = head.page, head.people, head.field("Photo")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose a picture…").click()
    given: FilePayload = {"name": "IMG 1.JPG", "mimeType": "image/jpeg", "buffer": picture("red")}
    chooser.value.set_files(given)
    expect(box).to_have_value("ada.jpg")
    expect(page.locator("#told-words")).to_have_text("The photo is in people/ada.jpg.")
    photo = (people / "ada.jpg").read_bytes()
    assert SECRET not in photo
    assert Image.open(io.BytesIO(photo)).size == (570, 760)
    head.has("photo: ada.jpg\n")
    head.has("options:\n  photo: true\n")
    assert eventually(lambda: red(head))
    page.get_by_label("Print the photo").uncheck()
    assert eventually(lambda: not red(head))
    page.get_by_label("Print the photo").check()
    assert eventually(lambda: red(head))
    # Another one is dropped: the first stays, and undo leads back to it.
    drop(page.locator(".photo"), {"../evil.yaml": picture("blue", "PNG")})
    expect(box).to_have_value("ada-2.jpg")
    assert eventually(lambda: not red(head))
    assert (people / "ada.jpg").read_bytes() == photo
    page.locator("#undo-told").click()
    expect(box).to_have_value("ada.jpg")
    assert eventually(lambda: red(head))
    # The same again is the same file.
    page.locator(".photo input[type=file]").set_input_files(given)
    expect(page.locator("#told-words")).to_have_text("The photo is in people/ada.jpg.")
    # The saving of ada.yaml may go on beside this.
    names = {path.name for path in people.glob("ada*")} - {"ada.yaml.new"}
    assert names == {"ada-2.jpg", "ada.jpg", "ada.yaml"}
    assert not (people.parent / "evil.yaml").exists()
    box.click()
    page.keyboard.press("ControlOrMeta+z")
    expect(page.get_by_label("Print the photo")).not_to_be_checked()
    head.has("photo: ada.jpg\n")
    for _ in range(2):
        box.click()
        page.keyboard.press("ControlOrMeta+z")
        page.wait_for_timeout(400)
    head.becomes(ADA)


def test_whoever_wants_no_photo_on_the_page_gets_none(head: Desk) -> None:
    page, box = head.page, head.page.get_by_label("Print the photo")
    head.file.write_text(f"{ADA}options: {{photo: false}}\n", encoding="utf-8")
    expect(box).not_to_be_checked()
    given: FilePayload = {"name": "a.jpg", "mimeType": "", "buffer": picture("red")}
    page.locator(".photo input[type=file]").set_input_files(given)
    head.has("photo: ada.jpg\n")
    expect(box).not_to_be_checked()
    assert "options: {photo: false}" in head.written()


def test_what_is_no_picture_is_said_and_written_nowhere(head: Desk) -> None:
    page = head.page
    problem = page.locator('.field[data-name="photo"] .problem')
    for data, said in (
        (b"%PDF-1.7", "The photo is not a PNG or JPEG picture; choose a PNG or JPEG picture."),
        (picture("red")[:4000], "The photo is broken"),
        (b"x" * (11 << 20), "me.png is over 10 MiB; make it smaller."),
    ):
        given: FilePayload = {"name": "me.png", "mimeType": "image/png", "buffer": data}
        page.locator(".photo input[type=file]").set_input_files(given)
        expect(problem).to_contain_text(said)
    expect(page.locator(".photo textarea")).to_have_attribute("aria-invalid", "true")
    assert head.file.read_text("utf-8") == ADA
    assert [path for path in head.people.iterdir() if path.suffix != ".yaml"] == []


#: A person's file with eight doubts, as an import leaves it.
DOUBTFUL = f"""\
# yaml-language-server: $schema=../docs/profile.schema.json
# {writer.MARKED}

name: Ada Example
headline: Research engineer  # ?
contact:
  email: ada@example.org
  address: Springfield  # ? "Springfield, then"
template: plain
sections:
  - kind: experience
    items:
      - employer: Sample Analytics
        title: Engineer
        date: 2019-10 to 2022-02  # ? "autumn 2019 – Feb 22"
      # no home: an amount: "€1,200",
      # of the prize
      # ?
      - employer: Example Works
        title: Assistant
        date: 2013  # ?
  - kind: skill  # ?
    items:
      - {{name: Languages, keywords: [Python, Rust]}}
# no home, and told when this was imported: 3 more
"""


@pytest.fixture
def doubted(opens: Opens) -> Iterator[Desk]:
    with opens(DOUBTFUL) as found:
        expect(found.page.locator("#review-count")).to_have_text("8")
        found.page.locator("#review-button").click()
        yield found


def test_each_is_answered_with_a_click_and_taken_back(doubted: Desk) -> None:
    page = doubted.page
    entry = page.locator("#review-list .now")
    expect(entry).to_contain_text("Is this headline right?")
    expect(entry).to_contain_text("Written: “Research engineer”")
    page.get_by_role("button", name="Right", exact=True).click()
    expect(page.locator("#review-state")).to_contain_text("1 of 8 looked at")
    gone = DOUBTFUL.replace("Research engineer  # ?", "Research engineer")
    assert doubted.written() == gone
    expect(entry).to_contain_text('Source: "Springfield, then"')
    doubted.undo()
    assert doubted.written() == DOUBTFUL


def test_keys_answer_all_of_them(doubted: Desk) -> None:
    page = doubted.page
    entry = page.locator("#review-list .now .doubt")
    for number in range(8):
        expect(page.locator("#review-state")).to_contain_text(f"{number} of 8")
        expect(entry).to_be_focused()
        page.keyboard.press("Enter")
    expect(page.locator("#review-state")).to_contain_text("All 8 places looked at")
    text = doubted.written()
    assert "# ?" not in text
    assert "no home" not in text
    facts = [
        line.split("  #")[0] for line in DOUBTFUL.splitlines() if "# " not in line.lstrip()[:2]
    ]
    kept = ["# yaml-language-server: $schema=../docs/profile.schema.json"]
    assert text.splitlines() == [*kept, *facts]


#: What the server found in the text is held back from the page while `held` is set.
HOLD = """
window.WebSocket = class extends WebSocket {
  constructor(...told) {
    super(...told);
    this.addEventListener("message", (event) => {
      const { type } = JSON.parse(event.data);
      if (window.held && type === "checked") event.stopImmediatePropagation();
    });
  }
};
"""


def test_pages_that_come_before_the_list_is_checked_anew_take_no_answer_away(opens: Opens) -> None:
    with opens(DOUBTFUL) as doubted:
        page = doubted.page
        page.add_init_script(HOLD)
        page.reload()
        expect(page.locator("#review-count")).to_have_text("8")
        page.locator("#review-button").click()
        page.evaluate("window.held = true")
        for number in range(1, 3):
            page.keyboard.press("Enter")
            expect(page.locator("#review-state")).to_contain_text(f"{number} of 8")
            expect(page.locator(f"#pages[data-revision='{number}']")).to_be_attached()


def test_a_change_takes_the_comment_along_and_undo_brings_both_back(doubted: Desk) -> None:
    page = doubted.page
    page.locator("#review-list .doubt", has_text="autumn 2019").click()
    page.get_by_role("button", name="Change").click()
    expect(page.locator("#editor .cm-content")).to_be_focused()
    page.keyboard.type("2019-09 to 2022-02")
    changed = '2019-10 to 2022-02  # ? "autumn 2019 – Feb 22"', "2019-09 to 2022-02"
    assert doubted.written() == DOUBTFUL.replace(*changed)
    expect(page.locator("#review-count")).to_have_text("7")
    page.keyboard.press("ControlOrMeta+z")
    assert doubted.written() == DOUBTFUL


def test_an_item_that_is_removed_takes_its_own_mark_alone(opens: Opens) -> None:
    first, *items = [f"      # ?\n      - employer: X\n        title: {name}\n" for name in "ABC"]
    text = "name: Ada Example\ntemplate: plain\nsections:\n  - kind: experience\n    items:\n"
    with opens(text + first + "".join(items)) as doubted:
        page = doubted.page
        page.locator("#view-form").click()
        page.locator("#review-button").click()
        page.get_by_role("button", name="Right", exact=True).click()
        first = first.replace("      # ?\n", "")
        doubted.becomes(text + first + "".join(items))
        expect(page.locator("#part-title")).to_have_text("B")
        page.get_by_role("button", name="Change").click()
        page.locator("#part-menu").click()
        page.get_by_role("menuitem", name="Remove").click()
        doubted.becomes(text + first + items[1])


def test_all_are_right_is_one_edit(doubted: Desk) -> None:
    page = doubted.page
    page.locator("#review-all").click()
    assert "# ?" not in doubted.written()
    doubted.undo()
    assert doubted.written() == DOUBTFUL
    expect(page.locator("#review-count")).to_have_text("8")


def test_where_there_is_little_room_a_change_leads_to_the_field(doubted: Desk) -> None:
    page = doubted.page
    page.locator("#view-form").click()
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator("#review-list .now").get_by_role("button", name="Change").click()
    expect(page.locator("#review")).to_be_hidden()
    headline = doubted.field("Headline")
    expect(headline).to_be_focused()
    headline.fill("Engineer")
    expect(page.locator("#review-count")).to_have_text("7")
    doubted.has("headline: Engineer\n")
    page.locator("#review-button").click()
    page.locator("#pane-pages").click()
    expect(page.locator("#pages")).to_be_visible()
