"""Letters for tests, who writes them, and a packet made by hand: without TeX."""

from __future__ import annotations

import textwrap
from datetime import date as Day
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from profiles import person_of

from cvbuild.applications import load
from cvbuild.applications.load import LoadedApplication
from cvbuild.applications.packets.packet import Packet
from cvbuild.building import pipeline, profiles
from cvbuild.inputs import letters, people
from cvbuild.inputs.letters import Draft, Written
from cvbuild.inputs.yaml import source
from cvbuild.inputs.yaml.source import parse
from cvbuild.inputs.yaml.tree import Source
from cvbuild.model.application import Application
from cvbuild.outputs.request import DAY as DAY_LENGTH
from cvbuild.outputs.request import EPOCH_DAY, Request
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.types import Shown, Task

DAY = Day(2026, 3, 5)
EPOCH = 1700000000
ADA = """\
name: Ada Example
headline: Research engineer
contact:
  email: ada@example.org
  phone: +1 202 555 0123
photo: photo.png
options: {photo: true, embed: true, footer: Of the CV alone}
sections:
  - kind: text
    items: Of the CV alone.
"""
NOA = """\
name: נועה כהן
locale: he
contact: {email: noa@example.org}
"""
WHOLE = person_of("letter")
SHORT = "recipient: {organization: Beispiel AG}\nbody: Ich freue mich.\n"
HEBREW = """\
recipient: {name: "ד״ר לוי", address: [רחוב 1, תל אביב]}
signature: sig.png
body: |
  אני כותבת בנוגע ל[משרה](https://example.org/jobs) בתחום machine learning.

  1. ראשון
  2. שני
"""


def source_of(letter: str, **others: str) -> Source:
    more = "".join(f"{key}: {value}\n" for key, value in others.items())
    return parse(f"letter:\n{textwrap.indent(letter, '  ')}{more}", "applications/a.yaml")


def read(letter: str) -> Written:
    return letters.read(source_of(letter))


def request_on(day: Day, **how: Any) -> Request:
    return Request(Path("out"), (day.toordinal() - EPOCH_DAY) * DAY_LENGTH, **how)


def task_of(path: Path, output: str, letter: str = "", template: str = "academic") -> Task:
    checked = profiles.check(people.Person(path.stem, path), Library.at())
    task = profiles.task(checked, template, request_on(DAY), output)
    if letter:
        written = read(letter)
        draft = Draft("a", written.letter, path.parent, DAY, "Research Scientist")
        task = replace(task, source=task.source.grafted(letters.PATH, written.node), draft=draft)
    return task


def shown_of(path: Path, output: str, letter: str = "", template: str = "academic") -> Shown:
    return pipeline.choose(task_of(path, output, letter, template))


CV = "Ada-Example_CV.pdf"
TEXT = "Ada-Example_CV.txt"
INPUTS = (
    (
        "applications/example-lab.yaml",
        "person: ada\nemployer: Example Lab\nposition: Researcher\nletter: letter.md\n",
    ),
    ("applications/letter.md", "I would like to.\n"),
    ("people/ada.yaml", "name: Ada Example  # a comment\nsections: []\n"),
    ("templates/academic/template.yaml", "api: 1\n"),
)
SAID = Application(person="ada", employer="Example Lab", position="Researcher")


def workspace(root: Path) -> Path:
    for name, text in INPUTS:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    return root


def packet(root: Path, slug: str = "example-lab") -> Packet:
    """What would be built of the workspace: its person's file, twice."""
    folder = root / "out" / "applications" / slug
    folder.mkdir(parents=True, exist_ok=True)
    for name in (CV, TEXT):
        (folder / name).write_bytes(name.encode() + (root / "people/ada.yaml").read_bytes())
    inputs = tuple((name, root / name) for name, _ in INPUTS)
    path = root / load.FOLDER / f"{slug}.yaml"
    about = LoadedApplication(slug, path, SAID, source.parse(INPUTS[0][1], str(path)))
    return Packet(about, folder, (CV, TEXT), inputs)
