"""A packet made by hand: no TeX, but all that is kept of one that is sent."""

from __future__ import annotations

from pathlib import Path

from cvbuild.applications import load
from cvbuild.applications.load import LoadedApplication
from cvbuild.applications.packet import Packet
from cvbuild.inputs.yaml import source
from cvbuild.model.application import Application

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
