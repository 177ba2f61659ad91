"""Diagnostics as text, as objects, and as excerpts with carets."""

from __future__ import annotations

import pytest

from cvbuild.common.diagnostics import Diagnostic, Span, excerpt

NAME = "people/x.yaml"


def problem(line: int, column: int, end: int, end_line: int | None = None) -> Diagnostic:
    return Diagnostic("error", "code", "fact", Span(NAME, line, column, end_line or line, end))


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
