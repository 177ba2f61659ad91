"""A PDF that somebody else made is refused or read: in time, in memory, without a traceback."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import deep
import pikepdf
import pytest
from attacks.table import harmless
from conftest import Run
from pdfs import Change, chain, line, page_of, put
from pikepdf import Array, Dictionary, Name, Pdf, Stream, String
from samples import sample

from cvbuild.applications.merge_pdf import About, Part, merge
from cvbuild.common.errors import CvbuildError
from cvbuild.outputs.pdf.verify import pdf_facts


def changed(*changes: Change, **options: object) -> Callable[[], bytes]:
    """A page with text in a font, with changes."""
    return partial(page_of, line("x"), *changes, **options)


PLAIN = changed()
PLAINLY = pikepdf.ObjectStreamMode.disable


def titled(pdf: Pdf) -> None:
    pdf.docinfo["/Title"] = String("x")


def swapped(old: bytes, new: bytes) -> Callable[[], bytes]:
    """The plain document with other bytes in the same place."""

    def make() -> bytes:
        data = changed(titled, object_stream_mode=PLAINLY)()
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
        (page if place == "Contents" else page.Resources.Font.F1)[f"/{place}"] = stream

    # What is packed stays as it is when it is saved.
    return changed(change, stream_decode_level=pikepdf.StreamDecodeLevel.none)


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
    pdf.pages[0].Resources.Font.F1.ToUnicode = mapping


def many_pages(pdf: Pdf) -> None:
    for _ in range(1100):
        pdf.add_blank_page(page_size=(9, 9))


def chained_parents(pdf: Pdf) -> None:
    """Objects in objects above a page that claims to be no node's."""
    chain(pdf)
    pdf.add_blank_page()
    del pdf.pages[1].obj["/Resources"]
    pdf.pages[1].obj.Parent = pdf.pages[0].obj.Resources.Properties.X
    del pdf.pages[0].obj.Resources["/Properties"]


SCRIPT = Dictionary(S=Name.JavaScript, JS=String("app.alert(1)"))
ACTING = {
    name: changed(put("catalog", **{key: value}))
    for name, key, value in (
        ("JavaScript at the start", "OpenAction", SCRIPT),
        ("data sent at the start", "OpenAction", Dictionary(S=Name.SubmitForm, F=String("x"))),
        ("named JavaScript", "Names",
         Dictionary(JavaScript=Dictionary(Names=Array([String("x"), SCRIPT])))),
        ("XFA", "AcroForm", Dictionary(XFA=Array([String("x"), String("<xdp/>")]))),
    )
}  # fmt: skip
#: What must be refused, or reported as acting. More of them are in applications/test_merging.
BAD: dict[str, Callable[[], bytes]] = {
    "a page of 1 GB": bomb("Contents"),
    "a page of 1 GB, packed twice": bomb("Contents", 2),
    "a font's mapping of 1 GB": bomb("ToUnicode"),
    "an attachment of 300 MB": changed(
        lambda pdf: pdf.attachments.__setitem__("x.bin", bytes(300 << 20))
    ),
    "Resources is a number": swapped(b"/Resources << /Font << /F1 6 0 R >> >>", b"/Resources 5"),
    "Info is a number": swapped(b"/Info 2 0 R", b"/Info 5"),
    "the page tree has itself": swapped(b"[ 4 0 R ]", b"[ 3 0 R ]"),
    "no pages": swapped(b"[ 4 0 R ]", b"[ ]"),
    "cut in half": lambda: PLAIN()[: len(PLAIN()) // 2],
    "no PDF": lambda: b"<html>" * 1000,
    "a mapping that isn't packed": changed(unpacked_mapping),
    "annotations of other types": changed(
        lambda pdf: pdf.pages[0].__setattr__("Annots", Array([Name.Nothing, 3]))
    ),
    "a password": changed(
        deterministic_id=False, encryption=pikepdf.Encryption(owner="owner", user="user")
    ),
    "1,101 pages": changed(many_pages),
    "cut at the end": lambda: PLAIN()[:-40],
    "a page of a chain": changed(chained_parents),
    "a link without an action": changed(
        put("page", Annots=Array([Dictionary(Subtype=Name.Link, A=3)]))
    ),
    "names and layers of other types": changed(put("catalog", Names=3, OCProperties=Array([1]))),
    **ACTING,
}
#: What may be read.
ODD: dict[str, Callable[[], bytes]] = {
    "plain": PLAIN,
    "a font of another type": changed(
        lambda pdf: pdf.pages[0].Resources.Font.__setattr__("F1", Array([1]))
    ),
    "nested 90 deep": changed(put("catalog", Deep=nested())),
    "outlines in a circle": changed(outlines),
    "a form that draws itself": changed(looped_form),
    "a page without a content": changed(put("page", Contents=None)),
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
def test_an_attachment_is_refused_or_cleaned(name: str, tmp_path: Path) -> None:
    part = Part("It", ALL[name](), "it.pdf")
    try:
        merged = merge([Part("Good", PLAIN(), "good.pdf"), part], About("Ada", "Packet", "en", 0))
    except CvbuildError as error:
        messages = [item.message for item in error.diagnostics]
    else:
        with pikepdf.open(io.BytesIO(merged.content)) as pdf:
            pdf.save(tmp_path / "plain.pdf", object_stream_mode=PLAINLY)
        assert not ACTS.search((tmp_path / "plain.pdf").read_bytes())
        return
    assert all("it.pdf" in message for message in messages)
