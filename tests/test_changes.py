"""One value of a YAML text is set or removed; every other line stays as it was."""

from __future__ import annotations

import difflib
from typing import Any

import pytest

from cvbuild.common.errors import ProfileError
from cvbuild.inputs.yaml import edit
from cvbuild.inputs.yaml.entries import EditError

TEXT = """\
# top
name: Ada   # who
template: [academic, plum] # these
options:   # mine
  # about accent
  accent: navy  # dark
  academic:
    size: "11"
    # tail

# on sections
sections:
  - title: A
    items:
      - x
      # c
      - y
summary: >
  long
  text

contact: {email: a@example.org, phone: x}
empty:
last: v"""


def lines(before: str, after: str) -> tuple[list[str], list[str]]:
    """The lines that are gone, and those that are new."""
    found = [*difflib.ndiff(before.splitlines(), after.splitlines())]
    return [one[2:] for one in found if one[0] == "-"], [one[2:] for one in found if one[0] == "+"]


@pytest.mark.parametrize(
    ("path", "value", "gone", "new"),
    [
        ("options accent", "1F3A5F", ["  accent: navy  # dark"], ["  accent: 1F3A5F  # dark"]),
        ("options accent", None, ["  accent: navy  # dark"], []),
        ("options academic size", 10.5, ['    size: "11"'], ["    size: 10.5"]),
        # With its last option the template goes, and the comment stays.
        ("options academic size", None, ["  academic:", '    size: "11"'], []),
        ("options academic photo", True, [], ["    photo: true"]),
        ("options plum accent", "red", [], ["  plum:", "    accent: red"]),
        ("options sections", ["skill", "award"], [], ["  sections: [skill, award]"]),
        ("variants x options accent", "navy", [],
         ["variants:", "  x:", "    options:", "      accent: navy"]),
        ("summary", "short", ["  long", "  text"], ["  short"]),
        ("summary", "long " * 30 + "text", ["  long", "  text"],
         ["  " + " ".join(["long"] * 19), "  " + "long " * 11 + "text"]),
        ("summary", "a\n\nb", ["  long", "  text"], ["  a", "", "", "  b"]),
        ("name", "Ada " * 23 + "Example", ["name: Ada   # who"],
         ["name: >-   # who", "  " + ("Ada " * 23).strip(), "  Example"]),
        ("summary", None, ["summary: >", "  long", "  text"], []),
        ("contact email", None, ["contact: {email: a@example.org, phone: x}"],
         ["contact: {phone: x}"]),
        ("contact phone", "1: 2 #", ["contact: {email: a@example.org, phone: x}"],
         ["contact: {email: a@example.org, phone: '1: 2 #'}"]),
        ("empty a", "q", ["empty:"], ["empty: {a: q}"]),
        ("last", "w # no", ["last: v"], ["last: 'w # no'"]),
        ("last", None, ["last: v"], []),
        ("sections 0 title", None, ["  - title: A", "    items:"], ["  - items:"]),
        ("sections 0 items 1", "z", ["      - y"], ["      - z"]),
        ("sections 0 items 2", "n", [], ["      - n"]),
        ("name", "two\nlines", ["name: Ada   # who"], ["name: |-   # who", "  two", "  lines"]),
        ("sections 0 items", ["x", "z, w"], ["      # c", "      - y"], ["      - z, w"]),
        ("sections 0 items 1", None, ["      # c", "      - y"], []),
        ("sections 0 items 1", {"text": "y", "tags": ["q"]}, ["      - y"],
         ["      - text: y", "        tags: [q]"]),
        ("template", ["academic"], ["template: [academic, plum] # these"],
         ["template: [academic] # these"]),
        ("nope", None, [], []),
        ("nope below", None, [], []),
    ],
)  # fmt: skip
def test_only_its_own_lines_change(path: str, value: Any, gone: list[str], new: list[str]) -> None:
    steps = tuple(int(step) if step.isdecimal() else step for step in path.split())
    made = edit.put(TEXT, steps, value)
    assert lines(TEXT, made) == (gone, new)
    assert value is None or made.endswith("\n") == (path == "nope")


def test_whole_numbers_keep_their_digits() -> None:
    for number in (12345678901, 10**400):
        assert edit.put("name: Ada\n", ("n",), number) == f"name: Ada\nn: {number}\n"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("name: Ada", "name: Ada\noptions:\n  accent: x"),
        ("name: Ada\noptions:\n", "name: Ada\noptions: {accent: x}\n"),
        ("name: Ada\noptions: ~  # c\nb: c\n", "name: Ada\noptions: {accent: x}  # c\nb: c\n"),
        ("{name: Ada, options: {accent: y}}\n", "{name: Ada, options: {accent: x}}\n"),
        ("options:\n    accent: 'y'   # c\n", "options:\n    accent: x   # c\n"),
        ("options:\n  accent: |\n    y\n# c\n", "options:\n  accent: |\n    x\n# c\n"),
        ("options:\n  accent: >- # d\n    y\n# c\n", "options:\n  accent: >- # d\n    x\n# c\n"),
        ('options: {accent: "y: z"}\n', "options: {accent: x}\n"),
        ("options:\n  - accent\n", None),
        ("options: text\n", None),
        ("options: {accent: y", None),
        ("options: &a {accent: y}\n", None),
    ],
)
def test_forms_of_what_is_there(text: str, after: str | None) -> None:
    if after is not None:
        assert edit.put(text, ("options", "accent"), "x") == after
        return
    with pytest.raises((EditError, ProfileError)):
        edit.put(text, ("options", "accent"), "x")
