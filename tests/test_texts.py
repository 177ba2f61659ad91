"""Markup of HTML and TeX in texts, and authors that aren't written as a list of names."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Run

from cvbuild.building.check import foreign_markup

ROOT = Path(__file__).parents[1]
MATHS = "write it without TeX: O(log n), x^2^, H~2~O"


def found(text: str, *, plain: bool = False) -> list[tuple[str, str]]:
    """What is found in a text, and what to write."""
    return [(one.text, one.hint) for one in foreign_markup.find(text, plain=plain)]


@pytest.mark.parametrize(
    "text",
    [
        "C# and F#, AT&T, R&D; Q&A, $5M to $6M, A$ and US$, O(n), O(log n)",
        r"\&eacute; \<b> \$x_i\$ a\_b \* `\textbf{x}` `&eacute;` `$x_i$`",
        "&c; &foobar; & co; a < b > c; Vec<i>, List<b>",
        "$HOME/$PATH, a$b$c, $5 and $6, $ 5_0 $",
        r"C:\temp\new, \o/, 5 \ 6",
        "- 5 degrees",
        "Paris • London",
        "“Ada Example”",
        "x^2^, H~2~O, **bold**, *italic*",
        "a" * 20_000,
        "$" * 20_000,
        "&" * 20_000,
        "\\" * 20_000,
        "<" * 20_000,
        "$_" * 10_000,
    ],
)
def test_good_text_gets_no_message(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "markup", "hint"),
    [
        ("Caf&eacute;", "&eacute;", "write é"),
        ("Caf&#233;", "&#233;", "write é"),
        ("Caf&#xE9;", "&#xE9;", "write é"),
        ("A &amp; B", "&amp;", "write &"),
        ("A&nbsp;B", "&nbsp;", "write a space"),
        ("a <b>b</b>", "<b>", "write **bold**"),
        ("a <br/> b", "<br/>", "write a \\ at the end of the line"),
        ('<a href="x">y</a>', '<a href="x">', "write [words](https://example.org)"),
        (r"in $O(\log n)$ time", r"$O(\log n)$", MATHS),
        ("in $n$ steps", "$n$", MATHS),
        (r"$x_{i}^2$", r"$x_{i}^2$", MATHS),
        (r"\textbf{so}", r"\textbf", "write **bold**"),
        (r"\href{https://x}{y}", r"\href", "write [words](https://example.org)"),
        (r"in \LaTeX and more", r"\LaTeX", "write the words without it"),
        (r"{\bf so}", r"\bf", "write **bold**"),
        (r"\unknown{so}", r"\unknown", "write the words without it"),
        (r"M\"uller", r"\"u", "write the letter itself"),
        (r"{\'e}", r"{\'e}", "write the letter itself"),
        (r"\'{e}", r"\'{e}", "write the letter itself"),
        (r"Fran\c{c}ois", r"\c{c}", "write the letter itself"),
        ("- One - Two", "-", "use bullets: with each point after a dash of its own"),
        ("• One", "•", "use bullets: with each point after a dash of its own"),
    ],
)
def test_markup_and_what_to_write(text: str, markup: str, hint: str) -> None:
    assert found(text) == [(markup, hint)]


def test_a_plain_line_has_no_escapes_and_no_code() -> None:
    assert found(r"Ruritania \& Co", plain=True) == [(r"\&", "write &")]
    assert found(r"Ruritania \& Co") == []
    assert found("`&eacute;`", plain=True) == [("&eacute;", "write é")]


def test_people_get_no_warning(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    ran = run("check")
    assert (ran.code, ran.err) == (0, "4 of 4 files are fine\n")
