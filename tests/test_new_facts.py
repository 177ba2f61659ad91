"""The fact gate: planted lies are listed with their place, honest rewordings pass."""

from __future__ import annotations

import copy
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cvbuild.inputs import changes
from cvbuild.inputs.yaml import source

ROOT = Path(__file__).parents[1]
FILES = [*sorted((ROOT / "people").glob("*.yaml")), *sorted((ROOT / "tests/shapes").glob("*.yaml"))]
Place = tuple[str | int, ...]
#: What says the same in other words.
SAME = {
    "wrote": "drafted", "built": "put together", "worked on": "helped with", "contributed to":
    "took part in", "improved": "made better", "reduced": "lowered", "taught": "gave lessons in",
    "developed": "worked out", "designed": "drew up", "and": "as well as", "with": "by means of",
    "for": "on behalf of", "in": "within", "the": "all the", "a": "some",
}  # fmt: skip


def prose(data: Any, path: Place = ()) -> list[Place]:
    """The bullets of some words."""
    if isinstance(data, dict | list):
        pairs = data.items() if isinstance(data, dict) else enumerate(data)
        return [place for key, one in pairs for place in prose(one, (*path, key))]
    is_prose = path[-1:] == ("summary",) or path[-2:-1] in (("bullets",), ("notes",))
    return [path] if is_prose and isinstance(data, str) and len(data.split()) > 4 else []


def at(data: Any, path: Place) -> Any:
    for step in path:
        data = data[step]
    return data


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
