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
from pikepdf import Array, Dictionary, Name, Stream, String

from cvbuild.applications.merge_pdf import About, Part, merge
from cvbuild.common.errors import CvbuildError
from cvbuild.outputs.pdf.verify import pdf_facts

#: What is packed stays as it is when it is saved.
PACKED = {"stream_decode_level": pikepdf.StreamDecodeLevel.none}
ATTACKS = "PDF streams and structures"


@cache
def packed(size: int, times: int = 1) -> bytes:
    """So many bytes of spaces, packed."""
    packer = zlib.compressobj(1)
    some = b" " * (1 << 20)
    data = b"".join((*(packer.compress(some) for _ in range(size >> 20)), packer.flush()))
    for _ in range(times - 1):
        data = zlib.compress(data, 9)
    return data


def document() -> pikepdf.Pdf:
    pdf = pikepdf.new()
    pdf.add_blank_page(page_size=(595, 842))
    return pdf


def bytes_of(pdf: pikepdf.Pdf, **options: object) -> bytes:
    file = io.BytesIO()
    pdf.save(file, static_id=True, **options)  # type: ignore[arg-type]
    return file.getvalue()


def written(change: Callable[[pikepdf.Pdf], object], **options: object) -> Callable[[], bytes]:
    def make() -> bytes:
        with document() as pdf:
            change(pdf)
            return bytes_of(pdf, **options)

    return make


def replaced(old: bytes, new: bytes) -> Callable[[], bytes]:
    """The plain document with other bytes in the same place."""

    def make() -> bytes:
        with document() as pdf:
            pdf.docinfo["/Title"] = String("x")
            mode = pikepdf.ObjectStreamMode.disable
            data = bytes_of(pdf, object_stream_mode=mode)
        assert data.count(old) == 1, data
        return data.replace(old, new.ljust(len(old)))

    return make


def content(times: int) -> Callable[[], bytes]:
    def change(pdf: pikepdf.Pdf) -> None:
        stream = Stream(pdf, b"")
        filters = Array([Name.FlateDecode] * times)
        stream.write(packed(1 << 30, times), filter=filters)
        pdf.pages[0].Contents = stream

    return written(change, **PACKED)


def mapped(pdf: pikepdf.Pdf) -> None:
    """A font with a mapping of 1 GB."""
    stream = Stream(pdf, b"")
    stream.write(packed(1 << 30), filter=Name.FlateDecode)
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.X, ToUnicode=stream)
    pdf.pages[0].Resources = Dictionary(Font=Dictionary(F=font))


def attached(pdf: pikepdf.Pdf) -> None:
    pdf.attachments["x.bin"] = bytes(300 << 20)


def nested(pdf: pikepdf.Pdf) -> None:
    deep: pikepdf.Object = Array([])
    for _ in range(90):
        deep = Array([deep])
    pdf.Root.Deep = deep


def outlines(pdf: pikepdf.Pdf) -> None:
    one = pdf.make_indirect(Dictionary(Title=String("x")))
    one.Next, one.First = one, one
    pdf.Root.Outlines = Dictionary(First=one, Last=one, Count=9)


def acting(kind: str) -> Callable[[pikepdf.Pdf], None]:
    def change(pdf: pikepdf.Pdf) -> None:
        pdf.Root.OpenAction = Dictionary(S=Name(kind), JS=String("app.alert(1)"), F=String("x"))

    return change


def named(pdf: pikepdf.Pdf) -> None:
    script = Dictionary(S=Name.JavaScript, JS=String("x"))
    pdf.Root.Names = Dictionary(JavaScript=Dictionary(Names=Array([String("x"), script])))


def form(pdf: pikepdf.Pdf) -> None:
    pdf.Root.AcroForm = Dictionary(XFA=Array([String("x"), Stream(pdf, b"<xdp/>")]))


def looped_form(pdf: pikepdf.Pdf) -> None:
    """A form that draws itself."""
    drawn = pdf.make_indirect(Stream(pdf, b"/X Do"))
    drawn.Type, drawn.Subtype, drawn.BBox = Name.XObject, Name.Form, Array([0, 0, 9, 9])
    drawn.Resources = Dictionary(XObject=Dictionary(X=drawn))
    pdf.pages[0].Resources = Dictionary(XObject=Dictionary(X=drawn))
    pdf.pages[0].Contents = Stream(pdf, b"/X Do")


def typed(key: str, value: pikepdf.Object) -> Callable[[pikepdf.Pdf], None]:
    """A page with text in a font, where something is of another type than it should be."""

    def change(pdf: pikepdf.Pdf) -> None:
        font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
        page = pdf.pages[0]
        page.Contents = Stream(pdf, b"BT /F 12 Tf 72 700 Td (x) Tj ET")
        page.Resources = Dictionary(Font=Dictionary(F=font))
        mapping = Stream(pdf, b"not compressed")
        mapping.stream_dict.Filter = Name.FlateDecode
        if key == "Annots":
            page.Annots = value
        elif key == "F":
            page.Resources.Font.F = value
        else:
            font.ToUnicode = mapping

    return change


def many_pages() -> bytes:
    with document() as pdf:
        for _ in range(1100):
            pdf.add_blank_page(page_size=(9, 9))
        return bytes_of(pdf)


PLAIN = written(lambda _: None)
#: What must be refused, or reported as acting.
BAD: dict[str, Callable[[], bytes]] = {
    "a page of 1 GB": content(1),
    "a page of 1 GB, packed twice": content(2),
    "a font's mapping of 1 GB": written(mapped, **PACKED),
    "an attachment of 300 MB": written(attached),
    "Resources is a number": replaced(b"/Resources << >>", b"/Resources 5"),
    "Info is a number": replaced(b"/Info 2 0 R", b"/Info 5"),
    "Info is a number by reference": replaced(b"<< /Title (x) >>", b"5"),
    "a page is a number": replaced(b"[ 4 0 R ]", b"[ 4 ]"),
    "the page tree has itself": replaced(b"[ 4 0 R ]", b"[ 3 0 R ]"),
    "a page is its own parent": replaced(
        b"/Parent 3 0 R /Resources << >>", b"/Parent 4 0 R /Resxxxxxx << >>"
    ),
    "no pages": replaced(b"[ 4 0 R ]", b"[ ]"),
    "the media box is a word": replaced(b"[ 0 0 595 842 ]", b"/Large"),
    "cut in half": lambda: PLAIN()[: len(PLAIN()) // 2],
    "only a header": lambda: b"%PDF-1.7\n",
    "a mapping that isn't packed": written(typed("ToUnicode", Array([]))),
    "annotations of other types": written(typed("Annots", Array([Name.Nothing, 3]))),
    "a font of another type": written(typed("F", Array([1]))),
    "cut at the end": lambda: PLAIN()[:-40],
    "no PDF": lambda: b"<html>" * 1000,
    "a password": written(
        lambda _: None, encryption=pikepdf.Encryption(owner="owner", user="user")
    ),
    "1,101 pages": many_pages,
    "JavaScript at the start": written(acting("/JavaScript")),
    "a program at the start": written(acting("/Launch")),
    "data sent at the start": written(acting("/SubmitForm")),
    "named JavaScript": written(named),
    "XFA": written(form),
}
ACTING = (
    "JavaScript at the start", "a program at the start", "data sent at the start",
    "named JavaScript", "XFA",
)  # fmt: skip
READABLE = ("cut at the end", "a font of another type")
#: What may be read.
ODD: dict[str, Callable[[], bytes]] = {
    "plain": PLAIN,
    "nested 90 deep": written(nested),
    "outlines in a circle": written(outlines),
    "a form that draws itself": written(looped_form),
    "an attachment": written(lambda pdf: pdf.attachments.__setitem__("x.txt", b"x")),
}
ALL = {**BAD, **ODD}


#: What was read, and ended with a traceback or much memory: tried in every run.
MENDED = ("a page of 1 GB", "Resources is a number", "Info is a number")
NAMES = [*MENDED, *sample([name for name in ALL if name not in MENDED], 4, "foreign")]
#: What unpacks to very much takes seconds.
SMALL = [name for name in ALL if not re.search("1 GB|300 MB|1,101", name)]


@pytest.mark.parametrize("name", deep.but(SMALL, dict.fromkeys([*SMALL, *NAMES])))
@pytest.mark.usefixtures("here")
def test_check_refuses_or_reads_it(name: str, run: Run) -> None:
    Path("it.pdf").write_bytes(ALL[name]())
    ran = run("check", "--pdf", "it.pdf")
    harmless(ran, {1 if name in BAD else 0})
    assert "it.pdf" in ran.err
    # What can be read has faults of its own.
    assert len(ran.err.splitlines()) == 1 or name in {*ACTING, *READABLE, *ODD}


@pytest.mark.usefixtures("here")
def test_the_reader_loads_nothing_from_the_working_folder() -> None:
    for name in ("pikepdf", "json", "cvbuild", "sitecustomize", "usercustomize"):
        Path(f"{name}.py").write_text("open('owned', 'w')\n", encoding="utf-8")
    Path("it.pdf").write_bytes(PLAIN())
    assert len(pdf_facts.read_foreign(Path("it.pdf")).pages) == 1
    assert not Path("owned").exists()


#: What nothing in a packet may do.
ACTS = re.compile(rb"/(?:OpenAction|JavaScript|JS|Launch|SubmitForm|XFA|EmbeddedFiles|AA)\b")


@pytest.mark.parametrize("name", deep.but(SMALL, sample(list(ALL), 4, "attachments")))
def test_an_attachment_is_refused_or_cleaned(name: str) -> None:
    part = Part("It", ALL[name](), "it.pdf")
    found: tuple[str, ...] = ()
    try:
        merged = merge([Part("Good", PLAIN(), "good.pdf"), part], About("Ada", "Packet", "en", 0))
    except CvbuildError as error:
        found = tuple(item.message for item in error.diagnostics)
    else:
        with pikepdf.open(io.BytesIO(merged.content)) as pdf:
            plain = bytes_of(pdf, object_stream_mode=pikepdf.ObjectStreamMode.disable)
        assert not ACTS.search(plain)
    assert all("it.pdf" in message for message in found)
