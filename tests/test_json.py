"""docs/reference/json.md has every key of the objects that commands print with --json."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import Run
from workspaces import GOOD

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "json.md"
BLOCKS = dict(re.findall(r'```yaml title="(\w+)"\n(.*?)```', PAGE.read_text("utf-8"), re.DOTALL))
OBJECTS, COMMANDS = (yaml.safe_load(BLOCKS[name]) for name in ("objects", "commands"))
PERSON = f"{GOOD}headline: Engineer\n"
FAULTY = "name: Eve Example\ntittle: x\n"
APPLICATION = "person: ada\nemployer: Example Lab\nposition: Engineer\nformats: [txt]\n"
RESUME = {
    "basics": {"name": "Kim Example", "x": 1},
    "work": [{"name": "A", "startDate": "2008-02-30"}],
}
#: What is run, in this order, by the names of the page; {hash} is that of the person's file.
RUNS = [
    ("build", "build --format txt"), ("check", "check"), ("status", "status --format txt"),
    ("apply", "apply lab"), ("applications", "applications"),
    ("match", "match lab --job job.md"), ("import", "import kim.json"),
    ("apply-patch", "apply-patch patch.json"), ("diff", "diff people/ada.yaml people/eve.yaml"),
]  # fmt: skip


def expand(shape: Any) -> Any:
    if isinstance(shape, str):
        return OBJECTS[shape]
    return shape


def differences(actual: Any, shape: Any, place: str) -> Iterator[str]:
    """Where an object has other keys than the page says."""
    shape = expand(shape)
    if isinstance(shape, list):
        assert isinstance(actual, list), place
        for item in actual:
            yield from differences(item, shape[0], f"{place}[]")
    elif isinstance(shape, dict) and actual is not None:
        if actual.keys() != shape.keys():
            yield f"{place}: {sorted(actual)} instead of {sorted(shape)}"
        for key in actual.keys() & shape.keys():
            yield from differences(actual[key], shape[key], f"{place}.{key}")


@pytest.mark.usefixtures("here")
def test_every_key_is_on_the_page(run: Run) -> None:
    for folder in ("people", "applications"):
        Path(folder).mkdir()
    patch = {
        "person": "ada",
        "base": hashlib.sha256(PERSON.encode()).hexdigest(),
        "edits": [{"path": ["headline"], "value": "Led 9 engineers"}],
    }
    texts = {
        "people/ada.yaml": PERSON, "people/eve.yaml": FAULTY, "applications/lab.yaml": APPLICATION,
        "job.md": "We use Python and prizes.\n", "kim.json": json.dumps(RESUME),
        "patch.json": json.dumps(patch),
    }  # fmt: skip
    for name, text in texts.items():
        Path(name).write_text(text, "utf-8")
    found = {}
    for name, line in RUNS:
        actual = json.loads(run(*line.split(), "--json").out)
        found[name] = [*differences(actual, COMMANDS[name], name)]
    assert {name: one for name, one in found.items() if one} == {}
