"""What is valid YAML and not what it looks like: comments in values, lists in texts."""

from __future__ import annotations

import pytest

from cvbuild.inputs.yaml import misread, source

ITEMS = "sections:\n- kind: bullets\n  items:\n"


def found(text: str) -> list[str]:
    """The diagnostics of a file, without its name."""
    return [str(one).removeprefix("a.yaml:") for one in misread.find(source.parse(text, "a.yaml"))]


def levels(text: str) -> list[str]:
    return [one.severity for one in misread.find(source.parse(text, "a.yaml"))]


@pytest.mark.parametrize(
    "text",
    [
        "a: b # a comment",
        "a: b  #a comment",
        "a: 2020 #when",
        "a: C# and F#",
        'a: "the #1 of all"',
        "a: 'x' #y",
        "a: [b, c] #d",
        "a:\n  #7A1F3D is a colour\n  b: c",
        "a: # 7A1F3D",
        "sections: #mine\n- kind: award",
        "a:\n- b\n#c\n- d",
        "a: |\n  b #1",
        "a: -5 to\n  -3 %",
        "a: b -\n  c - d\n  -5",
        "note: |\n  * equal\n  ** joint",
        "a: |\n  Since\n  12. May and so on",
        "a: |\n  1.5 million\n  2.5 million",
        "a:\n- b\n- c",
        "summary: |\n  A:\n\n  - b\n  - c\n\n  D\n\n  1. e\n\n  2. f",
        "summary: '- b\n\n  - c'",
        "summary: >\n  - b\n\n  - c",
        "summary:\n  en: |\n    - b\n    - c\n  de: |\n    - b\n    - c",
        "variants: {v: {summary: {value: '- b\n\n  - c'}}}",
        f"{ITEMS}  - |\n    A\n    - b\n    - c",
        "sections:\n- kind: award\n  items:\n  - bullets: |\n      - a\n        - b\n      - c",
        "sections:\n- kind: text\n  items: |\n    - b\n    - c\n\n    D",
    ],
)
def test_good_text_gets_no_message(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("headline: Runner-up #2 here", "1:21: warning: the # begins a comment, and the text ends"),
        ("headline: We like #hash", "1:19: warning: the # begins a comment, and the text ends"),
        ("headline: #TODO", "1:11: warning: the # begins a comment, so headline is empty;"),
        ("contact: {address: #home\n }", "1:20: warning: the # begins a comment, so this value"),
        (f"{ITEMS}  - #1 of 200", "4:5: warning: the # begins a comment, so this value is empty;"),
        ("options: {accent: #abc\n }", "1:19: warning: the # begins a comment, so accent is"),
        ("options: {accent: #ab1\n }", "1:19: the # begins a comment, so accent is empty; put the"),
        (f"{ITEMS}  - A [b #c](d)", "4:10: the # begins a comment, and the text ends before it;"),
        (f"{ITEMS}  - A (b #c) d", "4:10: the # begins a comment, and the text ends before it;"),
        (f"{ITEMS}  - One\n    - Two", "5:5: warning: this looks like an item of a list, but"),
        (f"{ITEMS}  - |\n    One\n    • Two", "6:5: warning: this looks like an item of a list"),
        (
            "summary: |\n  - b\n  - c\n\n  D\n\n  - e\n  * f\n  * g",
            "2:3: this looks like an item of",
        ),
        ("headline: |\n  A:\n  - b\n  - c\n", "3:3: this looks like an item of a list, but it"),
        ("summary: >-\n  1. b\n  2. c", "2:3: this looks like an item of a list, but it is a"),
        ("summary: '- b\n  - c'", "1:11: this looks like an item of a list, but it is a part"),
    ],
)
def test_what_is_not_meant_so(text: str, said: str) -> None:
    (message,) = found(f"{text}\n")
    assert message.startswith(said)


def test_two_lines_are_an_error_and_one_is_a_warning() -> None:
    assert levels("a: >\n  - b\n  - c\n") == ["error"]
    assert levels("a: >\n  b\n  - c\n") == ["warning"]


def test_the_fix_depends_on_the_place() -> None:
    item = "sections:\n- kind: entry\n  items:\n  - title: T\n    {}: |\n      - a\n      - b\n"
    numbered = item.replace("{}", "bullets").replace("- a", "1. a").replace("- b", "2. b")
    dots = item.replace("{}: |", "bullets:").replace("- a", "• a")
    for text, fix in (
        (item.replace("{}", "location"), "; use bullets: with each point after a dash of its own"),
        (item.replace("{}: |", "summary: >"), "; begin the text with | and a new line"),
        (numbered, "; take away the | or > after bullets:"),
        (dots, "; begin each point, also the first, with a dash and a space"),
        (f"{ITEMS}  - |\n    - b\n    - c\n", "; give each point a dash of its own"),
        ("headline: |\n  - a\n  - b\n", "; use a section of kind: bullets"),
    ):
        (message,) = found(text)
        assert fix in message


def test_what_may_be_private_is_not_quoted() -> None:
    for text in ("contact: {SECRET: #7A1F3D\n }", "options:\n  SECRET: #7A1F3D\n  private: true"):
        (message,) = found(text)
        assert "SECRET" not in message
        assert "7A1F3D" not in message
