"""What is up to date, asked cheaply, as a command asks before it loads anything."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conftest import Run
from PIL import Image

import cvbuild
from cvbuild.building import fresh
from cvbuild.common.files import file_state
from cvbuild.inputs import people
from cvbuild.outputs.request import Request

ADA = """\
name: Ada Example
template: [academic]
photo: ada.png
sections:
  - kind: bullets
    items: [One point, {text: A secret, private: true}]
  - kind: publication
    items:
      - {title: New, authors: [Ada Example], venue: Here, date: 2020}
      - {title: Old, authors: [Ada Example], venue: Here, date: 2010}
options: {publications: 1}
"""
ROOT = Path(cvbuild.__file__).parents[1]
PERSON = Path("people/ada.yaml")
PDF = Path("out/ada/academic.pdf")
RECORD = Path("out/.build/ada/academic/record.json")
#: After every file of a test was written, in ns: their stamps may be trusted.
LATER = 4_000_000_000_000_000_000


def entries(**asked: object) -> fresh.Entries:
    given = Request(**{"out": Path("out"), "today": 0, "engine": "embedded", **asked})  # type: ignore[arg-type]
    return fresh.Entries(given, LATER)


def check(**asked: object) -> tuple[set[tuple[str, str]], list[tuple[str, object]]]:
    """(person, template) of what is up to date, and who is left with which templates."""
    # As for the command that names nobody.
    defaults = {"out": "out", "engine": "embedded", "everybody": True}
    rest, current = entries(**{**defaults, **asked}).check(people.find([]))
    assert not [faults for _, _, faults in current if faults]
    told = [document for _, documents, _ in current for document, _ in documents]
    there = {(document["person"], document["template"]) for document in told}
    return there, [(person.name, wanted) for person, wanted in rest.items()]


def is_fresh(**asked: object) -> bool:
    there, rest = check(**asked)
    assert there or rest
    return not rest


def build(run: Run, *arguments: str) -> bool:
    """Whether the one document was built; False if it was up to date. Cheap to ask afterwards."""
    ran = run("build", "--engine", "embedded", "--json", *arguments)
    assert ran.code == 0, ran
    (document,) = json.loads(ran.out)["documents"]
    return not document["cached"]


def change(path: str | Path, old: str, new: str) -> None:
    text = Path(path).read_text("utf-8")
    assert old in text
    Path(path).write_text(text.replace(old, new), "utf-8")


def new_photo() -> None:
    Image.new("RGB", (4, 4), "blue").save("people/ada.png")


def entry(file: file_state.State) -> dict[str, Any]:
    return {
        "file": file, "named": [], "picked": [], "daily": [], "formats": [], "variants": [],
        "private": [], "public": {}, "failed": {}, "said": [], "documents": {},
    }  # fmt: skip
