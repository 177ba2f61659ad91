"""A PDF that somebody else made is refused or read: in time, in memory, without a traceback."""

from __future__ import annotations

import io
import re
import struct
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import deep
import pikepdf
import PIL.Image
import pytest
from attacks.table import harmless
from conftest import Run
from deep import sample
from pdfs import BAD, LARGE, ODD, PLAINLY, WHOLE
from pngs import chunk, png

from cvbuild.applications.load import Part
from cvbuild.applications.packets.merge_pdf import About, merge
from cvbuild.common import limits, processes
from cvbuild.common.diagnostics import CvbuildError, ProfileError
from cvbuild.importers.documents.pdf import pdfium
from cvbuild.inputs import pictures
from cvbuild.inputs.yaml.source import parse

ALL = {**BAD, **ODD}
#: Of what takes seconds, one is tried in every run.
SMALL = [name for name in ALL if name not in LARGE]
NAMES = dict.fromkeys([*SMALL, "a page of 1 GB", *sample(list(ALL), 4, "foreign")])


@pytest.mark.parametrize("name", deep.but(SMALL, NAMES))
@pytest.mark.usefixtures("here")
def test_import_refuses_or_reads_it(name: str, run: Run, request: pytest.FixtureRequest) -> None:
    if name in SMALL[2:]:
        request.getfixturevalue("not_apart")
    Path("it.pdf").write_bytes(ALL[name]())
    ran = run("import", "it.pdf", "--as", "Ada Example", "--dry-run")
    harmless(ran, {0, 1})
    assert "it.pdf" in ran.err


@pytest.mark.usefixtures("here")
def test_the_reader_loads_nothing_from_the_working_folder_and_ends_in_time() -> None:
    for name in ("pypdfium2", "json", "cvbuild", "sitecustomize", "usercustomize"):
        Path(f"{name}.py").write_text("open('owned', 'w')\n", encoding="utf-8")
    assert "refused" not in processes.call_apart(pdfium.__name__, "child", WHOLE)
    assert not Path("owned").exists()
    with pytest.raises(processes.FailedError, match=r"took over 0\.01 s to read"):
        processes.call_apart(pdfium.__name__, "child", WHOLE, 0.01)


#: What nothing in a packet may do.
ACTS = re.compile(rb"/(?:OpenAction|JavaScript|JS|Launch|SubmitForm|XFA|EmbeddedFiles|AA)\b")


@pytest.mark.parametrize("name", deep.but(SMALL, NAMES))
def test_an_attachment_is_refused_or_cleaned(name: str, tmp_path: Path) -> None:
    part = Part("It", ALL[name](), "it.pdf")
    try:
        merged = merge([Part("Good", WHOLE, "good.pdf"), part], About("Ada", "Packet", "en", 0))
    except CvbuildError as error:
        messages = [item.message for item in error.diagnostics]
    else:
        with pikepdf.open(io.BytesIO(merged.content)) as pdf:
            pdf.save(tmp_path / "plain.pdf", object_stream_mode=PLAINLY)
        assert not ACTS.search((tmp_path / "plain.pdf").read_bytes())
        return
    assert all("it.pdf" in message for message in messages)


SOURCE = parse("name: Ada Example\nphoto: it.png\n", "ada.yaml")
#: MB that decoding may add to this process, where the system limits that.
MOST = 480


def saved(mode: str, kind: str, size: tuple[int, int] = (30, 40), **options: object) -> bytes:
    file = io.BytesIO()
    PIL.Image.new(mode, size).save(file, kind, **options)
    return file.getvalue()


def exif(data: bytes) -> bytes:
    return saved("RGB", "JPEG", exif=b"Exif\0\0" + data)


def animated() -> bytes:
    file = io.BytesIO()
    frames = [PIL.Image.new("RGB", (300, 300), (n, n, n)) for n in range(50)]
    frames[0].save(file, "PNG", save_all=True, append_images=frames[1:])
    return file.getvalue()


PLAIN = saved("RGB", "PNG")
JPEG = saved("RGB", "JPEG")
BOMB = zlib.compress(b" " * (64 << 20), 9)
#: What is a picture, however odd.
SOUND: dict[str, Callable[[], bytes]] = {
    "plain": lambda: PLAIN,
    "JPEG named .png": lambda: JPEG,
    "16 bits and alpha": lambda: png((40, 50), 16, 6),
    "animated": animated,
    "a column": lambda: png((1, 20_000)),
    "a profile that is none": lambda: png((4, 5), 8, 2, chunk(b"iCCP", b"x\0\0" + b"no")),
    "EXIF that points outside": lambda: exif(b"II*\0\xff\xff\xff\xff"),
    "EXIF that points at itself": lambda: exif(
        b"II*\0\x08\0\0\0\x01\0\x69\x87\x04\0\1\0\0\0\x08\0\0\0" * 2
    ),
    "much after its end": lambda: JPEG + b"<script>" * 1000,
}  # fmt: skip
#: What is none, or asks for too much.
UNSOUND: dict[str, Callable[[], bytes]] = {
    "empty": lambda: b"",
    "EPS": lambda: b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n(/etc/passwd) run\n",
    "half a JPEG": lambda: JPEG[: len(JPEG) // 2],
    "wrong checksum": lambda: PLAIN.replace(b"IHDR\0\0", b"IHDR\0\1"),
    "a header of 65535 x 65535": lambda: JPEG.replace(
        struct.pack(">HH", 40, 30), struct.pack(">HH", 65535, 65535), 1
    ),
    "no pixels": lambda: (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 0, 0, 8, 2, 0, 0, 0))
    ),
    "a column of 50 million": lambda: png((1, 49_999_000), 1, 0),
    "a text that unpacks to 64 MB": lambda: png(
        (4, 5), 8, 2, *([chunk(b"zTXt", b"Comment\0\0" + BOMB)] * 3)
    ),
}


def loaded(data: bytes, folder: Path) -> bytes:
    (folder / "it.png").write_bytes(data)
    return pictures.load("it.png", folder, SOURCE)


@pytest.mark.parametrize("name", SOUND)
def test_what_is_a_picture_becomes_a_small_jpeg(name: str, tmp_path: Path) -> None:
    made = loaded(SOUND[name](), tmp_path)
    with PIL.Image.open(io.BytesIO(made), formats=["JPEG"]) as image:
        assert image.mode == "RGB"
        assert max(image.size) <= pictures.SIDE
        assert not image.getexif()
        assert image.info.keys() <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}


@pytest.mark.parametrize("name", UNSOUND)
def test_what_is_none_is_an_error_with_its_place(name: str, tmp_path: Path) -> None:
    data = UNSOUND[name]()
    with limits.memory(MOST << 20), pytest.raises(ProfileError) as caught:
        loaded(data, tmp_path)
    (found,) = caught.value.diagnostics
    assert found.span is not None
    assert (found.span.line, found.span.column) == (2, 8)
    assert found.hint
    assert found.code.startswith("photo-")


#: Pictures of 50 million pixels.
LARGE_PICTURES: dict[str, Callable[[], bytes]] = {
    "RGBA": lambda: png((7070, 7070), 8, 6),
    "JPEG": lambda: saved("RGB", "JPEG", (7070, 7070)),
}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process")
@pytest.mark.parametrize("name", sample(list(LARGE_PICTURES), 1, "large"))
def test_a_large_picture_takes_little_memory(name: str, tmp_path: Path) -> None:
    data = LARGE_PICTURES[name]()
    with limits.memory(MOST << 20):
        assert loaded(data, tmp_path)
