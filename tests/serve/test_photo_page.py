"""A photo that is chosen and dropped in Chromium: checked, printed, taken back."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, FilePayload, expect
from serve import desks
from serve.desks import ADA, Desk, Server
from waits import eventually

pytest.importorskip("starlette")

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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of sixty people."""
    return desks.workspace(tmp_path_factory.mktemp("portrayed"))


@pytest.fixture
def desk(browser: Browser, server: Server, folder: Path) -> Iterator[Desk]:
    """The form of Ada's name and contact, beside her pages."""
    (folder / "people" / "ada.yaml").write_text(ADA, encoding="utf-8")
    for photo in (folder / "people").glob("*.jpg"):
        photo.unlink()
    with desks.opened(browser, server, folder) as found:
        found.shows("Research engineer")
        found.page.locator("#view-form").click()
        found.page.locator('.part[data-path=""]').click()
        yield found


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


def test_a_picture_is_chosen_printed_and_taken_back(desk: Desk, folder: Path) -> None:
    page, people = desk.page, folder / "people"
    box = page.locator("#fields").get_by_label("Photo", exact=True)
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose a picture…").click()
    given: FilePayload = {"name": "IMG 1.JPG", "mimeType": "image/jpeg", "buffer": picture("red")}
    chooser.value.set_files(given)
    expect(box).to_have_value("ada.jpg")
    expect(page.locator("#told-words")).to_have_text("The photo is in people/ada.jpg.")
    photo = (people / "ada.jpg").read_bytes()
    assert SECRET not in photo
    assert Image.open(io.BytesIO(photo)).size == (570, 760)
    assert eventually(lambda: "photo: ada.jpg\n" in desk.file.read_text("utf-8"))
    assert not red(desk)
    page.get_by_label("Print the photo").check()
    assert eventually(lambda: red(desk))
    assert "options:\n  photo: true\n" in desk.file.read_text("utf-8")
    # Another one is dropped: the first stays, and undo leads back to it.
    page.locator(".photo").evaluate(DROP, base64.b64encode(picture("blue", "PNG")).decode())
    expect(box).to_have_value("ada-2.jpg")
    assert eventually(lambda: not red(desk))
    assert (people / "ada.jpg").read_bytes() == photo
    page.locator("#undo-told").click()
    expect(box).to_have_value("ada.jpg")
    assert eventually(lambda: red(desk))
    # The same again is the same file.
    page.locator(".photo input[type=file]").set_input_files(given)
    expect(page.locator("#told-words")).to_have_text("The photo is in people/ada.jpg.")
    assert sorted(path.name for path in people.glob("ada*")) == [
        "ada-2.jpg", "ada.jpg", "ada.yaml"
    ]  # fmt: skip
    assert not (folder / "evil.yaml").exists()
    for left in ("photo: ada.jpg\n", None):
        box.click()
        page.keyboard.press("ControlOrMeta+z")
        if left:
            assert eventually(lambda: "options" not in desk.file.read_text("utf-8"))
            assert left in desk.file.read_text("utf-8")
    assert eventually(lambda: desk.file.read_text("utf-8") == ADA)


def test_what_is_no_picture_is_said_and_written_nowhere(desk: Desk, folder: Path) -> None:
    page = desk.page
    problem = page.locator('.field[data-name="photo"] .problem')
    for data, said in (
        (b"%PDF-1.7", "The photo is not a PNG or JPEG picture; choose a PNG or JPEG picture."),
        (picture("red")[:4000], "The photo is broken"),
        (b"x" * (11 << 20), "The picture is over 10 MiB; make it smaller."),
    ):
        given: FilePayload = {"name": "me.png", "mimeType": "image/png", "buffer": data}
        page.locator(".photo input[type=file]").set_input_files(given)
        expect(problem).to_contain_text(said)
    expect(page.locator(".photo textarea")).to_have_attribute("aria-invalid", "true")
    assert desk.file.read_text("utf-8") == ADA
    assert [path for path in (folder / "people").iterdir() if path.suffix != ".yaml"] == []
