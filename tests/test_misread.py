"""What is valid YAML and not what it looks like: comments in values, lists in texts.

And texts that are not what they seem; what a language needs is not told of.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Run
from told import messages

from cvbuild.inputs.yaml import misread, source


def found(text: str) -> list[str]:
    """The diagnostics of a file, without its name."""
    return [str(one).removeprefix("a.yaml:") for one in misread.find(source.parse(text, "a.yaml"))]


@pytest.mark.parametrize(("text", "told"), messages("bad/misread.txt"))
def test_what_is_said(text: str, told: list[str]) -> None:
    assert found(text) == told


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
