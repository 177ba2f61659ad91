"""Pictures and links in the structure: boxes, descriptions, annotations of other code."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pikepdf
import pytest
from marked import END, begin, link, text
from pdfs import Change
from pikepdf import Array, Dictionary, Name, String
from trees import Link, tree

Finish = Callable[..., bytes]


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
    """An annotation of a template's own code."""

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
