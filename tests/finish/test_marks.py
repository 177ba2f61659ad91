"""Marks, links and pictures become a structure tree: order, carry-over, nesting, artifacts."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pikepdf
import pytest
from pdfs import Change, page_of
from pikepdf import Array, Dictionary, Name, String
from trees import Element, Link, artifacts, tree

from cvbuild.common.diagnostics import DocumentError
from cvbuild.model.text.rich_text import Text
from cvbuild.outputs.pdf import About, finish
from cvbuild.view.types import Content

EPOCH, IDENT = 1_700_000_000, "0123456789abcdef" * 4


def about(**fields: object) -> About:
    name = Content((Text("Ada Example"),), ("name",))
    values: dict[str, object] = {"title": name, "author": name, "language": "en-GB"}
    return About(**(values | fields))  # type: ignore[arg-type]


def pages_of(contents: list[bytes], *changes: Change) -> bytes:
    whole = pikepdf.open(io.BytesIO(page_of(contents[0])))
    for content in contents[1:]:
        with pikepdf.open(io.BytesIO(page_of(content))) as other:
            whole.pages.extend(other.pages)
    for change in changes:
        change(whole)
    made = io.BytesIO()
    whole.save(made)
    whole.close()
    return made.getvalue()


END = "EMC\n"
ARTIFACT = "/Artifact BMC\n"
#: A rule as TeX draws it.
RULE = "q\n1 0 0 1 72 690 cm\n0 0 100 0.4 re f\nQ\n"


def begin(number: int, path: str) -> str:
    return f"/Cvb<</N {number}/P({path})>>BDC\n"


def text(words: str) -> str:
    return f"BT\n/F1 12 Tf 72 700 Td ({words}) Tj\nET\n"


def link(target: str, path: str, words: str, page: int = 0) -> Change:
    def change(document: pikepdf.Pdf) -> None:
        obj: Any = document.pages[page].obj
        one = Dictionary(
            Type=Name.Annot,
            Subtype=Name.Link,
            Rect=Array([72, 700, 100, 712]),
            F=4,
            Border=Array([0, 0, 0]),
            CvbP=String(path),
            CvbT=String(words),
            A=Dictionary(Type=Name.Action, S=Name.URI, URI=String(target)),
        )
        if "/Annots" not in obj:
            obj.Annots = Array([])
        obj.Annots.append(document.make_indirect(one))

    return change


@pytest.fixture
def finished() -> Finish:
    """``finished(content, ..., changes=(), **about)``: a PDF of pages with these contents."""

    def make(*contents: str, changes: tuple[Change, ...] = (), **fields: object) -> bytes:
        made = pages_of([one.encode("latin-1") for one in contents], *changes)
        return finish.finish(made, about(**fields), EPOCH, IDENT)

    return make


@pytest.fixture
def shape(finished: Finish) -> Callable[..., list[object]]:
    def make(*contents: str, **fields: object) -> list[object]:
        top: Element = tree(finished(*contents, **fields))
        return [child.short() for child in top.children if isinstance(child, Element)]

    return make


Finish = Callable[..., bytes]
Shape = Callable[..., list[object]]


def test_text_around_a_link_stays_around_it(shape: Shape) -> None:
    content = (
        begin(2, "P:1/") + text("before") + begin(4, "Link:3/P:1/") + text("linked") + END
        + text("between") + begin(6, "Link:5/P:1/") + text("other") + END + text("after") + END
    )  # fmt: skip
    links = (
        link("https://a.example/", "Link:3/P:1/", "linked"),
        link("https://b.example/", "Link:5/P:1/", "other"),
    )
    assert shape(content, changes=links) == [
        {
            "P": [
                "before",
                {"Link": ["linked", "@ https://a.example/"]},
                "between",
                {"Link": ["other", "@ https://b.example/"]},
                "after",
            ]
        }
    ]


def test_elements_that_are_open_go_on_over_four_pages(shape: Shape, finished: Finish) -> None:
    head = ARTIFACT + text("head") + END
    pages = [
        begin(4, "LBody:3/LI:2/L;Disc:1/") + text("one") + begin(6, "Link:5/LBody:3/LI:2/L;Disc:1/")
        + text("link"),
        head + text("still"),
        text("third") + END + text("body") + head,
        text("last") + END + begin(8, "P:7/") + text("another") + END,
    ]  # fmt: skip
    body = ["one", {"Link": ["link", "still", "third"]}, "body", "last"]
    assert shape(*pages) == [{"L": [{"LI": [{"LBody": body}]}]}, {"P": ["another"]}]
    made = finished(*pages)
    top = tree(made)
    (found,) = top.all("Link")
    assert found.pages() == [0, 1, 2]
    (body_element,) = top.all("LBody")
    assert body_element.pages() == [0, 2, 3]
    assert [one.attributes for one in top.all("L")] == [{"ListNumbering": "/Disc"}]
    assert artifacts(made) == ["", "head", "head", ""]


def test_a_page_without_anything_of_an_open_element(shape: Shape) -> None:
    head = ARTIFACT + text("alone") + END
    assert shape(begin(2, "P:1/") + text("one"), head, "", text("two") + END) == [
        {"P": ["one", "two"]}
    ]


def test_lists_in_items(shape: Shape) -> None:
    outer, inner = "LI:2/L;Decimal:1/", "L:6/LBody:4/LI:2/L;Decimal:1/"
    content = (
        begin(9, f"Lbl:3/{outer}") + text("1.") + END
        + begin(10, f"LBody:4/{outer}") + text("outer")
        + begin(12, f"LBody:8/LI:7/{inner}") + text("a") + END
        + begin(15, f"LBody:14/LI:13/{inner}") + text("b") + END
        + text("rest") + END
    )  # fmt: skip
    items = [{"LI": [{"LBody": ["a"]}]}, {"LI": [{"LBody": ["b"]}]}]
    body = {"LBody": ["outer", {"L": items}, "rest"]}
    assert shape(content) == [{"L": [{"LI": [{"Lbl": ["1."]}, body]}]}]


def test_what_is_placed_later_is_read_where_it_was_made(shape: Shape) -> None:
    """A box that is set early and placed late: marks count as TeX makes them."""
    content = (
        begin(4, "P:3/") + text("second") + END
        + begin(2, "H2:1/") + text("first") + END
        + begin(6, "P:5/") + text("third") + END
    )  # fmt: skip
    assert shape(content) == [{"H2": ["first"]}, {"P": ["second"]}, {"P": ["third"]}]


def test_dates_in_a_paragraph_stand_beside_it(shape: Shape) -> None:
    """A path says where an element belongs, not where its mark stands."""
    content = (
        begin(2, "P:1/") + text("left") + begin(4, "P:3/") + text("2024") + END
        + "q\n1 0 0 1 0 0 cm\nQ\n" + END + begin(6, "P:5/") + text("next") + END
    )  # fmt: skip
    assert shape(content) == [{"P": ["left"]}, {"P": ["2024"]}, {"P": ["next"]}]


def test_artifacts_in_marks_and_marks_in_nothing(finished: Finish, shape: Shape) -> None:
    content = (
        begin(2, "P:1/") + text("one") + ARTIFACT + RULE + ARTIFACT + text("dots") + END + END
        + text("two") + END + RULE + ARTIFACT + RULE + text("7/9") + END
    )  # fmt: skip
    assert shape(content) == [{"P": ["one", "two"]}]
    made = finished(content)
    assert artifacts(made) == ["dots7/9"]
    assert _unmarked(made) == []


def _unmarked(pdf: bytes) -> list[str]:
    found, depth = [], 0
    with pikepdf.open(io.BytesIO(pdf)) as document:
        for page in document.pages:
            for step in pikepdf.parse_content_stream(page):
                name = str(step.operator)
                depth += (name in ("BDC", "BMC")) - (name == "EMC")
                if depth == 0 and name in ("f", "S", "B", "s", "sh", "Do", "Tj", "TJ"):
                    found.append(name)
    assert depth == 0
    return found


@pytest.mark.parametrize(
    "drawing",
    [
        RULE,
        "q 0 0 10 10 re f Q\n",
        "0 0 m 10 10 l S\n",
        "q\n0 0 10 10 re\nB*\nQ\n",
        "q 1 0 0 1 5 5 cm 0 0 m 9 9 l s Q 0 g\n",
        "0 0 10 10 re f 0 g 0 G\n",
        "0 0 10 10 re f*\n",
    ],
)
def test_drawings_without_a_mark_are_artifacts(drawing: str, finished: Finish) -> None:
    """Also those of a template's own code, which may stand in one line."""
    whole = begin(2, "P:1/") + text("one") + END + drawing + begin(4, "P:3/") + text("two") + END
    made = finished(whole, drawing)
    assert _unmarked(made) == []
    assert [one.text() for one in tree(made).all("P")] == ["one", "two"]


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        (begin(2, "P:1/") + text("one"), "not ended"),
        (begin(2, "P:1/") + text("one") + END + END, "ends nothing"),
        (ARTIFACT + RULE, "not ended"),
        (END, "ends nothing"),
        ("/Span<</Lang(de)>>BDC\n" + text("one"), "not ended"),
    ],
)
def test_marks_that_dont_balance_are_refused(content: str, fact: str) -> None:
    with pytest.raises(DocumentError) as caught:
        finish.finish(pages_of([content.encode()]), about(), EPOCH, IDENT)
    (error,) = caught.value.diagnostics
    assert error.severity == "error"
    assert fact in error.message
    assert error.hint


FOREIGN = "/Span<</ActualText<FEFF00660066>>>BDC\n"


def test_other_code_s_sequences_pass_through(finished: Finish) -> None:
    content = begin(2, "P:1/") + text("a") + FOREIGN + text("x") + END + text("b") + END
    assert _read(finished(content)) == ["a ff b"]


def test_sequences_in_a_text_object_pass_through(finished: Finish) -> None:
    """PdfTeX writes the words of a line from right to left so."""
    words = "BT\n/F1 12 Tf 72 700 Td /ReversedChars BMC (olleh) Tj EMC\nET\n"
    other = "BT\n/F1 12 Tf 72 700 Td\n/ReversedChars BMC\n(olleh) Tj\nEMC\nET\n"
    made = finished(begin(2, "P:1/") + words + other + END)
    assert [one.text() for one in tree(made).all("P")] == ["olleholleh"]
    with pikepdf.open(io.BytesIO(made)) as document:
        content = document.pages[0].Contents.read_bytes()
    assert content.count(b"/ReversedChars BMC") == 2
    assert content.count(b"EMC") == 3


def test_a_text_of_other_code_over_a_page_is_read_once(finished: Finish) -> None:
    first = begin(2, "P:1/") + text("a") + FOREIGN + text("x")
    made = finished(first, text("x") + END + text("b") + END)
    assert _read(made) == ["a ff", "b"]
    assert [one.pages() for one in tree(made).all("P")] == [[0, 1]]


def test_a_text_of_other_code_around_a_mark_is_read_once(finished: Finish) -> None:
    content = (
        begin(2, "P:1/") + FOREIGN + text("x") + begin(4, "Link:3/P:1/") + text("y") + END
        + text("z") + END + END
    )  # fmt: skip
    assert " ".join(_read(finished(content))).count("ff") == 1


def test_a_text_of_other_code_that_begins_at_a_pages_foot(finished: Finish) -> None:
    """Nothing of it was drawn on the page before."""
    first = begin(2, "P:1/") + text("a") + FOREIGN
    assert " ".join(_read(finished(first, text("x") + END + text("b") + END))) == "a ff b"


def _read(pdf: bytes) -> list[str]:
    """Each page's text as it is read aloud: ActualText in place of the glyphs it stands for."""
    found = []
    with pikepdf.open(io.BytesIO(pdf)) as document:
        for page in document.pages:
            words: list[str] = []
            stack: list[bool] = []
            for step in pikepdf.parse_content_stream(page):
                name, values = str(step.operator), step.operands
                if name in ("BDC", "BMC"):
                    told: Any = values[1] if len(values) > 1 else {}
                    stack.append("/ActualText" in told)
                    if stack[-1]:
                        words.append(str(told.ActualText))
                elif name == "EMC":
                    stack.pop()
                elif name == "Tj" and not any(stack):
                    words.append(str(values[0]))
            found.append(" ".join(filter(None, words)))
    return found


@pytest.mark.parametrize(
    ("matrices", "box"),
    [
        (["1 0 0 1 72 600", "100 0 0 50 0 0"], [72, 600, 172, 650]),
        (["0.5 0 0 0.5 72 600", "100 0 0 50 0 0"], [72, 600, 122, 625]),
        (["0 1 -1 0 300 600", "100 0 0 50 0 0"], [250, 600, 300, 700]),
        (["-1 0 0 -1 300 600", "100 0 0 50 0 0"], [200, 550, 300, 600]),
        (["0.8 0.6 -0.6 0.8 200 500", "100 0 0 50 0 0"], [170, 500, 280, 600]),
    ],
    ids=["plain", "scaled", "turned", "upside down", "slanted"],
)
def test_a_figures_box(matrices: list[str], box: list[float], finished: Finish) -> None:
    draw = "".join(f"q\n{one} cm\n" for one in matrices) + "/Im1 Do\n" + "Q\n" * len(matrices)
    content = begin(2, "Figure;70:1/") + draw + END + begin(4, "P:3/") + text("x") + END

    def picture(document: pikepdf.Pdf) -> None:
        image = document.make_stream(b"\x80", Type=Name.XObject, Subtype=Name.Image)
        image.Width = image.Height = 1
        image.BitsPerComponent, image.ColorSpace = 8, Name.DeviceGray
        document.pages[0].obj.Resources.XObject = Dictionary(Im1=image)

    top = tree(finished(content, changes=(picture,), shows={"p": "A (face) é"}))
    (figure,) = top.all("Figure")
    assert figure.alt == "A (face) é"
    assert [float(side) for side in figure.attributes["BBox"]] == pytest.approx(box, abs=0.01)
    assert figure.attributes["Placement"] == "/Block"


def test_all_annotations_of_a_link_are_in_one_element(finished: Finish) -> None:
    """TeX makes one for each line, and those after a page break are on the next page."""
    path = "Link:3/P:1/"
    content = begin(2, "P:1/") + text("see") + begin(4, path) + text("a") + text("b") + text("c")
    rest = text("d") + END + text("end") + END
    links = [link("https://a.example/", path, "a b c d") for _ in range(3)]
    links.append(link("https://a.example/", path, "a b c d", page=1))
    top = tree(finished(content, rest, changes=tuple(links)))
    (one,) = top.all("Link")
    said = "a b c d (https://a.example/)"
    assert one.links() == [Link("https://a.example/", said, page) for page in (0, 0, 0, 1)]
    (paragraph,) = top.all("P")
    assert paragraph.text() == "see abc d end"


@pytest.mark.parametrize(
    ("target", "words", "said"),
    [
        ("https://a.example/", "a.example", "a.example"),
        ("https://www.a.example/x", "a.example/x", "a.example/x"),
        ("mailto:ada@a.example", "ada@a.example", "ada@a.example"),
        ("tel:+12025550123", "+1 202 555 0123", "+1 202 555 0123"),
        ("https://a.example/", "PDF", "PDF (https://a.example/)"),
        (r"https://a.example/a\%20b\&c\#d\_e", "x", "x (https://a.example/a%20b&c#d_e)"),
        ("https://a.example/", r"\CvbEmph{50\%} \textbackslash{}a", r"50% \a (https://a.example/)"),
        ("https://a.example/", r"\CvbLanguage{de}{W\"orter}", 'W"orter (https://a.example/)'),
    ],
)
def test_what_a_link_says(target: str, words: str, said: str, finished: Finish) -> None:
    path = "Link:1/"
    change = link(target, path, words)
    made = finished(begin(2, path) + text("x") + END, changes=(change,))
    (one,) = tree(made).all("Link")
    assert [each.description for each in one.links()] == [said]
    with pikepdf.open(io.BytesIO(made)) as document:
        (annotation,) = document.pages[0].obj.Annots
        assert "\\" not in str(annotation.A.URI)
        assert not [key for key in dict(annotation) if key.startswith("/Cvb")]


def foreign(**fields: Any) -> Change:
    def change(document: pikepdf.Pdf) -> None:
        rect = Array([72, 700, 100, 712])
        one = Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=rect, **fields)
        document.pages[0].obj.Annots = Array([document.make_indirect(one)])

    return change


def test_links_of_other_code_are_in_the_tree(finished: Finish) -> None:
    action = Dictionary(S=Name.URI, URI=String("https://a.example/"))
    content = begin(2, "P:1/") + text("x") + END
    for change in (foreign(A=action), foreign(A=action, Contents=String("own words"))):
        made = finished(content, changes=(change,))
        (one,) = tree(made).all("Link")
        assert [each.target for each in one.links()] == ["https://a.example/"]
        assert one.links()[0].description in ("https://a.example/", "own words")
        with pikepdf.open(io.BytesIO(made)) as document:
            (annotation,) = document.pages[0].obj.Annots
            assert int(annotation.get("/F", 0)) & 4, "PDF/A wants it printed"
