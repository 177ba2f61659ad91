"""What is valid YAML and not what it looks like: comments in values, lists in texts.

And texts that are not what they seem; what a language needs is not told of.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Run

from cvbuild.inputs.yaml import misread, source

ITEMS = "sections:\n- kind: bullets\n  items:\n"


def found(text: str) -> list[str]:
    """The diagnostics of a file, without its name."""
    return [str(one).removeprefix("a.yaml:") for one in misread.find(source.parse(text, "a.yaml"))]


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
        "summary: >\n  A\n\n\n  B\n",
        "summary: >\n  A\n    b\n    c\n",
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
        ("summary: >\n  A b\n  c.\n\n  D.", "4:1: warning: YAML reads one empty line as a line"),
        ("summary: A b.\n\n  C.", "2:1: warning: YAML reads one empty line as a line break"),
    ],
)
def test_what_is_not_meant_so(text: str, said: str) -> None:
    (message,) = found(f"{text}\n")
    assert message.startswith(said)


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


# -- texts that are not what they seem ------------------------------------------------------------

#: Each line of the bad file: what is written, and what is said of it, if anything.
ALIKE = [
    ('name: "A\u200bda Ex\u0430mple"', "9: U+200B (zero width space) is invisible"),
    ('headline: "\u202etxt.\u202cexe"', "12: U+202E (right-to-left override) turns the order"),
    ("contact:", ""),
    ('  email: ["a\u200bda@example.org",', "13: U+200B (zero width space) is invisible"),
    (
        '    "\u0430da@example.org",',
        "6: U+0430 (cyrillic small letter a) looks like a Latin letter",
    ),
    ('    "\u0440\u0430y@example.org",', "8: U+0079 (latin small letter y) looks like a Cyrillic"),
    ('    "ad\u043e@пример.рф",', "8: U+043E (cyrillic small letter o) looks like a Latin letter"),
    ('    "ada@ex\u00adample.org"]', "12: U+00AD (soft hyphen) is invisible"),
    ('  phone: {number: "+1 202 555 0123", label: "\u202dX\u202c"}', "46: U+202D (left-to-right"),
    ("  website:", ""),
    ('    - "https://exam\u2060ple.org/x"', "20: U+2060 (word joiner) is invisible"),
    ('    - "https://example.org/x\u200b"', "29: U+200B (zero width space) is invisible"),
    ('    - "https://exαmρle.org"', ""),
    ('    - "https://exam\u03c1le.org"', "20: U+03C1 (greek small letter rho) looks like a Latin"),
    (
        '  profiles: {github: "ad\U000e0061a"}',
        "25: U+E0061 (tag latin small letter a) is invisible",
    ),
    ('summary: "See \\u202Etxt\\u202C."', "10: U+202E (right-to-left override) turns the order"),
    ("interests:", ""),
    ('  - "[a](https://ex\u200bample.org)"', "20: U+200B (zero width space) is invisible"),
    ('  - "Ива\u006eов"', ""),
    ('  - "Hidden\U000e0041"', "12: U+E0041 (tag latin capital letter a) is invisible"),
    ("sections:", ""),
    ("- kind: experience", ""),
    ("  items:", ""),
    ("  - title: Knows C # and F#", "20: the # begins a comment, and the text ends before it"),
    ("    employer: Null", "15: Null is read as nothing; put it in quotes if it is text"),
    ("    location: ~", "15: a ~ alone is read as nothing"),
    ("  - title: Writes F # at home", "21: the # begins a comment, and the text ends before it"),
    ("  - title: Go # & Rust", "15: the # begins a comment, and the text ends before it"),
]
NEEDED = """\
name: {en: "Д. Иванов (Ivanov)", ru: Дмитрий Иванов, el: Αλέξης, ar: "\u200fآدا"}
headline:
  en: "Ω3 kΩ µm TCRαβ Donau\u00addampf Programmierer"
  fa: "برنامه\u200cنویس \u202bمتن A\u202c"
  hi: "क्\u200dष"
  ja: "東京\u200bエンジニア Ruby開発者 葛\U000e0100"
  th: "ภาษา\u200bไทย"
contact:
  email: [ada@пример.рф, иван@пример.рф]
  website: ["https://пример.рф/путь", "https://例え.jp/a", "https://example.org/برنامه\u200cنویس"]
interests: ["👩\u200d💻 \U0001f3f4\U000e0067\U000e0062\U000e007f ❤\ufe0f 1\ufe0f\u20e3", "a\u200bb"]
options: {footer: null}
variants: {short: {headline: {de: "Donau\u00addampf"}}}
sections:
- kind: experience
  items:
  - title: Engineer # until May
    employer: iOS-разработчик  # and more, see C#
    location:
    date: 2020 # 2 years
  - title: Team lead # TODO #12
  - {title: Author # 1
     }
"""


@pytest.mark.usefixtures("here")
def test_each_is_told_of_at_its_character(run: Run) -> None:
    Path("ada.yaml").write_text("\n".join(line for line, _ in ALIKE), encoding="utf-8")
    lines = [
        line.removeprefix("ada.yaml:").replace("warning: ", "")
        for line in run("check", "ada.yaml").err.splitlines()
        if "every CV" not in line
    ]
    told = [(at, said) for at, (_, said) in enumerate(ALIKE, 1) if said]
    assert len(lines) == len(told) + 1, lines
    for line, (at, said) in zip(lines, told, strict=False):
        assert line.startswith(f"{at}:{said}"), line
    built = run("build", "ada.yaml", "--format", "txt").err
    assert built.count(" is invisible; delete it, or type the words anew\n") == 8
    report = json.loads(run("check", "ada.yaml", "--json").out)
    codes = {one["code"] for one in report["diagnostics"]}
    assert codes >= {"text-invisible", "text-alike", "text-direction", "yaml-null"}


def test_what_a_language_needs_is_not_told_of() -> None:
    assert found(NEEDED) == []
