"""``cvbuild diff`` lists exactly what was edited: of files, revisions, what was sent."""

from __future__ import annotations

import copy
import datetime as dt
import json
import random
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from itertools import groupby
from pathlib import Path
from typing import Any

import packets
import pytest
from conftest import Run

from cvbuild.applications import history
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
    """Make one random edit; return what it is, and its place in what was there."""
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
        found = changes.compare(before, after)
        named = [(one.kind, one.path) for one in found]
        # A field of one word has nothing in common with what it was: in a list that is another one.
        other = [("removed", expected[1]), ("added", expected[1])]
        assert named in ([expected], other), (expected, found)
        assert applied(before, found) == after
        for _ in range(5 if number % 5 == 0 else 0):
            edit(after, rng)
            assert applied(before, changes.compare(before, after)) == after


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people").mkdir()
    (tmp_path / "people/ada.yaml").write_text(ADA, "utf-8")
    return tmp_path


def rewrite(folder: Path, before: str, after: str, name: str = "people/ada.yaml") -> None:
    text = (folder / name).read_text("utf-8")
    assert before in text
    (folder / name).write_text(text.replace(before, after), "utf-8")


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_a_file_since_a_commit(folder: Path, run: Run) -> None:
    git(folder, "init", "-q")
    assert "git can't show people/ada.yaml" in run("diff", "ada").err
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "begin")
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
        git(folder, "config", key, "touch ran")
    (folder / ".gitattributes").write_text("*.yaml diff=evil filter=evil\n", "utf-8")
    git(folder, "config", "diff.evil.textconv", "touch ran")
    git(folder, "config", "filter.evil.smudge", "touch ran")
    assert run("diff", "ada").code == 1
    assert not [*folder.rglob("ran")]


def test_since_an_application_was_sent(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = packets.workspace(tmp_path / "work")
    monkeypatch.chdir(root)
    kept = history.keep(packets.packet(root), root, dt.date(2026, 11, 21))
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


#: What says the same in other words.
SAME = {
    "wrote": "drafted", "built": "put together", "worked on": "helped with", "contributed to":
    "took part in", "improved": "made better", "reduced": "lowered", "taught": "gave lessons in",
    "developed": "worked out", "designed": "drew up", "and": "as well as", "with": "by means of",
    "for": "on behalf of", "in": "within", "the": "all the", "a": "some",
}  # fmt: skip


def prose(data: Any, path: Place = ()) -> list[Place]:
    if isinstance(data, dict | list):
        pairs = data.items() if isinstance(data, dict) else enumerate(data)
        return [place for key, one in pairs for place in prose(one, (*path, key))]
    is_prose = path[-1:] == ("summary",) or path[-2:-1] in (("bullets",), ("notes",))
    return [path] if is_prose and isinstance(data, str) and len(data.split()) > 4 else []


def number(text: str, rng: random.Random) -> str:
    found = [*re.finditer(r"\d+", text)]
    one = rng.choice(found) if found else None
    other = str(rng.randrange(3000, 9000))
    return f"{text[: one.start()]}{other}{text[one.end() :]}" if one else f"{text} in {other} cases"


def inside(words: str) -> Callable[[str, random.Random], str]:
    def lie(text: str, rng: random.Random) -> str:
        parts = text.split()
        place = rng.randrange(2, len(parts))
        return " ".join([*parts[:place], rng.choice(words.split("|")), *parts[place:]])

    return lie


def first(words: str) -> Callable[[str, random.Random], str]:
    def lie(text: str, rng: random.Random) -> str:
        return f"{rng.choice(words.split('|'))} {text[0].lower()}{text[1:]}"

    return lie


LIES = {
    "number": number,
    "date": inside("since 1987|in 1993|until May 1989"),
    "name": inside("for Globex|with Initech|of the Acme Prize Committee"),
    "place": inside("in Ulaanbaatar|at Reykjavik|from Montevideo"),
    "degree": inside("as an LL.M|with an M.D|as Diplomvolkswirt"),
    "scope": first("Spearheaded work that|Pioneered work that|Single-handedly"),
    "claim": inside("award-winning|world-class|patented"),
}
FIELDS = {"title": "Vice President", "institution": "Miskatonic University", "location": "Atlantis"}


def honest(text: str, rng: random.Random) -> str:
    """The same text reworded: words of the same meaning, other forms of numbers, other order."""
    for word in rng.sample(sorted(SAME), 6):
        text = re.sub(rf"(?<![\w-]){word}(?![\w-])", SAME[word], text, count=1)
    text = re.sub(r"(\d),(\d{3})", r"\1\2", text)
    text = re.sub(r"(\d) ?%", r"\1 %", text)
    parts = text.rstrip(".").split("; ")
    rng.shuffle(parts)
    return "; ".join(parts) + "."


def test_planted_lies_are_caught_with_their_place() -> None:
    rng = random.Random(4)
    datas = [source.load(path).data for path in FILES]
    missed: Counter[str] = Counter()
    for count in range(120):
        kind = [*LIES, "field"][count % (len(LIES) + 1)]
        before = rng.choice([one for one in datas if prose(one)])
        after = copy.deepcopy(before)
        if kind == "field":
            places = _fields(after)
            path = rng.choice(places)
            at(after, path[:-1])[path[-1]] = FIELDS[str(path[-1])]
        else:
            path = rng.choice(prose(after))
            at(after, path[:-1])[path[-1]] = LIES[kind](at(after, path), rng)
        found = changes.find_new(before, after)
        missed[kind] += not any(one.path[: len(path)] == path for one in found)
    assert sum(missed.values()) <= 120 * 0.05, missed


def _fields(data: Any, path: Place = ()) -> list[Place]:
    if isinstance(data, dict | list):
        pairs = data.items() if isinstance(data, dict) else enumerate(data)
        return [place for key, one in pairs for place in _fields(one, (*path, key))]
    return [path] if path[-1] in FIELDS and "items" in path and isinstance(data, str) else []


def test_honest_rewordings_pass() -> None:
    rng = random.Random(5)
    datas = [source.load(path).data for path in FILES]
    wrong = []
    for _ in range(70):
        before = rng.choice([one for one in datas if prose(one)])
        after = copy.deepcopy(before)
        path = rng.choice(prose(after))
        at(after, path[:-1])[path[-1]] = honest(at(after, path), rng)
        # What leaves something out, or puts it elsewhere, adds no fact.
        if isinstance(items := rng.choice(at(after, ("sections",))).get("items"), list):
            items.append(items.pop(0))
        if found := changes.find_new(before, after):
            wrong.append((at(before, path), at(after, path), found))
    assert len(wrong) <= 200 * 0.05, wrong[:5]
