"""``cvbuild apply-patch``: what somebody proposes is shown, and written only if it may be."""

from __future__ import annotations

import hashlib
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import Run

from cvbuild.inputs.yaml import source

pytestmark = pytest.mark.usefixtures("here")
PERSON = """\
# Kept: comments.
name: Ada Example
contact: {email: ada@example.org}
summary: I build clocks.   # and this one
sections:
  - kind: experience
    items:
      - employer: "Example Works"
        title: Engineer
        date: 2021-03 to 2022-04
        bullets:
          - Wrote a scheduler for 12 clusters.
          - Tested compilers.
"""
FILE, PATCH = Path("people/ada.yaml"), Path("patch.json")


def patch(*edits: tuple[Any, Any], **changes: Any) -> None:
    """Write the person's file and a patch of it."""
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(PERSON)
    base = hashlib.sha256(FILE.read_bytes()).hexdigest()
    plain = [{"path": path, "value": value} for path, value in edits]
    PATCH.write_text(json.dumps({"person": "ada", "base": base, "edits": plain} | changes))


def test_it_is_shown_and_written_and_nothing_else_is_changed(run: Run) -> None:
    bullet = ["sections", 0, "items", 0, "bullets", 1]
    patch((["summary"], "I build small clocks."), (bullet, None))
    shown = run("apply-patch", "patch.json", "--yes")
    assert shown.code == 0
    assert shown.out.splitlines()[:2] == ["it adds no facts", "ada: 2 changes, with the patch"]
    expected = PERSON.replace("I build clocks.", "I build small clocks.")
    assert FILE.read_text() == expected.replace("          - Tested compilers.\n", "")


def test_new_facts_are_named_first(run: Run) -> None:
    bullet = ["sections", 0, "items", 0, "bullets", 0]
    patch((bullet, "Led a team of 40 that wrote a scheduler for 12 clusters."))
    told = run("apply-patch", "patch.json", "--json").json
    assert not told["written"]
    assert {"scope", "number"} <= {one["kind"] for one in told["new_facts"]}
    assert FILE.read_text() == PERSON
    first = run("apply-patch", "patch.json", "--yes").out.splitlines()[0]
    assert first.startswith("it adds 2 facts that the file hasn't: ")


def test_nobody_is_asked_where_nobody_is(run: Run) -> None:
    patch((["summary"], "I build."))
    ran = run("apply-patch", "patch.json")
    assert ran.code == 2
    assert "--yes" in ran.err
    assert FILE.read_text() == PERSON


REFUSED = [
    ({"base": "0" * 64}, "people/ada.yaml: the file has changed since the patch was made"),
    ({"person": "../ada"}, "ada"),
    ({"edits": []}, "patch.json: this is no patch: edits is empty; "),
    ({"more": 1}, "patch.json: this is no patch: unknown key"),
    ({"edits": [{"path": ["summary", "x"], "value": 1}]}, "change 1: summary.x isn't in"),
    ({"edits": [{"path": ["sections", 0, "kind"], "value": "nothing"}]}, "nothing was written"),
    ({"edits": [{"path": ["name"], "value": None}]}, "nothing was written"),
    ({"edits": [{"path": ["photo"], "value": "/etc/passwd"}]}, "nothing was written"),
]


@pytest.mark.parametrize(("changes", "message"), REFUSED)
def test_a_patch_that_is_none_or_does_harm(run: Run, changes: Any, message: str) -> None:
    patch((["summary"], "I build."), **changes)
    ran = run("apply-patch", "patch.json", "--yes")
    assert ran.code != 0
    assert message in ran.err
    assert "Traceback" not in ran.err
    assert FILE.read_text() == PERSON


@pytest.mark.parametrize("text", ["", "{", "[1]", '"a"', "\ud83d".encode("utf-8", "surrogatepass")])
def test_what_is_no_json(run: Run, text: str | bytes) -> None:
    patch((["summary"], "I build."))
    PATCH.write_bytes(text.encode() if isinstance(text, str) else text)
    ran = run("apply-patch", "patch.json", "--yes")
    assert ran.code != 0
    assert "patch.json: this is no patch" in ran.err


def test_random_values_arrive_as_they_are(run: Run) -> None:
    choose = random.Random(46)
    signs = "aé\u202e #:-\"'{}[]|>&*!%@`\\\n\t<$~?,=é中🙂"
    for _ in range(40):
        value = "x" + "".join(choose.choices(signs, k=12)) + "x"
        patch((["summary"], value))
        ran = run("apply-patch", "patch.json", "--yes", "--json")
        if ran.json["written"]:
            data: Any = source.load(FILE).data
            assert data["summary"] == value
            assert FILE.read_text().startswith("# Kept: comments.\n")
        else:
            assert FILE.read_text() == PERSON


def test_a_workspace_tells_agents_to_hand_over_patches(run: Run) -> None:
    assert run("init", ".").code == 0
    assert not Path("AGENTS.md").exists()
    assert run("init", ".", "--agents").code == 0
    skill = Path(".agents/skills/cvbuild/SKILL.md")
    _, head, body = skill.read_text().split("---\n", 2)
    about = yaml.safe_load(head)
    assert about["name"] == skill.parent.name
    assert 50 < len(about["description"]) <= 1024
    words = Path("AGENTS.md").read_text() + body
    for command in set(re.findall(r"`cvbuild ([a-z-]+)", words)):
        assert run(command, "--help").code == 0
