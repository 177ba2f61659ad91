"""Diagnostics as text, as objects, and as excerpts with carets."""

from __future__ import annotations

import pytest

from cvbuild.common.diagnostics import Diagnostic, Span, excerpt

NAME = "people/x.yaml"


def problem(line: int, column: int, end: int, end_line: int | None = None) -> Diagnostic:
    return Diagnostic("error", "code", "fact", Span(NAME, line, column, end_line or line, end))


def test_text_is_place_fact_fix() -> None:
    span = Span(NAME, 12, 5, 12, 11)
    found = Diagnostic("error", "k", 'unknown key "tittle"', span, 'did you mean "title"?')
    assert str(found) == 'people/x.yaml:12:5: unknown key "tittle"; did you mean "title"?'


def test_text_without_place_or_hint() -> None:
    assert str(Diagnostic("error", "k", "fact")) == "fact"
    assert str(Diagnostic("warning", "k", "fact", Span(NAME))) == "people/x.yaml: warning: fact"


def test_json() -> None:
    assert problem(2, 3, 4).as_json() == {
        "severity": "error",
        "code": "code",
        "message": "fact",
        "hint": None,
        "file": NAME,
        "line": 2,
        "column": 3,
        "end_line": 2,
        "end_column": 4,
    }
    whole = Diagnostic("note", "k", "fact", Span(NAME)).as_json()
    assert (whole["file"], whole["line"], whole["column"]) == (NAME, None, None)
    for one in (
        problem(2, 3, 4),
        Diagnostic("note", "k", "fact", Span(NAME)),
        Diagnostic("note", "k", "f"),
    ):
        assert Diagnostic.from_json(one.as_json()) == one


@pytest.mark.parametrize(
    ("text", "at", "shown", "carets"),
    [
        ("title: x", (1, 1, 6), "title: x", "^^^^^"),
        ("title: x", (1, 9, 9), "title: x", "        ^"),
        ("名前: 王小明: x", (1, 5, 8), "名前: 王小明: x", "      ^^^^^^"),
        ("e\u0301e\u0301: x", (1, 5, 6), "e\u0301e\u0301: x", "  ^"),
        ("\tb: c", (1, 1, 2), "    b: c", "^^^^"),
        ("a\tb: c", (1, 3, 4), "a    b: c", "     ^"),
        ("a: \x1b[2J", (1, 4, 5), "a: ␛[2J", "   ^"),
        ("a: \x9b2J", (1, 4, 5), "a: \ufffd2J", "   ^"),
        ("a: \u202eb", (1, 5, 6), "a: \ufffdb", "    ^"),
        ("a: 😀 b", (1, 6, 7), "a: 😀 b", "      ^"),
    ],
)
def test_excerpt(text: str, at: tuple[int, int, int], shown: str, carets: str) -> None:
    found = problem(*at)
    assert excerpt(found, text) == f"{found}\n  |\n1 | {shown}\n  | {carets}"


def test_excerpt_of_a_span_over_lines_marks_the_first() -> None:
    found = problem(1, 4, 3, end_line=2)
    assert excerpt(found, "a: b c  \n  d") == f"{found}\n  |\n1 | a: b c  \n  |    ^^^"


def test_excerpt_keeps_long_lines_short() -> None:
    found = problem(1, 201, 500)
    drawn = excerpt(found, "x" * 200 + "y" * 300).split("\n")
    assert drawn[2] == "1 | …" + "x" * 60 + "y" * 40 + "…"
    assert drawn[3] == "  | " + " " * 61 + "^" * 40


def test_excerpt_counts_lines_as_yaml_does() -> None:
    found = problem(3, 1, 2)
    text = "a: b\x0cc\u2028d\r\ne: f\rg: h"
    assert excerpt(found, text).split("\n")[2] == "3 | g: h"


def test_excerpt_without_a_line() -> None:
    whole = Diagnostic("error", "k", "fact", Span(NAME))
    assert excerpt(whole, "a: b") == "people/x.yaml: fact"
    assert excerpt(problem(9, 1, 2), "a: b") == "people/x.yaml:9:1: fact"
    assert excerpt(Diagnostic("error", "k", "fact"), "a: b") == "fact"
