"""``--format rendercv``: a file that RenderCV builds, and that comes back as the same person."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import Run

from cvbuild.inputs.importers import files, registry
from cvbuild.model import kinds
from cvbuild.outputs.rendercv import output

ROOT = Path(__file__).resolve().parents[2]
#: What RenderCV 2.8 wants of each type of entry: keys that must be there, and further ones.
_DATED = {"date", "start_date", "end_date", "location", "summary", "highlights"}
TYPES: dict[str, tuple[set[str], set[str]]] = {
    "education": ({"institution", "area"}, {"degree", *_DATED}),
    "experience": ({"company", "position"}, _DATED),
    "publication": ({"title", "authors"}, {"summary", "doi", "url", "journal", "date"}),
    "normal": ({"name"}, _DATED),
    "one line": ({"label", "details"}, set()),
    "bullet": ({"bullet"}, set()),
}
NETWORKS = {
    "LinkedIn", "GitHub", "GitLab", "IMDB", "Instagram", "ORCID", "Mastodon", "StackOverflow",
    "ResearchGate", "YouTube", "Google Scholar", "Telegram", "WhatsApp", "Leetcode", "X",
    "Bluesky", "Reddit",
}  # fmt: skip


def type_of(entry: Any) -> str:
    """The name of an entry's type; fails if it has none."""
    if isinstance(entry, str):
        return "text"
    keys = set(entry)
    found = [name for name, (must, may) in TYPES.items() if must <= keys <= must | may]
    assert len(found) == 1, entry
    return found[0]


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a person with everything, the one of the gallery, one for each kind."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "people"
    folder.mkdir()
    for name, path in (
        ("everything", "tests/importers/round-trip.yaml"),
        ("nora", "docs/gallery/nora-lindqvist.yaml"),
    ):
        (folder / f"{name}.yaml").write_bytes((ROOT / path).read_bytes())
    for name, kind in kinds.KINDS.items():
        (folder / f"{name}.yaml").write_text(f"name: Ada Example\n{kind.example}", "utf-8")
    return folder


def test_every_person_is_written_in_its_types(run: Run, people: Path) -> None:
    ran = run("build", "-t", "academic", "--format", "rendercv")
    assert ran.code == 0, ran.err
    used = set()
    for path in people.glob("*.yaml"):
        written = Path("out") / path.stem / "academic.rendercv.yaml"
        made = yaml.safe_load(written.read_text("utf-8"))
        assert set(made) == {"cv", "design"}
        for entries in made["cv"]["sections"].values():
            (name,) = {type_of(one) for one in entries}
            used.add(name)
        assert {one["network"] for one in made["cv"].get("social_networks", ())} <= NETWORKS
        again = registry.read(files.opened(written))
        assert [one for one in again.lost if "fontawesome" not in str(one.note)] == []
    assert used == {*TYPES, "text"}


def test_a_person_comes_back(run: Run, people: Path) -> None:
    assert run("build", "nora", "-t", "academic", "--format", "rendercv").code == 0
    found = registry.read(files.opened(Path("out/nora/academic.rendercv.yaml"))).data
    given = yaml.safe_load((people / "nora.yaml").read_text("utf-8"))
    assert found["name"] == "Nora Lindqvist"
    for key in ("headline", "locale"):
        assert found.get(key, "en") == given[key]
    sections = {one["kind"]: one for one in found["sections"]}
    assert list(sections) == [one["kind"] for one in given["sections"]]
    for one in given["sections"]:
        assert len(sections[one["kind"]]["items"]) == len(one["items"])
    education, thesis = sections["education"]["items"][0], given["sections"][1]["items"][0]
    for key in ("institution", "degree", "area", "thesis", "grade"):
        assert education[key] == thesis[key]
    assert sections["publication"]["items"][0]["authors"][0] == "N. Lindqvist"


def test_a_text_that_is_lost_fails_the_build(
    run: Run, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = output.document
    monkeypatch.setattr(output, "document", lambda shown: {"cv": list(document(shown)["cv"])})
    ran = run("build", "award", "--format", "rendercv")
    assert ran.code == 1
    assert 'the file lacks "Example Prize"; ' in ran.err
    assert not (people.parent / "out/award").exists()


def test_a_private_text_fails_the_build(
    run: Run, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    private = "name: Ada Example\ncontact:\n  phone: {value: +1 202 555 0177, private: true}\n"
    (people / "ada.yaml").write_text(private, "utf-8")
    assert run("build", "ada", "--format", "rendercv").code == 0
    document = output.document
    monkeypatch.setattr(
        output, "document", lambda shown: {**document(shown), "settings": "+1 202 555 0177"}
    )
    ran = run("build", "ada", "--format", "rendercv", "--force")
    assert ran.code == 1
    assert "private" in ran.err
    assert "555" not in ran.err
