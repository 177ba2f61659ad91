"""The Markdown of letters: its blocks, and what is none of a letter with its place."""

from __future__ import annotations

import textwrap

import pytest

from cvbuild.model.letter_body import Block, parse
from cvbuild.model.text import rich_text


def blocks(text: str) -> tuple[Block, ...]:
    found, faults = parse(textwrap.dedent(text))
    assert faults == ()
    return found


def faults(text: str) -> list[str]:
    """Each as "line:column message", and whether it says what to do."""
    _, found = parse(textwrap.dedent(text))
    assert all(one.hint for one in found)
    return [f"{one.place[0]}:{one.place[1]} {one.message}" for one in found]


def test_paragraphs_and_lists() -> None:
    found = blocks("""\
        Hello **you**
        there.

        - one [page](https://example.org)
        * two

        - three
          goes on

        3) x
        4) y
        """)
    shown = [(one.kind, one.start, [str(text) for text in one.texts]) for one in found]
    assert shown == [
        ("paragraph", 1, ["Hello you there."]),
        ("bullets", 1, ["one page"]),
        ("bullets", 1, ["two"]),
        ("bullets", 1, ["three goes on"]),
        ("numbers", 3, ["x", "y"]),
    ]
    assert [one.place for one in found][:2] == [(1, 1, 2, 7), (4, 1, 4, 34)]
    assert found[1].places == ((4, 3, 4, 34),)
    assert found[4].places == ((10, 4, 10, 5), (11, 4, 11, 5))
    assert [link.url for link in rich_text.links(found[1].texts[0].nodes)] == [
        "https://example.org"
    ]


@pytest.mark.parametrize("end", ["  ", "\\", "    "])
def test_a_line_may_end_where_the_writer_wants(end: str) -> None:
    (found,) = blocks(f"One{end}\ntwo\nthree")
    assert found.texts[0].nodes == (
        rich_text.Text("One"),
        rich_text.Break(),
        rich_text.Text("two three"),
    )


@pytest.mark.parametrize("breaks", ["\n", "\r\n", "\r"])
def test_lines_end_as_editors_end_them(breaks: str) -> None:
    found, wrong = parse(f"One{breaks}two{breaks}{breaks}three{breaks}# four{breaks}")
    assert [str(one.texts[0]) for one in found] == ["One two", "three"]
    assert [one.place for one in wrong] == [(5, 1, 5, 7)]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", ["1:1 the letter has no text"]),
        ("\n \n", ["1:1 the letter has no text"]),
        ("# Title", ["1:1 a letter has no headings"]),
        ("Text\n\nabove\n---\n", ["4:1 this line makes a heading of the text above it"]),
        ("a\n\n***\n", ["3:1 a letter has no lines across it"]),
        ("> a", ["1:1 a letter has no quoted blocks"]),
        ("```\na\n```", ["1:1 a letter has no blocks of code"]),
        (
            "a\n\n    b\n",
            ["3:5 a line that begins with four spaces or more is a block of code"],
        ),
        ("a | b\n--|--\n1 | 2", ["1:1 a letter has no tables"]),
        ("<div>\na\n</div>", ["1:1 a letter has no HTML"]),
        ("a\nb <b>c</b>", ["2:3 a letter has no HTML", "2:7 a letter has no HTML"]),
        ("a\nb ![c](d.png)", ["2:3 a letter has no pictures"]),
        ('a\n\n- [b](https://c.org "d")', ['3:3 a link\'s title isn\'t shown: "d"']),
        ("- a\n  - b", ["2:3 a list can't be inside a list"]),
        ("- a\n  1. b", ["2:3 a list can't be inside a list"]),
        ("- a\n\n  b", ["3:3 an item of a list is one paragraph"]),
        ("- a\n-\n- b", ["2:1 an item of the list is empty"]),
        ("- # a", ["1:1 a letter has no headings"]),
        ("[a][b]\n\n[b]: https://example.org", ["3:1 a link must have its address after its text"]),
        (
            "a\n\n[b](javascript:c)",
            ['3:1 a link can\'t be "javascript:", only http, https, mailto or tel'],
        ),
        ("a\n\nb \x07", ["3:1 U+0007 can't be printed"]),
        ("# a\n\n> b", ["1:1 a letter has no headings", "3:1 a letter has no quoted blocks"]),
    ],
)  # fmt: skip
def test_what_is_no_part_of_a_letter_is_told_with_its_place(text: str, wrong: list[str]) -> None:
    assert faults(text) == wrong


def test_what_looks_like_html_or_a_link_may_be_meant() -> None:
    (found,) = blocks(r"1 < 2, \<b>, a <https://example.org>, `<b>`, \# and AT&T")
    assert str(found.texts[0]) == "1 < 2, <b>, a https://example.org, <b>, # and AT&T"


def test_deep_and_long_texts_end() -> None:
    for text in ("> " * 2000 + "a", "- " * 2000 + "a", "[" * 2000, "*a" * 2000, "a\n" * 2000):
        found, wrong = parse(text)
        assert found or wrong
    assert faults("a" * 50_001) == ["1:1 the letter has more than 50,000 characters"]
