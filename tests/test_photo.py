"""A photo is found beside the YAML, decoded and encoded anew; nothing else of the file passes."""

from __future__ import annotations

import io
import os
import struct
from pathlib import Path

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from pngs import png

from cvbuild.common.diagnostics import ProfileError
from cvbuild.inputs import pictures
from cvbuild.inputs.yaml.source import parse

SOURCE = parse("name: Ada Example\nphoto: ada.png\n", "ada.yaml")
SECRET = "51.5007 N, 0.1246 W, serial number 12345"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "people"
    home.mkdir()
    monkeypatch.chdir(home)
    return home


def load(name: str = "ada.png") -> Image.Image:
    data = pictures.load(name, Path(), SOURCE)
    image = Image.open(io.BytesIO(data))
    image.load()
    assert (image.format, image.mode) == ("JPEG", "RGB")
    return image


def refused(name: str = "ada.png") -> str:
    with pytest.raises(ProfileError) as caught:
        pictures.load(name, Path(), SOURCE)
    (item,) = caught.value.diagnostics
    assert (item.span and item.span.line, item.span and item.span.column) == (2, 8)
    assert item.hint
    return item.message


def close(pixel: object, wanted: tuple[int, int, int]) -> bool:
    assert isinstance(pixel, tuple)
    return all(abs(a - b) < 12 for a, b in zip(pixel, wanted, strict=True))


def test_nothing_but_the_picture_passes() -> None:
    exif = Image.Exif()
    exif[0x010E] = SECRET  # ImageDescription
    exif[0x9286] = SECRET  # UserComment
    image = Image.new("RGB", (60, 80), "red")
    image.save("ada.jpg", exif=exif, comment=SECRET.encode(), icc_profile=SECRET.encode() * 9)
    assert SECRET.encode() in Path("ada.jpg").read_bytes()
    data = pictures.load("ada.jpg", Path(), SOURCE)
    assert SECRET.encode() not in data
    assert b"Exif" not in data
    info = PngInfo()
    info.add_text("Comment", SECRET)
    info.add_itxt("XML:com.adobe.xmp", SECRET)
    image.save("ada.png", pnginfo=info)
    with Path("ada.png").open("ab") as file:
        file.write(SECRET.encode())  # behind the picture's end
    assert SECRET.encode() not in pictures.load("ada.png", Path(), SOURCE)


def test_it_is_made_small() -> None:
    Image.new("L", (3000, 4000), 128).save("ada.png")
    assert load().size == (570, 760)
    Image.new("L", (30, 40), 128).save("ada.png")
    assert load().size == (30, 40)


def test_a_transparent_picture_stands_on_white() -> None:
    image = Image.new("RGBA", (40, 40), (255, 0, 0, 0))
    image.paste((0, 0, 255, 255), (0, 0, 20, 40))
    image.save("ada.png")
    shown = load()
    assert close(shown.getpixel((10, 20)), (0, 0, 255))
    assert close(shown.getpixel((30, 20)), (255, 255, 255))


def test_a_palette_with_a_transparent_colour() -> None:
    image = Image.new("P", (40, 40), 0)
    image.putpalette([255, 0, 0, 0, 255, 0] + [0] * 762)
    image.paste(1, (0, 0, 20, 40))
    image.save("ada.png", transparency=0)
    shown = load()
    assert close(shown.getpixel((10, 20)), (0, 255, 0))
    assert close(shown.getpixel((30, 20)), (255, 255, 255))


def test_cmyk() -> None:
    Image.new("CMYK", (40, 40), (0, 255, 255, 0)).save("ada.jpg")
    red = load("ada.jpg").getpixel((20, 20))
    assert close(red, (255, 0, 0)), red


@pytest.mark.parametrize("depth", [16, 8, 4, 2, 1])
def test_grey_of_any_depth(depth: int) -> None:
    """A ramp from black to white is one afterwards: 16 bits must not be cut off at white."""
    width = 64
    top = (1 << depth) - 1
    values = [round(top * x / (width - 1)) for x in range(width)]
    bits = "".join(f"{value:0{depth}b}" for value in values)
    row = b"\0" + bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8))
    Path("ada.png").write_bytes(png((width, 32), depth, 0, row=row))
    shown = load()
    greys = [
        pixel[0] for x in (1, 20, 42, 62) if isinstance(pixel := shown.getpixel((x, 16)), tuple)
    ]
    assert greys == sorted(greys)
    assert greys[0] < 20
    assert greys[-1] > 235
    if depth >= 4:
        assert abs(greys[1] - 81) < 20
        assert abs(greys[2] - 170) < 20


def test_colour_of_16_bits() -> None:
    row = b"\0" + struct.pack(">3H", 0x8000, 0x4000, 0xFFFF) * 32
    Path("ada.png").write_bytes(png((32, 32), 16, 2, row=row))
    assert close(load().getpixel((16, 16)), (128, 64, 255))


@pytest.mark.parametrize(
    ("turned", "corner"), [(1, (5, 5)), (3, (55, 75)), (6, (75, 5)), (8, (5, 55))]
)
def test_a_picture_that_the_camera_turned_stands_upright(
    turned: int, corner: tuple[int, int]
) -> None:
    image = Image.new("RGB", (60, 80), "white")
    image.paste("red", (0, 0, 30, 40))
    exif = Image.Exif()
    exif[0x0112] = turned
    image.save("ada.jpg", exif=exif, quality=95)
    shown = load("ada.jpg")
    assert shown.size == ((60, 80) if turned in (1, 3) else (80, 60))
    assert close(shown.getpixel(corner), (254, 0, 0))


def test_the_photo_is_in_the_folder(folder: Path) -> None:
    outside = folder.parent / "secret.png"
    Image.new("L", (8, 8)).save(outside)
    (folder / "link.png").symlink_to(outside)
    (folder / "device.png").symlink_to("/dev/zero")
    (folder / "linked").symlink_to(folder.parent)
    (folder / "inner").mkdir()
    Image.new("L", (8, 8)).save(folder / "inner/ada.png")
    (folder / "good.png").symlink_to("inner/ada.png")
    places = ("../secret.png", "link.png", "device.png", "linked/secret.png")
    for name in (*places, str(outside), "inner/../../secret.png"):
        assert refused(name) == f'the photo "{name}" lies outside the folder'
    for name in ("inner/ada.png", "./inner/ada.png", "good.png", "inner/../good.png"):
        assert load(name).size == (8, 8)


def test_what_is_no_file() -> None:
    os.mkfifo("pipe.png")
    Path("folder.png").mkdir()
    Path("loop.png").symlink_to("loop.png")
    for name in ("none.png", "pipe.png", "folder.png", "~", "$HOME", "|id", "file:///etc/passwd"):
        assert refused(name) == f'there is no photo "{name}"'
    for name in ("loop.png", "x" * 5000, "a\0b"):
        assert refused(name)
