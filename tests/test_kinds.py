"""Each kind of section is described once, and whoever misses something of one says what."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from kind_labels import labels_of

import cvbuild
from cvbuild.model import kinds
from cvbuild.model.kinds import Kind, Listed
from cvbuild.model.locales import table
from cvbuild.model.sections import Item
from cvbuild.outputs.installed import builtin_folder
from cvbuild.outputs.jsonresume import LISTS


def items_of(kind: Kind) -> type[Item]:
    """The model of a kind's items."""
    assert kind.section
    annotation: Any = kind.section.model_fields["items"].annotation
    found: type[Item] = get_args(annotation)[0]
    return found


def lacks(kind: Kind) -> Iterator[str]:
    """What a kind lacks, or says wrong."""
    words, sections = table("en").words, builtin_folder() / "_core" / "sections"
    yield from (f"label {label}" for label in (kind.name, *labels_of(kind)) if label not in words)
    if not (sections / f"{kind.name}.tex.j2").is_file():
        yield "LaTeX template"
    if not kind.text and (kind.run is None or kind.run.unless):
        yield "plain text"
    if not 0 < kind.weight <= 100:
        yield "weight"
    form = kind.json
    if form is None:
        yield "JSON Resume"
    elif (name := getattr(form, "list", LISTS[0])) not in LISTS:
        yield f"a list of JSON Resume instead of {name}"
    if kind.section is None:
        return
    if not kind.example:
        yield "example"
    if (name := get_args(kind.section.model_fields["kind"].annotation)[0]) != kind.name:
        yield f"the name of its section, {name}"
    model = items_of(kind)
    keys = {field.alias or name for name, field in model.model_fields.items()}
    named = [*(kind.run.unless if kind.run else ()), *([kind.search] if kind.search else ())]
    if isinstance(form, Listed):
        named += [*form.keys, *form.shared, *([form.parts] if form.parts else ())]
    yield from (f"a field {name}" for name in named if name not in keys)


def test_no_kind_lacks_anything() -> None:
    every = {**kinds.OWN, **kinds.KINDS}
    assert len(every) >= 19
    assert {kind.name: found for kind in every.values() if (found := [*lacks(kind)])} == {}
    there = (builtin_folder() / "_core" / "sections").glob("*.tex.j2")
    assert {path.name.removesuffix(".tex.j2") for path in there} == every.keys()


@pytest.mark.usefixtures("requires_embedded")
@pytest.mark.usefixtures("here")
def test_items_beside_groups_are_set_in_every_kind() -> None:
    """In each kind whole items stand beside groups of bare ones, and bare ones beside whole."""
    sections = []
    for kind in kinds.KINDS.values():
        (example,) = yaml.safe_load(kind.example)["sections"]
        whole = example["items"] if isinstance(example["items"], list) else [example["items"]]
        fields = items_of(kind).model_fields.items()
        needed = {field.alias or name for name, field in fields if field.is_required()}
        needed |= {"employer", "organization"}
        bare = [
            {key: one[key] for key in one if key in needed} if isinstance(one, dict) else one
            for one in whole
        ]
        for items, grouped in ((whole, bare), (bare, whole)):
            groups = [{"title": "Group", "items": grouped}]
            sections.append({"kind": kind.name, "items": items, "groups": groups})
    text = json.dumps({"name": "Ada", "sections": sections}, default=str)
    Path("ada.yaml").write_text(text, encoding="utf-8")
    formats = ["pdf", "html", "docx", "txt", "md", "json"]
    made = cvbuild.build(["ada.yaml"], templates=["plain"], formats=formats, engine="embedded")
    assert [str(one.diagnostics) for one in made if not one.path] == []
    assert len(made) == len(formats)
