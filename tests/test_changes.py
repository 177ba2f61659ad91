"""One value of a YAML text is set or removed; every other line stays as it was."""

from __future__ import annotations

import difflib
import json
from pathlib import Path

import pytest

from cvbuild.common.errors import ProfileError
from cvbuild.inputs.yaml import edit
from cvbuild.inputs.yaml.entries import EditError

_, TEXT, *ROWS = (Path(__file__).parent / "changes.txt").read_text("utf-8").split("---\n")


@pytest.mark.parametrize("row", ROWS)
def test_only_its_own_lines_change(row: str) -> None:
    what, *changes = row.splitlines()
    path, _, value = what.partition(" = ")
    steps = tuple(int(step) if step.isdecimal() else step for step in path.split())
    made = edit.put(TEXT.rstrip("\n"), steps, json.loads(value or "null"))
    found = difflib.ndiff(TEXT.splitlines(), made.splitlines())
    both = [one[0] + one[2:] for one in found if one[0] in "-+"]
    # Those that go are listed first.
    assert sorted(both, key=lambda one: one[0] == "+") == changes
    assert not value or made.endswith("\n") == (path == "nope")


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
