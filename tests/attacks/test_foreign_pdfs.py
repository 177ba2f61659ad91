"""A PDF that somebody else made is refused or read: in time, in memory, without a traceback."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import deep
import pikepdf
import pytest
from attack_counts import sample
from attacks.table import harmless
from conftest import Run
from pikepdf import Array, Dictionary, Name, Pdf, Stream, String

from cvbuild.applications.merge_pdf import About, Part, merge
from cvbuild.common.errors import CvbuildError
from cvbuild.outputs.pdf.verify import pdf_facts

ATTACKS = "PDF streams and structures"


def bytes_of(pdf: Pdf, **options: object) -> bytes:
    file = io.BytesIO()
    pdf.save(file, static_id=True, **options)  # type: ignore[arg-type]
    return file.getvalue()


def written(change: Callable[[Pdf], object], **options: object) -> Callable[[], bytes]:
    """A page with text in a font, with a change."""

    def make() -> bytes:
        with pikepdf.new() as pdf:
            pdf.add_blank_page(page_size=(595, 842))
            pdf.docinfo["/Title"] = String("x")
            page = pdf.pages[0]
            page.Contents = Stream(pdf, b"BT /F 12 Tf 72 700 Td (x) Tj ET")
            font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
            page.Resources = Dictionary(Font=Dictionary(F=pdf.make_indirect(font)))
            change(pdf)
            return bytes_of(pdf, **options)

    return make


PLAIN = written(lambda _: None)


def replaced(old: bytes, new: bytes) -> Callable[[], bytes]:
    """The plain document with other bytes in the same place."""

    def make() -> bytes:
        data = written(lambda _: None, object_stream_mode=pikepdf.ObjectStreamMode.disable)()
        assert data.count(old) == 1, data
        return data.replace(old, new.ljust(len(old)))

    return make


@cache
def packed(size: int, times: int) -> bytes:
    """So many bytes of spaces, packed so many times."""
    packer = zlib.compressobj(1)
    some = b" " * (1 << 20)
    data = b"".join((*(packer.compress(some) for _ in range(size >> 20)), packer.flush()))
    for _ in range(times - 1):
        data = zlib.compress(data, 9)
    return data


def bomb(place: str, times: int = 1) -> Callable[[], bytes]:
    """A stream of 1 GB: the page, or the mapping of its font."""

    def change(pdf: Pdf) -> None:
        stream = Stream(pdf, b"")
        stream.write(packed(1 << 30, times), filter=Array([Name.FlateDecode] * times))
        page = pdf.pages[0]
        (page if place == "Contents" else page.Resources.Font.F)[f"/{place}"] = stream

    # What is packed stays as it is when it is saved.
    return written(change, stream_decode_level=pikepdf.StreamDecodeLevel.none)


def put(**keys: object) -> Callable[[], bytes]:
    """Puts keys into the catalog."""
    return written(lambda pdf: pdf.Root.update(Dictionary({f"/{k}": v for k, v in keys.items()})))


def nested() -> pikepdf.Object:
    value: pikepdf.Object = Array([])
    for _ in range(90):
        value = Array([value])
    return value


def outlines(pdf: Pdf) -> None:
    item = pdf.make_indirect(Dictionary(Title=String("x")))
    item.Next, item.First = item, item
    pdf.Root.Outlines = Dictionary(First=item, Last=item, Count=9)


def looped_form(pdf: Pdf) -> None:
    """A form that draws itself."""
    drawn = pdf.make_indirect(Stream(pdf, b"/X Do"))
    drawn.Type, drawn.Subtype, drawn.BBox = Name.XObject, Name.Form, Array([0, 0, 9, 9])
    drawn.Resources = Dictionary(XObject=Dictionary(X=drawn))
    pdf.pages[0].Resources.XObject = Dictionary(X=drawn)
    pdf.pages[0].Contents = Stream(pdf, b"/X Do")


def unpacked_mapping(pdf: Pdf) -> None:
    mapping = Stream(pdf, b"not compressed")
    mapping.stream_dict.Filter = Name.FlateDecode
    pdf.pages[0].Resources.Font.F.ToUnicode = mapping


def many_pages(pdf: Pdf) -> None:
    for _ in range(1100):
        pdf.add_blank_page(page_size=(9, 9))


SCRIPT = Dictionary(S=Name.JavaScript, JS=String("app.alert(1)"))
ACTING = {
    "JavaScript at the start": put(OpenAction=SCRIPT),
    "data sent at the start": put(OpenAction=Dictionary(S=Name.SubmitForm, F=String("x"))),
    "named JavaScript": put(
        Names=Dictionary(JavaScript=Dictionary(Names=Array([String("x"), SCRIPT])))
    ),
    "XFA": put(AcroForm=Dictionary(XFA=Array([String("x"), String("<xdp/>")]))),
}
#: What must be refused, or reported as acting. More of them are in applications/test_merging.
BAD: dict[str, Callable[[], bytes]] = {
    "a page of 1 GB": bomb("Contents"),
    "a page of 1 GB, packed twice": bomb("Contents", 2),
    "a font's mapping of 1 GB": bomb("ToUnicode"),
    "an attachment of 300 MB": written(
        lambda pdf: pdf.attachments.__setitem__("x.bin", bytes(300 << 20))
    ),
    "Resources is a number": replaced(b"/Resources << /Font << /F 6 0 R >> >>", b"/Resources 5"),
    "Info is a number": replaced(b"/Info 2 0 R", b"/Info 5"),
    "the page tree has itself": replaced(b"[ 4 0 R ]", b"[ 3 0 R ]"),
    "no pages": replaced(b"[ 4 0 R ]", b"[ ]"),
    "cut in half": lambda: PLAIN()[: len(PLAIN()) // 2],
    "no PDF": lambda: b"<html>" * 1000,
    "a mapping that isn't packed": written(unpacked_mapping),
    "annotations of other types": written(
        lambda pdf: pdf.pages[0].__setattr__("Annots", Array([Name.Nothing, 3]))
    ),
    "a password": written(
        lambda _: None, encryption=pikepdf.Encryption(owner="owner", user="user")
    ),
    "1,101 pages": written(many_pages),
    "cut at the end": lambda: PLAIN()[:-40],
    **ACTING,
}
#: What may be read.
ODD: dict[str, Callable[[], bytes]] = {
    "plain": PLAIN,
    "a font of another type": written(
        lambda pdf: pdf.pages[0].Resources.Font.__setattr__("F", Array([1]))
    ),
    "nested 90 deep": put(Deep=nested()),
    "outlines in a circle": written(outlines),
    "a form that draws itself": written(looped_form),
}
ALL = {**BAD, **ODD}
#: What unpacks to very much takes seconds: one of it is tried in every run.
SMALL = [name for name in ALL if not re.search("1 GB|300 MB|1,101", name)]
NAMES = dict.fromkeys([*SMALL, "a page of 1 GB", *sample(list(ALL), 4, "foreign")])


@pytest.mark.parametrize("name", deep.but(SMALL, NAMES))
@pytest.mark.usefixtures("here")
def test_check_refuses_or_reads_it(name: str, run: Run) -> None:
    Path("it.pdf").write_bytes(ALL[name]())
    ran = run("check", "--pdf", "it.pdf")
    harmless(ran, {1})
    if name in {*ACTING, *ODD}:  # they have faults of their own
        assert "it.pdf: not as it should be (" in ran.err
    else:
        assert re.fullmatch(r".*it\.pdf.*\n", ran.err)


@pytest.mark.usefixtures("here")
def test_the_reader_loads_nothing_from_the_working_folder() -> None:
    for name in ("pikepdf", "json", "cvbuild", "sitecustomize", "usercustomize"):
        Path(f"{name}.py").write_text("open('owned', 'w')\n", encoding="utf-8")
    Path("it.pdf").write_bytes(PLAIN())
    assert len(pdf_facts.read_foreign(Path("it.pdf")).pages) == 1
    assert not Path("owned").exists()


#: What nothing in a packet may do.
ACTS = re.compile(rb"/(?:OpenAction|JavaScript|JS|Launch|SubmitForm|XFA|EmbeddedFiles|AA)\b")


@pytest.mark.parametrize("name", deep.but(SMALL, NAMES))
def test_an_attachment_is_refused_or_cleaned(name: str) -> None:
    part = Part("It", ALL[name](), "it.pdf")
    try:
        merged = merge([Part("Good", PLAIN(), "good.pdf"), part], About("Ada", "Packet", "en", 0))
    except CvbuildError as error:
        messages = [item.message for item in error.diagnostics]
    else:
        with pikepdf.open(io.BytesIO(merged.content)) as pdf:
            plain = bytes_of(pdf, object_stream_mode=pikepdf.ObjectStreamMode.disable)
        assert not ACTS.search(plain)
        return
    assert all("it.pdf" in message for message in messages)
