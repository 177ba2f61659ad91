"""A photo that is chosen and dropped in Chromium: checked, printed, taken back."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator

import pytest
from PIL import Image
from playwright.sync_api import FilePayload, expect
from serve.desks import ADA, Desk
from waits import eventually

SECRET = b"51.5007 N, 0.1246 W"
DROP = """(zone, picture) => {
    const data = new DataTransfer();
    const bytes = Uint8Array.from(atob(picture), (char) => char.charCodeAt(0));
    data.items.add(new File([bytes], "../evil.yaml", {type: "image/png"}));
    for (const name of ["dragover", "drop"]) {
        const more = {dataTransfer: data, bubbles: true, cancelable: true};
        zone.dispatchEvent(new DragEvent(name, more));
    }
}"""


@pytest.fixture
def head(desk: Desk) -> Iterator[Desk]:
    """The form of Ada's name and contact, beside her pages."""
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
    """Whether something red is on the page."""
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
    page.locator(".photo").evaluate(DROP, base64.b64encode(picture("blue", "PNG")).decode())
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
