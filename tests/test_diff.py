"""``cvbuild diff`` lists exactly what was edited: of files, revisions, what was sent."""

from __future__ import annotations

import copy
import datetime as dt
import json
import random
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import groupby
from pathlib import Path
from typing import Any

import lettered
import pytest
from conftest import Run
from workspaces import committed, write

from cvbuild.applications.packets import history
from cvbuild.inputs import changes
from cvbuild.inputs.changes import Change
from cvbuild.inputs.yaml import source

ROOT = Path(__file__).parents[1]
FILES = [*sorted((ROOT / "people").glob("*.yaml")), *sorted((ROOT / "tests/shapes").glob("*.yaml"))]
ADA = """\
name: Ada Example
headline: {en: Engineer, de: Ingenieurin}
sections:
  - kind: experience
    items:
      - {employer: Example Cloud, title: Engineer, date: 2020, bullets: [Led three people.]}
      - {employer: Sample Bank, title: Tester, date: 2018 to 2020, tags: old}
variants:
  short: {template: plain, exclude: old}
  long: {template: plain}
"""
Place = tuple[str | int, ...]


def applied(data: Any, found: Iterable[Change]) -> Any:
    data = copy.deepcopy(data)
    ordered = sorted(found, key=lambda one: [*map(str, one.path[:-1])])
    groups = [(path, [*group]) for path, group in groupby(ordered, lambda one: one.path[:-1])]
    # All places are found before any list is changed.
    containers = [reduce(lambda part, step: part[step], path, data) for path, _ in groups]
    for container, (_, group) in zip(containers, groups, strict=True):
        if isinstance(container, list):
            change_list(container, group)
            continue
        for one in group:
            if not one.path:
                return copy.deepcopy(one.after)
            if one.kind == "removed":
                del container[one.path[-1]]
            else:
                container[one.path[-1]] = copy.deepcopy(one.after)
    return data


def change_list(items: list[Any], changes: Sequence[Change]) -> None:
    for one in changes:
        if one.kind == "changed":
            items[int(one.path[-1])] = copy.deepcopy(one.after)
    gone = {int(one.path[-1]) for one in changes if one.kind in ("removed", "moved")}
    coming = [
        (
            int(one.target[-1]),
            items[int(one.path[-1])] if one.kind == "moved" else copy.deepcopy(one.after),
        )
        for one in changes
        if one.kind in ("moved", "added")
    ]
    items[:] = [item for at, item in enumerate(items) if at not in gone]
    for at, item in sorted(coming, key=lambda pair: pair[0]):
        items.insert(at, item)


def places(data: Any, path: Place = ()) -> list[Place]:
    pairs = data.items() if isinstance(data, dict) else enumerate(data)
    inner = (
        [place for key, one in pairs for place in places(one, (*path, key))]
        if isinstance(data, dict | list)
        else []
    )
    return [*inner, *([] if isinstance(data, dict) else [path])]


def at(data: Any, path: Place) -> Any:
    for step in path:
        data = data[step]
    return data


def edit(data: Any, rng: random.Random) -> tuple[str, Place]:
    path = rng.choice([one for one in places(data) if at(data, one)])
    value, number = at(data, path), rng.randrange(10_000)
    if isinstance(value, str):
        words = value.split()
        words[rng.randrange(len(words))] += f"x{number}"
        at(data, path[:-1])[path[-1]] = " ".join(words)
        return "changed", path
    index = rng.randrange(len(value))
    match rng.choice(("added", "removed", "moved")):
        case "removed":
            del value[index]
            return "removed", (*path, index)
        case "moved" if len(value) > 2 and value[0] != value[-1]:
            value.append(value.pop(0))
            return "moved", (*path, 0)
    value.insert(index, f"new {number}")
    return "added", (*path, index)


@pytest.mark.parametrize("seed", range(2))
def test_random_edits_are_named_and_made_again(seed: int) -> None:
    rng = random.Random(seed)
    datas = [source.load(path).data for path in FILES]
    for number in range(125):
        before = rng.choice(datas)
        after = copy.deepcopy(before)
        expected = edit(after, rng)
        found = tuple(changes.compare(before, after))
        named = [(one.kind, one.path) for one in found]
        # A field of one word has nothing in common with what it was: in a list that is another one.
        other = [("removed", expected[1]), ("added", expected[1])]
        assert named in ([expected], other), (expected, found)
        assert applied(before, found) == after
        for _ in range(5 if number % 5 == 0 else 0):
            edit(after, rng)
            assert applied(before, changes.compare(before, after)) == after


@pytest.fixture
def folder(here: Path) -> Path:
    write("ada", ADA)
    return here


def rewrite(folder: Path, before: str, after: str, name: str = "people/ada.yaml") -> None:
    text = (folder / name).read_text("utf-8")
    assert before in text
    (folder / name).write_text(text.replace(before, after), "utf-8")


def git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, capture_output=True)


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_a_file_since_a_commit(folder: Path, run: Run) -> None:
    git("init", "-q")
    assert "git can't show people/ada.yaml" in run("diff", "ada").err
    committed()
    assert run("diff", "ada").code == 0
    rewrite(folder, "Led three people.", "Led five people.")
    result = run("diff", "ada")
    assert result.code == 1
    assert result.out.splitlines() == [
        "people/ada.yaml: 1 change, people/ada.yaml at HEAD → people/ada.yaml",
        "  changed  line 6: Experience › Engineer › bullets 1",
        "           Led [-three-] {+five+} people.",
    ]
    plain = json.loads(run("diff", "ada@HEAD", "--json").out)
    (change,) = plain["files"][0]["changes"]
    assert (change["path"], change["line"]) == ("sections.0.items.0.bullets.0", 6)
    for name in ("ada@nope", "ada@--help", "ada@HEAD:x", "ada@"):
        wrong = run("diff", name)
        assert wrong.code == 2, name
        assert "git log lists them" in wrong.err
    # A folder from elsewhere may say what git runs.
    for key in ("core.fsmonitor", "core.pager", "core.sshCommand", "diff.external"):
        git("config", key, "touch ran")
    (folder / ".gitattributes").write_text("*.yaml diff=evil filter=evil\n", "utf-8")
    git("config", "diff.evil.textconv", "touch ran")
    git("config", "filter.evil.smudge", "touch ran")
    assert run("diff", "ada").code == 1
    assert not [*folder.rglob("ran")]


def test_since_an_application_was_sent(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = lettered.workspace(tmp_path / "work")
    monkeypatch.chdir(root)
    kept = history.keep(lettered.packet(root), root, dt.date(2026, 11, 21))
    assert run("diff", "example-lab").code == 0
    rewrite(root, "Ada Example", "Ada M. Example")
    rewrite(root, "would like to", "want to", "applications/letter.md")
    for name in ("example-lab", kept.name, str(kept.relative_to(root))):
        result = run("diff", name)
        assert "Ada {+M.+} Example" in result.out
        assert "paragraph 1\n           I [-would like-] {+want+} to." in result.out
        assert result.out.startswith("people/ada.yaml: 1 change, sent on 2026-11-21 → now")
    (root / "people/ada.yaml").unlink()
    assert "removed  name" in run("diff", "example-lab").out


POINT = (
    "Built a scheduler for 12,000 nodes; worked on its tests with two students, cut costs by 7%."
)
#: What stands in the place of some words of it, and the facts that this adds.
NEW: list[tuple[str, str, dict[str, str]]] = [
    ("12,000", "12,500", {"12500": "number"}),
    ("nodes", "nodes since 1987", {"1987": "number"}),
    ("nodes", "nodes until May 1989", {"1989": "number", "May": "name"}),
    ("nodes", "nodes for Globex", {"Globex": "name"}),
    ("nodes", "nodes of the Acme Committee", {"Acme": "name", "Committee": "name"}),
    ("nodes", "nodes in Ulaanbaatar", {"Ulaanbaatar": "name"}),
    ("nodes", "nodes as an LL.M", {"LL.M": "degree"}),
    ("nodes", "nodes as Diplomvolkswirt", {"Diplomvolkswirt": "degree"}),
    ("Built", "Spearheaded", {"Spearheaded": "scope"}),
    ("Built", "Pioneered work that built", {"Pioneered": "scope"}),
    ("Built", "Single-handedly built", {"Single-handedly": "scope"}),
    ("a sch", "an award-winning sch", {"award-winning": "scope"}),
    ("a sch", "a world-class sch", {"world-class": "scope"}),
    ("a sch", "a patented sch", {"patented": "scope"}),
    ("title: Engineer", "title: Vice President", {"Vice": "title", "President": "title"}),
    ("location: Bern", "location: Atlantis", {"Atlantis": "location"}),
    # The same in other words, forms of numbers and another order.
    ("Built a scheduler for", "Drew up a scheduler on behalf of", {}),
    ("12,000 nodes; worked on", "12000 nodes; helped with", {}),
    ("with two students,", "by means of two students, as well as some more;", {}),
    ("cut costs by 7%", "lowered the costs by 7 %", {}),
    ("Built a scheduler for 12,000 nodes; worked on its tests with", "Tested a scheduler with", {}),
]


@pytest.mark.parametrize(("old", "new", "facts"), NEW)
def test_new_facts_are_found_with_their_place(old: str, new: str, facts: dict[str, str]) -> None:
    item = f"{{employer: Example Corp, title: Engineer, location: Bern, bullets: ['{POINT}']}}"
    text = f"name: Ada Example\nsections: [{{kind: experience, items: [{item}]}}]\n"
    assert text.count(old) == 1
    before, after = (source.parse(one, "x.yaml").data for one in (text, text.replace(old, new)))
    found = changes.find_new(before, after)
    assert {one.words: one.kind for one in found} == facts
    kinds = {"title": ("title",), "location": ("location",)}
    for one in found:
        field = kinds.get(one.kind, ("bullets", 0))
        assert one.path == ("sections", 0, "items", 0, *field)
