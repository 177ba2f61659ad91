"""Marks in the pages' content become a structure tree: order, carry-over, nesting, artifacts."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pikepdf
import pytest
from marked import ARTIFACT, END, EPOCH, IDENT, RULE, about, begin, link, pages_of, text
from trees import artifacts, tree

from cvbuild.common.errors import DocumentError
from cvbuild.outputs.pdf.finish import finish

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
    """What is painted outside of all marks."""
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
