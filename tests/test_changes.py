"""One value of a YAML text is set or removed; every other line stays as it was."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cvbuild.common.errors import ProfileError
from cvbuild.inputs.yaml import changes, source
from cvbuild.inputs.yaml.insertions import InsertionError

ROOT = Path(__file__).parent.parent
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
        ("summary", "short", ["summary: >", "  long", "  text"], ["summary: short"]),
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
        ("name", "two\nlines", ["name: Ada   # who"], ['name: "two\\nlines"   # who']),
        ("nope", None, [], []),
        ("nope below", None, [], []),
    ],
)  # fmt: skip
def test_only_its_own_lines_change(path: str, value: Any, gone: list[str], new: list[str]) -> None:
    steps = tuple(int(step) if step.isdecimal() else step for step in path.split())
    made = changes.put(TEXT, steps, value)
    assert lines(TEXT, made) == (gone, new)
    assert value is None or made.endswith("\n") == (path == "nope")


def test_whole_numbers_keep_their_digits() -> None:
    for number in (12345678901, 10**400):
        assert changes.put("name: Ada\n", ("n",), number) == f"name: Ada\nn: {number}\n"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("name: Ada", "name: Ada\noptions:\n  accent: x"),
        ("name: Ada\noptions:\n", "name: Ada\noptions: {accent: x}\n"),
        ("name: Ada\noptions: ~  # c\nb: c\n", "name: Ada\noptions: {accent: x}  # c\nb: c\n"),
        ("{name: Ada, options: {accent: y}}\n", "{name: Ada, options: {accent: x}}\n"),
        ("options:\n    accent: 'y'   # c\n", "options:\n    accent: x   # c\n"),
        ("options:\n  accent: |\n    y\n# c\n", "options:\n  accent: x\n# c\n"),
        ("options:\n  - accent\n", None),
        ("options: text\n", None),
        ("options: {accent: y", None),
        ("options: &a {accent: y}\n", None),
    ],
)
def test_forms_of_what_is_there(text: str, after: str | None) -> None:
    if after is not None:
        assert changes.put(text, ("options", "accent"), "x") == after
        return
    with pytest.raises((InsertionError, ProfileError)):
        changes.put(text, ("options", "accent"), "x")


def _leaves(data: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    below = data.items() if isinstance(data, dict) else enumerate(data)
    for step, value in below:
        if isinstance(value, dict | list):
            yield from _leaves(value, (*path, step))
        else:
            yield (*path, step)


@pytest.mark.deep
@pytest.mark.parametrize("name", ["jiaao-he", "zhisheng-ye"])
def test_every_value_of_a_real_file_can_be_set_and_removed(name: str) -> None:
    """``put`` itself compares the data; here no comment may go, and no other line."""
    text = (ROOT / f"people/{name}.yaml").read_text("utf-8")
    comments = [line for line in text.splitlines() if line.strip().startswith("#")]
    leaves = list(_leaves(source.parse(text, name).data))
    for path in leaves[:: max(1, len(leaves) // 40)]:
        for value in ("changed", None):
            made = changes.put(text, path, value)
            assert made != text
            assert [one for one in comments if one not in made.splitlines()] == []
