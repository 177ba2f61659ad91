"""Small PDFs, made object by object; those of others: broken, packed, locked, acting, or odd."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, Pdf, Stream, String

from cvbuild.outputs.pdf.verify import pdf_facts

Change = Callable[[Pdf], None]


def page_of(content: bytes, *changes: Change, **options: object) -> bytes:
    """A PDF of one page with this content stream and a font /F1 that is not embedded.

    The options are those of pikepdf for saving it.
    """
    document = Pdf.new()
    document.add_blank_page(page_size=(595, 842))
    page = document.pages[0]
    page.Contents = document.make_stream(content)
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
    page.Resources = Dictionary(Font=Dictionary(F1=document.make_indirect(font)))
    for change in changes:
        change(document)
    made = io.BytesIO()
    document.save(made, **{"deterministic_id": True, **options})  # type: ignore[arg-type]
    return made.getvalue()


def line(text: str) -> bytes:
    return b"BT /F1 12 Tf 72 700 Td (" + text.encode("latin-1") + b") Tj ET"


def annotation(action: Dictionary, subtype: str = "/Link") -> Change:
    def change(document: Pdf) -> None:
        one = Dictionary(
            Type=Name.Annot, Subtype=Name(subtype), Rect=Array([72, 700, 100, 712]), A=action
        )
        page = document.pages[0].obj
        if "/Annots" not in page:
            page.Annots = Array([])
        page.Annots.append(document.make_indirect(one))

    return change


def link(url: str) -> Change:
    return annotation(Dictionary(S=Name.URI, URI=pikepdf.String(url)))


def put(place: str, **keys: object) -> Change:
    def change(document: Pdf) -> None:
        places = {"catalog": document.Root, "pages": document.Root.Pages}
        there: Any = places.get(place, document.pages[0].obj)
        there.update(Dictionary({f"/{key}": value for key, value in keys.items()}))

    return change


def chain(document: Pdf) -> None:
    """Objects in objects, 100,000 deep: qpdf's own copying would end the process."""
    one = document.make_indirect(Dictionary(End=1))
    for _ in range(100_000):
        one = document.make_indirect(Dictionary(Group=one))
    document.pages[0].obj.Resources.Properties = Dictionary(X=one)


Make = Callable[[], bytes]


def changed(*changes: Change, **options: object) -> Make:
    return partial(page_of, line("x"), *changes, **options)


WHOLE = page_of(line("x"))
PLAINLY = pikepdf.ObjectStreamMode.disable


def locked(**how: object) -> Make:
    encryption = pikepdf.Encryption(**how)  # type: ignore[arg-type]
    return changed(deterministic_id=False, encryption=encryption)


def titled(pdf: Pdf) -> None:
    pdf.docinfo["/Title"] = String("x")


def swapped(old: bytes, new: bytes) -> Callable[[], bytes]:
    def make() -> bytes:
        data = changed(titled, object_stream_mode=PLAINLY)()
        assert data.count(old) == 1, data
        return data.replace(old, new.ljust(len(old)))

    return make


@cache
def packed(size: int, first: bytes = b"", times: int = 1) -> bytes:
    """So many bytes of spaces after something, packed so many times."""
    packer = zlib.compressobj(1)
    some = b" " * (1 << 20)
    parts = (packer.compress(some) for _ in range(size >> 20))
    data = b"".join((packer.compress(first), *parts, packer.flush()))
    for _ in range(times - 1):
        data = zlib.compress(data, 9)
    return data


def bomb(place: str, times: int = 1, size: int = 1 << 30) -> Make:
    """A stream of 1 GB: the page, or the mapping of its font; or a drawing."""

    def change(pdf: Pdf) -> None:
        stream = Stream(pdf, b"")
        stream.write(packed(size, times=times), filter=Array([Name.FlateDecode] * times))
        page = pdf.pages[0]
        if place == "XObject":
            stream.Type, stream.Subtype = Name.XObject, Name.Form
            page.Resources.XObject = Dictionary(X=stream)
        else:
            (page if place == "Contents" else page.Resources.Font.F1)[f"/{place}"] = stream

    # What is packed stays as it is when it is saved.
    level = pikepdf.StreamDecodeLevel.none
    return changed(change, stream_decode_level=level, compress_streams=False)


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
    drawn = pdf.make_indirect(Stream(pdf, b"/X Do"))
    drawn.Type, drawn.Subtype, drawn.BBox = Name.XObject, Name.Form, Array([0, 0, 9, 9])
    drawn.Resources = Dictionary(XObject=Dictionary(X=drawn))
    pdf.pages[0].Resources.XObject = Dictionary(X=drawn)
    pdf.pages[0].Contents = Stream(pdf, b"/X Do")


def unpacked_mapping(pdf: Pdf) -> None:
    mapping = Stream(pdf, b"not compressed")
    mapping.stream_dict.Filter = Name.FlateDecode
    pdf.pages[0].Resources.Font.F1.ToUnicode = mapping


def chained_parents(pdf: Pdf) -> None:
    """Objects in objects above a page that claims to be no node's."""
    chain(pdf)
    pdf.add_blank_page()
    del pdf.pages[1].obj["/Resources"]
    pdf.pages[1].obj.Parent = pdf.pages[0].obj.Resources.Properties.X
    del pdf.pages[0].obj.Resources["/Properties"]


def form_without_looks(document: Pdf) -> None:
    field = Dictionary(Type=Name.Annot, Subtype=Name.Widget, FT=Name.Tx, T=String("name"))
    document.pages[0].obj.Annots = Array([document.make_indirect(field)])
    fields = document.pages[0].obj.Annots
    document.Root.AcroForm = Dictionary(Fields=fields, NeedAppearances=True)


def layers(**rules: object) -> Callable[[Pdf], None]:
    def change(document: Pdf) -> None:
        groups = [document.make_indirect(Dictionary(Type=Name.OCG, Name=String(x))) for x in "ab"]
        document.pages[0].Resources.Properties = Dictionary(A=groups[0], B=groups[1])
        default = Dictionary({f"/{key}": value for key, value in rules.items()})
        if "OFF" in rules:
            default.OFF = Array(groups[1:])
        document.Root.OCProperties = Dictionary(OCGs=Array(groups), D=default)

    return change


def membership(document: Pdf) -> None:
    layers()(document)
    hidden = Dictionary(Type=Name.OCMD, P=Name.AllOff, OCGs=document.Root.OCProperties.OCGs)
    document.pages[0].Resources.Properties.C = hidden


def object_stream(size: int) -> bytes:
    made, places = b"%PDF-1.5\n", []
    content = packed(size, b"1 0 <</Type/Catalog/Pages 2 0 R>>")
    for number, body in enumerate(
        [
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]/Resources<<>>>>",
            b"<</Type/ObjStm/N 1/First 4/Filter/FlateDecode/Length %d>>stream\n%s\nendstream"
            % (len(content), content),
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


HIDDEN = "has layers of which some are hidden"
BROKEN = "can't be read as a PDF"
#: What nobody reads, with what is said where it should become part of another PDF.
UNREADABLE: dict[str, tuple[Make, str]] = {
    "user password": (locked(user="u", owner="o"), "needs a password"),
    "half of it": (lambda: WHOLE[: len(WHOLE) // 2], BROKEN),
    "without its end": (lambda: WHOLE[:-40], BROKEN),
    "nothing": (lambda: b"", BROKEN),
    "no PDF": (lambda: b"<html>" * 1000, BROKEN),
    "no pages": (changed(put("pages", Kids=Array([]), Count=0)), "has no pages"),
    "too many pages": (
        changed(lambda x: x.Root.Pages.Kids.extend([x.pages[0].obj] * pdf_facts.MAX_PAGES)),
        f"has {pdf_facts.MAX_PAGES + 1} pages",
    ),
    "a loop of pages": (changed(lambda x: x.Root.Pages.Kids.append(x.Root.Pages)), BROKEN),
}
#: What can be read, but is no part of another PDF.
UNFIT: dict[str, tuple[Make, str]] = {
    "a chain": (changed(chain), "nests too deeply"),
    "owner password": (
        locked(owner="o", allow=pikepdf.Permissions(modify_assembly=False, modify_other=False)),
        "is locked against merging",
    ),
    "a portfolio": (
        changed(put("catalog", Collection=Dictionary(View=Name.D))),
        "is a portfolio of other files",
    ),
    "a dynamic form": (changed(put("catalog", NeedsRendering=True)), "is a dynamic form"),
    "a form without looks": (
        changed(form_without_looks),
        "is a form whose fields are drawn only when it is shown",
    ),
    "a hidden layer": (changed(layers(OFF=Array())), HIDDEN),
    "layers hidden at first": (changed(layers(BaseState=Name.OFF)), HIDDEN),
    "a layer only for paper": (changed(layers(AS=Array([Name.X]))), HIDDEN),
    "shown if others are hidden": (changed(membership), HIDDEN),
    "packed twice": (bomb("XObject", 2, 4 << 20), "has parts that are packed twice"),
}
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
#: What must be refused, or reported as acting.
BAD: dict[str, Make] = {
    **{name: make for name, (make, _) in UNREADABLE.items()},
    "a page of 1 GB": bomb("Contents"),
    "a page of 1 GB, packed twice": bomb("Contents", 2),
    "a font's mapping of 1 GB": bomb("ToUnicode"),
    "an attachment of 300 MB": changed(
        lambda pdf: pdf.attachments.__setitem__("x.bin", bytes(300 << 20))
    ),
    "Resources is a number": swapped(b"/Resources << /Font << /F1 6 0 R >> >>", b"/Resources 5"),
    "Info is a number": swapped(b"/Info 2 0 R", b"/Info 5"),
    "a mapping that isn't packed": changed(unpacked_mapping),
    "annotations of other types": changed(
        lambda pdf: pdf.pages[0].__setattr__("Annots", Array([Name.Nothing, 3]))
    ),
    "a page of a chain": changed(chained_parents),
    "a link without an action": changed(
        put("page", Annots=Array([Dictionary(Subtype=Name.Link, A=3)]))
    ),
    "names and layers of other types": changed(put("catalog", Names=3, OCProperties=Array([1]))),
    **ACTING,
}
#: What may be read.
ODD: dict[str, Callable[[], bytes]] = {
    "plain": changed(),
    "a font of another type": changed(
        lambda pdf: pdf.pages[0].Resources.Font.__setattr__("F1", Array([1]))
    ),
    "nested 90 deep": changed(put("catalog", Deep=nested())),
    "outlines in a circle": changed(outlines),
    "a form that draws itself": changed(looped_form),
    "a page without a content": changed(put("page", Contents=None)),
}
#: What unpacks to very much takes seconds.
LARGE = (*(name for name in BAD if "GB" in name), "an attachment of 300 MB", "too many pages")
