"""What LinkedIn's files, HTML fragments, foreign dates, XML and words without a place come to."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest

from cvbuild.common.diagnostics import CvbuildError, Span
from cvbuild.importers import descriptions, parsers, types, values
from cvbuild.importers.documents import citations, rough
from cvbuild.importers.draft import Draft
from cvbuild.importers.formats import linkedin

EXAMPLES = Path(__file__).parent / "examples"


def test_messages_and_connections_are_never_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    opened, read = set[str](), types._Folder.read

    def watched(folder: types._Folder, name: str) -> bytes | None:
        opened.add(name.rpartition("/")[2])
        return read(folder, name)

    monkeypatch.setattr(types._Folder, "read", watched)
    given = types.opened(EXAMPLES / "linkedin/given")
    importer = linkedin.Format()
    assert importer.recognises(given)
    found = importer.read(given)
    assert "Profile.csv" in opened
    private = {"messages.csv", "Connections.csv", "Rich_Media.csv", "Verifications.csv"}
    assert not private & opened
    assert private <= {one.rpartition("/")[2] for one in given.files.names}
    assert "secret" not in str(found).lower()


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("One.\n• a\n• b", [("One.", None), ("a", 0), ("b", 0)]),
        ("- a\n  - b\n- c\n\nEnd", [("a", 0), ("b", 1), ("c", 0), ("End", None)]),
        ("1. a\n2. b", [("a", 0), ("b", 0)]),
        ("10. May was warm", [("10. May was warm", None)]),
        (
            "a line that is\nwrapped here\nNext",
            [("a line that is wrapped here", None), ("Next", None)],
        ),
        ("<p>A &amp; <b>b </b>c</p><p>• d</p>", [("A & **b** c", None), ("d", 0)]),
        ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", [("a", 0), ("b", 1), ("c", 0)]),
        ("<p>2*3*4 &lt;x&gt; <i>y</i>_z_</p>", [(r"2\*3\*4 \<x\> *y*\_z\_", None)]),
        ("x<br/>y<script>alert(1)</script>", [("x", None), ("y", None)]),
        (
            '<a href="https://example.org/a_(b)">w</a>',
            [("[w](https://example.org/a_%28b%29)", None)],
        ),
        ('a <a href="https://example.org"> </a>b', [("a b", None)]),
        ("<b>open <i>both</b> wrong", [("**open** ***both*** *wrong*", None)]),
    ],
)
def test_fragments_become_paragraphs_and_points(
    text: str, blocks: list[tuple[str, int | None]]
) -> None:
    found = descriptions.read(text)
    assert [(one.text, one.level) for one in found.blocks] == blocks
    assert found.lost == []


def test_addresses_that_no_document_may_have_are_listed() -> None:
    text = "<a href='javascript:alert(1)'>click</a> <img src=\"https://example.org/x.png\">"
    found = descriptions.read(text)
    assert [one.text for one in found.blocks] == ["click"]
    assert found.lost == ["javascript:alert(1)", "https://example.org/x.png"]
    assert descriptions.inline(text).startswith("click (javascript")


def test_xml_has_places_and_tells_what_was_not_read() -> None:
    text = b"<r>\n <n>t<m>u</m>&lt;</n>\n <c>x</c><c d='1' e='2'>y</c></r>"
    root = parsers.as_value(parsers.parse_xml(text, "f.xml"), told=("d",))
    assert root.words("n") == "tu<"
    draft = Draft("f.xml")
    values.lose_unread(root, draft)
    assert [str(one.note) for one in draft.done().lost] == ["f.xml:3:2: note: c: x; d: 1, value: y"]
    root.words("c")
    assert root.all("c")[1].text("value") == "y"
    draft = Draft("f.xml")
    values.lose_unread(root, draft)
    assert [str(one.note) for one in draft.done().lost] == ["f.xml:3:10: note: c[1].d: 1"]


def test_what_the_schema_refuses_takes_nothing_else_along() -> None:
    draft = Draft("f.xml")
    items = [{"name": "One", "date": "(Rust)"}, {"date": "(Java)", "summary": "No name."}]
    draft.data["sections"] = [
        {"kind": "project", "items": items},
        {"kind": "skill", "items": [{"name": "Languages"}]},
    ]
    made = draft.done()
    assert made.data["sections"] == [
        {"kind": "project", "items": [{"name": "One", "date": {"text": "(Rust)"}}]},
        {"kind": "skill", "items": [{"name": "Languages"}]},
    ]
    assert len(made.lost) == 1


def test_large_xml_takes_no_more_time_for_each_element_and_few_notes() -> None:
    def seconds(count: int) -> float:
        names = "".join(f"<n{at}>x</n{at}>" for at in range(count))
        text = f"<r>{names}{'<c>' * 90}{'<m>y</m>' * count}{'</c>' * 90}</r>".encode()
        began = process_time()
        root = parsers.as_value(parsers.parse_xml(text, "f.xml"), ())
        root.is_read = True
        draft = Draft("f.xml")
        values.lose_unread(root, draft)
        *_, last = lost = draft.done().lost
        assert (len(lost), last.note.message[-16:]) == (2_001, "too many to list")
        return process_time() - began

    # Four times as many: by their square it would be sixteen.
    many, few = (min(seconds(count) for _ in range(3)) for count in (16_000, 4_000))
    assert many < 10 * few


def test_xml_that_hides_something_is_refused() -> None:
    bombs = (
        b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
        b"<a>" * 200,
        '<?xml version="1.0" encoding="utf-16"?><!DOCTYPE a><a/>'.encode("utf-16"),
    )
    for bomb in bombs:
        with pytest.raises(CvbuildError) as raised:
            parsers.parse_xml(bomb, "f.xml")
        assert raised.value.diagnostics[0].code in ("xml-doctype", "xml-limit")


def test_authors_are_read_out_of_citations_only_where_that_is_sure() -> None:
    cases = {
        "Example, A., Sample, G. & Specimen, S. (2009). T.": [
            "A. Example", "G. Sample", "S. Specimen",
        ],
        "Ada Example, Sam Specimen, and Grace Sample (2020). T.": [
            "Ada Example", "Sam Specimen", "Grace Sample",
        ],
        "Your Name, You. (2015). T.": ["You Your Name"],
        "Example, Sam, Grace (2015). T.": None,
    }  # fmt: skip
    found = {text: citations.of_kind("publication", text) for text in cases}
    assert {text: item and item["authors"] for text, item in found.items()} == cases


def test_words_that_nothing_took_are_told() -> None:
    draft = Draft("cv.md")
    draft.put("headline", "Engineer of Müllerei since 2019")
    draft.lose("footnote", "a Hidden remark")
    place = Span("cv.md", 3, 1, 3, 9)
    lines = [
        "Experience",
        "2019 bis heute, März",
        "E-mail:",
        "MULLEREI remark",
        "engineer Vanished",
    ]
    rough.lose(draft, [(place, line) for line in lines])
    assert [one.note.message for one in draft.done().lost[1:]] == [
        "words without a place: Vanished"
    ]
