"""Markup of HTML and TeX in texts, and authors that aren't written as a list of names."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Run

from cvbuild.building.check import foreign_markup

ROOT = Path(__file__).parents[1]


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
        "“She is the best engineer that I know.”",
        "“Clocks” and “Watches”",
        "The “second” «draft»",
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
        (r"in $O(\log n)$ time", r"$O(\log n)$", "write O(log n)"),
        ("in $n$ steps", "$n$", "write n"),
        (r"$x_{i}^2$", r"$x_{i}^2$", "write x~i~^2^"),
        (r"$\alpha \leq 5$", r"$\alpha \leq 5$", "write α ≤ 5"),
        (r"$\frac{1}{2}$", r"$\frac{1}{2}$", "write it without TeX: O(log n), x^2^, H~2~O"),
        (r"\textbf{so}", r"\textbf", "write **bold**"),
        (r"\href{https://x}{y}", r"\href", "write [words](https://example.org)"),
        (r"in \LaTeX and more", r"\LaTeX", "write LaTeX"),
        (r"{\bf so}", r"\bf", "write **bold**"),
        (r"\unknown{so}", r"\unknown", "write the words without it"),
        (r"M\"uller", r"\"u", "write ü"),
        (r"{\'e}", r"{\'e}", "write é"),
        (r"\'{e}", r"\'{e}", "write é"),
        (r"Fran\c{c}ois", r"\c{c}", "write ç"),
        ("- One - Two", "-", "use bullets: with each point after a dash of its own"),
        ("• One", "•", "use bullets: with each point after a dash of its own"),
        ("“Ada Example”", "“Ada Example”", 'take them away, or write "Ada Example"'),
        ("„Ada Example“", "„Ada Example“", 'take them away, or write "Ada Example"'),
    ],
)
def test_markup_and_what_to_write(text: str, markup: str, hint: str) -> None:
    assert found(text) == [(markup, hint)]


def test_a_plain_line_has_no_escapes_and_no_code() -> None:
    assert found(r"Ruritania \& Co", plain=True) == [(r"\&", "write &")]
    assert found(r"Ruritania \& Co") == []
    assert found("`&eacute;`", plain=True) == [("&eacute;", "write é")]


PERSON = r"""
name: {full: "Dr. Zo&euml; Example", given: Zoe, family: Example}
headline: {en: "R&D", de: "Caf&eacute;"}
contact: {address: "Z\\\"urich"}
variants: {short: {summary: '\emph{Short}'}}
sections:
- kind: experience
  items:
  - employer: A
    roles: [{title: B, bullets: ["<b>c</b>", {text: d, private: true}]}]
- kind: publication
  note: "* denotes equal contribution"
  items:
  - title: In $O(n^2)$
    date: {text: "2020 &ndash; 2021"}
    authors: ["Zoe Example, Sam Specimen"]
  - title: "{en: B}"
    authors: Example, Zoe
  - title: C
    authors: [Institute for Health Metrics and Evaluation, "García Márquez, Gabriel", et al.]
"""


@pytest.mark.usefixtures("here")
def test_every_text_of_a_file_is_looked_at(run: Run) -> None:
    Path("zoe.yaml").write_text(PERSON.lstrip())
    ran = run("check", "zoe.yaml")
    html, tex = "HTML has it is printed as it is written", "TeX is printed as it is written"
    assert ran.code == 0
    assert ran.err.replace("zoe.yaml:", "").replace(": warning: ", " ").splitlines() == [
        f'1:14 a character as {html}: "&euml;"; write ë',
        f'2:27 a character as {html}: "&eacute;"; write é',
        "3:20 a letter as TeX has it is not printed as that letter; write the letter itself",
        rf'4:29 {tex}: "\emph"; write *italic*',
        '9:34 HTML is printed as it is written: "<b>"; write **bold**',
        '13:12 maths is printed as it is written: "$O(n^2)$"; write O(n^2^)',
        f'14:18 a character as {html}: "&ndash;"; write –',
        "15:15 these authors are read as one; write a list: [Zoe Example, Sam Specimen]",
        '16:12 the languages are printed with their braces: "{en: B}"; write {en: B}',
        "1 of 1 files are fine",
    ]


@pytest.mark.usefixtures("here")
def test_what_is_private_is_not_quoted(run: Run) -> None:
    Path("zoe.yaml").write_text(
        "name: Zoe Example\nsections:\n- kind: publication\n  private: true\n  items:\n"
        "  - {title: '&eacute; SECRET', authors: ['Zoe SECRET; Sam SECRET', '*A. SECRET*']}\n"
        "  - {title: '$x_SECRET$', authors: 'Zoe Secret, Sam Secret'}\n"
    )
    ran = run("check", "zoe.yaml")
    assert ran.code == 1
    assert len(ran.err.splitlines()) == 6
    assert "SECRET" not in ran.err.upper().replace("ZOE.YAML", "")


@pytest.mark.usefixtures("here")
def test_signs_that_may_be_marks_and_lists_without_the_person(run: Run) -> None:
    many = ", ".join(f"Author {at}" for at in range(60))
    Path("zoe.yaml").write_text(
        "name: Zoe Smith-Example\nheadline: Merged ~main~ in\nsections:\n- kind: publication\n"
        "  items:\n  - {title: A, authors: [B. Smith-Example, C. Other]}\n"
        f"  - {{title: B, authors: [Z. Smith-Example, {many}]}}\n"
        "  - {title: C, authors: [C. Other, et al.], note: '\\d+\\.x'}\n"
        "- {kind: publication, authors: 9, items: [{title: D, authors: "
        f"[Zoe A. Smith-Example, {many}]}}]}}\n"
    )
    ran = run("check", "zoe.yaml")
    becomes, code = "signs are left out, as Markdown", "put code in `backticks`, or write"
    facts = 'in 1 of 4 lists of authors no name is yours; most like it: "B. Smith-Example"'
    hint = "add what is yours to the spellings as an author: to author in name"
    assert ran.err.replace("zoe.yaml:", "").splitlines() == [
        f'2:11: warning: {becomes}: "~main~" becomes "main"; {code} \\~main\\~',
        f"6:25: note: {facts}; {hint}",
        "7:25: note: this list has 61 authors; authors: 10 in the section shortens it",
        rf'8:51: warning: {becomes}: "\." becomes "."; {code} \\.',
        "1 of 1 files are fine",
    ]


def test_people_get_no_warning(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    ran = run("check")
    assert (ran.code, ran.err) == (0, "4 of 4 files are fine\n")


#: Words for a date, and what is wrong with them.
DATES = {
    "2024-13": "there is no month 13",
    "2024-01-15 to 2010": "the range ends (2010) before it starts (2024-01-15)",
    "Mar 2021 – Jan 2019": "the range ends (Jan 2019) before it starts (Mar 2021)",
    "since 2023-02-30": "2023-02 has no day 30",
    "30. Februar 2023": "2023-02 has no day 30",
    "31.12.2019 – 31.06.2020": "there is no such day",
    "2019-10 to 2019-09 (expected)": "the range ends (2019-09) before it starts (2019-10)",
    **dict.fromkeys(
        ("last spring", "in press", "2023/24", "2010-13", "1999/00", "2019–21", "to appear in 2027",
         "2019, 2017", "Winter 2019/20", "2024 - 13 students", "2024-12", "9" * 99)
    ),
}  # fmt: skip


@pytest.mark.usefixtures("here")
def test_words_for_a_date_that_there_cannot_be(run: Run) -> None:
    items = [f"      - {{title: A, date: {{text: '{words}'}}}}\n" for words in DATES]
    more = (
        "      - {title: A, date: [2019, {text: {en: 2018-13, de: 2018}}]}\n"
        "      - {title: A, date: {text: 2018-14}, private: true}\n"
    )
    head = "name: Ada Example\nsections:\n  - kind: award\n    items:\n"
    Path("ada.yaml").write_text(head + "".join(items) + more, "utf-8")
    todo = "write the right date, without text: {…}"
    expected = [
        f'ada.yaml:{line}:33: warning: "{words}" is printed as it is, but {fact}; {todo}'
        for line, (words, fact) in enumerate(DATES.items(), 5)
        if fact
    ]
    last = 5 + len(DATES)
    fact = '"2018-13" is printed as it is, but there is no month 13'
    expected.append(f"ada.yaml:{last}:45: warning: {fact}; {todo}")
    # What is private isn't quoted.
    expected.append(f"ada.yaml:{last + 1}:33: warning: there is no such month; {todo}")
    assert run("check", "ada.yaml").err.splitlines() == [*expected, "1 of 1 files are fine"]
    told = run("build", "ada.yaml", "--format", "txt").err.splitlines()
    assert [line for line in told if "warning" in line] == expected[:-1]


@pytest.mark.usefixtures("here")
def test_a_month_that_may_be_two_years(run: Run) -> None:
    """2009/10 is October 2009; 2009-10 is told apart, and so is 2009/12."""
    dates = ("2009/10", "2009-10", "2009/12", "{start: 2009/10, end: 2010/11}")
    items = "".join(f"      - {{title: A, date: {date}}}\n" for date in dates)
    items += "      - {title: A, date: 2007/08, private: true}\n"
    Path("ada.yaml").write_text(
        f"name: Ada\nsections:\n  - kind: award\n    items:\n{items}", "utf-8"
    )
    fact = "warning: this date is read as a month of one year; write"
    assert run("check", "ada.yaml").err.splitlines() == [
        f"ada.yaml:5:26: {fact} 2009 to 2010 if it is two years, and 2009-10 if it isn't",
        f"ada.yaml:9:26: {fact} a month with a hyphen: 2019-09",
        "1 of 1 files are fine",
    ]
