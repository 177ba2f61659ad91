"""Our own Markdown and Word files come back: the same sections, items and names."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import Run

from cvbuild.importers import registry, types

ROOT = Path(__file__).resolve().parents[2]
PEOPLE = [*sorted((ROOT / "people").glob("*.yaml")), ROOT / "docs/gallery/nora-lindqvist.yaml"]
FORMATS = {"md": "md", "docx": "docx"}
#: What part of the names may come back in another place.
LOST = {"md": 0.14, "docx": 0.15}
#: Kinds that are told by a title or by the form of their items.
TOLD = ("education", "experience", "project", "publication", "patent", "award", "teaching",
        "service", "talk", "skill", "language")  # fmt: skip
#: What is a name in them.
NAMES = ("title", "name", "employer", "institution", "degree", "venue", "authors", "course",
         "awarder", "language", "inventors")  # fmt: skip


def items_of(data: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for section in data["sections"]:
        groups = [section, *section.get("groups", ())]
        for item in (one for group in groups for one in group.get("items") or ()):
            named = item if isinstance(item, dict) else {"name": item}
            for one in named.get("roles") or [named] if section["kind"] in TOLD else ():
                yield section["kind"], {**named, **one}


def names_of(data: Mapping[str, Any]) -> set[tuple[str, str]]:
    pairs = ((key, item[key]) for _, item in items_of(data) for key in NAMES if key in item)
    listed = (
        (key, one)
        for key, value in pairs
        for one in (value if isinstance(value, list) else [value])
    )
    texts = ((key, one["name"] if isinstance(one, dict) else str(one)) for key, one in listed)
    return {(key, "".join(filter(str.isalnum, text)).casefold()) for key, text in texts}


@pytest.mark.parametrize("path", PEOPLE, ids=lambda path: path.stem)
def test_a_person_comes_home(path: Path, run: Run, here: Path) -> None:
    (here / "people").mkdir()
    shutil.copy(path, here / "people" / path.name)
    ran = run("build", path.stem, "-t", "academic", "--format", ",".join(FORMATS))
    assert ran.code == 0, ran.err
    source = yaml.load(path.read_text("utf-8"), yaml.BaseLoader)
    kinds = Counter(kind for kind, _ in items_of(source))
    for name, suffix in FORMATS.items():
        found = registry.read(types.opened(here / "out" / path.stem / f"academic.{suffix}"))
        came = Counter(kind for kind, _ in items_of(found.data))
        # A heading of an odd form may become another kind.
        assert max((kinds - came).total(), (came - kinds).total()) <= 1, (name, kinds, came)
        names = names_of(source)
        missing = names - names_of(found.data)
        assert len(missing) <= LOST[name] * len(names), (name, sorted(missing))
