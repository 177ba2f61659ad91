"""What is refused as a part of one PDF, and what is strange: loops, locks, bombs."""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from merges import ABOUT, PLACE, part, saved
from pdfs import line, page_of
from pikepdf import Array, Dictionary, Name, Pdf, String

from cvbuild.applications.merge_pdf import Part, merge
from cvbuild.common.errors import CvbuildError
from cvbuild.outputs.pdf.verify import pdf_facts


def encrypted(**passwords: object) -> bytes:
    made = io.BytesIO()
    with pikepdf.open(io.BytesIO(page_of(line("x")))) as opened:
        opened.save(made, encryption=pikepdf.Encryption(**passwords))  # type: ignore[arg-type]
    return made.getvalue()


def put(place: str, **keys: object) -> Callable[[Pdf], None]:
    """Puts keys into the catalog, the root of the pages, or the first page."""

    def change(document: Pdf) -> None:
        places = {"catalog": document.Root, "pages": document.Root.Pages}
        there: Any = places.get(place, document.pages[0].obj)
        there.update(Dictionary({f"/{key}": value for key, value in keys.items()}))

    return change


def _chain(document: Pdf) -> None:
    """Objects in objects, 100,000 deep: qpdf's own copying would end the process."""
    one = document.make_indirect(Dictionary(End=1))
    for _ in range(100_000):
        one = document.make_indirect(Dictionary(Group=one))
    document.pages[0].obj.Resources.Properties = Dictionary(X=one)


def _parents(document: Pdf) -> None:
    """The same above a page that claims to be no node's."""
    _chain(document)
    document.add_blank_page()
    del document.pages[1].obj["/Resources"]
    document.pages[1].obj.Parent = document.pages[0].obj.Resources.Properties.X
    del document.pages[0].obj.Resources["/Properties"]


def _packed(size: int, first: bytes = b"") -> bytes:
    """So many spaces after something, packed step by step."""
    packer = zlib.compressobj(9)
    parts = (packer.compress(b" " * (1 << 20)) for _ in range(size >> 20))
    return b"".join([packer.compress(first), *parts, packer.flush()])


def _form(document: Pdf) -> None:
    """Puts a field on the first page that is to be drawn anew."""
    field = Dictionary(Type=Name.Annot, Subtype=Name.Widget, FT=Name.Tx, T=String("name"))
    document.pages[0].obj.Annots = Array([document.make_indirect(field)])
    fields = document.pages[0].obj.Annots
    document.Root.AcroForm = Dictionary(Fields=fields, NeedAppearances=True)


def layers(**rules: object) -> Callable[[Pdf], None]:
    """Two layers, of which rules may hide one."""

    def change(document: Pdf) -> None:
        groups = [document.make_indirect(Dictionary(Type=Name.OCG, Name=String(x))) for x in "ab"]
        document.pages[0].Resources.Properties = Dictionary(A=groups[0], B=groups[1])
        default = Dictionary({f"/{key}": value for key, value in rules.items()})
        if "OFF" in rules:
            default.OFF = Array(groups[1:])
        document.Root.OCProperties = Dictionary(OCGs=Array(groups), D=default)

    return change


def _membership(document: Pdf) -> None:
    layers()(document)
    hidden = Dictionary(Type=Name.OCMD, P=Name.AllOff, OCGs=document.Root.OCProperties.OCGs)
    document.pages[0].Resources.Properties.C = hidden


def packed_twice() -> bytes:
    """4 MB in 200 bytes."""
    with pikepdf.open(io.BytesIO(page_of(b""))) as document:
        twice = document.make_stream(b"", Type=Name.XObject, Subtype=Name.Form)
        filters = Array([Name.FlateDecode, Name.FlateDecode])
        twice.write(zlib.compress(zlib.compress(bytes(4 << 20))), filter=filters)
        document.pages[0].Resources.XObject = Dictionary(X=twice)
        document.save(made := io.BytesIO(), compress_streams=False)
    return made.getvalue()


def object_stream(size: int) -> bytes:
    """A PDF whose catalog is in an object stream of so many bytes, by hand."""
    made, places = b"%PDF-1.5\n", []
    packed = _packed(size, b"1 0 <</Type/Catalog/Pages 2 0 R>>")
    for number, body in enumerate(
        [
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]/Resources<<>>>>",
            b"<</Type/ObjStm/N 1/First 4/Filter/FlateDecode/Length %d>>stream\n%s\nendstream"
            % (len(packed), packed),
        ],
        start=2,
    ):
        places.append((1, len(made), 0))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(made)
    rows = [(0, 0, 255), (2, 4, 0), *places, (1, start, 0)]
    table = b"".join(bytes([kind]) + at.to_bytes(4, "big") + bytes([n]) for kind, at, n in rows)
    return made + (
        b"5 0 obj\n<</Type/XRef/W[1 4 1]/Size 6/Root 1 0 R/Length %d>>stream\n%s\nendstream\n"
        b"endobj\nstartxref\n%d\n%%%%EOF\n"
    ) % (len(table), table, start)


WHOLE = page_of(line("x"))
HIDDEN = "has layers of which some are hidden"
REFUSED = {
    "user password": (encrypted(user="u", owner="o"), "needs a password"),
    "owner password": (
        encrypted(owner="o", allow=pikepdf.Permissions(modify_assembly=False, modify_other=False)),
        "is locked against merging",
    ),
    "half of it": (WHOLE[: len(WHOLE) // 2], "can't be read as a PDF"),
    "without its end": (WHOLE[:-40], "can't be read as a PDF"),
    "nothing": (b"", "can't be read as a PDF"),
    "no PDF": (b"<html>" * 1000, "can't be read as a PDF"),
    "no pages": (page_of(b"", put("pages", Kids=Array([]), Count=0)), "has no pages"),
    "too many pages": (
        page_of(b"", lambda x: x.Root.Pages.Kids.extend([x.pages[0].obj] * pdf_facts.MAX_PAGES)),
        f"has {pdf_facts.MAX_PAGES + 1} pages",
    ),
    "a loop of pages": (
        page_of(b"", lambda x: x.Root.Pages.Kids.append(x.Root.Pages)),
        "can't be read as a PDF",
    ),
    "a chain": (page_of(b"", _chain), "nests too deeply"),
    "a portfolio": (
        page_of(b"", put("catalog", Collection=Dictionary(View=Name.D))),
        "is a portfolio of other files",
    ),
    "a dynamic form": (page_of(b"", put("catalog", NeedsRendering=True)), "is a dynamic form"),
    "a form without looks": (
        page_of(b"", _form),
        "is a form whose fields are drawn only when it is shown",
    ),
    "a hidden layer": (page_of(b"", layers(OFF=Array())), HIDDEN),
    "layers hidden at first": (page_of(b"", layers(BaseState=Name.OFF)), HIDDEN),
    "a layer only for paper": (page_of(b"", layers(AS=Array([Name.X]))), HIDDEN),
    "shown if others are hidden": (page_of(b"", _membership), HIDDEN),
    "packed twice": (packed_twice(), "has parts that are packed twice"),
}


@pytest.mark.parametrize("case", sorted(REFUSED))
def test_what_cannot_be_merged_is_told_with_its_place(case: str) -> None:
    content, fact = REFUSED[case]
    with pytest.raises(CvbuildError) as caught:
        merge([Part("CV", WHOLE, "cv.pdf"), part(content)], ABOUT)
    (one,) = caught.value.diagnostics
    assert one.span == PLACE
    assert one.code == "attachment"
    assert one.message.startswith(f'"transcript.pdf" {fact}')
    assert one.hint
    assert "BytesIO" not in str(one)


@pytest.mark.skipif(sys.platform != "linux", reason="measures memory as Linux does")
@pytest.mark.skipif(not hasattr(pikepdf.settings, "set_qpdf_limits"), reason="has no limits")
def test_what_unpacks_to_much_takes_little_memory(tmp_path: Path) -> None:
    """A file of 0.2 MB that unpacks to 200 MB, in a process of its own."""
    bomb = tmp_path / "bomb.pdf"
    bomb.write_bytes(object_stream(200 << 20))
    code = """
import pathlib, re, sys
from cvbuild.applications.merge_pdf import About, Part, merge
from cvbuild.common.errors import CvbuildError
most = lambda: int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
before = most()
try:
    merge([Part("x", pathlib.Path(sys.argv[1]).read_bytes(), "x.pdf")], About("x", "x"))
except CvbuildError as error:
    print(most() - before, error)
"""
    run = [sys.executable, "-c", code, str(bomb)]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    more, _, message = done.stdout.partition(" ")
    assert "can't be read as a PDF" in message
    assert int(more) < 130_000  # in KB


def test_a_version_of_many_digits_is_no_version() -> None:
    """The offsets of all objects follow the longer first line."""
    more, number = 5_000, re.compile(rb"(\d{10})(?= 00000 n)|(?<=startxref\n)\d+")
    longer = WHOLE.replace(b"%PDF-1.", b"%PDF-1." + b"9" * more, 1)
    content = number.sub(lambda at: b"%010d" % (int(at[0]) + more), longer)
    assert merge([part(content)], ABOUT).content.startswith(b"%PDF-1.7\n")


def test_all_that_is_wrong_is_told_at_once() -> None:
    parts = [part(b"", "a.pdf"), part(WHOLE, "b.pdf"), part(b"", "c.pdf")]
    with pytest.raises(CvbuildError) as caught:
        merge(parts, ABOUT)
    assert [one.message[:7] for one in caught.value.diagnostics] == ['"a.pdf"', '"c.pdf"']


def _own_form(document: Pdf) -> None:
    page = document.pages[0]
    form = document.make_stream(b"/X1 Do", Type=Name.XObject, Subtype=Name.Form)
    form.Resources = Dictionary(XObject=Dictionary(X1=form))
    page.Resources.XObject = Dictionary(X1=form)


@pytest.mark.parametrize(
    "change",
    [
        _parents,
        put("page", Annots=Array([Name.Nothing, 3, Dictionary(Subtype=Name.Link, A=3)])),
        put("page", Annots=Name.Nothing),
        put("page", Resources=3),
        put("catalog", Names=3, OCProperties=Array([1])),
        layers(),
        _own_form,
        put("page", Contents=None),
    ],
)
def test_a_strange_file_is_merged_or_told(change: Callable[[Pdf], None], tmp_path: Path) -> None:
    parts = [part(page_of(line("x"), change))]
    with contextlib.suppress(CvbuildError):
        saved(merge(parts, ABOUT), tmp_path)
