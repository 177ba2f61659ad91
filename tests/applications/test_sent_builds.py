"""A packet that TeX made is frozen, and made again from what was kept."""

from __future__ import annotations

import datetime as dt
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Run
from texlive import demand_embedded

from cvbuild.applications import load
from cvbuild.applications.packet import assemble
from cvbuild.applications.packet.assemble import Packet
from cvbuild.applications.sent import archive, rebuild
from cvbuild.applications.sent.archive import Sent
from cvbuild.common.errors import CvbuildError
from cvbuild.outputs.styles.file_names import builtin_folder
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Settings, day_of

DAY = 20_000 * 86_400
LATER = DAY + 10 * 86_400
PERSON = """\
name: Ada Example
contact: {email: ada@example.org}
template: [academic, own]
sections:
  - kind: bullets
    items: [One point]
"""
APPLICATION = """\
person: ada
employer: Example Lab
position: Researcher
recipient: {name: Dr Specimen, email: lab@example.org}
letter: letter.md
attachments: [papers/transcript.pdf]
formats: [docx]
"""


def settings(root: Path, cache: Path, today: int) -> Settings:
    # The fastest engine: what is tested here is the same with all.
    library = Library.at(root / "templates")
    return Settings(root / "out", library, today, engine="embedded", cache=cache)


def write(root: Path, name: str, text: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text, encoding="utf-8")


def build(root: Path, how: Settings) -> Packet:
    return assemble.build(load.load("lab", how.day, root), how, root)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, tex_cache: Path) -> tuple[Path, Packet]:
    """A workspace and its packet; the CV was built ten days before the letter was written."""
    demand_embedded()
    root = tmp_path_factory.mktemp("work")
    write(root, "people/ada.yaml", PERSON)
    shutil.copytree(builtin_folder() / "academic", root / "templates" / "own")
    (root / "applications/papers").mkdir(parents=True)
    before = settings(root, tex_cache, DAY)
    write(root, "applications/lab.yaml", "person: ada\nemployer: Example Lab\nposition: X\n")
    first = build(root, before)
    shutil.copy(first.folder / first.files[0], root / "applications/papers/transcript.pdf")
    write(root, "applications/lab.yaml", APPLICATION)
    write(root, "applications/letter.md", "I would **like** to.\n")
    return root, build(root, settings(root, tex_cache, LATER))


@pytest.fixture
def one(made: tuple[Path, Packet], tmp_path: Path) -> Sent:
    """That packet as it was sent."""
    archive.freeze(made[1], tmp_path, day_of(LATER))
    [found] = archive.packets(tmp_path)
    return found


def test_the_same_bytes(made: tuple[Path, Packet], one: Sent, tex_cache: Path) -> None:
    root, packet = made
    assert one.manifest is not None
    assert one.manifest.built.today == LATER
    cv, letter = one.manifest.built.documents
    assert (cv.file, letter.file) == packet.files[:2][::-1]
    assert (cv.date, letter.date) == (DAY, LATER)
    assert cv.engine.startswith("pdflatex (embedded")
    assert cv.fonts
    assert {"engine", "tree", "fonts", "text"} <= set(cv.parts)
    names = {item.name for item in one.manifest.inputs}
    assert {
        "people/ada.yaml",
        "applications/lab.yaml",
        "applications/letter.md",
        "applications/papers/transcript.pdf",
        "templates/academic/cvb-academic.sty",
        "templates/own/template.yaml",
        "templates/_core/document.tex.j2",
        "templates/letter/document.tex.j2",
    } <= names
    # Neither the person's files nor their templates are needed any more, nor is it that day.
    elsewhere = Settings(root / "none", Library.at(), LATER * 2, cache=tex_cache)
    found = archive.verify(one, rebuild.builder(elsewhere))
    assert found.diagnostics == ()
    assert dict(found.files) == dict.fromkeys(sorted(packet.files), "same")
    assert len(found.files) == 9
    assert not (root / "none").exists()


def test_another_date_makes_other_bytes(one: Sent, tex_cache: Path) -> None:
    """What is compared can differ."""
    assert one.manifest is not None
    built = one.manifest.built
    documents = tuple(item.model_copy(update={"date": DAY + 86_400}) for item in built.documents)
    changed = built.model_copy(update={"documents": documents})
    other = replace(one, manifest=one.manifest.model_copy(update={"built": changed}))
    found = archive.verify(
        other, rebuild.builder(Settings(Path(), Library.at(), 0, cache=tex_cache))
    )
    assert not found.is_whole
    assert {name for name, verdict in found.files.items() if verdict == "same"} == {
        name
        for name in found.files
        if "Cover-Letter" in name or "transcript" in name or name.endswith((".txt", ".docx"))
    }


@pytest.mark.deep
def test_what_is_edited_meanwhile_is_not_frozen(
    made: tuple[Path, Packet], tmp_path: Path, tex_cache: Path
) -> None:
    root, packet = made
    shutil.copytree(root, tmp_path / "work")
    root = tmp_path / "work"
    how = settings(root, tex_cache, LATER)
    packet = build(root, how)

    def again() -> Packet:
        return build(root, how)

    day = dt.date(2026, 11, 21)
    write(root, "applications/letter.md", "I would like to.\n")
    with pytest.raises(CvbuildError, match="was changed while it was frozen"):
        archive.freeze(packet, root, day, again)
    assert [path.name for path in (root / archive.FOLDER).iterdir()] == [".gitignore"]
    packet = again()
    assert archive.freeze(packet, root, day, again).name == "2026-11-21-lab"


@pytest.fixture
def here(made: tuple[Path, Packet], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the workspace, as the working folder, on that day."""
    shutil.copytree(made[0], tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr("cvbuild.building.environment.today", lambda: LATER)
    return tmp_path / "here"


APPLY = ("apply", "lab", "--sent", "--engine", "embedded")
FOLDER = "applications/sent/2024-10-14-lab"


def test_the_command_line(run: Run, here: Path) -> None:
    (here / ".git").mkdir()
    told = run("applications", "verify")
    assert (told.code, told.out) == (0, "")
    assert "nothing was sent yet" in told.err
    told = run(*APPLY)
    assert told.code == 0, told.err
    assert f"kept as it was sent, read-only: {FOLDER}/" in told.err
    assert "may hold private data; it is kept out of git" in told.err
    assert (here / FOLDER).parent.joinpath(".gitignore").read_text() == "*\n"
    (here / ".gitignore").write_text("/applications/sent/\n", encoding="utf-8")
    told = run(*APPLY, "--json")
    assert told.code == 1
    [packet] = json.loads(told.out)["packets"]
    assert (packet["ok"], packet["sent"]) == (False, None)
    assert packet["diagnostics"][-1]["message"].startswith("already sent on 2024-10-14")

    told = run("applications", "verify", "lab")
    assert told.code == 0, told.err
    same = "all 9 files have the same bytes when built again"
    assert told.out == f"✓ {FOLDER}: unmodified; {same}\n"
    assert run("applications", "verify", "another").code == 2

    (here / "people/ada.yaml").write_text(PERSON.replace("One", "1"), encoding="utf-8")
    told = run("applications")
    assert "sent 2024-10-14, since then changed: people/ada.yaml" in told.out
    told = run(*APPLY)
    assert told.code == 0, told.err
    assert f"{FOLDER}-2/" in told.err
    assert "note: applications/sent/ may hold private data; it is kept out of git" in told.err

    mail = here / FOLDER / "message.eml"
    mail.chmod(0o644)
    mail.write_bytes(mail.read_bytes() + b"\n")
    told = run("applications", "verify", "--json")
    assert told.code == 1
    first, second = json.loads(told.out)["packets"]
    assert (first["ok"], second["ok"]) == (False, True)
    assert [item["file"] for item in first["diagnostics"]] == [f"{FOLDER}/message.eml"]
    assert set(second["files"].values()) == {"same"}
